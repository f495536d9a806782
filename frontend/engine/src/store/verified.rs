//! A verified blob, with the server as fallback.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use futures_util::FutureExt as _;

use crate::bytes::{ByteSource, Bytes, LocalBoxFuture, SourceError};

use super::journal::Record;

/// Appends a line to a blob's journal. Errors are ignored, since they do not affect readers.
pub type Journal = Box<dyn Fn(String) -> LocalBoxFuture<'static, ()>>;

/// A blob that is read from local storage. Bytes that can no longer be read come from upstream; the journal is
/// updated at once, so that the next load fetches and stores them again.
pub struct VerifiedSource {
    local: Rc<dyn ByteSource>,
    upstream: Rc<dyn ByteSource>,
    record: RefCell<Record>,
    journal: Journal,
}

impl VerifiedSource {
    /// A blob of which `local` has the ranges in `record`.
    #[must_use]
    pub fn new(
        local: Rc<dyn ByteSource>,
        upstream: Rc<dyn ByteSource>,
        record: Record,
        journal: Journal,
    ) -> Self {
        Self { local, upstream, record: RefCell::new(record), journal }
    }

    async fn read_either(&self, range: Range<u64>) -> Result<Bytes, SourceError> {
        let error = match self.local.read(range.clone()).await {
            Err(error @ (SourceError::Unreadable { .. } | SourceError::Changed)) => error,
            other => return other,
        };
        let line = self.record.borrow_mut().lose(&range);
        (self.journal)(line).await;
        // Without a server, the local error is more informative.
        self.upstream.read(range).await.map_err(|_| error)
    }
}

impl ByteSource for VerifiedSource {
    fn len(&self) -> u64 {
        self.local.len()
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        self.read_either(range).boxed_local()
    }
}
