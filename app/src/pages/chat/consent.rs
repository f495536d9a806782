//! Asking whether a server's tool may be called. The card around it shows the arguments in full.

use leptos::prelude::*;

use crate::{
    language::t,
    mcp::{McpServer, McpTool},
    state::{answer::RunningCall, mcp::Decision, use_chat},
};

/// Who would get the arguments, what it says of the tool, and the answers that the user may give.
#[component]
pub fn Consent(call: RunningCall, server: McpServer, tool: McpTool) -> impl IntoView {
    let chat = use_chat();
    let who = t().consent_who(&tool.name, &server.name, server.host());
    let has_changed = untrack(|| chat.mcp.has_changed(call.conversation, &server, &tool));
    let changed = has_changed.then(|| view! { <p class="hint bad">{t().consent_changed()}</p> });
    let described = (!tool.description.is_empty()).then(|| {
        view! {
            <details open=has_changed>
                <summary>{t().consent_description()}</summary>
                <p class="as-written" dir="auto">{tool.description.clone()}</p>
            </details>
        }
    });
    let shown = StoredValue::new((server, tool));
    let answer = move |decision, words: &'static str, class: &'static str| {
        let press = move |_| {
            shown.with_value(|(server, tool)| chat.mcp.decide(decision, call, server, tool));
            chat.carry_out(call.conversation, call.node, true);
        };
        view! { <button type="button" class=class on:click=press>{words}</button> }
    };
    view! {
        <div class="consent" role="group" aria-label=t().consent_title()>
            <p dir="auto">{who}</p>
            {changed}
            {described}
            <div class="buttons">
                {answer(Decision::AllowOnce, t().consent_once(), "button primary")}
                {answer(Decision::AllowInConversation, t().consent_conversation(), "button")}
                {answer(Decision::AllowAlways, t().consent_always(), "button")}
                {answer(Decision::Deny, t().consent_nothing(), "button")}
            </div>
        </div>
    }
}
