//! The run: how far it is, its curves, its samples, and what can be done with it.

use leptos::prelude::*;
use protocol::Failure;
use protocol::failure::TrainingFailure;
use protocol::tune::TuneSample;

use super::{chart::Curves, verdict::Verdict};
use crate::{
    components::{FailureBox, Glyph, Icon},
    format,
    language::t,
    state::{
        tune::{Resumption, RunPhase, resumption},
        use_stores, use_tune,
    },
};

/// The run that is under way or kept.
#[component]
pub fn RunSection() -> impl IntoView {
    let tune = use_tune();
    let run = tune.run;
    let name = Memo::new(move |_| {
        run.about.with(|about| about.as_ref().map(|it| it.name.clone()).unwrap_or_default())
    });
    let title = move || {
        let name = name.get();
        if name.is_empty() { t().chart_training().to_owned() } else { t().tune_title(&name) }
    };
    let trouble = move || run.trouble.get().map(|failure| view! { <FailureBox failure=failure /> });
    view! {
        <section class="part run" aria-labelledby="tune-run">
            <h2 id="tune-run">{title}</h2>
            <StatusLine />
            <RunFailure />
            {trouble}
            <KeptFailureBox of_run=true />
            <Show when=move || run.points.with(|points| !points.is_empty())>
                <Curves />
            </Show>
            <Samples />
            <Verdict />
            <Controls />
        </section>
    }
}

/// Why a run ended, or did not begin.
#[component]
pub fn RunFailure() -> impl IntoView {
    let tune = use_tune();
    let retry = Callback::new(move |()| tune.retry());
    move || tune.run.failure.get().map(|failure| view! { <FailureBox failure=failure retry=retry /> })
}

/// What could not be done with the run, or with the adapters.
#[component]
pub fn KeptFailureBox(of_run: bool) -> impl IntoView {
    let tune = use_tune();
    let retry = Callback::new(move |()| tune.retry_kept());
    move || {
        tune.kept_failure
            .get()
            .filter(|it| it.is_of_run() == of_run)
            .map(|it| view! { <FailureBox failure=it.failure retry=retry /> })
    }
}

/// How far it is, in words and as a bar.
#[component]
fn StatusLine() -> impl IntoView {
    let run = use_tune().run;
    let steps = Memo::new(move |_| run.about.with(|about| about.as_ref().map_or(0, |it| it.steps)));
    let done = Memo::new(move |_| run.step());
    let words = move || {
        let (done, steps) = (done.get(), steps.get());
        let (done_steps, all_steps) = (u64::from(done), u64::from(steps));
        match run.phase.get() {
            RunPhase::None => String::new(),
            RunPhase::Starting => match run.sensing.get() {
                Some(words) => format!("{words}…"),
                None => t().tune_preparing().to_owned(),
            },
            RunPhase::Training if done == 0 => t().tune_first_step().to_owned(),
            RunPhase::Training => t().tune_steps_done(done_steps, all_steps),
            RunPhase::Waiting => t().tune_waiting(done_steps, all_steps),
            RunPhase::Ending => t().tune_ending(done_steps, all_steps),
            RunPhase::Paused => t().tune_paused_saved(run.saved.get().into(), all_steps),
            RunPhase::Finished => t().tune_finished(done_steps, all_steps),
            RunPhase::Elsewhere if steps == 0 => t().tune_elsewhere().to_owned(),
            RunPhase::Elsewhere => t().tune_elsewhere_at(done_steps, all_steps),
        }
    };
    let figures = move || {
        let speed = run.speed.get().filter(|_| run.phase.get().is_active())?;
        let mut parts = Vec::new();
        if speed.tokens_per_second > 0.0 {
            parts.push(format::rate(speed.tokens_per_second));
        }
        if let Some(seconds) = speed.seconds_left {
            parts.push(t().time_left(&format::whole_seconds(seconds)));
        }
        parts.push(t().tune_memory(&format::bytes(speed.gpu_bytes)));
        match run.saved.get() {
            0 => parts.push(t().tune_no_checkpoint().to_owned()),
            saved => parts.push(t().tune_checkpoint(saved.into())),
        }
        Some(parts.join(" · "))
    };
    let known = move || (run.phase.get() != RunPhase::Starting).then(|| done.get().to_string());
    view! {
        <p class="numbers" id="tune-status">{words}</p>
        <progress
            class="bar"
            max=move || steps.get().max(1).to_string()
            value=known
            aria-label=t().tune_progress()
        ></progress>
        <p class="muted numbers">{figures}</p>
    }
}

/// What the model answered before, during and after.
#[component]
fn Samples() -> impl IntoView {
    let run = use_tune().run;
    let line = |sample: TuneSample| {
        let when = match sample.step {
            0 => t().tune_before().to_owned(),
            step => t().tune_after(step.into()),
        };
        let answer =
            if sample.answer.trim().is_empty() { t().tune_nothing().to_owned() } else { sample.answer };
        view! {
            <div class="sample">
                <dt>{when}</dt>
                <dd>{answer}</dd>
            </div>
        }
    };
    let prompts = Memo::new(move |_| {
        run.samples.with(|samples| {
            let mut prompts: Vec<String> = Vec::new();
            for sample in samples {
                if !prompts.contains(&sample.prompt) {
                    prompts.push(sample.prompt.clone());
                }
            }
            prompts
        })
    });
    let group = move |prompt: String| {
        let of = prompt.clone();
        let lines = move || {
            run.samples.with(|samples| {
                let mut found: Vec<_> = samples.iter().filter(|it| it.prompt == of).cloned().collect();
                found.sort_by_key(|it| it.step);
                found.into_iter().map(line).collect::<Vec<_>>()
            })
        };
        view! {
            <h3>{t().quoted(&prompt)}</h3>
            <dl class="samples">{lines}</dl>
        }
    };
    view! { <For each=move || prompts.get() key=Clone::clone children=group /> }
}

