//! The source of a model's bytes.

use std::rc::Rc;

use super::{EngineError, Loading};
use crate::bytes::{ByteSource, CancelToken, LocalSource};
use crate::gguf::Header;

/// The bytes of a model's file.
#[derive(Clone)]
pub struct ModelFile {
    /// The whole file. Towers are read from it on demand, everything else while the model loads.
    pub bytes: Rc<dyn ByteSource>,
    /// A local copy that has the per-layer table and the experts. What does not fit on the device is read from here
    /// during generation, and from nowhere else.
    pub local: Option<Rc<dyn LocalSource>>,
    /// The header, if it was already read.
    pub header: Option<Header>,
}

impl ModelFile {
    /// Returns a file on this machine.
    pub fn local(source: Rc<dyn LocalSource>) -> Self {
        let bytes: Rc<dyn ByteSource> = Rc::<dyn LocalSource>::clone(&source);
        Self { bytes, local: Some(source), header: None }
    }

    /// Returns a remote file without a local copy.
    pub fn remote(bytes: Rc<dyn ByteSource>) -> Self {
        Self { bytes, local: None, header: None }
    }

    /// Takes the header, which is read if it is not there.
    pub(super) async fn take_header(
        &mut self,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Loading),
    ) -> Result<Header, EngineError> {
        if let Some(header) = self.header.take() {
            return Ok(header);
        }
        let mut report = |bytes| progress(Loading::Header(bytes));
        let reading =
            async { Header::read_with_progress(&*self.bytes, &mut report).await.map_err(EngineError::from) };
        cancel.guard(reading).await
    }
}
