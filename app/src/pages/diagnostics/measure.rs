//! Measurements: what runs, and what was found.

use leptos::{prelude::*, task::spawn_local};
use protocol::{
    Benchmark, BenchmarkOptions, Diagnosis, Event, Failure, Finding, Outcome, Profile, Progress, Request,
    RequestId, SelfTest,
};

use crate::{
    components::FailureBox,
    failures, format,
    language::t,
    state::{
        engine::{EnginePhase, EngineStore},
        models::ModelState,
        use_stores,
    },
};

/// Least time between two updates, in milliseconds.
const PAUSE_MS: u32 = 60;

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    SelfTest,
    Benchmark,
    Profile,
}

impl Kind {
    fn words(self) -> &'static str {
        match self {
            Self::SelfTest => t().measure_test(),
            Self::Benchmark => t().measure_speed(),
            Self::Profile => t().measure_kernels(),
        }
    }

    fn diagnosis(self) -> Diagnosis {
        /// Context of a token in the middle of an ordinary conversation.
        const POSITION: u32 = 512;
        match self {
            Self::SelfTest => Diagnosis::SelfTest,
            Self::Benchmark => Diagnosis::Benchmark(BenchmarkOptions::default()),
            Self::Profile => Diagnosis::Profile { position: POSITION, rows: 1 },
        }
    }
}

/// A measurement under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measuring {
    pub kind: Kind,
    pub request: RequestId,
    pub done: u32,
    pub total: u32,
}

/// Measurements of this page. They end with it.
#[derive(Clone, Copy)]
pub struct Measurements {
    pub running: RwSignal<Option<Measuring>>,
    pub benchmark: RwSignal<Option<Benchmark>>,
    pub profile: RwSignal<Option<Profile>>,
    pub self_test: RwSignal<Option<SelfTest>>,
    /// Why the last one failed.
    pub failure: RwSignal<Option<Failure>>,
    engine: EngineStore,
}

impl Measurements {
    pub fn new(engine: EngineStore) -> Self {
        Self {
            running: RwSignal::new(None),
            benchmark: RwSignal::new(None),
            profile: RwSignal::new(None),
            self_test: RwSignal::new(None),
            failure: RwSignal::new(None),
            engine,
        }
    }

    /// Whether there is an engine with a device.
    pub fn can_test(self) -> bool {
        let running = self.engine.phase.with(|phase| *phase == EnginePhase::Running);
        running && self.engine.device.with(|device| device.as_ref().is_some_and(|device| device.available))
    }

    /// Whether a model is loaded.
    pub fn has_model(self) -> bool {
        self.engine.model.with(|model| matches!(model, ModelState::Ready { .. }))
    }

    /// Starts a measurement, unless one is under way.
    pub fn start(self, kind: Kind) {
        if self.running.with_untracked(Option::is_some) {
            return;
        }
        self.failure.set(None);
        let what = kind.diagnosis();
        let Some(mut reply) = self.engine.request(None, Request::Diagnose(what)) else { return };
        let request = reply.id();
        self.running.set(Some(Measuring { kind, request, done: 0, total: 0 }));
        spawn_local(async move {
            while let Some(events) = reply.batch(PAUSE_MS).await {
                events.into_iter().for_each(|event| self.hear(kind, request, event));
            }
            // Also when the engine has ended, or the page is gone.
            self.running.try_set(None);
        });
    }

    fn hear(self, kind: Kind, request: RequestId, event: Event) {
        match event {
            Event::Progress(Progress::Diagnosing { done, total }) => {
                self.running.try_set(Some(Measuring { kind, request, done, total }));
            }
            Event::Outcome(Ok(Outcome::Diagnosed(Finding::Benchmark(found)))) => {
                self.benchmark.try_set(Some(found));
            }
            Event::Outcome(Ok(Outcome::Diagnosed(Finding::Profile(found)))) => {
                self.profile.try_set(Some(found));
            }
            Event::Outcome(Ok(Outcome::Diagnosed(Finding::SelfTest(found)))) => {
                self.self_test.try_set(Some(found));
            }
            Event::Outcome(Err(failure)) if !failure.is_cancelled() => {
                self.failure.try_set(Some(failure));
            }
            _ => {}
        }
    }

    /// Stops the measurement that is under way.
    pub fn stop(self) {
        if let Some(progress) = self.running.try_get_untracked().flatten() {
            self.engine.cancel(progress.request);
        }
    }
}

/// The measurement under way, or why the last one failed.
#[component]
pub fn Running(measured: Measurements) -> impl IntoView {
    let kind = Memo::new(move |_| measured.running.get().map(|progress| progress.kind));
    let percent = move || {
        let progress = measured.running.get()?;
        format::percent(progress.done.into(), progress.total.into())
    };
    let words = move || kind.get().map_or("", Kind::words);
    let ui = use_stores().ui;
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
