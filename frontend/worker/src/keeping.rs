//! Completing weights that are kept in the browser, while nothing else is to be done.

use std::cell::RefCell;
use std::rc::Rc;

use engine::bytes::{CancelToken, SourceError};
use engine::store::{CachingSource, StoreError};

use crate::failure;
use crate::host::Host;

/// The blob that is being completed.
#[derive(Default)]
pub struct Keeper(RefCell<State>);

#[derive(Default)]
struct State {
    source: Option<Rc<CachingSource>>,
    running: CancelToken,
}

impl Keeper {
    /// Takes a blob in place of the one before.
    pub fn set(&self, source: Option<Rc<CachingSource>>) {
        self.pause();
        self.0.borrow_mut().source = source;
    }

    /// Stops for now. What was fetched and checked is not lost.
    pub fn pause(&self) {
        let running = self.0.borrow().running.clone();
        running.cancel();
    }
}

/// Fetches what a load did not need, and checks the whole against its digest, until [`Keeper::pause`].
pub fn resume(host: &Rc<Host>) {
    let cancel = CancelToken::new();
    host.keeper.pause();
    let source = {
        let mut state = host.keeper.0.borrow_mut();
        state.running = cancel.clone();
        state.source.clone()
    };
    let Some(source) = source else { return };
    let host_again = Rc::clone(host);
    host.platform.spawn(Box::pin(async move {
        let result = source.complete(&cancel, &mut |_| ()).await;
        if matches!(result, Err(StoreError::Source(SourceError::Cancelled))) || cancel.is_cancelled() {
            return;
        }
        // Done, or in vain: either way there is nothing more to complete.
        host_again.keeper.0.borrow_mut().source = None;
        if let Err(error) = result {
            host_again.trouble(failure::of_store(&error));
        }
    }));
}
