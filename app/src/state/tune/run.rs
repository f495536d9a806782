//! The run: started, followed, paused, ended.

use leptos::{prelude::*, task::spawn_local};
use protocol::failure::TrainingFailure;
use protocol::tune::{RunSummary, TuneLength, TunePoint, TuneSample};
use protocol::{
    Code, Control, Event, Failure, Outcome, Progress, RequestId, TuneOutcome, TuneProgress, TuneRequest,
};

use super::super::chat::{encoding_words, tower_words};
use super::TuneStore;
use crate::{engine_client::Reply, failures, language::t};

/// Least time between two updates of the curves, in milliseconds.
const FRAME_MS: u32 = 100;

/// Phase of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunPhase {
    /// There is none.
    #[default]
    None,
    /// It was asked for and has not begun.
    Starting,
    /// It trains.
    Training,
    /// It waits for an answer, and then goes on.
    Waiting,
    /// It was asked to pause or to end.
    Ending,
    /// It is kept, and can go on.
    Paused,
    /// It has done its steps.
    Finished,
    /// Another tab trains.
    Elsewhere,
}

impl RunPhase {
    /// Whether the engine works on it.
    #[must_use]
    pub fn is_active(self) -> bool {
        matches!(self, Self::Starting | Self::Training | Self::Waiting | Self::Ending)
    }
}

/// How fast it goes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Speed {
    /// Tokens a second.
    pub tokens_per_second: f64,
    /// Seconds until the end, about.
    pub seconds_left: Option<f64>,
    /// Bytes of graphics memory in use.
    pub gpu_bytes: u64,
}

/// The run, in signals: a step changes the points alone.
#[derive(Clone, Copy, Default)]
pub struct RunStore {
    /// Its phase.
    pub phase: RwSignal<RunPhase>,
    /// What it is, without points and samples.
    pub about: RwSignal<Option<RunSummary>>,
    /// The curves.
    pub points: RwSignal<Vec<TunePoint>>,
    /// The samples.
    pub samples: RwSignal<Vec<TuneSample>>,
    /// What is being done before the first step, in words: looking at pictures, listening to sound.
    pub sensing: RwSignal<Option<String>>,
    /// How fast it goes.
    pub speed: RwSignal<Option<Speed>>,
    /// Steps of the last checkpoint.
    pub saved: RwSignal<u32>,
    /// Why it failed.
    pub failure: RwSignal<Option<Failure>>,
    /// What fails without ending it.
    pub trouble: RwSignal<Option<Failure>>,
    request: StoredValue<Option<RequestId>>,
    /// Whether what failed has to begin anew, because nothing of it is kept.
    begins_anew: StoredValue<bool>,
}

impl RunStore {
    /// Whether the engine works on it.
    #[must_use]
    pub fn is_active(self) -> bool {
        self.phase.get_untracked().is_active()
    }

    /// Whether there is a run, here or in another tab.
    #[must_use]
    pub fn exists(self) -> bool {
        self.about.with(Option::is_some) || self.phase.get() != RunPhase::None
    }

    pub(super) fn clear(self) {
        self.phase.set(RunPhase::None);
        self.about.set(None);
        self.points.set(Vec::new());
        self.samples.set(Vec::new());
        self.speed.set(None);
        self.saved.set(0);
    }

    /// Clears earlier failures.
    pub(super) fn forget_failures(self) {
        self.failure.set(None);
        self.trouble.set(None);
    }

    fn show(self, mut summary: RunSummary, phase: RunPhase) {
        self.points.set(std::mem::take(&mut summary.points));
        self.samples.set(std::mem::take(&mut summary.samples));
        self.saved.set(summary.saved);
        self.about.set(Some(summary));
        self.phase.set(phase);
    }

    /// Whether something would be lost if the page went away now.
    #[must_use]
    pub fn has_unsaved(self) -> bool {
        match self.phase.get_untracked() {
            RunPhase::Starting | RunPhase::Ending => true,
            RunPhase::Training | RunPhase::Waiting => untrack(|| self.step()) > self.saved.get_untracked(),
            _ => false,
        }
    }

    /// Shows what the browser keeps; `elsewhere` is whether another tab trains.
    pub(super) fn show_kept(self, run: Option<RunSummary>, elsewhere: bool) {
        let is_over = |failure: &Failure| {
            !elsewhere && matches!(failure.code, Code::Training(TrainingFailure::InAnotherTab { .. }))
        };
        if self.failure.with_untracked(|failure| failure.as_ref().is_some_and(is_over)) {
            self.failure.set(None);
        }
        match run {
            Some(run) if elsewhere => self.show(run, RunPhase::Elsewhere),
            None if elsewhere => {
                self.clear();
                self.phase.set(RunPhase::Elsewhere);
            }
            Some(run) => {
                let phase = if run.finished { RunPhase::Finished } else { RunPhase::Paused };
                self.show(run, phase);
            }
            None => self.clear(),
        }
    }

