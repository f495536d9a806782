//! A file that the user picked or dropped, or one of the private file system, read through the `Blob` interface.

use std::ops::Range;

use futures_util::FutureExt as _;
use wasm_bindgen::JsCast as _;

use super::unreadable;
use crate::bytes::{ByteSource, Bytes, LocalBoxFuture, LocalSource, SourceError, checked_len};

/// A `Blob` or `File`, read in place.
#[derive(Clone, Debug)]
pub struct BlobSource {
    blob: web_sys::Blob,
    len: u64,
}

impl BlobSource {
    /// Returns a source of this `Blob` (a `File` is one).
    pub fn new(blob: web_sys::Blob) -> Self {
        // Sizes of files are whole numbers far below 2^53.
        let len = blob.size() as u64;
        Self { blob, len }
    }

    async fn read_part(&self, range: Range<u64>) -> Result<Bytes, SourceError> {
        checked_len(&range, self.len)?;
        let part = self
            .blob
            .slice_with_f64_and_f64(range.start as f64, range.end as f64)
            .map_err(|error| unreadable(&error))?;
        let buffer = part.array_buffer().await.map_err(|error| unreadable(&error))?;
        let array = js_sys::Uint8Array::new(buffer.unchecked_ref());
        // A file that has shrunk returns fewer bytes without an error.
        if u64::from(array.length()) == range.end - range.start {
            Ok(array.into())
        } else {
            Err(SourceError::Changed)
        }
    }
}

impl ByteSource for BlobSource {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        self.read_part(range).boxed_local()
    }
}

impl LocalSource for BlobSource {}
