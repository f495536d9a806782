//! A verified blob, with the server as fallback.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use futures_util::FutureExt as _;

use crate::bytes::{ByteSource, Bytes, LocalBoxFuture, SourceError};

use super::journal::Edit;

/// The journal of a blob that nobody writes. Other tabs may change it as well.
pub trait Journal {
    /// Changes the last record. Errors are ignored, since they do not affect readers.
    fn amend(&self, edit: Edit) -> LocalBoxFuture<'static, ()>;
}

/// A blob that is read from local storage. Bytes that can no longer be read come from upstream; the journal is
/// updated at once, so that the next load fetches and stores them again.
pub struct VerifiedSource {
    local: Rc<dyn ByteSource>,
    upstream: Rc<dyn ByteSource>,
    journal: Rc<dyn Journal>,
    /// Whether upstream may be used.
    online: Cell<bool>,
}

impl VerifiedSource {
    /// A blob of which `local` has all bytes.
    #[must_use]
    pub fn new(local: Rc<dyn ByteSource>, upstream: Rc<dyn ByteSource>, journal: Rc<dyn Journal>) -> Self {
        Self { local, upstream, journal, online: Cell::new(true) }
    }

    /// Allows or forbids to use upstream. Once a model is ready it must not be used: what is fetched then could reveal
    /// what a conversation contains.
    pub fn set_online(&self, online: bool) {
        self.online.set(online);
    }

    async fn read_either(&self, range: Range<u64>) -> Result<Bytes, SourceError> {
        let error = match self.local.read(range.clone()).await {
            Err(error @ (SourceError::Unreadable { .. } | SourceError::Changed)) if self.online.get() => {
                error
            }
            other => return other,
        };
        let lost = range.clone();
        let edit = move |record: &mut super::journal::Record| {
            record.lose(&lost);
        };
        self.journal.amend(Box::new(edit)).await;
        // Without a server, the local error is more informative.
        self.upstream.read(range).await.map_err(|_| error)
    }
}

impl ByteSource for VerifiedSource {
    fn len(&self) -> u64 {
        self.upstream.len()
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        self.read_either(range).boxed_local()
    }
}