    /// Steps done.
    #[must_use]
    pub fn step(self) -> u32 {
        self.points.with(|points| points.last().map_or(0, |point| point.step))
    }

    /// From one phase to the next; a run that was asked to end meanwhile still ends.
    fn turn(self, from: RunPhase, to: RunPhase) {
        if self.phase.get_untracked() == from {
            self.phase.set(to);
        }
    }

    fn hear(self, progress: TuneProgress) {
        match progress {
            TuneProgress::Begun(summary) => {
                self.sensing.set(None);
                self.show(summary, RunPhase::Training);
            }
            TuneProgress::Step(point) => self.points.update(|points| {
                // After a lost device some steps are done again.
                points.retain(|before| before.step < point.step);
                points.push(point);
            }),
            TuneProgress::Speed { tokens_per_second, seconds_left, gpu_bytes } => {
                self.speed.set(Some(Speed { tokens_per_second, seconds_left, gpu_bytes }));
            }
            TuneProgress::Sample(sample) => self.samples.update(|samples| {
                samples.retain(|it| (it.step, &it.prompt) != (sample.step, &sample.prompt));
                samples.push(sample);
            }),
            TuneProgress::Saved { step } => {
                self.saved.set(step);
                self.trouble.set(None);
            }
            TuneProgress::Warning(failure) => self.trouble.set(Some(failure)),
            TuneProgress::Waiting { step } => {
                self.saved.set(step);
                self.turn(RunPhase::Training, RunPhase::Waiting);
            }
            TuneProgress::Continues => self.turn(RunPhase::Waiting, RunPhase::Training),
        }
    }
}

impl TuneStore {
    /// Begins a run with the examples and settings of the page.
    pub fn start(self) {
        if self.run.is_active() {
            return;
        }
        self.run.clear();
        self.saved.set(None);
        self.run.forget_failures();
        self.run.phase.set(RunPhase::Starting);
        spawn_local(async move {
            let settings = self.settings.get_untracked();
            match self.given().await {
                Some((data, handles)) => self.begin(handles, TuneRequest::Start { data, settings }),
                None => self.run.phase.set(RunPhase::None),
            }
        });
    }

    /// Begins a run like the last one that is so many times as long.
    pub fn start_longer(self, times: u32) {
        let steps = self.run.about.with_untracked(|about| about.as_ref().map_or(1, |run| run.steps));
        self.settings.update(|settings| match &mut settings.length {
            TuneLength::Steps(length) | TuneLength::Rounds(length) => *length = length.saturating_mul(times),
            length @ TuneLength::UntilLearned => *length = TuneLength::Steps(steps.saturating_mul(times)),
        });
        self.start();
    }

    /// Goes on with the kept run.
    pub fn resume(self) {
        if !self.run.is_active() {
            self.begin(Vec::new(), TuneRequest::Resume);
        }
    }

    /// Tries again what failed: goes on after the last checkpoint, or begins anew where there is none.
    pub fn retry(self) {
        if self.run.begins_anew.get_value() { self.start() } else { self.resume() }
    }

    fn begin(self, handles: Vec<web_sys::Blob>, request: TuneRequest) {
        let Some(reply) = self.send_with(handles, request) else {
            if self.run.is_active() {
                self.run.phase.set(RunPhase::None);
            }
            return;
        };
        self.run.forget_failures();
        self.run.speed.set(None);
        self.run.phase.set(RunPhase::Starting);
        self.run.request.set_value(Some(reply.id()));
        self.ui.say(t().tune_begins());
        spawn_local(self.follow(reply));
    }

    async fn follow(self, mut reply: Reply) {
        let run = self.run;
        while let Some(events) = reply.batch(FRAME_MS).await {
            for event in events {
                match event {
                    Event::Progress(Progress::Tune(progress)) => {
                        if let TuneProgress::Warning(failure) = &*progress {
                            self.ui.say(failures::sentence(failure));
                        }
                        run.hear(*progress);
                    }
                    Event::Outcome(Ok(Outcome::Tune(outcome))) => match *outcome {
                        TuneOutcome::Paused(summary) => {
                            self.ui.say(t().tune_paused(summary.step.into(), summary.steps.into()));
                            run.show(summary, RunPhase::Paused);
                        }
                        TuneOutcome::Finished(summary) => {
                            self.ui.say(t().tune_done());
                            run.show(summary, RunPhase::Finished);
                        }
                        _ => {}
                    },
                    Event::Progress(Progress::Tower { sense, progress }) => {
                        run.sensing.set(Some(tower_words(sense, &progress)));
                    }
                    Event::Progress(Progress::Encoding { sense, index, of, share }) => {
                        run.sensing.set(Some(encoding_words(sense, index, of, share)));
                    }
                    Event::Outcome(Err(failure)) => self.fail(failure),
                    _ => {}
                }
            }
        }
        run.sensing.set(None);
        run.request.set_value(None);
        if run.is_active() {
            self.fail(TrainingFailure::EngineStopped.into());
        }
    }

