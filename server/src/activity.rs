//! What goes on in a connection of HTTP/2, and for how long nothing has.
//!
//! The limits of HTTP/1.1 are those of bytes: a head that isn't whole, a socket that takes nothing. They don't see a client
//! of HTTP/2 that answers pings and takes nothing of any answer. This looks at requests and answers instead: at least one
//! of a connection's answers must get on. Time that the server itself needs isn't counted, nor that in which a request's
//! content arrives, which has a limit of its own.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    http::{Request, Response},
};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper_util::service::TowerToHyperService;
use tokio::{sync::watch, time::timeout};

use crate::content::TimedBody;

/// Answers of one connection.
#[derive(Clone, Copy, Debug, Default)]
struct Answers {
    /// How many are not at their end.
    open: usize,
    /// Of these, how many wait for the server and not for the client.
    made: usize,
}

/// What goes on in one connection. Copies are of the same one.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    answers: watch::Sender<Answers>,
}

/// How a connection came to be silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// Nothing was asked for.
    Idle,
    /// Nothing of what was asked for was taken.
    Stalled,
}

impl Activity {
    /// Waits until nothing was asked for during `idle`, or nothing was taken during `stalled`.
    pub async fn silence(&self, idle: Duration, stalled: Duration) -> Silence {
        let mut answers = self.answers.subscribe();
        loop {
            let (limit, silence) = match *answers.borrow_and_update() {
                Answers { open: 0, .. } => (Some(idle), Silence::Idle),
                Answers { made: 0, .. } => (Some(stalled), Silence::Stalled),
                _ => (None, Silence::Stalled),
            };
            // There is a sender as long as there is this activity.
            match limit {
                None => drop(answers.changed().await),
                Some(limit) => {
                    if timeout(limit, answers.changed()).await.is_err() {
                        return silence;
                    }
                }
            }
        }
    }
}

/// An answer, from the request to its last byte.
struct Answer {
    activity: Activity,
    is_made: bool,
}

impl Answer {
    fn begin(activity: Activity) -> Self {
        activity.answers.send_modify(|answers| {
            answers.open += 1;
            answers.made += 1;
        });
        Self { activity, is_made: true }
    }

    /// Notes that something was done, and whether it is the server's turn now.
    fn step(&mut self, is_made: bool) {
        self.activity.answers.send_modify(|answers| {
            answers.made = answers.made + usize::from(is_made) - usize::from(self.is_made);
        });
        self.is_made = is_made;
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.step(false);
        self.activity.answers.send_modify(|answers| answers.open -= 1);
    }
}

/// The router, for one connection.
#[derive(Clone)]
pub struct TrackedService {
    router: TowerToHyperService<Router>,
    activity: Activity,
    content: Duration,
}

impl TrackedService {
    /// Notes in `activity` what is asked of `router`. The content of a request has the time `content` to arrive.
    #[must_use]
    pub fn new(router: TowerToHyperService<Router>, activity: Activity, content: Duration) -> Self {
        Self { router, activity, content }
    }
}

impl hyper::service::Service<Request<Incoming>> for TrackedService {
    type Response = Response<TrackedBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let mut answer = Answer::begin(self.activity.clone());
        let response = self.router.call(request.map(|body| TimedBody::new(body, self.content)));
        Box::pin(async move {
            let response = response.await?;
            answer.step(false);
            Ok(response.map(|body| TrackedBody { body, answer }))
        })
    }
}

/// An answer's content, as the client takes it.
pub struct TrackedBody {
    body: Body,
    answer: Answer,
}

impl hyper::body::Body for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        // HTTP/2 asks for more when the client has room for it.
        if polled.is_ready() || !self.answer.is_made {
            self.answer.step(polled.is_pending());
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(2);
    const NEVER: Duration = Duration::from_secs(3600);

    #[tokio::test]
    async fn an_answer_that_nobody_takes_is_a_silence_and_one_that_is_made_is_none() {
        let activity = Activity::default();
        assert_eq!(activity.silence(SOON, NEVER).await, Silence::Idle);

        let mut answer = Answer::begin(activity.clone());
        let made = timeout(10 * SOON, activity.silence(SOON, SOON)).await;
        assert!(made.is_err(), "the server is at work");
        answer.step(false);
        assert_eq!(activity.silence(NEVER, SOON).await, Silence::Stalled);
        answer.step(true);
        drop(answer);
        assert_eq!(activity.silence(SOON, NEVER).await, Silence::Idle);
    }
}
