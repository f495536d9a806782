//! A model that needs ordinary memory beside that of the graphics device.

use leptos::prelude::*;

use super::Dialog;
use crate::{
    format,
    state::{models::MemoryQuestion, use_stores},
};

/// Asks whether ordinary memory may be used for what the graphics device has no room for.
#[component]
pub fn MemoryDialog() -> impl IntoView {
    let stores = use_stores();
    let asked = stores.engine.memory_asked;
    let open = RwSignal::new(false);
    Effect::new(move |_| {
        if asked.with(Option::is_some) {
            open.set(true);
        }
    });
    // A closed dialog forgets what it asked about. Only a change is set: setting wakes the effect above.
    Effect::new(move |_| {
        if !open.get() && asked.with_untracked(Option::is_some) {
            asked.set(None);
        }
    });
    let bytes = move || asked.with(|asked| asked.as_ref().map(|asked| format::bytes(asked.bytes)));
    let words = move || {
        asked.with(|asked| {
            asked.as_ref().map(|MemoryQuestion { choice, bytes, .. }| {
                format!(
                    "Your graphics device doesn't have room for all of {}. Loading it here takes {} of ordinary memory \
                     as well, until you close the tab or load another model, and answers come more slowly.",
                    choice.entry.name,
                    format::bytes(*bytes),
                )
            })
        })
    };
    let load = move |_| {
        if let Some(MemoryQuestion { choice, context, .. }) = asked.get_untracked() {
            open.set(false);
            stores.engine.load_with_memory(choice, context);
        }
    };
    let other = move |_| {
        open.set(false);
        stores.ui.picker.set(true);
    };
    view! {
        <Dialog open=open title="This model needs more memory">
            <p>{words}</p>
            <div class="buttons">
                <button type="button" class="button primary" on:click=load>
                    "Use " {bytes} " of memory"
                </button>
                <button type="button" class="button" on:click=other>"Choose another model"</button>
                <button type="button" class="button quiet" on:click=move |_| open.set(false)>"Not now"</button>
            </div>
        </Dialog>
    }
}