    fn fail(self, failure: Failure) {
        let begun = self.run.about.with_untracked(Option::is_some);
        let saved = begun && self.run.saved.get_untracked() > 0;
        self.run.begins_anew.set_value(!saved);
        self.run.phase.set(if saved { RunPhase::Paused } else { RunPhase::None });
        if !failure.is_cancelled() {
            self.ui.say(failures::sentence(&failure));
            self.run.failure.set(Some(failure));
        }
        if !begun {
            // What was kept before is kept still.
            self.list();
        }
    }

    /// Abandons a run that still encodes pictures and sound, before its first step.
    pub fn stop(self) {
        if let Some(id) = self.run.request.get_value() {
            self.engine.cancel(id);
        }
    }

    /// Has the run write a checkpoint and rest.
    pub fn pause(self) {
        self.control(Control::PauseTraining);
    }

    /// Ends the run here, as if it had done all its steps.
    pub fn finish(self) {
        self.control(Control::FinishTraining);
    }

    fn control(self, control: Control) {
        let Some(id) = self.run.request.get_value() else { return };
        self.run.phase.set(RunPhase::Ending);
        self.engine.control(id, control);
    }
}

#[cfg(test)]
mod tests {
    use protocol::failure::StorageFailure;

    use super::*;

    fn point(step: u32, loss: f32) -> TunePoint {
        TunePoint { step, loss, eval_loss: None, learning_rate: 1e-4 }
    }

    #[test]
    fn steps_that_are_done_again_replace_the_old_ones() {
        let owner = Owner::new();
        owner.set();
        let run = RunStore::default();
        for step in 1..=5 {
            run.hear(TuneProgress::Step(point(step, 2.0)));
        }
        // The device was lost, and the checkpoint holds three steps.
        run.hear(TuneProgress::Step(point(4, 1.0)));
        let steps: Vec<_> = run.points.get_untracked().iter().map(|it| (it.step, it.loss)).collect();
        assert_eq!(steps, [(1, 2.0), (2, 2.0), (3, 2.0), (4, 1.0)]);
    }

    #[test]
    fn a_run_that_waits_for_an_answer_goes_on_unless_it_was_told_to_end() {
        let owner = Owner::new();
        owner.set();
        let run = RunStore::default();
        run.phase.set(RunPhase::Training);
        run.hear(TuneProgress::Waiting { step: 3 });
        assert_eq!((run.phase.get_untracked(), run.saved.get_untracked()), (RunPhase::Waiting, 3));
        run.hear(TuneProgress::Continues);
        assert_eq!(run.phase.get_untracked(), RunPhase::Training);
        run.phase.set(RunPhase::Ending);
        run.hear(TuneProgress::Waiting { step: 4 });
        run.hear(TuneProgress::Continues);
        assert_eq!(run.phase.get_untracked(), RunPhase::Ending);
    }

    #[test]
    fn a_checkpoint_that_succeeds_ends_the_trouble_of_one_that_did_not() {
        let owner = Owner::new();
        owner.set();
        let run = RunStore::default();
        run.hear(TuneProgress::Warning(StorageFailure::Failed.into()));
        assert!(run.trouble.get_untracked().is_some());
        run.hear(TuneProgress::Saved { step: 10 });
        assert_eq!((run.trouble.get_untracked(), run.saved.get_untracked()), (None, 10));
    }

    #[test]
    fn that_another_tab_trains_is_no_failure_any_more_once_it_has_ended() {
        let owner = Owner::new();
        owner.set();
        let run = RunStore::default();
        run.failure.set(Some(TrainingFailure::InAnotherTab { name: String::new() }.into()));
        run.show_kept(None, true);
        assert!(run.failure.get_untracked().is_some());
        run.show_kept(None, false);
        assert_eq!((run.failure.get_untracked(), run.phase.get_untracked()), (None, RunPhase::None));
        // Others stay where they can be read.
        run.failure.set(Some(StorageFailure::Failed.into()));
        run.show_kept(None, false);
        assert!(run.failure.get_untracked().is_some());
    }
}
