//! Messages between pages and engines: `{ bytes: Uint8Array, files: [Blob…] }`, the bytes in postcard.

use js_sys::{Array, Object, Reflect, Uint8Array};
use protocol::{ToWorker, decode, encode};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::Blob;

use super::Delivery;
use crate::browser::words;

/// Encodes a message with the files that it names. Returns also its bytes within the JavaScript object.
pub fn message(message: &ToWorker, files: &[Blob]) -> Result<(JsValue, Uint8Array), String> {
    let bytes = encode(message).map_err(|error| error.to_string())?;
    let bytes = Uint8Array::from(bytes.as_slice());
    let files: Array = files.iter().collect();
    let message = object(&[("bytes", &bytes), ("files", &files)]).map_err(|error| words(&error))?;
    Ok((message, bytes))
}

/// An object with these fields.
pub fn object(fields: &[(&str, &JsValue)]) -> Result<JsValue, JsValue> {
    let object = Object::new();
    for (name, value) in fields {
        Reflect::set(&object, &(*name).into(), value)?;
    }
    Ok(object.into())
}

/// A field of a message.
pub fn field(data: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(data, &name.into()).ok().filter(|value| !value.is_undefined())
}

/// Reads one message of an engine: an event, or `{ error }` when its program could not start or has ended.
pub fn read(data: &JsValue) -> Delivery {
    if let Some(error) = field(data, "error") {
        return Delivery::Crashed(error.as_string().unwrap_or_else(|| words(&error)));
    }
    let Some(bytes) = field(data, "bytes").and_then(|bytes| bytes.dyn_into::<Uint8Array>().ok()) else {
        return Delivery::Unreadable("not a message".into());
    };
    let files = field(data, "files").and_then(|files| files.dyn_into::<Array>().ok()).unwrap_or_default();
    let files = files.iter().filter_map(|file| file.dyn_into::<Blob>().ok()).collect();
    match decode(&bytes.to_vec()) {
        Ok(message) => Delivery::Message(message, files),
        Err(error) => Delivery::Unreadable(error.to_string()),
    }
}
