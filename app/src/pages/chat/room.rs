//! What is shown of a conversation that is longer than the model's context: how room is to be made, and where the model begins to
//! read.

use leptos::{html, prelude::*};

use crate::{
    browser,
    content::Markdown,
    history::{Conversation, Node, NodeId},
    language::t,
    state::{chat::Overflow, use_chat, use_ui},
};

/// Asks how room is to be made: for the next message, or for an answer that did not fit.
#[component]
pub fn RoomQuestion(answer: Option<NodeId>) -> impl IntoView {
    let (chat, ui) = (use_chat(), use_ui());
    let has_shorter = |node| {
        chat.conversation.with_untracked(|conversation| {
            let question = conversation.node(node).and_then(Node::parent);
            question.is_some_and(|question| !conversation.later_starts(question).is_empty())
        })
    };
    match answer {
        None => ui.say(t().room_question()),
        Some(node) if has_shorter(node) => {}
        // The question itself is too long.
        Some(_) => return ().into_any(),
    }
    let choose = move |overflow| {
        chat.choose_overflow(Some(overflow));
        // The button goes, and the focus with it.
        ui.focus_composer.ask(());
        let Some(node) = answer else { return };
        let says = chat.conversation.with_untracked(|conversation| {
            conversation.message(node).is_some_and(|message| !message.text.is_empty())
        });
        if says { chat.continue_answer(node) } else { chat.regenerate(node) }
    };
    view! {
        <div class="notice slim" role="group" aria-label=t().room_question()>
            <p>{t().room_question()}</p>
            <button type="button" class="button" on:click=move |_| choose(Overflow::LeaveOut)>{t().room_leave_out()}</button>
            <button type="button" class="button" on:click=move |_| choose(Overflow::Summarize)>{t().room_summarize()}</button>
        </div>
    }
    .into_any()
}

/// The line at which the model begins to read, with the summary of what is above.
#[component]
pub fn ReadingStart(conversation: RwSignal<Conversation>) -> impl IntoView {
    let (chat, ui) = (use_chat(), use_ui());
    let summary =
        Memo::new(move |_| conversation.with(|conversation| conversation.context_start.summary.clone()));
    let none = Memo::new(move |_| summary.with(|summary| summary.trim().is_empty()));
    let whole = move |_| {
        ui.focus_composer.ask(());
        chat.read_everything();
    };
    view! {
        <div class="reading-start">
            <Show when=move || none.get() fallback=move || view! { <Summary text=summary /> }>
                <h2>{t().reading_start()}</h2>
            </Show>
            <button type="button" class="button quiet" on:click=whole>{t().reading_whole()}</button>
        </div>
    }
}

/// The summary, which can be changed.
#[component]
fn Summary(text: Memo<String>) -> impl IntoView {
    let chat = use_chat();
    let field = NodeRef::<html::Textarea>::new();
    let button = NodeRef::<html::Button>::new();
    let editing = RwSignal::new(false);
    let fit = move || {
        if let Some(field) = field.get_untracked() {
            browser::autosize(&field);
        }
    };
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            fit();
            // It has just been put into the page.
            field.focus().ok();
        }
    });
    let close = move || {
        editing.set(false);
        browser::next_frame(move || match button.try_get_untracked().flatten() {
            // It is back in the page.
            Some(button) => {
                button.focus().ok();
            }
            // An empty summary is none.
            None => browser::focus_somewhere(),
        });
    };
    let save = move || {
        let Some(field) = field.get_untracked() else { return };
        close();
        chat.edit(|conversation| conversation.context_start.summary = field.value().trim().to_owned());
    };
    let key = move |event: web_sys::KeyboardEvent| match event.key().as_str() {
        _ if browser::is_composing(&event) => {}
        "Escape" => {
            event.stop_propagation();
            close();
        }
        "Enter" if event.ctrl_key() || event.meta_key() => save(),
        _ => {}
    };
    view! {
        <details>
            <summary><h2>{t().reading_summary()}</h2></summary>
            <Show
                when=move || editing.get()
                fallback=move || view! {
                    <div class="says" dir="auto"><Markdown text=text /></div>
                    <button type="button" class="button" node_ref=button on:click=move |_| editing.set(true)>
                        {t().named_edit()}
                    </button>
                }
            >
                <div class="edit">
                    <textarea
                        aria-label=t().reading_summary()
                        dir="auto"
                        node_ref=field
                        prop:value=text.get_untracked()
                        on:keydown=key
                        on:input=move |_| fit()
                    ></textarea>
                    <div class="buttons">
                        <button type="button" class="button primary" on:click=move |_| save()>{t().save()}</button>
                        <button type="button" class="button" on:click=move |_| close()>{t().cancel()}</button>
                    </div>
                </div>
            </Show>
        </details>
    }
}
