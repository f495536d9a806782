//! Fine-tuning: examples, settings, run, on one page.

mod chart;
mod chart_export;
mod examples;
mod kept;
mod preview;
mod run;
mod series;
mod settings;
mod start;
mod verdict;

use leptos::prelude::*;
use protocol::failure::Activity;

use super::Column;
use crate::{
    components::{DeviceNotice, LoadFailure, LoadProgressView, ModelButton},
    language::t,
    state::{engine::EnginePhase, models::ModelState, use_chat, use_engine, use_tune},
};

/// Fine-tuning.
#[component]
pub fn TunePage() -> impl IntoView {
    let (tune, chat, engine) = (use_tune(), use_chat(), use_engine());
    let trains_elsewhere = Memo::new(move |_| engine.busy_elsewhere.get() == Some(Activity::Training));
    Effect::new(move |_| {
        // A run of another tab is listed when it begins and when it has ended.
        trains_elsewhere.get();
        if engine.phase.get() == EnginePhase::Running {
            tune.list();
        }
    });
    // What would be learned depends on the model, and on all that the page has of the examples.
    Effect::new(move |_| {
        engine.model.with(ModelState::is_ready);
        let _ = tune.data();
        tune.prepare_soon();
    });
    // A busy engine doesn't compute what a run would cost.
    let is_busy = Memo::new(move |_| engine.busy_elsewhere.with(Option::is_some) || chat.answer.is_running());
    Effect::new(move |_| {
        if !is_busy.get() && tune.plan.with_untracked(Option::is_none) {
            tune.prepare_soon();
        }
    });
    let has_run = Memo::new(move |_| tune.run.exists());
    view! {
        <Column title=t().place_tune()>
            <p class="muted">
                {t().tune_intro()}
            </p>
            <DeviceNotice />
            <BaseModel />
            <LoadFailure />
            <LoadProgressView />
            <Show when=move || has_run.get()>
                <run::RunSection />
            </Show>
            {move || tune.saved.get().map(|adapter| view! { <kept::SavedSection adapter=adapter /> })}
            <Show when=move || !tune.run.phase.get().is_active()>
                <examples::ExamplesSection />
                <settings::SettingsSection />
                <start::StartSection />
            </Show>
            <kept::KeptSection />
            <Show when=move || !tune.run.phase.get().is_active()>
                <start::StartBar />
            </Show>
        </Column>
    }
}

/// The model that is trained. It stays while a run trains it.
#[component]
fn BaseModel() -> impl IntoView {
    let (engine, chat, tune) = (use_engine(), use_chat(), use_tune());
    let busy = Signal::derive(move || tune.run.phase.get().is_active());
    let unloaded = Memo::new(move |_| {
        let idle = engine.model.with(|model| matches!(model, ModelState::None | ModelState::Failed { .. }));
        if idle { engine.selection() } else { None }
    });
    let load = move || {
        unloaded.get().map(|choice| {
            let words = t().tune_load(&choice.entry.name);
            view! {
                <button type="button" class="button" on:click=move |_| chat.choose(choice.clone())>{words}</button>
            }
        })
    };
    view! {
        <section class="tune-model" aria-label=t().tune_model()>
            <span class="muted">{t().tune_model()}</span>
            <ModelButton disabled=busy />
            {load}
        </section>
    }
}
