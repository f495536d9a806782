//! Speaking to the model: the microphone from the press that opens it to the attachment it becomes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leptos::{ev, prelude::*, task::spawn_local};
use send_wrapper::SendWrapper;

use protocol::Request;

use super::models::ModelState;
use super::{ChatStore, EngineStore, Ui};
use crate::{
    browser,
    language::t,
    media::{level, recorder::Recorder, resample::Resampler, wav::Wav},
};

/// Longest recording, in milliseconds: what a model hears at once is much shorter.
const MAX_MILLIS: u64 = 600_000;
/// A shorter recording is a slip of the finger, in milliseconds.
const MIN_MILLIS: u64 = 300;
/// Samples that are given to the engine at a time while somebody speaks: half a second.
const PIECE: u64 = 8_000;

/// Where a recording stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordingPhase {
    /// There is none.
    #[default]
    Idle,
    /// The browser asks the user for the microphone.
    Asking,
    /// It hears.
    Running,
    /// It waits.
    Paused,
}

/// The recording, in signals.
#[derive(Clone, Copy)]
pub struct RecordingStore {
    /// Where it stands.
    pub phase: RwSignal<RecordingPhase>,
    /// Its length in milliseconds.
    pub millis: RwSignal<u64>,
    /// How loud it is now, from 0 to 1.
    pub level: RwSignal<f32>,
    /// What went wrong with the last one, in a sentence.
    pub trouble: RwSignal<Option<String>>,
    tape: StoredValue<Option<SendWrapper<Rc<Tape>>>>,
    chat: ChatStore,
    engine: EngineStore,
    ui: Ui,
}

/// What was recorded so far.
#[derive(Default)]
struct Tape {
    recorder: RefCell<Option<Recorder>>,
    resampler: RefCell<Option<Resampler>>,
    wav: RefCell<Wav>,
    peak: Cell<f32>,
    /// Samples that the engine was given.
    given: Cell<u64>,
}

impl Tape {
    fn take(&self, piece: &[f32], rate: f64) {
        self.peak.set(self.peak.get().max(level::peak(piece)));
        let mut resampler = self.resampler.borrow_mut();
        let resampled = resampler.get_or_insert_with(|| Resampler::new(rate)).push(piece);
        self.wav.borrow_mut().push(&resampled);
    }

    /// The whole recording, once the recorder has ended.
    fn finish(&self) -> Wav {
        let mut wav = self.wav.take();
        if let Some(resampler) = self.resampler.take() {
            wav.push(&resampler.finish());
        }
        wav
    }
}

impl RecordingStore {
    /// No recording.
    #[must_use]
    pub fn new(chat: ChatStore, engine: EngineStore, ui: Ui) -> Self {
        Self {
            phase: RwSignal::default(),
            millis: RwSignal::new(0),
            level: RwSignal::new(0.0),
            trouble: RwSignal::new(None),
            tape: StoredValue::new(None),
            chat,
            engine,
            ui,
        }
    }

    /// Asks for the microphone, and records.
    pub fn start(self) {
        if self.phase.get_untracked() != RecordingPhase::Idle {
            return;
        }
        self.trouble.set(None);
        self.millis.set(0);
        self.level.set(0.0);
        self.phase.set(RecordingPhase::Asking);
        let tape = Rc::new(Tape::default());
        self.tape.set_value(Some(SendWrapper::new(Rc::clone(&tape))));
        spawn_local(async move {
            // Weak, or the recorder would hold itself.
            let heard = {
                let tape = Rc::downgrade(&tape);
                move |piece: Vec<f32>, rate: f64| {
                    if let Some(tape) = tape.upgrade() {
                        self.hear(&tape, &piece, rate);
                    }
                }
            };
            let unplugged = move || {
                self.finish();
                self.say(t().record_unplugged());
            };
            let started = Recorder::start(heard, unplugged).await;
            if !self.has(&tape) {
                // Cancelled while the browser asked. Dropping the recorder lets go of the microphone.
                return;
            }
            match started {
                Ok(recorder) => {
                    tape.recorder.replace(Some(recorder));
                    self.phase.set(RecordingPhase::Running);
                    self.ui.say(t().record_says());
                }
                Err(error) => {
                    self.drop_tape();
                    self.say(&error.to_string());
                }
            }
        });
    }

    /// Has the browser ask who closes the page on a recording. Called once, in the browser.
    pub fn watch_leaving(self) {
        // As long-lived as the page.
        window_event_listener(ev::beforeunload, move |event| {
            if self.phase.get_untracked() != RecordingPhase::Idle {
                browser::hold_back(&event);
            }
        });
    }

