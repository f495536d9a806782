//! The parts of the drawer for tools and the format of answers.

use leptos::{prelude::*, task::spawn_local};
use protocol::{AnswerFormat, Constraint};

use crate::{
    components::{Switch, Typed},
    failures,
    language::t,
    state::{models::ModelState, use_chat, use_engine},
    tools::BuiltIn,
};

/// A switch for each tool, the format of answers, and a schema with a check of it.
#[component]
pub fn ToolSwitches() -> impl IntoView {
    let (chat, engine) = (use_chat(), use_engine());
    let options = Memo::new(move |_| chat.conversation.with(|conversation| conversation.options.clone()));
    let unable = Memo::new(move |_| {
        engine.model.with(|model| match model {
            ModelState::Ready { details, .. } => [!details.capabilities.tools, details.diffusion.is_some()],
            _ => [false, false],
        })
    });
    let switches = BuiltIn::ALL.map(|tool| {
        let on = Signal::derive(move || options.with(|it| it.tools.iter().any(|name| name == tool.name())));
        let change = move |is_on: bool| {
            chat.edit(|conversation| {
                let tools = &mut conversation.options.tools;
                tools.retain(|name| name != tool.name());
                if is_on {
                    tools.push(tool.name().to_owned());
                }
            });
        };
        view! { <Switch label=tool.label() hint=tool.hint() on=on on_change=change /> }
    });
    view! {
        <section class="part">
            <h3>{t().tools_title()}</h3>
            <Show when=move || unable.get().contains(&true)>
                <p class="hint">{t().failure_request_unconstrained()}</p>
            </Show>
            {switches}
        </section>
        <FormatPart />
    }
}

/// What stands in the list of formats.
const FORMATS: [&str; 3] = ["text", "json", "schema"];

#[component]
fn FormatPart() -> impl IntoView {
    let chat = use_chat();
    let format = Memo::new(move |_| chat.conversation.with(|it| it.options.format.clone()));
    let chosen = Memo::new(move |_| {
        format.with(|format| match format {
            AnswerFormat::Text => 0,
            AnswerFormat::Json => 1,
            AnswerFormat::Schema(_) => 2,
        })
    });
    let choose = move |name: String| {
        let format = match FORMATS.iter().position(|format| *format == name) {
            Some(1) => AnswerFormat::Json,
            Some(2) => AnswerFormat::Schema(String::new()),
            _ => AnswerFormat::Text,
        };
        chat.edit(|conversation| conversation.options.format = format);
    };
    let names = move || [t().format_text(), t().format_json(), t().format_schema()];
    let options = FORMATS.iter().zip(names()).enumerate().map(|(place, (key, name))| {
        view! { <option value=*key selected=move || chosen.get() == place>{name}</option> }
    });
    view! {
        <section class="part">
            <label class="field">
                <span>{t().format_title()}</span>
                <select on:change=move |event| choose(event_target_value(&event))>{options.collect_view()}</select>
            </label>
            <Show when=move || chosen.get() == 2>
                <SchemaField />
            </Show>
        </section>
    }
}

/// The schema, checked when typing rests.
#[component]
fn SchemaField() -> impl IntoView {
    let chat = use_chat();
    let schema = Memo::new(move |_| {
        chat.conversation.with(|it| match &it.options.format {
            AnswerFormat::Schema(schema) => schema.clone(),
            _ => String::new(),
        })
    });
    let of = chat.conversation.with_untracked(|conversation| conversation.id);
    let typed = Typed::new(move |text| {
        // The field goes when another conversation comes on screen.
        if chat.conversation.with_untracked(|conversation| conversation.id) == of {
            chat.edit(|conversation| conversation.options.format = AnswerFormat::Schema(text));
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
                on:input=move |event| typed.note(event_target_value(&event))
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
