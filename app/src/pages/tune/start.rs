//! The third step, before it: what a run would cost, and the button.

use leptos::prelude::*;
use protocol::failure::Activity;
use protocol::tune::{TuneLength, TunePlan, TuneSettings};

use super::run::RunFailure;
use crate::{
    components::{FailureBox, Glyph, Icon},
    format,
    language::t,
    state::{models::ModelState, tune::RunPhase, use_chat, use_engine, use_tune},
};

/// What a run would cost.
#[component]
pub fn StartSection() -> impl IntoView {
    let tune = use_tune();
    let plan = move || {
        let at_most = tune.settings.with(ends_early);
        tune.plan.get().map(|plan| plan_view(plan, at_most))
    };
    let replaces = move || {
        matches!(tune.run.phase.get(), RunPhase::Paused | RunPhase::Finished).then(|| {
            view! { <p class="hint">{t().tune_replaces()}</p> }
        })
    };
    view! {
        <section class="part" aria-labelledby="tune-start">
            <h2 id="tune-start">{t().tune_run()}</h2>
            {plan}
            // Where there is a run, its failure is shown there.
            <Show when=move || !tune.run.exists()>
                <RunFailure />
            </Show>
            {replaces}
            <p class="hint">{t().tune_start_hint()}</p>
        </section>
    }
}

/// The button that starts a run, with its length or why it can't start: in sight wherever one is on the page.
#[component]
pub fn StartBar() -> impl IntoView {
    let (tune, chat, engine) = (use_tune(), use_chat(), use_engine());
    let reason = Memo::new(move |_| {
        if !engine.model.with(ModelState::is_ready) {
            return Some(t().tune_needs_model());
        }
        if tune.data().is_none() {
            return Some(t().tune_needs_examples());
        }
        if tune.preview.with(|preview| preview.as_ref().is_some_and(|preview| preview.usable == 0)) {
            return Some(t().tune_unusable());
        }
        let elsewhere = engine.busy_elsewhere.get();
        if tune.run.phase.get() == RunPhase::Elsewhere || elsewhere == Some(Activity::Training) {
            return Some(t().tune_busy_elsewhere());
        }
        if chat.answer.is_running() {
            return Some(t().tune_busy_answer());
        }
        tune.plan.with(|plan| match plan {
            Some(plan) => plan.obstacle.is_some().then_some(""),
            // What a run would cost is computed once the other tab is done.
            None if elsewhere.is_some() => Some(t().tune_busy_other()),
            None => Some(""),
        })
    });
    let words = move || match reason.get() {
        Some(reason) => reason.to_owned(),
        None => tune
            .plan
            .get()
            .map(|plan| length_words(&plan, tune.settings.with(ends_early)))
            .unwrap_or_default(),
    };
    view! {
        <div class="start-bar" role="group" aria-label=t().tune_run()>
            <p id="tune-reason" class="muted">{words}</p>
            <button
                type="button"
                class="button primary"
                aria-describedby="tune-reason"
                disabled=move || reason.with(Option::is_some) || tune.reading.get()
                on:click=move |_| tune.start()
            >
                <Icon glyph=Glyph::Tune />
                {t().tune_start()}
            </button>
        </div>
    }
}

/// Whether a run may end before its last step.
fn ends_early(settings: &TuneSettings) -> bool {
    settings.length == TuneLength::UntilLearned
}

/// The steps of a run, over how many examples.
fn length_words(plan: &TunePlan, at_most: bool) -> String {
    let steps = t().plan_steps(plan.steps.into(), plan.train.into(), plan.evaluate.into());
    if at_most { t().plan_at_most(&steps) } else { steps }
}

/// `at_most`: the run may end earlier.
fn plan_view(plan: TunePlan, at_most: bool) -> AnyView {
    let memory = t().plan_memory(&format::bytes(plan.gpu_bytes), &format::bytes(plan.gpu_available));
    let time = match plan.seconds {
        Some(seconds) if at_most => t().plan_at_most(&format::seconds(seconds.max(1.0))),
        Some(seconds) => t().plan_time(&format::seconds(seconds.max(1.0))),
        None => t().plan_time_later().to_owned(),
    };
    let storage = match plan.storage_left {
        Some(left) => t().plan_storage(&format::bytes(2 * plan.checkpoint_bytes), &format::bytes(left)),
        None => format::bytes(2 * plan.checkpoint_bytes),
    };
    let media = (plan.media_bytes > 0).then(|| (t().plan_media(), format::bytes(plan.media_bytes)));
    let pairs = [
        (t().plan_work(), length_words(&plan, at_most)),
        (t().plan_learned(), format::count(plan.parameters)),
        (t().memory_graphics(), memory),
        (t().plan_time_title(), time),
        (t().plan_checkpoints(), storage),
    ];
    let pairs: Vec<_> = pairs
        .into_iter()
        .chain(media)
        .map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> })
        .collect();
    view! {
        <dl class="pairs">{pairs}</dl>
        {plan.obstacle.map(|failure| view! { <FailureBox failure=failure /> })}
    }
    .into_any()
}
