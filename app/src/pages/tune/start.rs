//! The third step, before it: what a run would cost, and the button.

use leptos::prelude::*;
use protocol::tune::TunePlan;

use crate::{
    components::{FailureBox, Glyph, Icon},
    format,
    state::{models::ModelState, tune::RunPhase, use_stores},
};

/// What a run would cost, and its start.
#[component]
pub fn StartSection() -> impl IntoView {
    let stores = use_stores();
    let tune = stores.tune;
    let plan = move || tune.plan.get().map(plan_view);
    let reason = Memo::new(move |_| {
        if !stores.engine.model.with(ModelState::is_ready) {
            return Some("A model has to be loaded first.");
        }
        if tune.data().is_none() {
            return Some("Give it examples first.");
        }
        if tune.preview.with(|preview| preview.as_ref().is_some_and(|preview| preview.usable == 0)) {
            return Some("None of the examples can be used.");
        }
        if tune.run.phase.get() == RunPhase::Elsewhere {
            return Some("Another tab is training. Pause it there, or wait until it is done.");
        }
        if stores.chat.answer.is_running() {
            return Some("An answer is being written. Wait for its end, or stop it.");
        }
        let ready = tune.plan.with(|plan| plan.as_ref().is_some_and(|plan| plan.obstacle.is_none()));
        (!ready).then_some("")
    });
    let replaces = move || {
        matches!(tune.run.phase.get(), RunPhase::Paused | RunPhase::Finished).then(|| {
            view! { <p class="hint">"The training above is deleted when a new one starts. Keep its adapter first if you want it."</p> }
        })
    };
    view! {
        <section class="part" aria-labelledby="tune-start">
            <h2 id="tune-start">"3. Run"</h2>
            {plan}
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
                    "Start training"
                </button>
            </div>
            <p class="hint">"While it trains, the model answers no questions. You can pause at any time."</p>
        </section>
    }
    .into_any()
}

fn plan_view(plan: TunePlan) -> AnyView {
    let number = |value: u32| format::count(u64::from(value));
    let kept = match plan.evaluate {
        0 => "none kept back".to_owned(),
        count => format!("{} kept back to evaluate with", number(count)),
    };
    let memory = format!(
        "{} of about {} that this device offers",
        format::bytes(plan.gpu_bytes),
        format::bytes(plan.gpu_available)
    );
    let time = match plan.seconds {
        Some(seconds) => format!("about {}", format::seconds(seconds.max(1.0))),
        None => "known after the first steps".to_owned(),
    };
    let storage = match plan.storage_left {
        Some(left) => {
            format!("{}, of {} left", format::bytes(2 * plan.checkpoint_bytes), format::bytes(left))
        }
        None => format::bytes(2 * plan.checkpoint_bytes),
    };
    let steps = format!(
        "{} over {}, {kept}",
        format::counted(plan.steps.into(), "step", "steps"),
        format::counted(plan.train.into(), "example", "examples")
    );
    let media =
        (plan.media_bytes > 0).then(|| ("Storage for pictures and sound", format::bytes(plan.media_bytes)));
    let pairs = [
        ("Work", steps),
        ("Learned", format!("{} numbers", format::count(plan.parameters))),
        ("Graphics memory", memory),
        ("Time", time),
        ("Storage for checkpoints", storage),
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
