//! The loaded model that makes embeddings.

use std::rc::Rc;

use engine::bytes::ByteSource;
use engine::gpu::Gpu;
use engine::session::{EncoderSession, LoadOptions, ModelFile};

/// The place of the model that makes embeddings.
pub type EncoderSlot = Option<Encoder>;

/// A model that makes embeddings, and where it comes from.
pub struct Encoder {
    /// Its device.
    pub gpu: Rc<Gpu>,
    /// Its session.
    pub session: EncoderSession,
    /// Its bytes, to load it again from.
    pub file: ModelFile,
    /// How it was loaded.
    pub options: LoadOptions,
    /// The file with its towers, where that is a file of its own.
    pub projector: Option<Rc<dyn ByteSource>>,
}
