//! A drafter beside the model of a session.

use std::rc::Rc;

use shaders::sampling::Settings;

use super::{EngineError, Session};
use crate::bytes::{ByteSource, CancelToken};
use crate::gguf::Header;
use crate::media::Input;
use crate::model::{DraftReader, DraftStep, Drafter, DrafterError, DrafterSpec, Drafts, TIMED_POSITIONS};
use crate::weights::Progress;

impl Session {
    /// Reads the header of a drafter for this model.
    ///
    /// # Errors
    /// When the file is no drafter for this model, or contradicts itself.
    pub fn drafter_spec(&self, header: &Header) -> Result<DrafterSpec, EngineError> {
        Ok(DrafterSpec::read(header, self.decoder.config(), self.decoder.vocabulary())?)
    }

    /// Loads a drafter, which then drafts in answers with [`Options::drafts`](super::Options::drafts). One that cannot
    /// be loaded leaves the session as it was.
    ///
    /// # Errors
    /// When the file cannot be read, or needs more memory than there is.
    pub async fn use_drafter(
        &mut self,
        source: &Rc<dyn ByteSource>,
        spec: &DrafterSpec,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), EngineError> {
        let drafter =
            Drafter::load(&self.core.gpu, source, spec, self.decoder.parts(), cancel, progress).await?;
        self.decoder.set_drafter(Some(drafter)).await?;
        Ok(())
    }

    /// Removes the drafter, if there is one.
    ///
    /// # Errors
    /// When the device was lost.
    pub async fn remove_drafter(&mut self) -> Result<(), EngineError> {
        if self.decoder.has_drafter() {
            self.decoder.set_drafter(None).await?;
        }
        Ok(())
    }

    /// Prepares what answers with drafts need, and times what drafts cost if that is to be done and the cache is empty. The first
    /// answer that drafts does it otherwise.
    ///
    /// # Errors
    /// When the device was lost or rejects a kernel.
    pub async fn prepare_drafts(&mut self, drafts: Drafts) -> Result<(), EngineError> {
        self.decoder.prepare_rounds(drafts).await?;
        let is_empty = self.core.sequence.held().is_empty();
        if is_empty && TIMED_POSITIONS <= self.context && self.decoder.has_untimed_rounds(drafts) {
            self.decoder.begin(Settings::default(), 0, &[]);
            self.decoder.time_rounds(0).await?;
        }
        Ok(())
    }

    /// Sets whether what drafts cost is timed before the first answer that may draft. By default it is, but on a software
    /// device the answer tells it.
    pub fn set_times_drafts(&mut self, times: bool) {
        self.decoder.set_times_rounds(times);
    }

    /// Drafts `count` tokens behind the last one of a sequence, whose other tokens are read into the cache. `hidden` is
    /// the hidden state of the token before the last.
    ///
    /// # Errors
    /// Same as [`Self::logits`]; [`DrafterError::None`] without a drafter.
    pub async fn drafts(
        &mut self,
        sequence: &[u32],
        hidden: &[f32],
        count: u32,
    ) -> Result<Vec<DraftStep>, EngineError> {
        let (&id, before) = sequence.split_last().ok_or(EngineError::Empty)?;
        self.logits(Input::from(before), 1).await?;
        let reader = DraftReader::new(&self.decoder, count).await?.ok_or(DrafterError::None)?;
        Ok(reader.draft(id, before.len() as u32, hidden).await?)
    }
}
