//! A file on a server, read by ranges over HTTP.
//!
//! The rules (which answers to accept, when to ask again, how to go on inside a range after a cut) are here, over a
//! [`Transport`] that only carries requests: the browser's `fetch`, or a scripted one in tests.

mod range;
mod retry;

use std::cell::RefCell;
use std::ops::Range;
use std::time::Duration;

use futures_util::FutureExt as _;

pub use range::{ContentRange, range_header};

use super::{ByteSource, Bytes, BytesBuilder, CancelToken, LocalBoxFuture, SourceError, checked_len};

/// Carries requests for one file.
pub trait Transport {
    /// Asks for the bytes of `range` (not empty), on the condition that the file still has the entity tag
    /// `if_range`. Resolves when the headers are here.
    fn request(
        &self,
        range: Range<u64>,
        if_range: Option<String>,
    ) -> LocalBoxFuture<'_, Result<Reply, TransportError>>;

    /// Waits.
    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'_, ()>;
}

/// An answer of the server whose body is still on its way.
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// The `Content-Range` header.
    pub content_range: Option<String>,
    /// The `ETag` header.
    pub etag: Option<String>,
    /// The body. Dropping it stops the transfer.
    pub body: Box<dyn Body>,
}

/// The body of a [`Reply`].
pub trait Body {
    /// The next piece, or none at the end.
    fn next(&mut self) -> LocalBoxFuture<'_, Result<Option<Bytes>, TransportError>>;
}

/// The connection broke or was never made. Asking again may help.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct TransportError {
    /// In the words of the browser.
    pub reason: String,
}

/// A file on a server.
///
/// Every answer must be the very range asked for, of a file of the size that was announced, with the entity tag of
/// the first answer. A broken connection is made again a few times, and the read goes on where it broke.
pub struct HttpSource<T> {
    transport: T,
    len: u64,
    etag: RefCell<Option<String>>,
    cancel: CancelToken,
}

/// How one request ended without an answer.
enum Failure {
    /// Asking again may help.
    Broken(String),
    /// Asking again will not help.
    Final(SourceError),
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        Self::Final(error)
    }
}

impl From<TransportError> for Failure {
    fn from(error: TransportError) -> Self {
        Self::Broken(error.reason)
    }
}

impl<T: Transport> HttpSource<T> {
    /// A file of `len` bytes. Nothing is requested yet. `cancel` stops every read of it.
    #[must_use]
    pub fn new(transport: T, len: u64, cancel: CancelToken) -> Self {
        Self { transport, len, etag: RefCell::new(None), cancel }
    }

    async fn read_all(&self, range: Range<u64>) -> Result<Bytes, SourceError> {
        let mut received = BytesBuilder::new(checked_len(&range, self.len)?);
        let mut attempts = 0;
        while received.missing() > 0 {
            self.cancel.check()?;
            let before = received.filled();
            let offset = range.start + before as u64;
            let reason = match self.cancel.guard(self.request(offset..range.end, &mut received)).await {
                Ok(()) => break,
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Broken(reason)) => reason,
            };
            attempts = if received.filled() > before { 1 } else { attempts + 1 };
            let Some(pause) = retry::pause(attempts) else {
                let offset = range.start + received.filled() as u64;
                return Err(SourceError::Network { attempts, offset, reason });
            };
            let pause = self.transport.sleep(pause).map(Ok::<_, SourceError>);
            self.cancel.guard(pause).await?;
        }
        Ok(received.finish())
    }

    /// One request. On failure `received` has what came before it.
    async fn request(&self, range: Range<u64>, received: &mut BytesBuilder) -> Result<(), Failure> {
        // Only a strong tag promises that bytes are equal (RFC 9110, section 13.1.5).
        let if_range = self.etag.borrow().clone().filter(|tag| !tag.starts_with("W/"));
        let mut reply = self.transport.request(range.clone(), if_range).await?;
        self.check(&range, &reply)?;
        while received.missing() > 0 {
            match reply.body.next().await? {
                Some(piece) => received.push(&piece),
                None => return Err(Failure::Broken("the answer ended early".to_owned())),
            };
        }
        Ok(())
    }

    /// Whether this is the answer to a request for `range`.
    fn check(&self, range: &Range<u64>, reply: &Reply) -> Result<(), Failure> {
        let known = self.etag.borrow().clone();
        let changed = known.is_some() && reply.etag.is_some() && known != reply.etag;
        match reply.status {
            _ if changed && matches!(reply.status, 200 | 206) => return Err(SourceError::Changed.into()),
            206 => {
                let header = reply.content_range.as_deref().unwrap_or_default();
                let sent = ContentRange::parse(header).ok_or_else(|| SourceError::BadRange {
                    reason: format!("it named the part \u{ab}{}\u{bb}", header.escape_debug()),
                })?;
                if sent.total.is_some_and(|total| total != self.len) {
                    return Err(SourceError::Changed.into());
                }
                if sent.start != range.start || sent.end != range.end {
                    let reason = format!("bytes {} to {} came instead", sent.start, sent.end);
                    return Err(SourceError::BadRange { reason }.into());
                }
            }
            // The whole file is a right answer to a request for the whole file.
            200 if *range == (0..self.len) => {}
            200 => {
                return Err(SourceError::BadRange { reason: "the whole file came instead".to_owned() }.into());
            }
            // The range does not lie within the file any more.
            416 => return Err(SourceError::Changed.into()),
            status if retry::is_passing(status) => {
                return Err(Failure::Broken(format!("the server answered with status {status}")));
            }
            status => return Err(SourceError::Status { status }.into()),
        }
        if known.is_none() {
            self.etag.borrow_mut().clone_from(&reply.etag);
        }
        Ok(())
    }
}

impl<T: Transport> ByteSource for HttpSource<T> {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        self.read_all(range).boxed_local()
    }
}
