//! Local storage for what the device has no room for: the per-layer table of a model, or experts.
//!
//! They are read for every token, so a server that sent them could read along. So all of them are on this machine before
//! the model is loaded.

use std::ops::Range;
use std::rc::Rc;

use engine::bytes::{CancelToken, LocalSource, RangeCopy};
use engine::session::Loading;
use engine::store::{Opened, StoreError};

use protocol::Failure;
use protocol::failure::DeviceFailure;

use crate::failure::Stopped;

/// A source on this machine that has these bytes of the file: the file itself; else what the browser keeps of it, of
/// which the rest is fetched now; else, if it may be used, ordinary memory.
///
/// # Errors
/// When ordinary memory is left and may not be used; when bytes cannot be fetched.
pub async fn here(
    opened: &Opened,
    range: Range<u64>,
    use_memory: bool,
    cancel: &CancelToken,
    tell: &mut dyn FnMut(Loading),
) -> Result<Rc<dyn LocalSource>, Stopped> {
    if let Some(local) = &opened.local {
        return Ok(Rc::clone(local));
    }
    let mut report = |done, total| tell(Loading::Table(done, total));
    if let Some(keeping) = opened.keeping() {
        match keeping.hold(range.clone(), cancel, &mut report).await {
            Ok(kept) => return Ok(Rc::new(kept)),
            Err(StoreError::Source(error)) => return Err(error.into()),
            // Storage that is full or refused leaves memory.
            Err(_) => {}
        }
    }
    if !use_memory {
        return Err(Failure::from(DeviceFailure::NeedsHostMemory { bytes: range.end - range.start }).into());
    }
    Ok(Rc::new(RangeCopy::read(&*opened.source, range, cancel, &mut report).await?))
}
