//! A model that needs ordinary memory beside that of the graphics device.

use leptos::prelude::*;

use super::{Dialog, dialog::open_while};
use crate::{
    format,
    language::t,
    state::{models::MemoryQuestion, use_stores},
};

/// Asks whether ordinary memory may be used for what the graphics device has no room for.
#[component]
pub fn MemoryDialog() -> impl IntoView {
    let stores = use_stores();
    let asked = stores.engine.memory_asked;
    let open = open_while(asked);
    let bytes = move || asked.with(|asked| asked.as_ref().map(|asked| format::bytes(asked.bytes)));
    let words = move || {
        asked.with(|asked| {
            asked.as_ref().map(|MemoryQuestion { choice, bytes, .. }| {
                t().memory_words(&choice.entry.name, &format::bytes(*bytes))
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
        <Dialog open=open title=t().memory_title()>
            <p>{words}</p>
            <div class="buttons">
                <button type="button" class="button primary" on:click=load>
                    {move || bytes().map(|bytes| t().use_memory(&bytes))}
                </button>
                <button type="button" class="button" on:click=other>{t().other_model()}</button>
                <button type="button" class="button quiet" on:click=move |_| open.set(false)>{t().not_now()}</button>
            </div>
        </Dialog>
    }
}
