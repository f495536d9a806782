//! The source of a model's bytes.

use std::rc::Rc;

use crate::bytes::{ByteSource, LocalSource};

/// The bytes of a model's file.
#[derive(Clone)]
pub struct ModelFile {
    /// The whole file. Towers are read from it on demand, everything else while the model loads.
    pub bytes: Rc<dyn ByteSource>,
    /// A local copy that has the per-layer table and the experts. What does not fit on the device is read from here
    /// during generation, and from nowhere else.
    pub local: Option<Rc<dyn LocalSource>>,
}

impl ModelFile {
    /// A file on this machine.
    #[must_use]
    pub fn local(source: Rc<dyn LocalSource>) -> Self {
        let bytes: Rc<dyn ByteSource> = Rc::<dyn LocalSource>::clone(&source);
        Self { bytes, local: Some(source) }
    }

    /// A remote file without a local copy.
    #[must_use]
    pub fn remote(bytes: Rc<dyn ByteSource>) -> Self {
        Self { bytes, local: None }
    }
}
