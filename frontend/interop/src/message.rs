//! Messages between pages and engines: `{ bytes: Uint8Array, files: [Blob…] }`, the bytes in postcard.

use js_sys::{Array, Uint8Array};
use protocol::WireError;
use serde::{Serialize, de::DeserializeOwned};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::Blob;

use crate::{field, object, words};

/// A message that is ready to be posted.
pub struct Packed {
    /// The object to post.
    pub object: JsValue,
    bytes: Uint8Array,
}

impl Packed {
    /// Encodes a message, with the files that it names.
    ///
    /// # Errors
    /// If it cannot be encoded, in words.
    pub fn new<T: Serialize>(message: &T, files: &[Blob]) -> Result<Self, String> {
        let bytes = protocol::encode(message).map_err(|error| error.to_string())?;
        let bytes = Uint8Array::from(bytes.as_slice());
        let files: Array = files.iter().collect();
        let object = object(&[("bytes", &bytes), ("files", &files)]).map_err(|error| words(&error))?;
        Ok(Self { object, bytes })
    }

    /// What `postMessage` may move instead of copying it.
    #[must_use]
    pub fn transfer(&self) -> Array {
        Array::of1(&self.bytes.buffer())
    }
}

/// Decodes a message and the files that it names. Returns `None` for anything that isn't one: browser extensions post
/// messages, too.
#[must_use]
pub fn unpack<T: DeserializeOwned>(data: &JsValue) -> Option<Result<(T, Vec<Blob>), WireError>> {
    let bytes = field(data, "bytes")?.dyn_into::<Uint8Array>().ok()?;
    let files = field(data, "files").and_then(|files| files.dyn_into::<Array>().ok()).unwrap_or_default();
    let files = files.iter().filter_map(|file| file.dyn_into::<Blob>().ok()).collect();
    Some(protocol::decode(&bytes.to_vec()).map(|message| (message, files)))
}
