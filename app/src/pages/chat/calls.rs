//! Calls of tools in an answer: a card each.

use std::sync::Arc;

use leptos::prelude::*;
use serde_json::Value;

use super::message_ref::MessageRef;
use crate::{
    failures,
    history::Message,
    language::t,
    state::{chat::result_of, use_chat},
    tools::{BuiltIn, ToolError},
};

/// The cards of an answer's calls, and the way to carry out those that wait.
#[component]
pub fn CallCards(it: MessageRef, message: Memo<Option<Arc<Message>>>) -> impl IntoView {
    let chat = use_chat();
    let calls =
        Memo::new(move |_| message.with(|it| it.as_ref().map(|it| it.calls.clone()).unwrap_or_default()));
    // Of all of them, so that one that waits is seen.
    let results = Memo::new(move |_| {
        it.conversation.with(|conversation| {
            calls.with(|calls| {
                calls.iter().map(|call| result_of(conversation, it.node, call)).collect::<Vec<_>>()
            })
        })
    });
    let ended = Memo::new(move |_| message.with(|it| it.as_ref().is_some_and(|it| it.finish.is_some())));
    let waits = move || ended.get() && results.with(|results| results.iter().any(Option::is_none));
    let card = move |(place, call): (usize, protocol::ToolCall)| {
        let result = Memo::new(move |_| results.with(|results| results.get(place).cloned().flatten()));
        let state = move || {
            result.with(|result| match result {
                None => t().call_waits(),
                Some((_, false)) => t().call_done(),
                Some((_, true)) => t().call_failed(),
            })
        };
        let name =
            BuiltIn::named(&call.name).map_or_else(|| call.name.clone(), |tool| tool.label().to_owned());
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        let arguments: Vec<_> = arguments
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                view! { <div><dt>{name.clone()}</dt><dd dir="auto">{value}</dd></div> }
            })
            .collect();
        view! {
            <details class="call">
                <summary>
                    <span dir="auto">{name}</span>
                    <span class="tag" class:bad=move || result.with(|it| it.as_ref().is_some_and(|it| it.1))>{state}</span>
                </summary>
                <dl class="pairs">{arguments}</dl>
                {move || result.get().map(|(text, failed)| outcome(text, failed))}
            </details>
        }
    };
    view! {
        <section class="calls" aria-label=t().calls_title()>
            {move || calls.get().into_iter().enumerate().map(card).collect_view()}
            <Show when=waits>
                <button
                    type="button"
                    class="button"
                    on:click=move |_| chat.carry_out(it.conversation_id, it.node, true)
                >
                    {t().call_run()}
                </button>
            </Show>
        </section>
    }
}

/// A result, or what went wrong. An error that this page doesn't know is shown as the model reads it.
fn outcome(text: String, failed: bool) -> AnyView {
    match ToolError::from_json(&text).filter(|_| failed) {
        Some(error) => view! { <p class="hint bad">{failures::tool(&error)}</p> }.into_any(),
        None => view! { <pre tabindex="0" aria-label=t().call_result()>{text}</pre> }.into_any(),
    }
}
