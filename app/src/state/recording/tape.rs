//! The recording while it runs. This is in the part of the wasm that comes later.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leptos::{prelude::*, task::spawn_local};
use protocol::Request;
use send_wrapper::SendWrapper;

use super::{RecordingPhase, RecordingStore};
use crate::language::t;
use crate::media::{level, recorder::Recorder, resample::Resampler, wav::Wav};
use crate::state::models::ModelState;

/// Longest recording, in milliseconds: what a model hears at once is much shorter.
const MAX_MILLIS: u64 = 600_000;
/// A shorter recording is a slip of the finger, in milliseconds.
const MIN_MILLIS: u64 = 300;
/// Samples that are given to the engine at a time while somebody speaks: half a second.
const PIECE: u64 = 8_000;

/// What was recorded so far.
#[derive(Default)]
pub(super) struct Tape {
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
    /// Asks for the microphone, and records.
    pub(super) fn open(self) {
        // It may have been cancelled before this part of the page came.
        if self.phase.get_untracked() != RecordingPhase::Asking {
            return;
        }
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
                self.close();
                self.say(t().record_unplugged());
            };
            let started = Recorder::start(false, heard, unplugged).await;
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

    /// Waits, or goes on.
    pub(super) fn turn(self) {
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

    /// Ends the recording, and attaches it to the next message.
    pub(super) fn close(self) {
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
            self.close();
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

    fn say(self, words: &str) {
        self.ui.say(words);
        self.trouble.set(Some(words.to_owned()));
    }
}
