//! What a press opens over the conversation or beside it. The content is in the part of the wasm that comes later.

use std::sync::Arc;

use leptos::{html, prelude::*};
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::{
    adapters,
    calls::CallCards,
    camera::CameraView,
    chips::Chips,
    coded::CodedContent,
    compare::CompareContent,
    drawer::DrawerContent,
    find::FindBar,
    message_ref::MessageRef,
    preview::Preview,
    prompt_menu::{MenuKeys, PromptMenu},
    room::{ReadingStart, RoomQuestion},
    talk::TalkView,
    transcript::TranscriptView,
    voice_bar::VoiceLines,
};
use crate::{
    browser,
    components::{Dialog, DialogFrame, Glyph, IconButton},
    history::{Conversation, Message, NodeId},
    language::t,
    later,
    state::{use_chat, use_documents, use_find, use_library, use_ui, use_voice},
};

/// The content of a dialog.
#[derive(Clone, Copy)]
enum Content {
    Drawer,
    Compare,
    Camera(RwSignal<bool>),
    Document,
    Talk,
    Transcript,
    VoiceBars,
    Coded,
    Adapters,
    Beside(MenuKeys),
    Calls(MessageRef, Memo<Option<Arc<Message>>>),
    Room(Option<NodeId>),
    Start(RwSignal<Conversation>),
    Find(NodeRef<html::Div>, NodeRef<html::Div>, RwSignal<bool>),
}

/// Draws a content. Everything that only this function needs is in the part that comes later.
#[wasm_split(later, fallible, preload(fetch))]
pub fn draw(content: Content) -> Result<AnyView, SplitLoaderError> {
    Ok(match content {
        Content::Drawer => view! { <DrawerContent /> }.into_any(),
        Content::Compare => view! { <CompareContent /> }.into_any(),
        Content::Camera(open) => view! { <CameraView open=open /> }.into_any(),
        Content::Document => view! { <Preview /> }.into_any(),
        Content::Talk => view! { <TalkView /> }.into_any(),
        Content::Transcript => view! { <TranscriptView /> }.into_any(),
        Content::VoiceBars => view! { <VoiceLines /> }.into_any(),
        Content::Coded => view! { <CodedContent /> }.into_any(),
        Content::Adapters => view! { <adapters::AdapterChoice /> }.into_any(),
        Content::Calls(it, message) => view! { <CallCards it=it message=message /> }.into_any(),
        Content::Room(answer) => view! { <RoomQuestion answer=answer /> }.into_any(),
        Content::Start(of) => view! { <ReadingStart conversation=of /> }.into_any(),
        Content::Find(scroller, messages, follows) => {
            view! { <FindBar scroller=scroller messages=messages follows=follows /> }.into_any()
        }
        Content::Beside(keys) => view! { <PromptMenu keys=keys /><Chips /> }.into_any(),
    })
}

fn content(content: Content) -> AnyView {
    later::opened(move || draw(content), |words| words)
}

/// Draws what is of no use before the conversations are there, and is nothing until then. So hydration never waits for it.
fn once_open(of: Content) -> impl IntoView {
    let library = use_library();
    view! {
        <Show when=move || library.open.get()>
            {later::drawn(move || draw(of), |_| ().into_any())}
        </Show>
    }
}

/// Which adapter the next answer is written with.
#[component]
pub fn AdapterChoice() -> impl IntoView {
    once_open(Content::Adapters)
}

/// What differs from the defaults, and the prompts behind `/`, whose keys `menu` gets.
#[component]
pub fn Beside(menu: MenuKeys) -> impl IntoView {
    once_open(Content::Beside(menu))
}

/// The calls of tools in an answer, if it has any.
#[component]
pub fn Calls(it: MessageRef, message: Memo<Option<Arc<Message>>>) -> impl IntoView {
    let any = Memo::new(move |_| message.with(|it| it.as_ref().is_some_and(|it| !it.calls.is_empty())));
    view! {
        <Show when=move || any.get()>
            {later::drawn(move || draw(Content::Calls(it, message)), |_| ().into_any())}
        </Show>
    }
}

