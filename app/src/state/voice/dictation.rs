//! Dictation: what is said between two pauses is written down by the model, and put into the message field.

use std::cell::{Cell, RefCell};

use futures_channel::mpsc;
use futures_util::StreamExt as _;
use leptos::{prelude::*, task::spawn_local};

use super::ear::Ear;
use super::{DictationPhase, VoiceStore};
use crate::failures;
use crate::history::ConversationId;
use crate::language::t;
use crate::media::activity::{Heard, Utterance};

/// A pause that ends an utterance, in milliseconds: text is to appear while somebody speaks.
const PAUSE: u32 = 600;

thread_local! {
    static EAR: RefCell<Option<(Ear, mpsc::UnboundedSender<Utterance>)>> = const { RefCell::new(None) };
    /// Counts dictations, so that one that was given up does not end the next.
    static DICTATIONS: Cell<u32> = const { Cell::new(0) };
}

/// Asks for the microphone, and listens.
pub(super) fn start(voice: VoiceStore) {
    if voice.dictation.get_untracked() != DictationPhase::Off {
        return;
    }
    voice.trouble.set(None);
    voice.level.set(0.0);
    voice.dictation.set(DictationPhase::Asking);
    // The model that writes it down is needed soon.
    let is_idle = voice.engine.model.with_untracked(|model| !model.is_ready() && !model.is_loading());
    if is_idle && let Some(choice) = voice.engine.selection_now() {
        voice.chat.choose(choice);
    }
    let to = voice.chat.conversation.id_untracked();
    let number = DICTATIONS.replace(DICTATIONS.get() + 1) + 1;
    let (sender, utterances) = mpsc::unbounded();
    spawn_local(async move {
        let heard = {
            let sender = sender.clone();
            move |heard: Vec<Heard>, level| {
                voice.level.set(level);
                for heard in heard {
                    if let Heard::Ended(Some(utterance)) = heard {
                        // Without a receiver the dictation has ended.
                        sender.unbounded_send(utterance).ok();
                    }
                }
                if voice.chat.conversation.id_untracked() != to {
                    stop(voice);
                }
            }
        };
        let unplugged = move || {
            stop(voice);
            fail(voice, t().record_unplugged());
        };
        let opened = Ear::open(PAUSE, false, heard, unplugged).await;
        if DICTATIONS.get() != number || voice.dictation.get_untracked() != DictationPhase::Asking {
            return;
        }
        match opened {
            Ok(ear) => {
                EAR.set(Some((ear, sender)));
                voice.dictation.set(DictationPhase::Listening);
                voice.ui.say(t().dictating());
                write_down(voice, number, to, utterances).await;
            }
            Err(error) => fail(voice, &error.to_string()),
        }
        if DICTATIONS.get() == number {
            voice.dictation.set(DictationPhase::Off);
        }
    });
}

/// Ends listening. What was said is still written down, unless this is asked for once more.
pub(super) fn stop(voice: VoiceStore) {
    match voice.dictation.get_untracked() {
        DictationPhase::Asking | DictationPhase::Writing => voice.dictation.set(DictationPhase::Off),
        DictationPhase::Listening => {
            voice.dictation.set(DictationPhase::Writing);
            let Some((ear, sender)) = EAR.take() else { return };
            spawn_local(async move {
                if let Some(utterance) = ear.close().await {
                    sender.unbounded_send(utterance).ok();
                }
                sender.close_channel();
            });
        }
        DictationPhase::Off => {}
    }
}

/// Puts utterances into the message field, one after another, until the last one.
async fn write_down(
    voice: VoiceStore,
    number: u32,
    to: ConversationId,
    mut utterances: mpsc::UnboundedReceiver<Utterance>,
) {
    let chat = voice.chat;
    while let Some(utterance) = utterances.next().await {
        let is_wanted = move || {
            let goes_on = voice.dictation.get() != DictationPhase::Off && DICTATIONS.get() == number;
            goes_on && chat.conversation.id_untracked() == to
        };
        match chat.transcribe(&utterance.samples, is_wanted).await {
            Ok(Some(said)) if untrack(is_wanted) && !said.is_empty() => {
                let draft = chat.draft.get_untracked();
                let space = if draft.is_empty() || draft.ends_with(char::is_whitespace) { "" } else { " " };
                chat.set_draft(format!("{draft}{space}{said}"));
                voice.ui.say(said);
            }
            Ok(_) => {}
            Err(failure) => {
                fail(voice, &failures::sentence(&failure));
                stop(voice);
            }
        }
    }
}

fn fail(voice: VoiceStore, words: &str) {
    voice.ui.say(words);
    voice.trouble.set(Some(words.to_owned()));
}
