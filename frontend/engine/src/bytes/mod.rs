//! Byte ranges of a model file, wherever it is: on disk, on the server, in the browser's private file system, in a
//! file that the person picked.
//!
//! A [`ByteSource`] gives [`Bytes`], which stay where they came from: in the browser they are an `ArrayBuffer` of the
//! JavaScript heap and go to the graphics device from there, so that weights never pass through wasm memory.

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
/// Reads do not depend on one another and may overlap in time. Dropping a read's future stops it.
pub trait ByteSource {
    /// Bytes in all. Fixed for the life of the source: a file that changes under it makes reads fail.
    fn len(&self) -> u64;

    /// Whether there is nothing to read.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads exactly the bytes of `range`, counted from the start of the file.
    ///
    /// # Errors
    /// [`SourceError::OutOfRange`] when the range does not lie within the file; any other variant when its bytes
    /// cannot be had. There are no short reads.
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

/// The length of `range` as a memory size, once it is known to lie within a file of `len` bytes.
///
/// # Errors
/// [`SourceError::OutOfRange`] when it does not, or when it is larger than memory can address.
pub(crate) fn checked_len(range: &Range<u64>, len: u64) -> Result<usize, SourceError> {
    let bytes = checked_bytes(range, len)?;
    usize::try_from(bytes).map_err(|_| SourceError::OutOfRange { start: range.start, end: range.end, len })
}

/// The length of `range`, which may be more than memory can address, once it is known to lie within a file of `len`
/// bytes.
///
/// # Errors
/// [`SourceError::OutOfRange`] when it does not.
pub(crate) fn checked_bytes(range: &Range<u64>, len: u64) -> Result<u64, SourceError> {
    if range.start > range.end || range.end > len {
        return Err(SourceError::OutOfRange { start: range.start, end: range.end, len });
    }
    Ok(range.end - range.start)
}
