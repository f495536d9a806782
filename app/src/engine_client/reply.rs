//! The events of one request.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::{
    Stream, StreamExt as _,
    future::{Either, select},
};
use gloo_timers::future::TimeoutFuture;
use protocol::{Channel, Event, Failure, Outcome, Progress, RequestId};

/// The events of one request, the outcome last. Ends without an outcome when the engine is gone; the [`Notice`] then
/// says why.
pub struct Reply {
    id: RequestId,
    events: UnboundedReceiver<Event>,
}

impl Reply {
    pub(super) fn new(id: RequestId, events: UnboundedReceiver<Event>) -> Self {
        Self { id, events }
    }

    /// Returns the request's id, to cancel it by.
    #[must_use]
    pub fn id(&self) -> RequestId {
        self.id
    }

    /// Waits for events and returns all that are there, so that a fast engine costs one update of the page and not
    /// one for each token; `None` at the end. `pause_ms` is the least time between two updates.
    pub async fn batch(&mut self, pause_ms: u32) -> Option<Vec<Event>> {
        let first = self.next().await?;
        let mut events = vec![first];
        let mut pause = TimeoutFuture::new(pause_ms);
        while !events.last().is_some_and(Event::is_last) {
            match select(self.events.next(), &mut pause).await {
                Either::Left((Some(event), _)) => events.push(event),
                Either::Left((None, _)) | Either::Right(_) => break,
            }
        }
        Some(events)
    }

    /// Waits for the outcome; `None` if the engine is gone.
    pub async fn outcome(mut self) -> Option<Result<Outcome, Failure>> {
        while let Some(event) = self.next().await {
            if let Event::Outcome(outcome) = event {
                return Some(outcome);
            }
        }
        None
    }

    /// Waits for the outcome and returns it after the text of the answer; `None` if the engine is gone, or `goes_on`, which gets all
    /// progress, says no.
    pub async fn text(
        &mut self,
        goes_on: &mut dyn FnMut(&Progress) -> bool,
    ) -> Option<(String, Result<Outcome, Failure>)> {
        let mut said = String::new();
        loop {
            match self.next().await? {
                Event::Outcome(outcome) => return Some((said, outcome)),
                Event::Progress(progress) if !goes_on(&progress) => return None,
                Event::Progress(Progress::Text { channel: Channel::Answer, text, .. }) => {
                    said.push_str(&text)
                }
                Event::Progress(_) => {}
            }
        }
    }
}

impl Stream for Reply {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        self.events.poll_next_unpin(context)
    }
}
