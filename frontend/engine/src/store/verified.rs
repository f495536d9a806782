//! A verified blob, with the server as fallback.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use futures_util::FutureExt as _;

use crate::bytes::{ByteSource, Bytes, LocalBoxFuture, SourceError};

use super::VerifiedCopy;

/// A blob that is read from local storage. Bytes that can no longer be read come from upstream; the journal is
/// updated at once, so that the next load fetches and stores them again.
pub struct VerifiedSource {
    copy: Rc<VerifiedCopy>,
    upstream: Rc<dyn ByteSource>,
    /// Whether upstream may be used.
    online: Cell<bool>,
}

impl VerifiedSource {
    /// Returns a blob with this copy.
    pub fn new(copy: Rc<VerifiedCopy>, upstream: Rc<dyn ByteSource>) -> Self {
        Self { copy, upstream, online: Cell::new(true) }
    }

    /// Its copy.
    pub fn copy(&self) -> &Rc<VerifiedCopy> {
        &self.copy
    }

    /// Allows or forbids to use upstream. Once a model is ready it must not be used: what is fetched then could reveal
    /// what a conversation contains.
    pub fn set_online(&self, online: bool) {
        self.online.set(online);
    }

    async fn read_either(&self, range: Range<u64>) -> Result<Bytes, SourceError> {
        let error = match self.copy.read(range.clone()).await {
            Err(error @ (SourceError::Unreadable { .. } | SourceError::Changed)) if self.online.get() => {
                error
            }
            other => return other,
        };
        self.copy.lose(range.clone(), false).await;
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
