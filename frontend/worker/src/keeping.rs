//! Weights that are kept in the browser: whether the server may be used for them, and their check.
//!
//! Nothing is requested once a model is ready: a request could reveal what a conversation contains. The check fetches nothing,
//! and what can no longer be read from the copy then fails; the next load fetches it.
//!
//! A new copy is checked at once. One that was right is checked again after 30 days, or when something hints at damage: a read
//! that failed, a file that was written since, a self-test that failed. That is done while nobody uses the model. An answer of
//! invalid numbers has it checked before the graphics card is blamed ([`is_damaged`]).

use std::rc::Rc;

use engine::bytes::{CancelToken, LocalBoxFuture, SourceError};
use engine::session::Loading;
use engine::store::{Kept, StoreError};

use futures_util::FutureExt as _;

use crate::failure::{self, Stopped};
use crate::host::Host;
use crate::platform::Opened;

/// How long to wait for the end of what uses the model, before looking again.
const BUSY_MS: u32 = 500;
/// How often to look whether a copy is to be checked.
const LOOK_EVERY_MS: u32 = 60_000;

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
        let mut report = |done, total| tell(Loading::Towers(done, total));
        if let Err(StoreError::Source(error @ SourceError::Cancelled)) =
            source.fetch_missing(cancel, &mut report).await
        {
            return Err(error.into());
        }
    }
    Ok(())
}

/// Checks no files until this is dropped.
pub struct Paused<'a>(&'a Rc<Host>);

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        resume(self.0);
    }
}

/// Pauses the checks: they can wait; what a page has asked for cannot.
pub fn pause(host: &Rc<Host>) -> Paused<'_> {
    host.keeper.pause();
    Paused(host)
}

/// Checks kept files against their digests, until [`Keeper::pause`](crate::state::keeper::Keeper::pause).
pub fn resume(host: &Rc<Host>) {
    let cancel = host.keeper.begin();
    let host_again = Rc::clone(host);
    host.platform.spawn(Box::pin(async move {
        while check_all(&host_again, &cancel).await.is_ok() {
            let pause = host_again.platform.pause(LOOK_EVERY_MS).map(Ok::<_, SourceError>);
            if cancel.guard(pause).await.is_err() {
                return;
            }
        }
    }));
}

/// Checks each file that is due.
///
/// # Errors
/// When it was cancelled, or no file is left.
async fn check_all(host: &Rc<Host>, cancel: &CancelToken) -> Result<(), SourceError> {
    for file in &host.keeper.trusted() {
        let result = check(host, file, cancel).await;
        cancel.check()?;
        if let Err(error) = result {
            // It is reported once.
            host.keeper.distrust(file);
            host.warn(failure::of_store(&error));
        }
    }
    if host.keeper.trusted().is_empty() { Err(SourceError::Cancelled) } else { Ok(()) }
}

/// Checks the files of the loaded model while it waits. Returns whether it may come from a damaged copy, and warns of the damage.
///
/// # Errors
/// When it was cancelled.
pub async fn is_damaged(host: &Rc<Host>, cancel: &CancelToken) -> Result<bool, Stopped> {
    host.keeper.doubt().await;
    // Lets what has come meanwhile run, such as a request to stop.
    let breathe = || host.platform.pause(1);
    for file in &host.keeper.trusted() {
        let result = match file {
            Kept::Begun(source) => source.check(cancel).await,
            Kept::Verified(source) => source.copy().check(&breathe, cancel).await,
        };
        cancel.check()?;
        if let Err(error) = result {
            host.keeper.distrust(file);
            host.warn(failure::of_store(&error));
        }
    }
    Ok(host.keeper.is_damaged())
}

async fn check(host: &Rc<Host>, file: &Kept, cancel: &CancelToken) -> Result<(), StoreError> {
    match file {
        Kept::Begun(source) => source.check(cancel).await,
        Kept::Verified(source) if source.copy().is_due() => source.copy().check(&|| idle(host), cancel).await,
        Kept::Verified(_) => Ok(()),
    }
}

/// Waits until nothing uses the model.
pub fn idle(host: &Rc<Host>) -> LocalBoxFuture<'_, ()> {
    async {
        // Yield so that queued requests run first.
        host.platform.pause(1).await;
        while host.tasks.holder().is_some() {
            host.platform.pause(BUSY_MS).await;
        }
    }
    .boxed_local()
}
