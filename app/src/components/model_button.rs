//! The button that names the selected model and opens the choice of another.

use leptos::prelude::*;
use protocol::failure::Activity;

use super::{Glyph, Icon};
use crate::{
    language::t,
    state::{models::ModelState, use_engine, use_ui},
};

/// The selected model, and whether it is loaded.
#[component]
pub fn ModelButton(
    /// Whether no other can be chosen now.
    #[prop(into, optional)]
    disabled: Signal<bool>,
) -> impl IntoView {
    let (ui, engine) = (use_ui(), use_engine());
    let name = Memo::new(move |_| engine.selection().map(|choice| choice.entry.name));
    let busy = Memo::new(move |_| engine.busy_elsewhere.get().map(elsewhere_words));
    let demo = Memo::new(move |_| engine.selection().is_some_and(|choice| choice.entry.demo));
    let state = Memo::new(move |_| {
        engine.model.with(|model| match model {
            ModelState::Ready { .. } => ("dot ready", t().model_loaded()),
            ModelState::Loading { .. } => ("dot loading", t().model_loading()),
            ModelState::Failed { .. } => ("dot failed", t().model_unloaded()),
            ModelState::None => ("dot", t().model_unloaded()),
        })
    });
    view! {
        <button
            type="button"
            class="model-button"
            disabled=disabled
            aria-haspopup="dialog"
            aria-label=move || match name.get() {
                Some(name) => t().model_button(&name, state.get().1),
                None => t().choose_model().to_owned(),
            }
            on:click=move |_| ui.picker.set(true)
        >
            <span class=move || state.get().0 aria-hidden="true"></span>
            <span class="model-button-name">
                {move || {
                    let name = name.get().unwrap_or_else(|| t().choose_model().to_owned());
                    let (family, size) = in_two(&name);
                    view! { <span>{family.to_owned()}</span><span>{size.to_owned()}</span> }
                }}
            </span>
            {move || demo.get().then(|| view! { <span class="tag">{t().model_demo()}</span> })}
            <span class="model-button-about muted">{move || busy.get()}</span>
            <Icon glyph=Glyph::Down />
        </button>
    }
}

/// What the engine does for another tab.
fn elsewhere_words(activity: Activity) -> &'static str {
    match activity {
        Activity::Loading => t().elsewhere_loading(),
        Activity::Unloading => t().elsewhere_unloading(),
        Activity::Generating => t().elsewhere_answering(),
        Activity::Training => t().elsewhere_training(),
        Activity::Measuring => t().elsewhere_measuring(),
    }
}

/// A name in two parts, of which the second one tells it from others of its family and is cut last.
fn in_two(name: &str) -> (&str, &str) {
    name.rfind(':').map_or((name, ""), |at| name.split_at(at))
}

#[cfg(test)]
mod tests {
    use super::in_two;

    #[test]
    fn what_tells_a_model_from_its_family_is_kept_apart() {
        assert_eq!(in_two("gemma4:e2b"), ("gemma4", ":e2b"));
        assert_eq!(in_two("hf.co/owner/repository:Q4_K_M"), ("hf.co/owner/repository", ":Q4_K_M"));
        assert_eq!(in_two("pebble"), ("pebble", ""));
        assert_eq!(in_two(""), ("", ""));
    }
}
