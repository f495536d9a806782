//! Speaking to the model: the microphone from the press that opens it to the attachment it becomes.

mod tape;

use std::rc::Rc;

use leptos::{ev, prelude::*, task::spawn_local};
use send_wrapper::SendWrapper;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::{ChatStore, EngineStore, Ui};
use crate::{browser, language::t};
use tape::Tape;

/// What the part of the wasm that comes later does.
#[derive(Clone, Copy)]
pub(crate) enum Act {
    Start,
    TogglePause,
    Finish,
}

#[wasm_split(later, fallible, preload(#[doc = "Fetches what records."] fetch))]
pub(crate) fn act(recording: RecordingStore, act: Act) -> Result<(), SplitLoaderError> {
    match act {
        Act::Start => recording.open(),
        Act::TogglePause => recording.turn(),
        Act::Finish => recording.close(),
    }
    Ok(())
}

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

    /// Has the browser ask who closes the page on a recording. Called once, in the browser.
    pub fn watch_leaving(self) {
        // As long-lived as the page.
        window_event_listener(ev::beforeunload, move |event| {
            if self.phase.get_untracked() != RecordingPhase::Idle {
                browser::hold_back(&event);
            }
        });
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
        self.act(Act::Start);
    }

    /// Waits, or goes on.
    pub fn toggle_pause(self) {
        self.act(Act::TogglePause);
    }

    /// Ends the recording, and attaches it to the next message.
    pub fn finish(self) {
        self.act(Act::Finish);
    }

    fn act(self, what: Act) {
        spawn_local(async move {
            if act(self, what).await.is_err() {
                self.drop_tape();
                self.ui.toast(t().later_missing());
            }
        });
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
