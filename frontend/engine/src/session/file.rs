//! Where a model's bytes come from.

use std::rc::Rc;

use crate::bytes::{ByteSource, LocalSource};

/// The bytes of a model's file.
#[derive(Clone)]
pub struct ModelFile {
    /// All of them, read while the model loads; those of its towers when one is first needed.
    pub bytes: Rc<dyn ByteSource>,
    /// A copy on this machine that has the per-layer table whole. Rows of a table that the device has no room for are
    /// read from it while an answer runs, and from nowhere else.
    pub table: Option<Rc<dyn LocalSource>>,
}

impl ModelFile {
    /// A file on this machine.
    #[must_use]
    pub fn local(source: Rc<dyn LocalSource>) -> Self {
        let bytes: Rc<dyn ByteSource> = Rc::<dyn LocalSource>::clone(&source);
        Self { bytes, table: Some(source) }
    }

    /// A file elsewhere, of which nothing is here.
    #[must_use]
    pub fn remote(bytes: Rc<dyn ByteSource>) -> Self {
        Self { bytes, table: None }
    }
}
