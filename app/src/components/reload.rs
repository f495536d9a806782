//! The loaded model has other settings than those that are chosen now: what it has, and a button that loads it with these.

use leptos::prelude::*;

/// A hint with the button.
#[component]
pub fn ReloadHint(
    /// What the loaded model has.
    #[prop(into)]
    loaded: String,
    /// The words of the button.
    #[prop(into)]
    label: String,
    /// Loads it anew.
    #[prop(into)]
    on_press: Callback<()>,
) -> impl IntoView {
    view! {
        <p class="hint">
            {loaded} " " <button type="button" class="button" on:click=move |_| on_press.run(())>{label}</button>
        </p>
    }
}
