//! Local storage for the weights of towers, which are read when the first picture or sound needs them.
//!
//! A request at that time would reveal it to the server. So all of them are on this machine before the model is loaded.

use std::ops::Range;
use std::rc::Rc;

use engine::bytes::{CancelToken, OverlaySource, RangeCopy};
use engine::session::Loading;
use engine::store::{CachingSource, Opened, StoreError};

use crate::failure::Stopped;

/// A file whose towers are to be here.
pub struct Towers {
    /// What reads them.
    pub source: Rc<OverlaySource>,
    /// Where in the file they lie.
    ranges: Vec<Range<u64>>,
    /// Whether the whole file is on this machine.
    is_local: bool,
    /// What is being kept of the file.
    keeping: Option<Rc<CachingSource>>,
}

impl Towers {
    /// Those at `ranges` of a file.
    pub fn new(file: &Opened, ranges: Vec<Range<u64>>) -> Self {
        let source = Rc::new(OverlaySource::new(Rc::clone(&file.source)));
        Self { source, ranges, is_local: file.local.is_some(), keeping: file.keeping().cloned() }
    }

    /// Fetches what is not on this machine: the rest of a file that the browser keeps, and for one that it doesn't, or has no
    /// room for, a copy of the towers in ordinary memory.
    ///
    /// # Errors
    /// When bytes cannot be fetched, or memory does not suffice.
    pub async fn fetch(&self, cancel: &CancelToken, tell: &mut dyn FnMut(Loading)) -> Result<(), Stopped> {
        if self.is_local {
            return Ok(());
        }
        if let Some(keeping) = &self.keeping {
            let mut report = |done, total| tell(Loading::Towers(done, total));
            match keeping.fetch_missing(cancel, &mut report).await {
                Ok(()) => return Ok(()),
                Err(StoreError::Source(error)) => return Err(error.into()),
                // Storage that is full or refused leaves memory.
                Err(_) => {}
            }
        }
        let bytes = |range: &Range<u64>| range.end - range.start;
        let total = self.ranges.iter().map(bytes).sum();
        let mut before = 0;
        for range in &self.ranges {
            let mut report = |done, _| tell(Loading::Towers(before + done, total));
            self.source.add(RangeCopy::read(&*self.source, range.clone(), cancel, &mut report).await?);
            before += bytes(range);
        }
        Ok(())
    }
}
