//! A conversation by voice: it listens, sends what was said as sound, speaks the answer, and listens again. Who talks over the
//! answer stops it.

use std::cell::RefCell;

use js_sys::{Function, Promise, Reflect};
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::ear::Ear;
use super::{Act, TalkPhase, VoiceStore};
use crate::language::t;
use crate::media::activity::{Heard, Utterance};
use crate::media::wav::Wav;

/// A pause that ends an utterance, in milliseconds: longer than one in which somebody thinks of a word.
const PAUSE: u32 = 900;

thread_local! {
    static EAR: RefCell<Option<Ear>> = const { RefCell::new(None) };
    /// Keeps the screen on.
    static AWAKE: RefCell<Option<JsValue>> = const { RefCell::new(None) };
}

impl VoiceStore {
    /// Phase of the conversation by voice.
    #[must_use]
    pub fn talk_phase(self) -> TalkPhase {
        match self.ear.get() {
            None => TalkPhase::Asking,
            Some(true) => TalkPhase::Hearing,
            Some(false) if self.reading.with(Option::is_some) && !self.sentence.with(String::is_empty) => {
                TalkPhase::Speaking
            }
            Some(false) if self.chat.answer.is_running() || self.chat.queued.with(Option::is_some) => {
                TalkPhase::Thinking
            }
            Some(false) => TalkPhase::Listening,
        }
    }

    /// Opens the microphone for a conversation.
    pub fn begin_talk(self) {
        self.trouble.set(None);
        self.level.set(0.0);
        self.ear.set(None);
        spawn_local(async move {
            let unplugged = move || {
                self.trouble.set(Some(t().record_unplugged().to_owned()));
                self.ear.set(None);
            };
            let heard = move |heard, level| self.hear(heard, level);
            match Ear::open(PAUSE, true, heard, unplugged).await {
                // When the dialog was closed meanwhile, the microphone is let go at once.
                Ok(ear) if self.talk.get_untracked() => {
                    EAR.set(Some(ear));
                    self.ear.set(Some(false));
                    AWAKE.set(stay_awake().await);
                    if !self.talk.get_untracked() {
                        release();
                    }
                }
                Ok(_) => {}
                Err(error) => self.trouble.set(Some(error.to_string())),
            }
        });
    }

    /// Closes the microphone, and stops speaking. What the model writes goes on.
    pub fn end_talk(self) {
        EAR.take();
        release();
        self.ear.set(None);
        self.act(Act::StopReading);
    }

    /// Stops the answer, and listens.
    pub fn interrupt(self) {
        self.act(Act::StopReading);
        self.chat.stop();
    }

    fn hear(self, heard: Vec<Heard>, level: f32) {
        if self.ear.get_untracked().is_none() {
            return;
        }
        self.level.set(level);
        for heard in heard {
            match heard {
                Heard::Began => self.ear.set(Some(true)),
                Heard::Ended(utterance) => {
                    self.ear.set(Some(false));
                    if let Some(utterance) = utterance {
                        self.say(&utterance);
                    }
                }
            }
        }
        // Also where the answer begins while the user speaks.
        if self.reading.with_untracked(Option::is_some) && self.ear.get_untracked() == Some(true) {
            self.interrupt();
        }
    }

    /// Sends what was said, instead of what is being answered.
    fn say(self, utterance: &Utterance) {
        if self.chat.busy() {
            self.interrupt();
        }
        let sound = Wav::of(&utterance.samples);
        spawn_local(async move {
            if let Err(words) = self.chat.send_recording(sound).await {
                self.trouble.set(Some(words));
            }
        });
    }
}

/// Asks the browser to keep the screen on; `None` where it doesn't.
async fn stay_awake() -> Option<JsValue> {
    let locks = Reflect::get(&web_sys::window()?.navigator(), &"wakeLock".into()).ok()?;
    let request: Function = Reflect::get(&locks, &"request".into()).ok()?.dyn_into().ok()?;
    let asked: Promise = request.call1(&locks, &"screen".into()).ok()?.dyn_into().ok()?;
    JsFuture::from(asked).await.ok()
}

fn release() {
    let Some(lock) = AWAKE.take() else { return };
    let release = Reflect::get(&lock, &"release".into()).ok().and_then(|it| it.dyn_into::<Function>().ok());
    // One that the browser has released already stays so.
    release.and_then(|release| release.call0(&lock).ok());
}