    /// Waits, or goes on.
    pub fn toggle_pause(self) {
        let Some(tape) = self.tape.get_value() else { return };
        let recorder = tape.recorder.borrow();
        let Some(recorder) = recorder.as_ref() else { return };
        match self.phase.get_untracked() {
            RecordingPhase::Running => {
                recorder.pause();
                self.level.set(0.0);
                self.phase.set(RecordingPhase::Paused);
            }
            RecordingPhase::Paused => {
                recorder.resume();
                self.phase.set(RecordingPhase::Running);
            }
            RecordingPhase::Idle | RecordingPhase::Asking => {}
        }
    }

    /// Throws the recording away.
    pub fn cancel(self) {
        if self.phase.get_untracked() != RecordingPhase::Idle {
            self.drop_tape();
            self.ui.say(t().record_discarded());
        }
    }

    /// Ends the recording. One that the browser still asks for has heard nothing, and is let go.
    pub fn end(self) {
        match self.phase.get_untracked() {
            RecordingPhase::Asking => self.cancel(),
            _ => self.finish(),
        }
    }

    /// Ends the recording, and attaches it to the next message.
    pub fn finish(self) {
        let Some(tape) = self.tape.get_value() else { return };
        let Some(recorder) = tape.recorder.take() else { return };
        self.phase.set(RecordingPhase::Idle);
        spawn_local(async move {
            recorder.stop().await;
            self.let_go(&tape);
            let peak = tape.peak.get();
            let wav = tape.finish();
            self.give(&tape, &wav, true);
            if wav.millis() < MIN_MILLIS {
                self.say(t().record_empty());
            } else if peak < level::SILENCE {
                self.say(t().record_silent());
            } else {
                self.chat.attach_recording(wav);
            }
        });
    }

    fn hear(self, tape: &Rc<Tape>, piece: &[f32], rate: f64) {
        tape.take(piece, rate);
        // The last piece may come when the recording has ended, and must not be shown any more.
        if self.phase.get_untracked() == RecordingPhase::Idle || !self.has(tape) {
            return;
        }
        let millis = tape.wav.borrow().millis();
        if tape.wav.borrow().samples() >= tape.given.get() + PIECE {
            self.give(tape, &tape.wav.borrow(), false);
        }
        self.millis.set(millis);
        if self.phase.get_untracked() == RecordingPhase::Running {
            self.level.set(level::meter(piece));
        }
        if millis >= MAX_MILLIS {
            self.finish();
            self.say(t().record_longest());
        }
    }

    /// Has a loaded model listen to what is new, so that it need not once the recording is sent.
    fn give(self, tape: &Tape, wav: &Wav, last: bool) {
        let at = tape.given.replace(wav.samples());
        if self.engine.model.with_untracked(|model| matches!(model, ModelState::Ready { .. })) {
            let samples = wav.since(at);
            // Nothing waits for the answer: what was not listened to now is when it is sent.
            drop(self.engine.request_with(Vec::new(), Request::Listen { at, samples, last }));
        }
    }

    fn has(self, tape: &Rc<Tape>) -> bool {
        self.tape.with_value(|held| held.as_ref().is_some_and(|held| Rc::ptr_eq(&**held, tape)))
    }

    /// Drops this recording, unless another one has begun meanwhile.
    fn let_go(self, tape: &Rc<Tape>) {
        if self.has(tape) {
            self.drop_tape();
        }
    }

    fn drop_tape(self) {
        self.tape.set_value(None);
        self.level.set(0.0);
        self.phase.set(RecordingPhase::Idle);
    }

    fn say(self, words: &str) {
        self.ui.say(words);
        self.trouble.set(Some(words.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_recording_leaves_the_next_one_alone() {
        let owner = Owner::new();
        owner.set();
        let (chat, engine, _, ui) = ChatStore::for_test();
        let recording = RecordingStore::new(chat, engine, ui);
        let [first, second] = [(); 2].map(|()| Rc::new(Tape::default()));
        recording.tape.set_value(Some(SendWrapper::new(Rc::clone(&second))));
        recording.phase.set(RecordingPhase::Running);
        recording.let_go(&first);
        assert_eq!(recording.phase.get_untracked(), RecordingPhase::Running);
        recording.let_go(&second);
        assert_eq!(recording.phase.get_untracked(), RecordingPhase::Idle);
    }
}
