//! The form of a prompt, and the one that asks for its variables.

use std::collections::BTreeMap;

use leptos::{html, prelude::*, task::spawn_local};

use crate::{
    browser,
    history::{self, Prompt, PromptId},
    language::t,
    state::{NamedDialog, Origin, Stores, use_stores},
};

/// The form of a prompt that is made or changed.
#[component]
pub fn PromptForm(origin: Origin<PromptId>) -> impl IntoView {
    let stores = use_stores();
    let Stores { ui, chat, presets, .. } = stores;
    let begin = match origin {
        Origin::New => None,
        Origin::Conversation => {
            Some(Prompt { text: chat.draft.get_untracked(), ..Prompt::new(history::now()) })
        }
        Origin::Of(id) => untrack(|| presets.get::<Prompt>(id)),
    };
    let it = RwSignal::new(begin.unwrap_or_else(|| Prompt::new(history::now())));
    let name = NodeRef::<html::Input>::new();
    focus_first(name);
    let back = move || ui.named.set(Some(NamedDialog::Prompts));
    let save = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let mut prompt = it.get_untracked();
        prompt.name = prompt.name.trim().to_owned();
        if !prompt.name.is_empty() && !prompt.text.trim().is_empty() {
            back();
            spawn_local(stores.put_named(prompt));
        }
    };
    view! {
        <form class="folder-form" on:submit=save>
            <label class="field">
                <span>{t().folder_name()}</span>
                <input
                    type="text" dir="auto" required=true maxlength="100" node_ref=name
                    prop:value=move || it.with(|it| it.name.clone())
                    on:input=move |event| it.update(|it| it.name = event_target_value(&event))
                />
            </label>
            <label class="field">
                <span>{t().prompt_text()}</span>
                <textarea
                    rows="6" dir="auto" required=true maxlength="60000" aria-describedby="prompt-hint"
                    prop:value=move || it.with(|it| it.text.clone())
                    on:input=move |event| it.update(|it| it.text = event_target_value(&event))
                ></textarea>
            </label>
            <p id="prompt-hint" class="hint">{t().prompt_hint(VARIABLE)}</p>
            <div class="buttons">
                <button type="submit" class="button primary">{t().save()}</button>
                <button type="button" class="button quiet" on:click=move |_| back()>{t().cancel()}</button>
            </div>
        </form>
    }
}

/// How a variable is written.
const VARIABLE: &str = "{{name}}";

/// Asks for the variables of a prompt, and puts it into the message.
#[component]
pub fn FillForm(id: PromptId) -> impl IntoView {
    let Stores { ui, chat, presets, .. } = use_stores();
    let Some(prompt) = untrack(|| presets.get::<Prompt>(id)) else { return ().into_any() };
    let values = StoredValue::new(BTreeMap::<String, String>::new());
    let first = NodeRef::<html::Textarea>::new();
    focus_first(first);
    let field = |(index, name): (usize, &str)| {
        let (words, name) = (name.to_owned(), name.to_owned());
        let typed = move |event| {
            values.update_value(|values| {
                values.insert(name.clone(), event_target_value(&event));
            });
        };
        let area = html::textarea().attr("rows", "2").attr("dir", "auto").on(leptos::ev::input, typed);
        let area = if index == 0 { area.node_ref(first).into_any() } else { area.into_any() };
        view! { <label class="field"><span dir="auto">{words}</span>{area}</label> }
    };
    let fields = prompt.variables().into_iter().enumerate().map(field).collect_view();
    let name = prompt.name.clone();
    let insert = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let text = values.with_value(|values| {
            prompt.filled(|name| values.get(name).map(|value| value.trim().to_owned()).unwrap_or_default())
        });
        ui.named.set(None);
        chat.set_draft(text);
        ui.focus_composer.ask(());
    };
    view! {
        <form class="folder-form" on:submit=insert>
            <p dir="auto"><strong>{name}</strong></p>
            {fields}
            <div class="buttons">
                <button type="submit" class="button primary">{t().prompt_insert()}</button>
                <button type="button" class="button quiet" on:click=move |_| ui.named.set(None)>{t().cancel()}</button>
            </div>
        </form>
    }
    .into_any()
}

/// Gives the focus to a field once it is in the page.
pub fn focus_first<E>(field: NodeRef<E>)
where
    E: html::ElementType + 'static,
    E::Output: wasm_bindgen::JsCast + AsRef<web_sys::HtmlElement> + Clone + 'static,
{
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            browser::next_frame(move || {
                let field: &web_sys::HtmlElement = field.as_ref();
                // It is in the page.
                field.focus().ok();
            });
        }
    });
}
