//! How far a load is.

use leptos::prelude::*;

use crate::{
    format,
    language::t,
    state::{
        models::{ModelState, progress_words},
        use_stores,
    },
};

/// The running load: what it is doing, the numbers, a bar, and a way to stop it. Nothing when none runs.
#[component]
pub fn LoadProgressView() -> impl IntoView {
    let stores = use_stores();
    let engine = stores.engine;
    let early = Memo::new(move |_| stores.chat.waits_for_engine().map(|choice| choice.entry.name));
    let name = Memo::new(move |_| {
        let loading = engine.model.with(|model| match model {
            ModelState::Loading { choice, .. } => Some(choice.entry.name.clone()),
            _ => None,
        });
        early.get().or(loading)
    });
    let cancel = move |_| match early.with_untracked(Option::is_some) {
        true => stores.chat.unchoose(),
        false => engine.cancel_load(),
    };
    let progress = engine.progress;
    let phase = move || {
        if early.with(Option::is_some) {
            return t().load_engine();
        }
        progress.with(|progress| progress.as_ref().map_or(t().load_starting(), |it| progress_words(it).0))
    };
    let numbers = move || progress.with(|progress| progress.as_ref().map(|it| progress_words(it).1));
    let percent_text = move || {
        progress.with(|progress| progress.as_ref().and_then(|it| format::percent_of(it.done, it.total)))
    };
    let percent = Memo::new(move |_| {
        progress.with(|progress| progress.as_ref().and_then(|it| format::percent(it.done, it.total)))
    });
    view! {
        <Show when=move || name.with(Option::is_some)>
            <section class="load" aria-label=t().load_title()>
                <div class="load-line">
                    <strong>{move || name.get()}</strong>
                    <span class="muted">{phase}</span>
                    <span class="load-percent">{percent_text}</span>
                </div>
                // Without a value the bar shows that something goes on, not how far it is.
                <progress
                    class="bar"
                    max="100"
                    value=move || percent.get().map(|percent| percent.to_string())
                    aria-label=move || t().load_of(&name.get().unwrap_or_default())
                    aria-valuetext=move || [phase(), &numbers().unwrap_or_default()].join(": ")
                ></progress>
                <div class="load-line">
                    <span class="muted numbers">{numbers}</span>
                    <button type="button" class="button quiet" on:click=cancel>
                        {t().cancel()}
                    </button>
                </div>
            </section>
        </Show>
    }
}
