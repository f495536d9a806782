//! Messages between the tabs of this page, as JSON. A tab does not hear itself. Without a browser there is no other tab.

use std::marker::PhantomData;

use send_wrapper::SendWrapper;
use serde::{Serialize, de::DeserializeOwned};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{BroadcastChannel, MessageEvent};

type Listener = Closure<dyn Fn(MessageEvent)>;

/// A channel between tabs, if the browser has such. Clones are handles to the same one.
#[derive(Debug)]
pub struct Channel<T> {
    channel: Option<SendWrapper<BroadcastChannel>>,
    messages: PhantomData<fn(T) -> T>,
}

impl<T> Clone for Channel<T> {
    fn clone(&self) -> Self {
        Self { channel: self.channel.clone(), messages: PhantomData }
    }
}

impl<T: Serialize + DeserializeOwned + 'static> Channel<T> {
    /// A channel that nobody is on.
    #[must_use]
    pub fn none() -> Self {
        Self { channel: None, messages: PhantomData }
    }

    /// Opens the channel of this name. To be called in a browser.
    #[must_use]
    pub fn open(name: &str) -> Self {
        Self { channel: BroadcastChannel::new(name).ok().map(SendWrapper::new), messages: PhantomData }
    }

    /// Posts to the other tabs.
    pub fn announce(&self, message: &T) {
        if let (Some(channel), Ok(json)) = (&self.channel, serde_json::to_string(message)) {
            // A tab that does not hear of it sees the change when it next reads what is stored.
            channel.post_message(&JsValue::from_str(&json)).ok();
        }
    }

    /// Calls back with each message, until the subscription is dropped.
    #[must_use]
    pub fn listen(&self, callback: impl Fn(T) + 'static) -> Subscription {
        let Some(channel) = self.channel.clone() else { return Subscription { listening: None } };
        let listener = Listener::new(move |event: MessageEvent| {
            let message = event.data().as_string().and_then(|json| serde_json::from_str(&json).ok());
            if let Some(message) = message {
                callback(message);
            }
        });
        let function = listener.as_ref().unchecked_ref();
        channel.add_event_listener_with_callback("message", function).ok();
        Subscription { listening: Some(SendWrapper::new((channel.take(), listener))) }
    }
}

/// Ends when dropped.
#[derive(Debug)]
pub struct Subscription {
    listening: Option<SendWrapper<(BroadcastChannel, Listener)>>,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(listening) = &self.listening {
            let (channel, listener) = &**listening;
            let function = listener.as_ref().unchecked_ref();
            channel.remove_event_listener_with_callback("message", function).ok();
        }
    }
}
