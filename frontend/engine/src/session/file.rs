//! The source of a model's bytes.

use std::rc::Rc;

use crate::bytes::{ByteSource, LocalSource};

/// The bytes of a model's file.
#[derive(Clone)]
pub struct ModelFile {
    /// The whole file. Towers are read from it on demand, everything else while the model loads.
    pub bytes: Rc<dyn ByteSource>,
    /// A local copy that has the per-layer table. If the table does not fit on the device, its rows are read from
    /// here during generation, and from nowhere else.
    pub table: Option<Rc<dyn LocalSource>>,
}

impl ModelFile {
    /// A file on this machine.
    #[must_use]
    pub fn local(source: Rc<dyn LocalSource>) -> Self {
        let bytes: Rc<dyn ByteSource> = Rc::<dyn LocalSource>::clone(&source);
        Self { bytes, table: Some(source) }
    }

    /// A remote file without a local copy.
    #[must_use]
    pub fn remote(bytes: Rc<dyn ByteSource>) -> Self {
        Self { bytes, table: None }
    }
}
