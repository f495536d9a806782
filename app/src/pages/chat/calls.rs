//! Calls of tools in an answer: a card each.

use std::sync::Arc;

use leptos::prelude::*;
use serde_json::Value;

use super::call_chart::CallChart;
use super::consent::Consent;
use super::message_ref::MessageRef;
use crate::{
    failures,
    history::{Message, ProgramResult},
    language::t,
    mcp,
    state::{answer::RunningCall, chat::result_of, mcp::Permission, use_chat},
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
    // Which of them runs.
    let running = Memo::new(move |_| {
        let call = chat
            .answer
            .call
            .get()
            .filter(|call| (call.conversation, call.node) == (it.conversation_id, it.node));
        call.map(|call| call.place)
    });
    // The first that waits.
    let next = Memo::new(move |_| {
        let is_idle = ended.get() && running.with(Option::is_none);
        is_idle.then(|| results.with(|results| results.iter().position(Option::is_none))).flatten()
    });
    let place_of = move |place| RunningCall { conversation: it.conversation_id, node: it.node, place };
    // That, if the user is to be asked about it: with the tool and its server.
    let asked = Memo::new(move |_| {
        let place = next.get()?;
        let name = calls.with(|calls| calls.get(place).map(|call| call.name.clone()))?;
        let tools = it.conversation.with(|conversation| conversation.options.tools.clone());
        let (server, tool) = chat.mcp.named(&name, &tools)?;
        let is_asked = chat.mcp.permission(place_of(place), &server, &tool) == Permission::Undecided;
        is_asked.then_some((place, server, tool))
    });
    let waits = move || next.get().is_some() && asked.with(Option::is_none);
    let card = move |(place, call): (usize, protocol::ToolCall)| {
        let result = Memo::new(move |_| results.with(|results| results.get(place).cloned().flatten()));
        let tool = StoredValue::new(call.name);
        let remote = Memo::new(move |_| tool.with_value(|tool| chat.mcp.known_as(tool)));
        let name = move || {
            tool.with_value(|tool| match (BuiltIn::named(tool), remote.get()) {
                (Some(own), _) => own.label().to_owned(),
                (None, Some((server, remote))) => t().mcp_tool_of(&remote.name, &server.name),
                (None, None) => tool.clone(),
            })
        };
        let consent = move || {
            let asked = asked.get().filter(|asked| asked.0 == place);
            asked.map(|(_, server, tool)| view! { <Consent call=place_of(place) server=server tool=tool /> })
        };
        let is_asked = Memo::new(move |_| asked.with(|asked| asked.as_ref().is_some_and(|it| it.0 == place)));
        let state = move || {
            result.with(|result| match result {
                _ if running.get() == Some(place) => t().call_runs(),
                None if is_asked.get() => t().call_asks(),
                None => t().call_waits(),
                Some((_, false)) => t().call_done(),
                Some((_, true)) => t().call_failed(),
            })
        };
        // Whose words the result is.
        let source = move || {
            let is_there = result.with(|result| result.as_ref().is_some_and(|it| !it.1 && !it.0.is_empty()));
            let server = remote.get().filter(|_| is_there)?.0.name;
            Some(view! { <p class="hint">{t().result_untrusted(&server)}</p> })
        };
        let program = Memo::new(move |_| {
            result.with(|result| {
                let (text, _) = result.as_ref()?;
                tool.with_value(|tool| ProgramResult::read(tool, text))
            })
        });
        let charts = move || {
            let charts = program.get().map(|program| program.charts).unwrap_or_default();
            charts.into_iter().map(|chart| view! { <CallChart chart=chart /> }).collect::<Vec<_>>()
        };
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        let arguments: Vec<_> = arguments
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let value = mcp::visible(&value).into_owned();
                view! { <div><dt>{mcp::visible(name).into_owned()}</dt><dd dir="auto">{value}</dd></div> }
            })
            .collect();
        view! {
            <details class="call" open=move || is_asked.get()>
                <summary>
                    <span dir="auto">{name}</span>
                    <span class="tag" class:bad=move || result.with(|it| it.as_ref().is_some_and(|it| it.1))>{state}</span>
                </summary>
                <dl class="pairs">{arguments}</dl>
                {consent}
                {source}
                {move || match program.get() {
                    Some(program) => view! { <Given label=t().call_result() text=program.result /><Given label=t().coded_console() text=program.console /> }.into_any(),
                    None => result.get().map(|(text, failed)| outcome(text, failed)).into_any(),
                }}
            </details>
            {charts}
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
        None => view! { <Given label=t().call_result() text=text /> }.into_any(),
    }
}

/// A text that a tool has given; nothing if there is none.
#[component]
fn Given(label: &'static str, text: String) -> impl IntoView {
    // Focusable, so that the keyboard can scroll it.
    (!text.is_empty()).then(|| view! { <pre tabindex="0" role="group" aria-label=label>{text}</pre> })
}
