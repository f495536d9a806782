//! The prompts behind `/`: a list above the message, gone through with arrows while the focus stays in the field.

use leptos::{ev, prelude::*};
use wasm_bindgen::JsCast as _;

use crate::{
    browser,
    components::use_prompt,
    history::Prompt,
    language::t,
    state::{NamedDialog, use_stores},
    watch::on_window,
};

/// What the menu makes of the keys of the field; it returns whether a key was for the menu. `None` while there is no menu.
pub type MenuKeys = StoredValue<Option<Callback<web_sys::KeyboardEvent, bool>>>;

/// The field.
const FIELD: &str = "composer";
/// The list.
const LIST: &str = "prompt-menu";

/// What is looked for: what stands behind `/` at the beginning of a line that is the whole message.
fn query(draft: &str) -> Option<String> {
    let query = draft.strip_prefix('/').filter(|query| !query.contains('\n'))?;
    Some(query.trim().to_lowercase())
}

fn is_field(event: &web_sys::FocusEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    target.is_some_and(|target| target.id() == FIELD)
}

/// The list, while `/` begins the message.
#[component]
pub fn PromptMenu(keys: MenuKeys) -> impl IntoView {
    let stores = use_stores();
    let (ui, chat, prompts) = (stores.ui, stores.chat, stores.presets.prompts);
    let at_field = RwSignal::new(browser::focused().is_some_and(|focused| focused.id() == FIELD));
    on_window(ev::focusin, move |event| at_field.set(is_field(&event)));
    on_window(ev::focusout, move |event| {
        if is_field(&event) {
            at_field.set(false);
        }
    });
    let wanted = Memo::new(move |_| chat.draft.with(|draft| query(draft)));
    let found = Memo::new(move |_| {
        let Some(wanted) = wanted.get() else { return Vec::new() };
        let matching = |prompt: &&Prompt| prompt.name.to_lowercase().contains(&wanted);
        prompts.with(|all| all.iter().filter(matching).cloned().collect::<Vec<_>>())
    });
    // Esc closes it until another `/` is typed.
    let closed = RwSignal::new(false);
    let open = Memo::new(move |_| {
        let any =
            wanted.with(|wanted| wanted.as_ref().is_some_and(String::is_empty)) || !found.with(Vec::is_empty);
        any && at_field.get() && !closed.get()
    });
    let at = RwSignal::new(0_usize);
    Effect::new(move |_| {
        if wanted.with(Option::is_none) {
            closed.set(false);
        }
        at.set(0);
    });
    // The last line leads to all prompts.
    let count = move || found.with_untracked(Vec::len) + 1;
    let choose = move |index: usize| match found.with_untracked(|found| found.get(index).cloned()) {
        Some(prompt) => use_prompt(stores, &prompt),
        None => ui.named.set(Some(NamedDialog::Prompts)),
    };
    keys.set_value(Some(Callback::new(move |event: web_sys::KeyboardEvent| {
        let modified = event.shift_key() || event.ctrl_key() || event.meta_key() || event.alt_key();
        if !open.get_untracked() || modified {
            return false;
        }
        match event.key().as_str() {
            "ArrowDown" => at.update(|at| *at = (*at + 1) % count()),
            "ArrowUp" => at.update(|at| *at = (*at + count() - 1) % count()),
            "Enter" => choose(at.get_untracked()),
            // A running answer goes on.
            "Escape" => {
                event.stop_propagation();
                event.stop_immediate_propagation();
                closed.set(true);
            }
            _ => return false,
        }
        event.prevent_default();
        true
    })));
    on_cleanup(move || {
        keys.try_set_value(None);
    });
    Effect::new(move |_| {
        if open.get() {
            ui.say(t().prompts_found(found.with(Vec::len) as u64));
        }
    });
    Effect::new(move |_| {
        let Some(field) = document().get_element_by_id(FIELD) else { return };
        if open.get() {
            let line = line_id(at.get());
            // Names that the browser knows are never refused.
            field.set_attribute("aria-controls", LIST).ok();
            field.set_attribute("aria-activedescendant", &line).ok();
            browser::next_frame(move || {
                if let Some(line) = document().get_element_by_id(&line) {
                    let options = web_sys::ScrollIntoViewOptions::new();
                    options.set_block(web_sys::ScrollLogicalPosition::Nearest);
                    line.scroll_into_view_with_scroll_into_view_options(&options);
                }
            });
        } else {
            field.remove_attribute("aria-controls").ok();
            field.remove_attribute("aria-activedescendant").ok();
        }
    });
    let line = move |index: usize, words: String, about: String| {
        view! {
            <li
                id=line_id(index)
                role="option"
                class="command"
                aria-selected=move || (at.get() == index).to_string()
                on:click=move |_| choose(index)
            >
                <span class="command-words" dir="auto">{words}</span>
                <span class="muted" dir="auto">{about}</span>
            </li>
        }
    };
    let lines = move || {
        let found = found.get();
        let last = found.len();
        let mut lines: Vec<_> = found
            .into_iter()
            .enumerate()
            .map(|(index, prompt)| line(index, prompt.name, crate::history::one_line(&prompt.text)))
            .collect();
        lines.push(line(last, t().prompts_manage().to_owned(), String::new()));
        lines
    };
    view! {
        <Show when=move || open.get()>
            // The focus stays in the field.
            <ul
                id=LIST
                class="commands prompt-menu"
                role="listbox"
                aria-label=t().prompts_title()
                on:mousedown=move |event| event.prevent_default()
            >
                {lines}
            </ul>
        </Show>
    }
}

fn line_id(index: usize) -> String {
    format!("prompt-{index}")
}

#[cfg(test)]
mod tests {
    use super::query;

    #[test]
    fn a_slash_at_the_beginning_looks_for_prompts() {
        assert_eq!(query("/"), Some(String::new()));
        assert_eq!(query("/Sum up "), Some("sum up".to_owned()));
        for other in ["", "a /", " /", "/a\nb"] {
            assert_eq!(query(other), None, "{other}");
        }
    }
}
