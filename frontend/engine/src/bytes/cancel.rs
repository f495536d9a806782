//! Cancellation of asynchronous work. Fetches end at once, reading a prompt between two chunks, and an answer with the next ids
//! that are read back.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use super::SourceError;

/// Cancels the work that holds a clone of it. Cancelling is final and possible from any thread.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    cancelled: bool,
    next_waiter: u64,
    waiters: Vec<(u64, Waker)>,
}

impl CancelToken {
    /// Returns a token that has not been cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels all work that holds the token.
    pub fn cancel(&self) {
        let waiters = {
            let mut state = self.lock();
            state.cancelled = true;
            std::mem::take(&mut state.waiters)
        };
        // Outside of the lock: a waker may run the task at once.
        for (_, waker) in waiters {
            waker.wake();
        }
    }

    /// Returns whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.lock().cancelled
    }

    /// Returns [`SourceError::Cancelled`] once the token is cancelled: `token.check()?` between two steps of long
    /// work.
    ///
    /// # Errors
    /// When it was cancelled.
    pub fn check(&self) -> Result<(), SourceError> {
        if self.is_cancelled() { Err(SourceError::Cancelled) } else { Ok(()) }
    }

    /// Waits until it is cancelled.
    pub fn cancelled(&self) -> Cancelled {
        let mut state = self.lock();
        state.next_waiter += 1;
        Cancelled { token: self.clone(), waiter: state.next_waiter }
    }

    /// Runs `work` until it completes or the token is cancelled; then `work` is dropped.
    ///
    /// # Errors
    /// What `work` returns, or [`SourceError::Cancelled`].
    pub async fn guard<T, E: From<SourceError>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        self.check()?;
        match futures_util::future::select(std::pin::pin!(work), self.cancelled()).await {
            futures_util::future::Either::Left((result, _)) => result,
            futures_util::future::Either::Right(((), _)) => Err(SourceError::Cancelled.into()),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // Nothing under the lock can panic half-way, so the state is valid even if the lock is poisoned.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Future of [`CancelToken::cancelled`].
#[derive(Debug)]
pub struct Cancelled {
    token: CancelToken,
    waiter: u64,
}

impl Future for Cancelled {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.token.lock();
        if state.cancelled {
            return Poll::Ready(());
        }
        match state.waiters.iter_mut().find(|(id, _)| *id == self.waiter) {
            Some((_, waker)) => waker.clone_from(context.waker()),
            None => state.waiters.push((self.waiter, context.waker().clone())),
        }
        Poll::Pending
    }
}

impl Drop for Cancelled {
    fn drop(&mut self) {
        self.token.lock().waiters.retain(|(id, _)| *id != self.waiter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiting_task_is_woken_and_its_work_dropped() {
        let token = CancelToken::new();
        let held = Arc::new(());
        let work = {
            let held = held.clone();
            async move {
                let _held = held;
                std::future::pending::<Result<(), SourceError>>().await
            }
        };
        let canceller = std::thread::spawn({
            let token = token.clone();
            move || token.cancel()
        });
        let result = pollster::block_on(token.guard(work));
        canceller.join().expect("the other thread only cancels");
        assert!(matches!(result, Err(SourceError::Cancelled)));
        assert_eq!(Arc::strong_count(&held), 1);
    }

    #[test]
    fn work_that_ends_leaves_no_waiter_behind() {
        let token = CancelToken::new();
        for _ in 0..10 {
            let result: Result<u8, SourceError> = pollster::block_on(token.guard(async {
                futures_util::future::ready(()).await;
                Ok(7)
            }));
            assert_eq!(result.expect("nobody cancels"), 7);
        }
        assert!(token.lock().waiters.is_empty());
        assert!(token.check().is_ok());
    }

    #[test]
    fn nothing_starts_after_cancelling() {
        let token = CancelToken::new();
        token.cancel();
        let result: Result<(), SourceError> =
            pollster::block_on(token.guard(async { unreachable!("work must not be polled") }));
        assert!(matches!(result, Err(SourceError::Cancelled)));
    }
}
