//! The third step, before it: what a run would cost, and the button.

use leptos::prelude::*;
use protocol::failure::Activity;
use protocol::tune::{TuneLength, TunePlan};

use super::run::RunFailure;
use crate::{
    components::{FailureBox, Glyph, Icon},
    format,
    language::t,
    state::{models::ModelState, tune::RunPhase, use_chat, use_engine, use_tune},
};

/// What a run would cost, and its start.
#[component]
pub fn StartSection() -> impl IntoView {
    let (tune, chat, engine) = (use_tune(), use_chat(), use_engine());
    let plan = move || {
        let at_most = tune.settings.with(|settings| settings.length == TuneLength::UntilLearned);
        tune.plan.get().map(|plan| plan_view(plan, at_most))
    };
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
            {move || reason.get().filter(|reason| !reason.is_empty()).map(|reason| view! { <p class="muted" id="tune-reason">{reason}</p> })}
            {replaces}
            <div class="buttons">
                <button
                    type="button"
                    class="button primary"
                    disabled=move || reason.with(Option::is_some) || tune.reading.get()
                    on:click=move |_| tune.start()
                >
                    <Icon glyph=Glyph::Tune />
                    {t().tune_start()}
                </button>
            </div>
            <p class="hint">{t().tune_start_hint()}</p>
        </section>
    }
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
    let steps = t().plan_steps(plan.steps.into(), plan.train.into(), plan.evaluate.into());
    let steps = if at_most { t().plan_at_most(&steps) } else { steps };
    let media = (plan.media_bytes > 0).then(|| (t().plan_media(), format::bytes(plan.media_bytes)));
    let pairs = [
        (t().plan_work(), steps),
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
