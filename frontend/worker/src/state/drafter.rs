//! The file of a drafter beside a model.

use std::rc::Rc;

use engine::bytes::{ByteSource, CancelToken};
use engine::gguf::Header;
use engine::model::DrafterSpec;
use engine::plan::Limits;
use engine::session::{EngineError, ModelSession, ModelSpec};

/// A drafter that fits its model.
#[derive(Clone)]
pub struct Drafter {
    source: Rc<dyn ByteSource>,
    spec: DrafterSpec,
    /// Bytes of graphics memory that it takes.
    pub bytes: u64,
}

impl Drafter {
    /// Reads the header of a drafter for this model.
    ///
    /// # Errors
    /// When the file cannot be read, or is no drafter for this model.
    pub async fn read(
        source: &Rc<dyn ByteSource>,
        model: &ModelSpec,
        limits: Limits,
    ) -> Result<Self, EngineError> {
        let header = Header::read(&**source).await?;
        let spec = DrafterSpec::read(&header, &model.config, model.tensors.vocabulary())?;
        let bytes = spec.bytes(limits)?;
        Ok(Self { source: Rc::clone(source), spec, bytes })
    }

    /// Loads it into a session that has none yet.
    ///
    /// # Errors
    /// If its weights cannot be read, or the device has no room for them.
    pub async fn load(&self, session: &mut ModelSession, cancel: &CancelToken) -> Result<(), EngineError> {
        let session = session.autoregressive_mut()?;
        if session.decoder().has_drafter() {
            return Ok(());
        }
        session.use_drafter(&self.source, &self.spec, cancel, &mut |_| ()).await
    }
}
