//! A request's content, which has to arrive in time.
//!
//! A client that announces content and sends none would keep its place among the connections for ever: hyper limits only the
//! time of a request's head, and an answer's stall begins with the answer.

use std::{
    error::Error,
    iter,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::body::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::{Sleep, sleep};

/// Why content could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// It was not whole in time.
    #[error("the request's content didn't arrive within {limit:?}")]
    Late {
        /// The time that it had.
        limit: Duration,
    },
    /// The connection broke, or what was sent is not HTTP.
    #[error(transparent)]
    Broken(#[from] hyper::Error),
}

/// Content that fails unless it is whole in time, from when it is first waited for.
pub struct TimedBody {
    body: Incoming,
    limit: Duration,
    /// None for as long as nobody waits: most requests have no content, and need no timer.
    late: Option<Pin<Box<Sleep>>>,
}

impl TimedBody {
    /// Gives `body` this much time.
    #[must_use]
    pub fn new(body: Incoming, limit: Duration) -> Self {
        Self { body, limit, late: None }
    }
}

impl Body for TimedBody {
    type Data = Bytes;
    type Error = ContentError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ContentError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(frame.map(|frame| frame.map_err(ContentError::from)));
        }
        let limit = self.limit;
        let late = self.late.get_or_insert_with(|| Box::pin(sleep(limit)));
        late.as_mut().poll(context).map(|()| Some(Err(ContentError::Late { limit })))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Whether content that didn't arrive in time is the cause of `error`.
#[must_use]
pub fn is_late(error: &(dyn Error + 'static)) -> bool {
    iter::successors(Some(error), |error| (**error).source())
        .any(|error| matches!(error.downcast_ref(), Some(ContentError::Late { .. })))
}
