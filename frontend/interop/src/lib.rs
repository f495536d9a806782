//! What the page and its workers share of the browser: JavaScript objects, messages, locks and broadcast channels.

mod channel;
pub mod locks;
mod message;

use js_sys::{Object, Reflect};
use wasm_bindgen::JsValue;

/// What the address of the engine's worker ends with on a phone or a tablet that calls itself a Mac.
pub const HANDHELD: &str = "handheld";

pub use channel::Channel;
pub use message::{Packed, unpack};

/// Returns an object with these fields.
///
/// # Errors
/// What the browser throws.
pub fn object(fields: &[(&str, &JsValue)]) -> Result<JsValue, JsValue> {
    let object = Object::new();
    for (name, value) in fields {
        Reflect::set(&object, &(*name).into(), value)?;
    }
    Ok(object.into())
}

/// Returns a field of an object; `None` if it has none of this name.
#[must_use]
pub fn field(object: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(object, &name.into()).ok().filter(|value| !value.is_undefined())
}

/// Returns the message of a thrown value.
#[must_use]
pub fn words(thrown: &JsValue) -> String {
    let message = field(thrown, "message").and_then(|message| message.as_string());
    message.or_else(|| thrown.as_string()).unwrap_or_else(|| "an error without a message".into())
}
