//! Servers whose tools the model may use: adding one, how each is, and which of its tools are on.

use leptos::{prelude::*, web_sys};

use crate::{
    components::{Glyph, Icon, Switch},
    failures,
    language::t,
    mcp::{self, McpError, McpServer, McpTool},
    state::{mcp::McpState, use_mcp},
    tools::ToolError,
};

/// The section of the settings.
#[component]
pub fn McpSettings() -> impl IntoView {
    let mcp = use_mcp();
    let addresses = Memo::new(move |_| {
        mcp.servers.with(|all| all.iter().map(|server| server.address.clone()).collect::<Vec<_>>())
    });
    view! {
        <section class="part rows" aria-labelledby="mcp-title">
            <h2 id="mcp-title">{t().mcp_title()}</h2>
            <p class="hint">{t().mcp_hint()}</p>
            {move || addresses.get().into_iter().map(|address| view! { <Server address=address /> }).collect_view()}
            <AddServer />
        </section>
    }
}

/// A server, how it is, and its tools.
#[component]
fn Server(address: String) -> impl IntoView {
    let mcp = use_mcp();
    let key = StoredValue::new(address);
    let server = Memo::new(move |_| key.with_value(|address| mcp.server(address)).unwrap_or_default());
    let name = server.get_untracked().name;
    let state = Memo::new(move |_| mcp.states.with(|states| key.with_value(|it| states.get(it).cloned())));
    let words = move || match state.get() {
        None => String::new(),
        Some(McpState::Asking) => t().mcp_asking().to_owned(),
        Some(McpState::Connected) => t().mcp_connected().to_owned(),
        Some(McpState::Failed(error)) => failures::tool(&ToolError::Mcp(error)),
    };
    let names = Memo::new(move |_| {
        server.with(|server| server.tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>())
    });
    let refresh = move |_| key.with_value(|address| mcp.ask(address));
    let remove = move |_| key.with_value(|address| mcp.remove(address));
    let switch = move |on| {
        key.with_value(|address| mcp.change(address, |server| server.on = on));
    };
    view! {
        <article class="mcp-server" aria-label=name.clone()>
            <Switch
                label=name.clone()
                hint=server.get_untracked().address
                on=Signal::derive(move || server.with(|server| server.on))
                on_change=switch
            />
            <p class="hint" class:bad=move || matches!(state.get(), Some(McpState::Failed(_))) role="status">{words}</p>
            <div class="buttons">
                <button type="button" class="button" aria-label=t().mcp_refresh_of(&name) on:click=refresh>
                    {t().mcp_refresh()}
                </button>
                <button type="button" class="button" aria-label=t().mcp_remove_of(&name) on:click=remove>
                    <Icon glyph=Glyph::Delete />
                    {t().mcp_remove()}
                </button>
            </div>
            <details hidden=move || names.with(Vec::is_empty)>
                <summary>{move || t().mcp_tools(names.with(Vec::len) as u64)}</summary>
                <p class="hint">{t().mcp_tools_hint()}</p>
                {move || names.get().into_iter().map(|name| tool_row(server, name)).collect_view()}
            </details>
        </article>
    }
}

/// A tool of a server: a switch, why it can't be used, and whether all its calls are allowed.
fn tool_row(server: Memo<McpServer>, name: String) -> AnyView {
    let mcp = use_mcp();
    let key = StoredValue::new(name.clone());
    let tool = Memo::new(move |_| {
        let is_it = |tool: &&McpTool| key.with_value(|name| tool.name == *name);
        server.with(|server| server.tools.iter().find(is_it).cloned()).unwrap_or_default()
    });
    let change = move |change: fn(&mut McpTool, bool), to: bool| {
        let address = server.with_untracked(|server| server.address.clone());
        mcp.change(&address, |server| {
            let is_it = |tool: &&mut McpTool| key.with_value(|name| tool.name == *name);
            if let Some(tool) = server.tools.iter_mut().find(is_it) {
                change(tool, to);
            }
        });
    };
    let refused = move || {
        let tool = tool.get();
        let words = match &*tool.refused? {
            "" => t().mcp_refused_schema(&tool.name),
            keyword => t().mcp_refused_keyword(&tool.name, keyword),
        };
        Some(view! { <p class="hint bad">{words}</p> })
    };
    let is_refused = Signal::derive(move || tool.with(|tool| tool.refused.is_some()));
    let allowed = Memo::new(move |_| tool.with(|tool| tool.allowed.as_ref() == Some(&tool.definition())));
    let description = Memo::new(move |_| tool.with(|tool| tool.description.clone()));
    let again = name.clone();
    let allowed = move || {
        allowed.get().then(|| {
            view! {
                <p class="hint">
                    {t().mcp_allowed()}
                    " "
                    <button
                        type="button"
                        class="button"
                        aria-label=t().mcp_ask_again_of(&again)
                        on:click=move |_| change(|tool, _| tool.allowed = None, false)
                    >
                        {t().mcp_ask_again()}
                    </button>
                </p>
            }
        })
    };
    view! {
        <Switch
            label=name
            on=Signal::derive(move || tool.with(|tool| tool.on && tool.refused.is_none()))
            on_change=move |on: bool| change(|tool, on| tool.on = on, on)
            disabled=is_refused
        />
        {refused}
        <p class="hint as-written" dir="auto">{description}</p>
        {allowed}
    }
    .into_any()
}

/// The fields for another server.
#[component]
fn AddServer() -> impl IntoView {
    let mcp = use_mcp();
    let [address, name, token] = [(); 3].map(|()| RwSignal::new(String::new()));
    let trouble = RwSignal::new(String::new());
    let add = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let words = |error| failures::tool(&ToolError::Mcp(error));
        let typed = address.get_untracked();
        let said = match mcp::address(&typed) {
            None => words(McpError::Address),
            Some(address) if mcp::is_plain_elsewhere(&address) => {
                words(McpError::PlainHttp { host: mcp::host_of(&address).to_owned() })
            }
            Some(it) if !mcp.add(&it, name.get_untracked().trim(), token.get_untracked().trim()) => {
                t().mcp_twice().to_owned()
            }
            Some(_) => {
                [address, name, token].iter().for_each(|field| field.set(String::new()));
                String::new()
            }
        };
        trouble.set(said);
    };
    let field = |label: &'static str, kind: &'static str, value: RwSignal<String>| {
        view! {
            <label class="field">
                <span>{label}</span>
                <input
                    type=kind autocomplete="off" spellcheck="false" dir="auto" maxlength="2000"
                    prop:value=value
                    on:input=move |event| value.set(event_target_value(&event))
                />
            </label>
        }
    };
    view! {
        <form class="mcp-add" aria-label=t().mcp_add() on:submit=add>
            {field(t().mcp_address(), "text", address)}
            {field(t().mcp_name(), "text", name)}
            {field(t().mcp_token(), "password", token)}
            <p class="hint">{t().mcp_token_hint()}</p>
            <p class="hint bad" role="alert">{trouble}</p>
            <button type="submit" class="button" disabled=move || address.with(|it| it.trim().is_empty())>
                {t().mcp_add()}
            </button>
        </form>
    }
}
