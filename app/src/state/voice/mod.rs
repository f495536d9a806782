//! Speech: answers are read aloud, the model writes down what is dictated, and both together are a conversation by voice.
//! What they do is in the part of the wasm that comes later.

mod aloud;
mod dictation;
mod ear;
mod talk;

use leptos::{prelude::*, task::spawn_local};
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::settings::SettingsStore;
use super::{ChatStore, EngineStore, Library, Ui};
use crate::history::{Attachment, ConversationId, NodeId};
use crate::language::t;

/// A message.
pub type SpokenPlace = (ConversationId, NodeId);

/// Phase of a dictation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DictationPhase {
    /// There is none.
    #[default]
    Off,
    /// The browser asks the user for the microphone.
    Asking,
    /// It listens.
    Listening,
    /// It has ended, and the model still writes down what was said.
    Writing,
}

/// Phase of a conversation by voice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TalkPhase {
    /// The browser asks the user for the microphone.
    #[default]
    Asking,
    /// It listens.
    Listening,
    /// The user speaks.
    Hearing,
    /// The model reads what was said.
    Thinking,
    /// The answer is spoken.
    Speaking,
}

/// What has to do with speech, in signals.
#[derive(Clone, Copy)]
pub struct VoiceStore {
    /// The message that is read aloud.
    pub reading: RwSignal<Option<SpokenPlace>>,
    /// Whether reading is paused.
    pub paused: RwSignal<bool>,
    /// The sentence that is being spoken.
    pub sentence: RwSignal<String>,
    /// Phase of the dictation.
    pub dictation: RwSignal<DictationPhase>,
    /// Whether the conversation by voice is open.
    pub talk: RwSignal<bool>,
    /// Whether the microphone is open for it, and whether the user is speaking.
    ear: RwSignal<Option<bool>>,
    /// How loud the microphone hears, from 0 to 1.
    pub level: RwSignal<f32>,
    /// What went wrong with the microphone or the model, in a sentence.
    pub trouble: RwSignal<Option<String>>,
    /// A recording that is to be written down.
    pub transcript: RwSignal<Option<Attachment>>,
    chat: ChatStore,
    library: Library,
    settings: SettingsStore,
    engine: EngineStore,
    ui: Ui,
}

/// What the part that comes later does.
#[derive(Clone, Copy)]
pub(crate) enum Act {
    Read(SpokenPlace),
    TogglePause,
    StopReading,
    Dictate,
    StopDictating,
}

#[wasm_split(later, fallible, preload(#[doc = "Fetches what speaks and listens."] fetch))]
pub(crate) fn act(voice: VoiceStore, act: Act) -> Result<(), SplitLoaderError> {
    match act {
        Act::Read(place) => aloud::read(voice, place),
        Act::TogglePause => aloud::toggle_pause(voice),
        Act::StopReading => aloud::stop(voice),
        Act::Dictate => dictation::start(voice),
        Act::StopDictating => dictation::stop(voice),
    }
    Ok(())
}

impl VoiceStore {
    /// Silence.
    #[must_use]
    pub fn new(
        chat: ChatStore,
        library: Library,
        settings: SettingsStore,
        engine: EngineStore,
        ui: Ui,
    ) -> Self {
        Self {
            reading: RwSignal::new(None),
            paused: RwSignal::new(false),
            sentence: RwSignal::new(String::new()),
            dictation: RwSignal::default(),
            talk: RwSignal::new(false),
            ear: RwSignal::new(None),
            level: RwSignal::new(0.0),
            trouble: RwSignal::new(None),
            transcript: RwSignal::new(None),
            chat,
            library,
            settings,
            engine,
            ui,
        }
    }

    /// Has answers read aloud from their beginning, where the user wants that. Called once, in the browser.
    pub fn watch_answers(self) {
        let begun =
            Memo::new(move |_| self.chat.answer.place.get().map(|place| (place.conversation, place.node)));
        Effect::new(move |_| {
            let wanted =
                || self.settings.value.with_untracked(|it| it.read_aloud) || self.talk.get_untracked();
            if let Some(place) = begun.get()
                && wanted()
            {
                self.act(Act::Read(place));
            }
        });
    }

    fn act(self, what: Act) {
        spawn_local(async move {
            if act(self, what).await.is_err() {
                self.ui.toast(t().later_missing());
            }
        });
    }

    /// Reads a message aloud, or stops reading it.
    pub fn toggle_reading(self, place: SpokenPlace) {
        self.act(if self.reading.get_untracked() == Some(place) {
            Act::StopReading
        } else {
            Act::Read(place)
        });
    }

    /// Pauses reading, or goes on with the sentence that it was paused in.
    pub fn toggle_pause(self) {
        self.act(Act::TogglePause);
    }

    /// Ends reading.
    pub fn stop_reading(self) {
        self.act(Act::StopReading);
    }

    /// Listens, and puts what is said into the message field.
    pub fn dictate(self) {
        self.act(Act::Dictate);
    }

    /// Whether something is read aloud or dictated, without following it.
    #[must_use]
    pub fn is_on(self) -> bool {
        self.reading.with_untracked(Option::is_some) || self.dictation.get_untracked() != DictationPhase::Off
    }

    /// Whether there is something to be said of reading or dictation.
    #[must_use]
    pub fn shows_something(self) -> bool {
        self.reading.with(Option::is_some)
            || self.dictation.get() != DictationPhase::Off
            || self.trouble.with(Option::is_some)
    }

    /// Stops reading and listening. What was said is still written down.
    pub fn stop(self) {
        self.act(Act::StopReading);
        self.act(Act::StopDictating);
    }
}
