//! The voices of the system, through the browser's speech synthesis. Only those that speak on the device are used.

use std::cell::RefCell;

use futures_channel::oneshot;
use js_sys::{Array, Reflect};
use send_wrapper::SendWrapper;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};

/// How long voices are waited for, in milliseconds. A browser lists them late, and without any says nothing.
const PATIENCE: u32 = 1_500;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = SpeechSynthesis)]
    type Synthesis;
    #[wasm_bindgen(method, js_name = getVoices)]
    fn voices(this: &Synthesis) -> Array;
    #[wasm_bindgen(method)]
    fn speak(this: &Synthesis, utterance: &Utterance);
    #[wasm_bindgen(method)]
    fn cancel(this: &Synthesis);
    #[wasm_bindgen(method, setter, js_name = onvoiceschanged)]
    fn on_voices(this: &Synthesis, act: Option<&js_sys::Function>);

    #[derive(Clone, Debug)]
    #[wasm_bindgen(js_name = SpeechSynthesisVoice)]
    type SystemVoice;
    #[wasm_bindgen(method, getter, js_name = voiceURI)]
    fn uri(this: &SystemVoice) -> String;
    #[wasm_bindgen(method, getter)]
    fn name(this: &SystemVoice) -> String;
    #[wasm_bindgen(method, getter)]
    fn lang(this: &SystemVoice) -> String;
    #[wasm_bindgen(method, getter)]
    fn default(this: &SystemVoice) -> bool;
    #[wasm_bindgen(method, getter, js_name = localService)]
    fn is_local(this: &SystemVoice) -> bool;

    #[wasm_bindgen(js_name = SpeechSynthesisUtterance)]
    type Utterance;
    #[wasm_bindgen(constructor, js_class = "SpeechSynthesisUtterance")]
    fn new(text: &str) -> Utterance;
    #[wasm_bindgen(method, setter)]
    fn set_voice(this: &Utterance, voice: &SystemVoice);
    #[wasm_bindgen(method, setter)]
    fn set_lang(this: &Utterance, lang: &str);
    #[wasm_bindgen(method, setter)]
    fn set_rate(this: &Utterance, rate: f32);
    #[wasm_bindgen(method, setter)]
    fn set_onend(this: &Utterance, act: &js_sys::Function);
    #[wasm_bindgen(method, setter)]
    fn set_onerror(this: &Utterance, act: &js_sys::Function);
}

/// A voice that speaks on the device.
#[derive(Clone, Debug)]
pub struct Voice {
    /// What the browser knows it by.
    pub uri: String,
    /// What it is called.
    pub name: String,
    /// The tag of its language, such as `en-US`.
    pub lang: String,
    /// Whether the system prefers it.
    pub preferred: bool,
    voice: Option<SendWrapper<SystemVoice>>,
}

/// The voices of this system.
#[derive(Clone, Debug, Default)]
pub struct Voices {
    /// Those that speak on the device.
    pub local: Vec<Voice>,
    /// How many others there are. They send what they speak away.
    pub remote: usize,
}

impl Voices {
    /// Asks the browser for them.
    pub async fn read() -> Self {
        let Some(synthesis) = synthesis() else { return Self::default() };
        if synthesis.voices().length() == 0 {
            let (sender, receiver) = oneshot::channel();
            let came = once(sender, |_| ());
            synthesis.on_voices(Some(came.as_ref().unchecked_ref()));
            let limit = gloo_timers::future::TimeoutFuture::new(PATIENCE);
            futures_util::future::select(receiver, limit).await;
            synthesis.on_voices(None);
        }
        let all = synthesis.voices();
        let local: Vec<_> = all
            .iter()
            .map(|voice| voice.unchecked_into::<SystemVoice>())
            .filter(SystemVoice::is_local)
            .map(|voice| Voice {
                uri: voice.uri(),
                name: voice.name(),
                lang: voice.lang().replace('_', "-"),
                preferred: voice.default(),
                voice: Some(SendWrapper::new(voice)),
            })
            .collect();
        let remote = all.length() as usize - local.len();
        Self { local, remote }
    }

    /// The voice for a language: the chosen one, where it speaks that; `None` if no voice does.
    #[must_use]
    pub fn of(&self, language: &str, chosen: &str) -> Option<&Voice> {
        let able = || self.local.iter().filter(|voice| primary(&voice.lang) == primary(language));
        able()
            .find(|voice| voice.uri == chosen)
            .or_else(|| able().find(|voice| voice.preferred))
            .or_else(|| able().next())
    }
}

/// The first part of a tag: the language without its region.
fn primary(tag: &str) -> String {
    tag.split('-').next().unwrap_or(tag).to_lowercase()
}

/// Whether this browser speaks at all.
#[must_use]
pub fn are_there() -> bool {
    synthesis().is_some()
}

/// Has a voice speak, and waits for the end. Returns whether all of it was spoken.
pub async fn speak(voice: &Voice, text: &str, rate: f32) -> bool {
    let (Some(synthesis), Some(system)) = (synthesis(), &voice.voice) else { return false };
    let utterance = Utterance::new(text);
    utterance.set_voice(system);
    utterance.set_lang(&voice.lang);
    utterance.set_rate(rate);
    let (sender, receiver) = oneshot::channel();
    let ended = once(sender, |event| {
        Reflect::get(&event, &"type".into()).is_ok_and(|kind| kind.as_string().as_deref() == Some("end"))
    });
    utterance.set_onend(ended.as_ref().unchecked_ref());
    utterance.set_onerror(ended.as_ref().unchecked_ref());
    synthesis.speak(&utterance);
    // What is not held here may be collected, and then nothing is said of its end.
    let spoken = receiver.await;
    drop((utterance, ended));
    spoken.unwrap_or(false)
}

/// Breaks off what is being spoken.
pub fn hush() {
    if let Some(synthesis) = synthesis() {
        synthesis.cancel();
    }
}

fn once<T: 'static>(sender: oneshot::Sender<T>, value: fn(JsValue) -> T) -> Closure<dyn FnMut(JsValue)> {
    let sender = RefCell::new(Some(sender));
    Closure::new(move |event| {
        if let Some(sender) = sender.take() {
            // Nobody may wait any more.
            sender.send(value(event)).ok();
        }
    })
}

fn synthesis() -> Option<Synthesis> {
    let found = Reflect::get(&js_sys::global(), &"speechSynthesis".into()).ok()?;
    found.is_object().then(|| found.unchecked_into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_spoken_by_a_voice_of_its_language() {
        let voice = |uri: &str, lang: &str, preferred| Voice {
            uri: uri.into(),
            name: uri.into(),
            lang: lang.into(),
            preferred,
            voice: None,
        };
        let local = vec![voice("a", "en-GB", false), voice("b", "en-US", true), voice("c", "de-DE", false)];
        let voices = Voices { local, remote: 1 };
        let of = |language: &str, chosen: &str| voices.of(language, chosen).map(|voice| voice.uri.as_str());
        assert_eq!(of("en", ""), Some("b"));
        assert_eq!(of("en-AU", "a"), Some("a"));
        assert_eq!(of("de", "a"), Some("c"), "the chosen one speaks another language");
        assert_eq!(of("fr", "a"), None);
    }
}
