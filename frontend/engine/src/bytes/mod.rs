//! Byte ranges of a model file: on disk, on the server, in the browser's private file system, or in a file picked
//! by the user.
//!
//! A [`ByteSource`] returns [`Bytes`]. In the browser they are an `ArrayBuffer` on the JavaScript heap and are
//! uploaded from there, so that weights never pass through wasm memory.

mod buffer;
mod cancel;
mod error;
#[cfg(not(target_arch = "wasm32"))]
mod file;
pub mod http;
mod local;
mod memory;
mod overlay;
mod range_copy;
#[cfg(target_arch = "wasm32")]
pub mod web;

use std::ops::Range;
use std::rc::Rc;

pub use buffer::{Bytes, BytesBuilder};
pub use cancel::{CancelToken, Cancelled};
pub use error::SourceError;
#[cfg(not(target_arch = "wasm32"))]
pub use file::FileSource;
pub use futures_util::future::LocalBoxFuture;
pub use local::LocalSource;
pub use memory::MemorySource;
pub use overlay::OverlaySource;
pub use range_copy::RangeCopy;
#[cfg(target_arch = "wasm32")]
pub use web::{BlobSource, http_source};

/// A file whose bytes can be read by range.
///
/// Reads are independent and may overlap. Dropping a read's future cancels it.
pub trait ByteSource {
    /// Size in bytes. It is constant: if the file changes, reads fail.
    fn len(&self) -> u64;

    /// Returns whether it is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads exactly the bytes of `range`, counted from the start of the file.
    ///
    /// # Errors
    /// [`SourceError::OutOfRange`] when the range is not within the file; other variants when its bytes cannot be
    /// read. There are no short reads.
    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>>;
}

impl<S: ByteSource + ?Sized> ByteSource for Rc<S> {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        (**self).read(range)
    }
}

impl<S: ByteSource + ?Sized> ByteSource for Box<S> {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        (**self).read(range)
    }
}

/// Returns the length of `range` as a `usize`, after checking that it is within a file of `len` bytes.
///
/// # Errors
/// [`SourceError::OutOfRange`] when it is not, or when it is larger than memory can address.
pub(crate) fn checked_len(range: &Range<u64>, len: u64) -> Result<usize, SourceError> {
    let bytes = checked_bytes(range, len)?;
    usize::try_from(bytes).map_err(|_| SourceError::OutOfRange { start: range.start, end: range.end, len })
}

/// Returns the length of `range`, which may exceed the address space, after checking that it is within a file of `len`
/// bytes.
///
/// # Errors
/// [`SourceError::OutOfRange`] when it is not.
pub(crate) fn checked_bytes(range: &Range<u64>, len: u64) -> Result<u64, SourceError> {
    if range.start > range.end || range.end > len {
        return Err(SourceError::OutOfRange { start: range.start, end: range.end, len });
    }
    Ok(range.end - range.start)
}