/// What can be done with it now.
#[component]
fn Controls() -> impl IntoView {
    let stores = use_stores();
    let tune = stores.tune;
    let run = tune.run;
    let phase = run.phase;
    let asking = RwSignal::new(false);
    // Another model cannot go on with it.
    let way = Memo::new(move |_| {
        let of = run.about.with(|about| about.as_ref().map(|it| it.model.clone())).unwrap_or_default();
        let engine = stores.engine;
        engine.model.with(|model| engine.choices.with(|choices| resumption(model, choices, &of)))
    });
    let awaited = RwSignal::new(false);
    // Once the model is loaded, the run goes on; a load that failed or was stopped is no reason to begin later, unasked.
    Effect::new(move |_| {
        if !awaited.get() {
            return;
        }
        if way.get() == Resumption::Now {
            awaited.set(false);
            tune.resume();
        } else if !stores.is_load_coming() {
            awaited.set(false);
        }
    });
    let missing = move || match way.get() {
        Resumption::Missing(model) => {
            let failure = Failure::from(TrainingFailure::ForModel { model });
            Some(view! { <FailureBox failure=failure /> })
        }
        Resumption::Now | Resumption::AfterLoading(_) => None,
    };
    let resume_words = move || match way.get() {
        Resumption::AfterLoading(choice) => t().tune_load_resume(&choice.entry.name),
        Resumption::Now | Resumption::Missing(_) => t().tune_resume().to_owned(),
    };
    let resume = move |_| match way.get_untracked() {
        Resumption::AfterLoading(choice) => {
            stores.chat.choose(*choice);
            awaited.set(true);
        }
        Resumption::Now | Resumption::Missing(_) => tune.resume(),
    };
    let delete = move || {
        if asking.get() {
            view! {
                <span>{t().tune_discard_question()}</span>
                <button type="button" class="button" on:click=move |_| { asking.set(false); tune.discard(); }>{t().delete()}</button>
                <button type="button" class="button quiet" on:click=move |_| asking.set(false)>{t().cancel()}</button>
            }
            .into_any()
        } else {
            view! {
                <button type="button" class="button" on:click=move |_| asking.set(true)>
                    <Icon glyph=Glyph::Delete />
                    {t().tune_discard()}
                </button>
            }
            .into_any()
        }
    };
    let buttons = move || {
        match phase.get() {
        RunPhase::Training => view! {
            <div class="buttons">
                <button type="button" class="button primary" on:click=move |_| tune.pause()>{t().tune_pause()}</button>
                <button type="button" class="button" on:click=move |_| tune.finish()>
                    <Icon glyph=Glyph::Stop />
                    {t().tune_stop()}
                </button>
            </div>
            <p class="hint">{t().tune_stop_hint()}</p>
        }
        .into_any(),
        RunPhase::Paused => view! {
            {missing}
            <div class="buttons">
                <button
                    type="button"
                    class="button primary"
                    disabled=move || awaited.get() || way.with(|way| matches!(way, Resumption::Missing(_)))
                    on:click=resume
                >
                    {resume_words}
                </button>
                {delete}
            </div>
            <KeepForm words=t().tune_save_as_is() />
        }
        .into_any(),
        RunPhase::Finished => view! {
            <KeepForm words=t().tune_save() />
            <div class="buttons">{delete}</div>
        }
        .into_any(),
        RunPhase::Starting => view! { <StopSensing /> }.into_any(),
        RunPhase::Elsewhere => view! {
            <div class="buttons">
                <button type="button" class="button" on:click=move |_| tune.list()>
                    <Icon glyph=Glyph::Again />
                    {t().tune_check_again()}
                </button>
            </div>
            <p class="hint">{t().tune_elsewhere_hint()}</p>
        }
        .into_any(),
        RunPhase::None | RunPhase::Waiting | RunPhase::Ending => ().into_any(),
    }
    };
    view! { {buttons} }
}

/// While pictures are looked at and sound is listened to, before the first step: the button that gives it up.
#[component]
fn StopSensing() -> impl IntoView {
    let tune = use_tune();
    let senses = Memo::new(move |_| tune.run.sensing.with(Option::is_some));
    view! {
        <Show when=move || senses.get()>
            <div class="buttons">
                <button type="button" class="button" on:click=move |_| tune.stop()>
                    <Icon glyph=Glyph::Stop />
                    {t().stop()}
                </button>
            </div>
            <p class="hint">
                {t().tune_media_read_hint()}
            </p>
        </Show>
    }
}

/// A name, and the button that makes an adapter of the run.
#[component]
fn KeepForm(words: &'static str) -> impl IntoView {
    let tune = use_tune();
    let given = tune.run.about.with_untracked(|about| about.as_ref().map(|run| run.name.clone()));
    let name = given.filter(|name| !name.trim().is_empty());
    let name = RwSignal::new(name.unwrap_or_else(|| t().tune_unnamed().to_owned()));
    let keep = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        tune.keep(&name.get_untracked());
    };
    view! {
        <form class="keep" aria-label=words on:submit=keep>
            <label class="field">
                <span>{t().tune_adapter_name()}</span>
                <input
                    type="text"
                    maxlength="80"
                    prop:value=name
                    on:input=move |event| name.set(event_target_value(&event))
                />
            </label>
            <button type="submit" class="button primary">{words}</button>
        </form>
    }
}
