//! What stands after a message that was not answered: its turn was cancelled, or the page went away while it waited.

use leptos::prelude::*;

use super::message_ref::MessageRef;
use crate::{
    components::{Glyph, Icon},
    language::t,
    state::{chat::ChatTurn, use_chat},
};

/// A way to have a message answered after all. Nothing where it is answered, or will be.
#[component]
pub fn Unanswered(it: MessageRef) -> impl IntoView {
    let chat = use_chat();
    let MessageRef { conversation, node, .. } = it;
    let last = Memo::new(move |_| conversation.with(|conversation| conversation.ends_with(node)));
    let waits = Memo::new(move |_| {
        chat.queued.with(|queued| queued.as_ref().is_some_and(|queued| queued.turn == ChatTurn::After(node)))
    });
    let free = Memo::new(move |_| !chat.answer.is_running() && chat.queued.with(Option::is_none));
    view! {
        <Show when=move || last.get() && !waits.get()>
            <div class="outcome muted">
                <p>{t().unanswered()}</p>
                <button
                    type="button"
                    class="button"
                    disabled=move || !free.get()
                    on:click=move |_| chat.ask(ChatTurn::After(node))
                >
                    <Icon glyph=Glyph::Again />
                    {t().try_again()}
                </button>
            </div>
        </Show>
    }
}
