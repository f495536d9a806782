//! A stored range of a blob as a local source.

use std::ops::Range;
use std::rc::Rc;

use futures_util::FutureExt as _;

use super::{CachingSource, StoreError};
use crate::bytes::{ByteSource, Bytes, CancelToken, LocalBoxFuture, LocalSource, SourceError, checked_len};

/// A range of a blob that is completely stored ([`CachingSource::hold`]). If it can no longer be read, reads fail:
/// nothing is fetched again.
pub struct KeptRange {
    source: Rc<CachingSource>,
    range: Range<u64>,
}

impl CachingSource {
    /// Fetches the missing parts of `range`, and returns it as a source that only reads stored bytes. `progress`
    /// receives the number of stored bytes in it, and the total.
    ///
    /// # Errors
    /// When bytes cannot be fetched or stored. Cancellation is reported as [`SourceError::Cancelled`].
    pub async fn hold(
        self: &Rc<Self>,
        range: Range<u64>,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<KeptRange, StoreError> {
        self.fetch_range(&range, cancel, progress).await?;
        Ok(KeptRange { source: Rc::clone(self), range })
    }
}

impl ByteSource for KeptRange {
    fn len(&self) -> u64 {
        self.range.end
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        let bytes = checked_len(&range, self.range.end).and_then(|_| {
            if range.start >= self.range.start {
                return self.source.read_kept(range, &self.range);
            }
            let Range { start, end } = range;
            Err(SourceError::OutOfRange { start, end, len: self.range.end })
        });
        std::future::ready(bytes).boxed_local()
    }
}

impl LocalSource for KeptRange {}
