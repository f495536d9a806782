//! Checking weights that are kept in the browser, while nothing else is to be done.

use std::cell::RefCell;
use std::rc::Rc;

use engine::bytes::{CancelToken, SourceError};
use engine::store::{CachingSource, StoreError};

use crate::failure;
use crate::host::Host;

/// The blobs that are being checked.
#[derive(Default)]
pub struct Keeper(RefCell<State>);

#[derive(Default)]
struct State {
    sources: Vec<Rc<CachingSource>>,
    running: CancelToken,
}

impl Keeper {
    /// Takes blobs in place of those before.
    pub fn set(&self, sources: Vec<Rc<CachingSource>>) {
        self.pause();
        self.0.borrow_mut().sources = sources;
    }

    /// Stops for now. What was checked is not lost.
    pub fn pause(&self) {
        let running = self.0.borrow().running.clone();
        running.cancel();
    }
}

/// Checks what a load has fetched against its digests, until [`Keeper::pause`].
pub fn resume(host: &Rc<Host>) {
    let cancel = CancelToken::new();
    host.keeper.pause();
    let sources = {
        let mut state = host.keeper.0.borrow_mut();
        state.running = cancel.clone();
        state.sources.clone()
    };
    if sources.is_empty() {
        return;
    }
    let host_again = Rc::clone(host);
    host.platform.spawn(Box::pin(async move {
        for source in sources {
            let result = source.complete(&cancel, &mut |_| ()).await;
            if matches!(result, Err(StoreError::Source(SourceError::Cancelled))) || cancel.is_cancelled() {
                return;
            }
            // Done, or in vain: either way there is nothing more to check.
            host_again.keeper.0.borrow_mut().sources.retain(|it| !Rc::ptr_eq(it, &source));
            if let Err(error) = result {
                host_again.trouble(failure::of_store(&error));
            }
        }
    }));
}
