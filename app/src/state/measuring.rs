//! Measurements: what runs, and what was found.

use leptos::{prelude::*, task::spawn_local};
use protocol::{
    Benchmark, BenchmarkOptions, Diagnosis, Event, Failure, Finding, Outcome, Profile, Progress, Request,
    RequestId, SelfTest,
};

use super::engine::{EnginePhase, EngineStore};
use super::models::ModelState;
use crate::language::t;

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
    /// Its name.
    pub fn words(self) -> &'static str {
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
