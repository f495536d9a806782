//! Weights that are kept in the browser: whether the server may be used for them, and their check.
//!
//! Nothing is requested once a model is ready. The check fetches nothing, and what can no longer be read from the copy then
//! fails; the next load fetches it.

use std::cell::RefCell;
use std::rc::Rc;

use engine::bytes::{CancelToken, SourceError};
use engine::session::Loading;
use engine::store::{CachingSource, Kept, StoreError};

use crate::failure::{self, Stopped};
use crate::host::Host;
use crate::platform::Opened;

/// The kept files of the model that is ready.
#[derive(Default)]
pub struct Keeper(RefCell<State>);

#[derive(Default)]
struct State {
    files: Vec<Kept>,
    /// Those that are to be checked.
    unchecked: Vec<Rc<CachingSource>>,
    running: CancelToken,
}

impl Keeper {
    /// Takes files in place of those before. Their model is ready: the server is not used for them any more.
    pub fn set(&self, files: Vec<Kept>) {
        self.pause();
        let begun = |file: &Kept| match file {
            Kept::Begun(source) => Some(Rc::clone(source)),
            Kept::Verified(_) => None,
        };
        let mut state = self.0.borrow_mut();
        state.unchecked = files.iter().filter_map(begun).collect();
        state.files = files;
        state.set_online(false);
    }

    /// Lets the server be used until the guard is dropped: the model is loaded again.
    pub fn online(&self) -> Online<'_> {
        self.0.borrow().set_online(true);
        Online(self)
    }

    /// Stops for now. What was checked is not lost.
    pub fn pause(&self) {
        let running = self.0.borrow().running.clone();
        running.cancel();
    }
}

impl State {
    fn set_online(&self, online: bool) {
        self.files.iter().for_each(|file| file.set_online(online));
    }
}

/// While it lives, kept files may be read from the server.
pub struct Online<'a>(&'a Keeper);

impl Drop for Online<'_> {
    fn drop(&mut self) {
        self.0.0.borrow().set_online(false);
    }
}

/// Fetches what is missing of kept files, also of those that this load does not need: nothing is fetched later.
///
/// # Errors
/// When it was cancelled. The model does not depend on the rest.
pub async fn fetch_rest(
    opened: &Opened,
    cancel: &CancelToken,
    tell: &mut dyn FnMut(Loading),
) -> Result<(), Stopped> {
    for source in opened.files().filter_map(|file| file.keeping()) {
        let mut told = |done, total| tell(Loading::Towers(done, total));
        if let Err(StoreError::Source(error @ SourceError::Cancelled)) =
            source.fetch_missing(cancel, &mut told).await
        {
            return Err(error.into());
        }
    }
    Ok(())
}

/// Checks what a load has fetched against its digests, until [`Keeper::pause`].
pub fn resume(host: &Rc<Host>) {
    let cancel = CancelToken::new();
    host.keeper.pause();
    let sources = {
        let mut state = host.keeper.0.borrow_mut();
        state.running = cancel.clone();
        state.unchecked.clone()
    };
    if sources.is_empty() {
        return;
    }
    let host_again = Rc::clone(host);
    host.platform.spawn(Box::pin(async move {
        for source in sources {
            let result = source.check(&cancel).await;
            if matches!(result, Err(StoreError::Source(SourceError::Cancelled))) || cancel.is_cancelled() {
                return;
            }
            // Done, or in vain: either way there is nothing more to check.
            host_again.keeper.0.borrow_mut().unchecked.retain(|it| !Rc::ptr_eq(it, &source));
            if let Err(error) = result {
                host_again.trouble(failure::of_store(&error));
            }
        }
    }));
}
