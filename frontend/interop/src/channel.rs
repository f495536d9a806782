//! Broadcast channels, which all tabs of the origin share.

use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use web_sys::{BroadcastChannel, MessageEvent};

use crate::{object, words};

/// A channel that is listened to until it is dropped. It does not hear itself.
pub struct Channel {
    channel: BroadcastChannel,
    _listener: Closure<dyn Fn(MessageEvent)>,
}

impl Channel {
    /// Opens the channel of this name and calls `hear` with each message. Returns `None` if the browser has no channels.
    pub fn open(name: &str, hear: impl Fn(JsValue) + 'static) -> Option<Self> {
        let channel = BroadcastChannel::new(name).ok()?;
        let listener = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| hear(event.data()));
        channel.set_onmessage(Some(listener.as_ref().unchecked_ref()));
        Some(Self { channel, _listener: listener })
    }

    /// Posts a message.
    ///
    /// # Errors
    /// If it cannot be copied, in words.
    pub fn post(&self, message: &JsValue) -> Result<(), String> {
        self.channel.post_message(message).map_err(|error| words(&error))
    }

    /// Posts an object with these fields. A channel that refuses it has no listeners any more.
    pub fn announce(&self, fields: &[(&str, &JsValue)]) {
        object(fields).and_then(|message| self.channel.post_message(&message)).ok();
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.channel.set_onmessage(None);
        self.channel.close();
    }
}
