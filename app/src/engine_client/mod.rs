//! The page's side of the conversation with the engine.
//!
//! All tabs share one engine. The tab that has the engine's lock runs it in a dedicated worker ([`worker`]); others reach that
//! worker over broadcast channels ([`sharing`]). When its tab closes, the lock passes to another tab, which starts an engine
//! that goes on with what the first was asked for.
//!
//! [`EngineClient`] numbers requests and hands each its own stream of events. [`open`] keeps what is needed to ask again.

mod client;
mod open;
mod reply;
mod sharing;
mod worker;

pub use client::{EngineClient, Notice};
pub use reply::Reply;

use interop::{field, unpack, words};
use protocol::ToPage;
use wasm_bindgen::JsValue;

/// Where a transport delivers what it receives.
type Sink = std::rc::Rc<dyn Fn(Delivery)>;

/// What a transport receives.
#[derive(Clone, Debug)]
enum Delivery {
    /// A message, with the handles of the files that it names.
    Message(ToPage, Vec<web_sys::Blob>),
    /// The engine is gone, for this reason.
    Crashed(String),
    /// Bytes that this page cannot read, and why.
    Unreadable(String),
}

/// Reads one message of an engine: `{ error }` if its program could not start or has ended.
fn read(data: &JsValue) -> Delivery {
    if let Some(error) = field(data, "error") {
        return Delivery::Crashed(words(&error));
    }
    match unpack(data) {
        Some(Ok((message, files))) => Delivery::Message(message, files),
        Some(Err(error)) => Delivery::Unreadable(error.to_string()),
        None => Delivery::Unreadable("not a message".into()),
    }
}
