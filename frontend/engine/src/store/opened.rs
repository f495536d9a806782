//! A file that may be stored locally, after opening.

use std::rc::Rc;

use super::{CachingSource, StoreError};
use crate::bytes::{ByteSource, LocalSource};

/// Where the bytes of a file come from.
pub struct Opened {
    /// The source of its bytes.
    pub source: Rc<dyn ByteSource>,
    /// The same source, if all bytes are on this machine.
    pub local: Option<Rc<dyn LocalSource>>,
    /// The source that stores it, to be completed.
    pub keeping: Option<Rc<CachingSource>>,
    /// Why it is not stored although requested.
    pub trouble: Option<StoreError>,
}

impl Opened {
    /// A file on this machine.
    #[must_use]
    pub fn local(source: Rc<dyn LocalSource>) -> Self {
        let bytes: Rc<dyn ByteSource> = Rc::<dyn LocalSource>::clone(&source);
        Self { source: bytes, local: Some(source), keeping: None, trouble: None }
    }

    /// A remote file that is not stored.
    #[must_use]
    pub fn remote(source: Rc<dyn ByteSource>) -> Self {
        Self { source, local: None, keeping: None, trouble: None }
    }
}
