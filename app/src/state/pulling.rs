//! Downloads of models to the server.

use gloo_timers::future::TimeoutFuture;
use leptos::{prelude::*, task::spawn_local};
use protocol::{Pull, PullProblem, PullReport, PullRequest, PullStage, said::Said};

use super::EngineStore;
use crate::browser::{self, Method};

const ADDRESS: &str = "/api/pull";
/// Time between two reports on a running download, in milliseconds.
const PAUSE_MS: u32 = 500;
/// Longest time between two while the server does not answer.
const LONGEST_PAUSE_MS: u32 = 15_000;
/// Where the session's storage has the number of the download whose end this tab tells.
const KEY: &str = "gemtab-pull";

/// The download that is running on the server, or the last one.
#[derive(Clone, Copy)]
pub struct PullStore {
    /// The server's last report; `None` before the first.
    pub report: RwSignal<Option<PullReport>>,
    /// Why the server refused the last request.
    pub refused: RwSignal<Option<Said<PullProblem>>>,
    /// Whether the server does not answer while a download is running. It is asked again until it does.
    pub lost: RwSignal<bool>,
    /// The download that this tab has begun or seen running. How any other one ended is of no concern here.
    ours: RwSignal<Option<u64>>,
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
            ours: RwSignal::new(None),
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

    /// Returns the download that is running, or one that is over and concerns this tab.
    #[must_use]
    pub fn shown(self) -> Option<Pull> {
        let ours = self.ours.get();
        self.report.with(|report| shown(report.as_ref()?, ours).cloned())
    }

    /// Forgets a download that is over, and why a request was refused.
    pub fn dismiss(self) {
        self.refused.set(None);
        self.ours.set(None);
        if let Some(storage) = storage() {
            storage.remove_item(KEY).ok();
        }
    }

    fn keep(self, id: u64) {
        self.ours.set(Some(id));
        if let Some(storage) = storage() {
            storage.set_item(KEY, &id.to_string()).ok();
        }
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
            match browser::send_json::<PullReport>(method, ADDRESS, body).await {
                Ok(report) => {
                    if method == Method::Post
                        && let Some(pull) = &report.pull
                    {
                        self.keep(pull.id);
                    }
                    self.hear(report);
                }
                Err(text) => self.refused.set(Some(refusal(text))),
            }
        });
    }

    /// Takes a report, and asks for the next one while a download is running.
    fn hear(self, report: PullReport) {
        if self.lost.get_untracked() {
            self.lost.set(false);
            self.refused.set(None);
        }
        match &report.pull {
            Some(pull) if !pull.stage.is_over() => self.keep(pull.id),
            // Perhaps from before a reload.
            _ if self.ours.get_untracked().is_none() => self.ours.set(kept()),
            _ => {}
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

/// Why a request was refused, or that it couldn't be sent.
fn refusal(text: String) -> Said<PullProblem> {
    serde_json::from_str(&text).unwrap_or(Said { code: None, english: text })
}

fn storage() -> Option<web_sys::Storage> {
    window().session_storage().ok().flatten()
}

fn kept() -> Option<u64> {
    storage()?.get_item(KEY).ok()??.parse().ok()
}

/// The download of a report that concerns a tab whose own is `ours`.
fn shown(report: &PullReport, ours: Option<u64>) -> Option<&Pull> {
    report.pull.as_ref().filter(|pull| !pull.stage.is_over() || ours == Some(pull.id))
}

fn is_running(report: &Option<PullReport>) -> bool {
    let pull = report.as_ref().and_then(|report| report.pull.as_ref());
    pull.is_some_and(|pull| !pull.stage.is_over())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_download_ended_is_shown_to_whom_it_concerns() {
        let failed = PullStage::Failed(Said { code: Some(PullProblem::Tls), english: String::new() });
        for (stage, is_over) in [
            (PullStage::Asking, false),
            (PullStage::Joining, false),
            (PullStage::Done, true),
            (PullStage::Stopped, true),
            (failed, true),
        ] {
            let pull = Pull { id: 7, name: "gemma4:e2b".into(), stage };
            let report = PullReport { offered: true, free: None, pull: Some(pull) };
            assert!(shown(&report, Some(7)).is_some(), "{report:?}");
            for other in [None, Some(6)] {
                assert_eq!(shown(&report, other).is_none(), is_over, "{report:?}");
            }
        }
        assert_eq!(shown(&PullReport::default(), Some(7)), None);
    }

    #[test]
    fn a_refusal_is_a_code_or_the_words_of_whoever_answered() {
        let said = Said { code: Some(PullProblem::Name), english: "No name.".into() };
        assert_eq!(refusal(serde_json::to_string(&said).expect("JSON")), said);
        let words = "The server did not answer.";
        assert_eq!(refusal(words.into()), Said { code: None, english: words.into() });
    }
}
