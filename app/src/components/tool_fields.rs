//! Fields for tools and the format of answers.

use std::borrow::Cow;

use leptos::{prelude::*, task::spawn_local};
use protocol::{AnswerFormat, Constraint};

use super::{Choice, Switch, Typed};
use crate::{
    failures,
    language::t,
    mcp::McpServer,
    state::{use_chat, use_mcp},
    tools::BuiltIn,
};

/// A switch for each tool of the page, and for each server that may be used.
#[component]
pub fn ToolFields(
    /// Names of the tools that are on. Those that are unknown stay.
    value: Memo<Vec<String>>,
    /// Takes other names.
    #[prop(into)]
    on_change: Callback<Vec<String>>,
) -> impl IntoView {
    let mcp = use_mcp();
    let switch = move |name: String, label: Cow<'static, str>, hint: Cow<'static, str>| {
        let own = name.clone();
        let on = Signal::derive(move || value.with(|names| names.contains(&own)));
        let change = move |is_on: bool| {
            let mut names = value.get_untracked();
            names.retain(|other| *other != name);
            if is_on {
                names.push(name.clone());
            }
            on_change.run(names);
        };
        view! { <Switch label=label hint=hint on=on on_change=change /> }
    };
    let servers = move || {
        let servers = mcp.servers.get().into_iter().filter(|server| server.on);
        let of = |server: McpServer| {
            let hint = t().mcp_offered(server.usable().count() as u64, server.host());
            switch(server.option(), server.name.into(), hint.into())
        };
        servers.map(of).collect_view()
    };
    view! {
        {BuiltIn::ALL.map(|tool| switch(tool.name().to_owned(), tool.label().into(), tool.hint().into()))}
        {servers}
    }
}

/// What stands in the list of formats.
const TEXT: &str = "text";
const JSON: &str = "json";
const SCHEMA: &str = "schema";

/// The format of answers, and a schema with a check of it.
#[component]
pub fn FormatFields(
    /// The format.
    value: Memo<AnswerFormat>,
    /// Takes another one.
    #[prop(into)]
    on_change: Callback<AnswerFormat>,
) -> impl IntoView {
    let chosen = Memo::new(move |_| {
        value.with(|format| match format {
            AnswerFormat::Text => TEXT,
            AnswerFormat::Json => JSON,
            AnswerFormat::Schema(_) => SCHEMA,
        })
    });
    let choose = move |key: String| {
        on_change.run(match &*key {
            JSON => AnswerFormat::Json,
            SCHEMA => AnswerFormat::Schema(String::new()),
            _ => AnswerFormat::Text,
        });
    };
    let choices = [(TEXT, t().format_text()), (JSON, t().format_json()), (SCHEMA, t().format_schema())];
    let choices = choices.map(|(key, words)| (key.to_owned(), words.to_owned()));
    view! {
        <Choice
            label=t().format_title() choices=choices.into()
            value=Signal::derive(move || chosen.get().to_owned()) on_change=choose
        />
        {move || (chosen.get() == SCHEMA).then(|| view! { <SchemaField value=value on_change=on_change /> })}
    }
}

/// The schema, checked when typing rests.
#[component]
fn SchemaField(value: Memo<AnswerFormat>, on_change: Callback<AnswerFormat>) -> impl IntoView {
    let chat = use_chat();
    let schema = Memo::new(move |_| {
        value.with(|format| match format {
            AnswerFormat::Schema(schema) => schema.clone(),
            _ => String::new(),
        })
    });
    let shown = move || chat.conversation.with_untracked(|conversation| conversation.id);
    let typed_in = StoredValue::new(shown());
    let typed = Typed::new(move |text| {
        // Another conversation may have come on screen meanwhile.
        if typed_in.try_get_value() == Some(shown()) {
            on_change.run(AnswerFormat::Schema(text));
        }
    });
    let verdict = RwSignal::new(None);
    Effect::new(move |_| {
        let format = AnswerFormat::Schema(schema.get());
        verdict.set(None);
        if schema.with(|schema| schema.trim().is_empty()) {
            return;
        }
        let asked = schema.get_untracked();
        spawn_local(async move {
            let checked = chat.prepare(Constraint { format, ..Constraint::default() }).await;
            // It may have been changed meanwhile.
            if schema.try_get_untracked() == Some(asked) {
                verdict.try_set(Some(checked.map(|_| ()).map_err(|failure| failures::sentence(&failure))));
            }
        });
    });
    view! {
        <label class="field">
            <span>{t().format_schema()}</span>
            <textarea
                rows="6"
                spellcheck="false"
                prop:value=schema
                on:input=move |event| {
                    typed_in.set_value(shown());
                    typed.note(event_target_value(&event));
                }
                on:change=move |_| typed.flush()
            ></textarea>
        </label>
        <p class="hint" role="status">
            {move || verdict.get().map(|verdict| match verdict {
                Ok(()) => t().schema_fine().to_owned(),
                Err(sentence) => sentence,
            })}
        </p>
    }
}
