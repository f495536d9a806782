//! Word from other tabs of this page.

use serde::{Deserialize, Serialize};

use super::ConversationId;

/// What another tab changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "lowercase")]
pub enum Change {
    /// A conversation was made or changed.
    Saved {
        /// Which.
        id: ConversationId,
    },
    /// A conversation was deleted.
    Deleted {
        /// Which.
        id: ConversationId,
    },
    /// Conversations were imported.
    Imported,
    /// A setting was changed.
    Setting {
        /// Which.
        name: String,
    },
}

#[cfg(target_arch = "wasm32")]
pub(super) use browser::Channel;
#[cfg(target_arch = "wasm32")]
pub use browser::Subscription;
#[cfg(not(target_arch = "wasm32"))]
pub(super) use native::Channel;
#[cfg(not(target_arch = "wasm32"))]
pub use native::Subscription;

/// Without a browser there is no other tab.
#[cfg(not(target_arch = "wasm32"))]
mod native {
    use super::Change;

    #[derive(Clone)]
    pub struct Channel;

    impl Channel {
        pub fn none() -> Self {
            Self
        }

        #[expect(clippy::unused_self, reason = "the same signature as in the browser")]
        pub fn announce(&self, _: &Change) {}

        #[expect(clippy::unused_self, reason = "the same signature as in the browser")]
        pub fn listen(&self, _: impl Fn(Change) + 'static) -> Subscription {
            Subscription { _private: () }
        }
    }

    /// Ends when dropped.
    pub struct Subscription {
        _private: (),
    }
}

#[cfg(target_arch = "wasm32")]
mod browser {
    use send_wrapper::SendWrapper;
    use wasm_bindgen::closure::Closure;
    use wasm_bindgen::{JsCast as _, JsValue};
    use web_sys::{BroadcastChannel, MessageEvent};

    use super::Change;

    /// The channel between tabs, if the browser has such. A tab does not hear itself.
    #[derive(Clone)]
    pub struct Channel(Option<SendWrapper<BroadcastChannel>>);

    impl Channel {
        pub fn none() -> Self {
            Self(None)
        }

        pub fn open(store: &str) -> Self {
            Self(BroadcastChannel::new(&format!("{store}-history")).ok().map(SendWrapper::new))
        }

        pub fn announce(&self, change: &Change) {
            if let (Some(channel), Ok(json)) = (&self.0, serde_json::to_string(change)) {
                // A tab that does not hear of it sees the change when it next reads.
                channel.post_message(&JsValue::from_str(&json)).ok();
            }
        }

        pub fn listen(&self, callback: impl Fn(Change) + 'static) -> Subscription {
            let Some(channel) = self.0.clone() else { return Subscription { listening: None } };
            let listener = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
                let change = event.data().as_string().and_then(|json| serde_json::from_str(&json).ok());
                if let Some(change) = change {
                    callback(change);
                }
            });
            let function = listener.as_ref().unchecked_ref();
            channel.add_event_listener_with_callback("message", function).ok();
            Subscription { listening: Some(SendWrapper::new((channel.take(), listener))) }
        }
    }

    type Listener = Closure<dyn Fn(MessageEvent)>;

    /// Ends when dropped.
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
}
