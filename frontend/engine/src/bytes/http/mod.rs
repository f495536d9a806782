//! A file on a server, read with HTTP range requests.
//!
//! The rules (which answers to accept, when to retry, how to resume a range) are here. They use a [`Transport`]
//! that only sends requests: the browser's `fetch`, or a scripted one in tests.

mod range;
mod retry;

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use futures_util::FutureExt as _;

pub use range::{ContentRange, range_header};

use super::{ByteSource, Bytes, BytesBuilder, CancelToken, LocalBoxFuture, SourceError, checked_len};

/// Sends requests for one file.
pub trait Transport {
    /// Requests the bytes of `range` (not empty), on the condition that the file still has the entity tag
    /// `if_range`. Resolves when the headers have arrived.
    fn request(
        &self,
        range: Range<u64>,
        if_range: Option<String>,
    ) -> LocalBoxFuture<'_, Result<Reply, TransportError>>;

    /// Waits.
    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'_, ()>;
}

/// A response whose body has not been received yet.
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
    /// Returns the next piece, or none at the end.
    fn next(&mut self) -> LocalBoxFuture<'_, Result<Option<Bytes>, TransportError>>;
}

/// The connection failed. A retry may help.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct TransportError {
    /// As the browser reports it.
    pub reason: String,
}

/// Called with `true` when a read has lost its connection and tries again, and with `false` when it continues or ends.
pub type Watch = Rc<dyn Fn(bool)>;

/// A file on a server.
///
/// Every response must have exactly the requested range, of a file with the announced size and the entity tag of
/// the first response. A failed connection is retried a few times, and the read resumes where it stopped.
pub struct HttpSource<T> {
    transport: T,
    len: u64,
    etag: RefCell<Option<String>>,
    cancel: CancelToken,
    watch: Option<Watch>,
}

/// How a request failed.
enum Failure {
    /// A retry may help.
    Broken(String),
    /// A retry will not help.
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
    /// Returns a file of `len` bytes. Nothing is requested yet. `cancel` stops every read of it.
    pub fn new(transport: T, len: u64, cancel: CancelToken) -> Self {
        Self { transport, len, etag: RefCell::new(None), cancel, watch: None }
    }

    /// Tells `watch` of lost connections.
    pub fn watched(self, watch: Watch) -> Self {
        Self { watch: Some(watch), ..self }
    }

    async fn read_all(&self, range: Range<u64>) -> Result<Bytes, SourceError> {
        let mut received = BytesBuilder::new(checked_len(&range, self.len)?);
        let mut attempts = 0;
        let mut outage = Outage { watch: self.watch.as_ref(), lasts: false };
        while received.missing() > 0 {
            self.cancel.check()?;
            let before = received.filled();
            let offset = range.start + before as u64;
            let reason =
                match self.cancel.guard(self.request(offset..range.end, &mut received, &mut outage)).await {
                    Ok(()) => break,
                    Err(Failure::Final(error)) => return Err(error),
                    Err(Failure::Broken(reason)) => reason,
                };
            attempts = if received.filled() > before { 1 } else { attempts + 1 };
            let Some(pause) = retry::pause(attempts) else {
                let offset = range.start + received.filled() as u64;
                return Err(SourceError::Network { attempts, offset, reason });
            };
            outage.set(true);
            let pause = self.transport.sleep(pause).map(Ok::<_, SourceError>);
            self.cancel.guard(pause).await?;
        }
        Ok(received.finish())
    }

    /// One request. On failure, `received` has the bytes that arrived before.
    async fn request(
        &self,
        range: Range<u64>,
        received: &mut BytesBuilder,
        outage: &mut Outage<'_>,
    ) -> Result<(), Failure> {
        // Only a strong entity tag guarantees equal bytes (RFC 9110, section 13.1.5).
        let if_range = self.etag.borrow().clone().filter(|tag| !tag.starts_with("W/"));
        let mut reply = self.transport.request(range.clone(), if_range).await?;
        self.check(&range, &reply)?;
        while received.missing() > 0 {
            match reply.body.next().await? {
                Some(piece) => {
                    outage.set(false);
                    received.push(&piece);
                }
                None => return Err(Failure::Broken("the answer ended early".to_owned())),
            };
        }
        Ok(())
    }

    /// Checks that the response matches a request for `range`.
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
            // The whole file is a valid response to a request for the whole file.
            200 if *range == (0..self.len) => {}
            200 => {
                return Err(SourceError::BadRange { reason: "the whole file came instead".to_owned() }.into());
            }
            // The range is not within the file any more.
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

/// Whether a read is without a connection. It ends with the read.
struct Outage<'a> {
    watch: Option<&'a Watch>,
    lasts: bool,
}

impl Outage<'_> {
    fn set(&mut self, lasts: bool) {
        if self.lasts != lasts {
            self.lasts = lasts;
            if let Some(watch) = self.watch {
                watch(lasts);
            }
        }
    }
}

impl Drop for Outage<'_> {
    fn drop(&mut self) {
        self.set(false);
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