/// The question how room is to be made: for the next message, or for an answer that did not fit.
pub fn room(answer: Option<NodeId>) -> AnyView {
    later::drawn(move || draw(Content::Room(answer)), |_| ().into_any())
}

/// The line at which the model begins to read a conversation.
pub fn reading_start(of: RwSignal<Conversation>) -> AnyView {
    later::drawn(move || draw(Content::Start(of)), |_| ().into_any())
}

/// The line that goes through what was found, while something is looked for in the conversation on screen.
#[component]
pub fn FindLine(
    /// What scrolls.
    scroller: NodeRef<html::Div>,
    /// The messages.
    messages: NodeRef<html::Div>,
    /// Whether the view follows what is written.
    follows: RwSignal<bool>,
) -> impl IntoView {
    let (chat, find) = (use_chat(), use_find());
    let here = Memo::new(move |_| {
        let id = chat.conversation.with(|conversation| conversation.id);
        find.of.get() == Some(id)
    });
    view! { <Show when=move || here.get()>{content(Content::Find(scroller, messages, follows))}</Show> }
}

/// What belongs to this conversation.
#[component]
pub fn Drawer() -> impl IntoView {
    let open = use_ui().drawer;
    view! {
        <DialogFrame open=open title=t().drawer_title() class="drawer" is_modal=browser::drawer_covers>
            // Above what scrolls.
            <header class="dialog-head drawer-head">
                <h2>{t().drawer_title()}</h2>
                <IconButton glyph=Glyph::Close label=t().close() on_press=move |()| open.set(false) />
            </header>
            {content(Content::Drawer)}
        </DialogFrame>
    }
}

/// What the model has coded.
#[component]
pub fn CodedDrawer() -> impl IntoView {
    let open = use_ui().coded;
    view! {
        <DialogFrame open=open title=t().code_preview() class="drawer coded" is_modal=browser::drawer_covers>
            <header class="dialog-head drawer-head">
                <h2>{t().code_preview()}</h2>
                <IconButton glyph=Glyph::Close label=t().close() on_press=move |()| open.set(None) />
            </header>
            {content(Content::Coded)}
        </DialogFrame>
    }
}

/// Two answers side by side. It writes nothing into the conversation.
#[component]
pub fn Compare() -> impl IntoView {
    let open = use_ui().compare;
    view! { <Dialog open=open title=t().compare_title() class="compare">{content(Content::Compare)}</Dialog> }
}

/// The text of a document.
#[component]
pub fn DocumentDialog() -> impl IntoView {
    let shown = use_documents().shown;
    let title = Signal::derive(move || {
        shown.with(|it| it.as_ref().map_or_else(String::new, |it| it.attachment.name.clone()))
    });
    view! { <Dialog open=shown title=title class="document-preview">{content(Content::Document)}</Dialog> }
}

/// A conversation by voice.
#[component]
pub fn TalkDialog() -> impl IntoView {
    let open = use_voice().talk;
    view! { <Dialog open=open title=t().talk() class="talk">{content(Content::Talk)}</Dialog> }
}

/// A recording written down.
#[component]
pub fn TranscriptDialog() -> impl IntoView {
    let open = use_voice().transcript;
    view! { <Dialog open=open title=t().transcript_title()>{content(Content::Transcript)}</Dialog> }
}

/// What is said of reading aloud and of dictation.
#[component]
pub fn VoiceBars() -> impl IntoView {
    let voice = use_voice();
    let any = Memo::new(move |_| voice.shows_something());
    view! { <Show when=move || any.get()>{later::drawn(|| draw(Content::VoiceBars), |_| ().into_any())}</Show> }
}

/// What the camera sees.
#[component]
pub fn CameraDialog(open: RwSignal<bool>) -> impl IntoView {
    view! { <Dialog open=open title=t().camera() class="camera">{content(Content::Camera(open))}</Dialog> }
}
