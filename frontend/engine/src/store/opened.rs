//! A file that may be kept, as it was opened.

use std::rc::Rc;

use super::{CachingSource, StoreError};
use crate::bytes::{ByteSource, LocalSource};

/// Where the bytes of a file come from.
pub struct Opened {
    /// Its bytes.
    pub source: Rc<dyn ByteSource>,
    /// The same, where all of them are on this machine.
    pub local: Option<Rc<dyn LocalSource>>,
    /// What is being kept of it: to be completed.
    pub keeping: Option<Rc<CachingSource>>,
    /// Why it is not kept although that was asked for.
    pub trouble: Option<StoreError>,
}

impl Opened {
    /// A file on this machine.
    #[must_use]
    pub fn local(source: Rc<dyn LocalSource>) -> Self {
        let bytes: Rc<dyn ByteSource> = Rc::<dyn LocalSource>::clone(&source);
        Self { source: bytes, local: Some(source), keeping: None, trouble: None }
    }

    /// A file elsewhere that is not kept.
    #[must_use]
    pub fn remote(source: Rc<dyn ByteSource>) -> Self {
        Self { source, local: None, keeping: None, trouble: None }
    }
}
