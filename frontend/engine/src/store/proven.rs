//! A kept blob that was found right, with the server behind it.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use futures_util::FutureExt as _;

use crate::bytes::{ByteSource, Bytes, LocalBoxFuture, SourceError};

use super::journal::Record;

/// Appends a line to a blob's journal. That it could not be done changes nothing for who reads.
pub type Journal = Box<dyn Fn(String) -> LocalBoxFuture<'static, ()>>;

/// A blob read from this browser. What cannot be read here any more comes from upstream, and the journal says at once that
/// it is gone, so that the next load fetches and keeps it again.
pub struct ProvenSource {
    local: Rc<dyn ByteSource>,
    upstream: Rc<dyn ByteSource>,
    record: RefCell<Record>,
    journal: Journal,
}

impl ProvenSource {
    /// A blob of which `local` has what `record` says.
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
        // Where there is no server, what happened here says more.
        self.upstream.read(range).await.map_err(|_| error)
    }
}

impl ByteSource for ProvenSource {
    fn len(&self) -> u64 {
        self.local.len()
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        self.read_either(range).boxed_local()
    }
}
