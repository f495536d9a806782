//! Downloads of models to the server.

use gloo_timers::future::TimeoutFuture;
use leptos::{prelude::*, task::spawn_local};
use protocol::{PullReport, PullRequest, PullStage};

use super::EngineStore;
use crate::browser::{self, Method};

const ADDRESS: &str = "/api/pull";
/// Time between two reports on a running download, in milliseconds.
const PAUSE_MS: u32 = 500;
/// Longest time between two while the server does not answer.
const LONGEST_PAUSE_MS: u32 = 15_000;

/// The download that is running on the server, or the last one.
#[derive(Clone, Copy)]
pub struct PullStore {
    /// The server's last report; none before the first.
    pub report: RwSignal<Option<PullReport>>,
    /// Why the server refused the last request.
    pub refused: RwSignal<Option<String>>,
    /// Whether the server does not answer while a download is running. It is asked again until it does.
    pub lost: RwSignal<bool>,
    engine: EngineStore,
    watching: StoredValue<bool>,
}

impl PullStore {
    /// Nothing is known yet.
    #[must_use]
    pub fn new(engine: EngineStore) -> Self {
        Self {
            report: RwSignal::new(None),
            refused: RwSignal::new(None),
            lost: RwSignal::new(false),
            engine,
            watching: StoredValue::new(false),
        }
    }

    /// Whether the server downloads models for this visitor.
    #[must_use]
    pub fn is_offered(self) -> bool {
        self.report.with(|report| report.as_ref().is_some_and(|report| report.offered))
    }

    /// Whether a download is running.
    #[must_use]
    pub fn is_running(self) -> bool {
        self.report.with(is_running)
    }

    /// Asks the server for a report.
    pub fn read(self) {
        // That the server can't be reached is shown with the list of models.
        spawn_local(async move {
            if let Ok(answer) = browser::fetch_json(ADDRESS).await {
                self.hear(answer.value);
            }
        });
    }

    /// Starts a download, or continues it.
    pub fn begin(self, name: String) {
        self.ask(Method::Post, serde_json::to_string(&PullRequest { name }).ok());
    }

    /// Stops the download. What was downloaded so far is kept.
    pub fn stop(self) {
        self.ask(Method::Delete, None);
    }

    fn ask(self, method: Method, body: Option<String>) {
        self.refused.set(None);
        spawn_local(async move {
            match browser::send_json(method, ADDRESS, body).await {
                Ok(report) => self.hear(report),
                Err(reason) => self.refused.set(Some(reason)),
            }
        });
    }

    /// Takes a report, and asks for the next one while a download is running.
    fn hear(self, report: PullReport) {
        if self.lost.get_untracked() {
            self.lost.set(false);
            self.refused.set(None);
        }
        let was_running = untrack(|| self.is_running());
        let is_done = report.pull.as_ref().is_some_and(|pull| pull.stage == PullStage::Done);
        self.report.set(Some(report));
        if was_running && is_done {
            self.engine.read_catalog();
        }
        if !untrack(|| self.is_running()) || self.watching.get_value() {
            return;
        }
        self.watching.set_value(true);
        spawn_local(async move {
            let mut pause = PAUSE_MS;
            let report = loop {
                TimeoutFuture::new(pause).await;
                match browser::fetch_json(ADDRESS).await {
                    Ok(answer) => break answer.value,
                    // The server goes on; what it said last is what is known.
                    Err(_) => self.lost.set(true),
                }
                pause = LONGEST_PAUSE_MS.min(2 * pause);
            };
            self.watching.set_value(false);
            self.hear(report);
        });
    }
}

fn is_running(report: &Option<PullReport>) -> bool {
    let pull = report.as_ref().and_then(|report| report.pull.as_ref());
    pull.is_some_and(|pull| !pull.stage.is_over())
}
