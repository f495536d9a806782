//! The measurement that runs, and the buttons that start one.

use leptos::prelude::*;

use crate::{
    components::FailureBox,
    failures, format,
    language::t,
    state::{
        measuring::{Kind, Measurements},
        use_ui,
    },
};

/// The measurement under way, or why the last one failed.
#[component]
pub fn Running(measured: Measurements) -> impl IntoView {
    let kind = Memo::new(move |_| measured.running.get().map(|progress| progress.kind));
    let percent = move || {
        let progress = measured.running.get()?;
        format::percent(progress.done.into(), progress.total.into())
    };
    let words = move || kind.get().map_or("", Kind::words);
    let ui = use_ui();
    Effect::new(move |_| {
        if let Some(failure) = measured.failure.get() {
            ui.say(failures::sentence(&failure));
        }
    });
    view! {
        <Show when=move || kind.get().is_some()>
            <section class="load" aria-label=t().measure_title()>
                <div class="load-line">
                    <strong>{words}</strong>
                    <span class="load-percent">{move || percent().map(|percent| t().unit_percent(&format::count(percent.into())))}</span>
                </div>
                <progress
                    class="bar"
                    max="100"
                    value=move || percent().map(|percent| percent.to_string())
                    aria-label=words
                ></progress>
                <div class="load-line">
                    <span class="muted">{t().measure_hint()}</span>
                    <button type="button" class="button quiet" on:click=move |_| measured.stop()>
                        {t().stop()}
                    </button>
                </div>
            </section>
        </Show>
        {move || measured.failure.get().map(|failure| view! { <FailureBox failure /> })}
    }
}

/// A button that starts a measurement.
#[component]
pub fn StartButton(
    measured: Measurements,
    kind: Kind,
    label: &'static str,
    /// Whether it measures the loaded model, and needs one.
    of_model: bool,
) -> impl IntoView {
    let disabled = move || measured.running.with(Option::is_some) || (of_model && !measured.has_model());
    view! {
        <div class="buttons">
            <button type="button" class="button" disabled=disabled on:click=move |_| measured.start(kind)>
                {label}
            </button>
        </div>
        <Show when=move || of_model && !measured.has_model()>
            <p class="muted">{t().measure_needs_model()}</p>
        </Show>
    }
}
