//! The conversation: the page itself.

mod absent;
mod adapters;
mod attach_bar;
mod attachments;
mod call_chart;
mod calls;
mod camera;
mod canvas;
mod chips;
mod cited;
mod code_actions;
mod coded;
mod coded_frame;
mod coded_table;
mod compare;
mod composer;
mod consent;
mod dialogs;
mod drawer;
mod filing;
mod find;
mod log;
mod marks;
mod message;
mod message_ref;
mod panes;
mod preview;
mod prompt_menu;
mod reading;
mod room;
mod status;
mod talk;
mod thought;
mod tool_switches;
mod topbar;
mod transcript;
mod unanswered;
mod voice_bar;
mod welcome;

pub use dialogs::fetch as fetch_dialogs;
pub use reading::watch_returns;

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::components::Outlet;

use self::{
    absent::Absent,
    composer::Composer,
    dialogs::{CodedDrawer, Compare, DocumentDialog, Drawer, TalkDialog, TranscriptDialog},
    filing::TemporaryNote,
    log::Log,
    status::StatusArea,
    topbar::TopBar,
};
use crate::{
    components::Viewer,
    history::one_line,
    language::t,
    pages::NotFoundPage,
    place::{Place, use_place},
    state::{use_chat, use_library, use_settings},
};

/// One conversation, or a new one. The address decides which.
#[component]
pub fn ChatPage() -> impl IntoView {
    let (chat, library, settings) = (use_chat(), use_library(), use_settings());
    let place = use_place();
    Effect::new(move |_| {
        if !library.open.get() || !settings.known.get() {
            return;
        }
        match place.get() {
            Place::Chat(Some(id)) => chat.open(id),
            Place::Chat(None) => chat.begin_new(),
            _ => {}
        }
    });
    let title = move || {
        // The browser keeps titles of pages.
        let title =
            chat.conversation.with(|it| if it.temporary { String::new() } else { one_line(&it.title) });
        if title.is_empty() { t().brand().to_owned() } else { t().page_title(&title) }
    };
    // The server asks for it after the page was rendered, maybe on another thread, where no signal can be read.
    let title = if cfg!(feature = "ssr") { TextProp::from(untrack(title)) } else { TextProp::from(title) };
    // Not the conversation's id: going from one to another draws nothing anew.
    let known = Memo::new(move |_| place.get() != Place::Unknown);
    view! {
        <Show when=move || known.get() fallback=NotFoundPage>
        <Title text=title.clone() />
        <div class="chat">
            <main id="main" class="chat-main" tabindex="-1">
                <TopBar />
                <Show when=move || chat.missing.with(Option::is_none) fallback=|| view! { <Absent /> }>
                    <Log />
                </Show>
                <div class="chat-foot">
                    <StatusArea />
                    <TemporaryNote />
                    <Composer />
                </div>
            </main>
            <Drawer />
            <CodedDrawer />
            <Viewer />
            <DocumentDialog />
            <Compare />
            <TalkDialog />
            <TranscriptDialog />
        </div>
        </Show>
        // Nothing is in it, but the router waits for it before it changes the address.
        <Outlet />
    }
}
