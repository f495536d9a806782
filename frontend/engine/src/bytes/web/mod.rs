//! Sources of the browser: `fetch`, and files that the person picked.

mod blob;
mod fetch;

use wasm_bindgen::{JsCast as _, JsValue};

pub use blob::BlobSource;
pub use fetch::{FetchTransport, http_source};

use super::SourceError;

/// Returns the message of a JavaScript exception.
pub(crate) fn error_text(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => error.as_string().unwrap_or_else(|| format!("{error:?}")),
    }
}

/// Returns the name of a `DOMException` or error, such as `QuotaExceededError`.
pub(crate) fn error_name(error: &JsValue) -> String {
    error.dyn_ref::<js_sys::Error>().map_or_else(String::new, |error| String::from(error.name()))
}

pub(crate) fn unreadable(error: &JsValue) -> SourceError {
    match error_name(error).as_str() {
        // Thrown when a picked file was changed or removed.
        "NotReadableError" | "NotFoundError" => SourceError::Changed,
        _ => SourceError::Unreadable { reason: error_text(error) },
    }
}
