//! Reading a message aloud, sentence by sentence, also while it is being written.

use std::cell::{Cell, RefCell};

use futures_channel::{mpsc, oneshot};
use futures_util::{StreamExt as _, future};
use leptos::{prelude::*, task::spawn_local};

use super::{SpokenPlace, VoiceStore};
use crate::channel::{Channel, Subscription};
use crate::content::{Document, Spoken, spoken};
use crate::language::{Language, language_of, t};
use crate::media::voices::{self, Voices};

/// Tells other tabs that this one speaks: they stop.
const CHANNEL: &str = "gemtab-voice";

/// A sentence with the tag of its language.
type Sentence = (String, &'static str);

thread_local! {
    static NOW: RefCell<Option<Reading>> = const { RefCell::new(None) };
    static READINGS: Cell<u32> = const { Cell::new(0) };
}

/// What is being read.
struct Reading {
    number: u32,
    /// Follows the text.
    watch: Effect<LocalStorage>,
    /// Dropped, the sentence is broken off; or what is paused goes on.
    wake: Option<oneshot::Sender<()>>,
    _others: Subscription,
}

/// Reads a message, instead of what is read now.
pub(super) fn read(voice: VoiceStore, place: SpokenPlace) {
    stop(voice);
    if !voices::are_there() {
        voice.ui.toast(t().voice_none());
        return;
    }
    let number = READINGS.replace(READINGS.get() + 1) + 1;
    let tabs = Channel::<u32>::open(CHANNEL);
    tabs.announce(&number);
    let others = tabs.listen(move |_| stop(voice));
    voice.paused.set(false);
    voice.reading.set(Some(place));
    let (sender, sentences) = mpsc::unbounded();
    let watch = follow(voice, place, sender);
    NOW.set(Some(Reading { number, watch, wake: None, _others: others }));
    let is_running = untrack(|| voice.chat.answer.is_at(place.0, place.1));
    voice.chat.answer.is_read_aloud.set(is_running);
    spawn_local(async move {
        if let Err(words) = speak(voice, number, sentences).await {
            voice.ui.toast(words);
        }
        if is_now(number) {
            stop(voice);
        }
    });
}

/// Ends reading.
pub(super) fn stop(voice: VoiceStore) {
    let Some(reading) = NOW.take() else { return };
    reading.watch.stop();
    voices::hush();
    voice.reading.set(None);
    voice.sentence.set(String::new());
    voice.chat.answer.is_read_aloud.set(false);
}

/// Pauses, or goes on with the sentence from its beginning. Not every browser can pause within one.
pub(super) fn toggle_pause(voice: VoiceStore) {
    if voice.reading.with_untracked(Option::is_none) {
        return;
    }
    voice.paused.update(|paused| *paused = !*paused);
    voices::hush();
    NOW.with_borrow_mut(|now| now.as_mut().and_then(|now| now.wake.take()));
}

fn is_now(number: u32) -> bool {
    NOW.with_borrow(|now| now.as_ref().is_some_and(|now| now.number == number))
}

/// Ends when what is read is paused, goes on or stops.
fn woken() -> oneshot::Receiver<()> {
    let (sender, receiver) = oneshot::channel();
    NOW.with_borrow_mut(|now| {
        if let Some(now) = now {
            now.wake = Some(sender);
        }
    });
    receiver
}

/// Sends the sentences of a message as they are written.
fn follow(
    voice: VoiceStore,
    (conversation, node): SpokenPlace,
    sentences: mpsc::UnboundedSender<Sentence>,
) -> Effect<LocalStorage> {
    let chat = voice.chat;
    let document = RefCell::new(Document::default());
    let given = Cell::new(0);
    Effect::new(move |_| {
        let growing = chat.answer.is_at(conversation, node);
        if chat.conversation.with(|shown| shown.id) != conversation {
            // There is no button there that stops it. Not within the effect that this ends.
            spawn_local(async move { stop(voice) });
            return;
        }
        let text = if growing {
            chat.answer.text.get()
        } else {
            let now = voice.library.at_hand(conversation);
            let text = now.and_then(|now| {
                now.with_untracked(|now| now.message(node).map(|message| message.text.clone()))
            });
            text.unwrap_or_default()
        };
        let own = Language::now().tag();
        let language = language_of(&text).unwrap_or(own);
        let pieces = spoken(&mut document.borrow_mut(), &text, growing, t().spoken_formula());
        for piece in pieces.iter().skip(given.get()) {
            let sentence = match piece {
                Spoken::Sentence(sentence) => (sentence.clone(), language),
                Spoken::Code => (t().code_block().to_owned(), own),
                Spoken::Table => (t().spoken_table().to_owned(), own),
                Spoken::Formula => (t().spoken_formula().to_owned(), own),
            };
            // Nobody listens any more once it has failed.
            sentences.unbounded_send(sentence).ok();
        }
        given.set(pieces.len().max(given.get()));
        if !growing {
            sentences.close_channel();
        }
    })
}

/// Speaks sentences as they come, until this is not what is read any more.
async fn speak(
    voice: VoiceStore,
    number: u32,
    mut sentences: mpsc::UnboundedReceiver<Sentence>,
) -> Result<(), &'static str> {
    let voices = Voices::read().await;
    while let Some((sentence, language)) = sentences.next().await {
        loop {
            if !is_now(number) {
                return Ok(());
            }
            if voice.paused.get_untracked() {
                woken().await.ok();
                continue;
            }
            let (chosen, rate) = voice.settings.value.with_untracked(|it| (it.voice.clone(), it.speech_rate));
            let system = voices.of(language, &chosen).ok_or_else(|| t().voice_none())?;
            voice.sentence.set(sentence.clone());
            let spoken = std::pin::pin!(voices::speak(system, &sentence, rate));
            match future::select(spoken, woken()).await {
                future::Either::Left((true, _)) => break,
                future::Either::Left((false, _)) if is_now(number) && !voice.paused.get_untracked() => {
                    return Err(t().voice_failed());
                }
                // Broken off: it is paused, or has gone on meanwhile.
                _ => {}
            }
        }
    }
    Ok(())
}
