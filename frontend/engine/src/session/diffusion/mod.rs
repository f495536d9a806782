//! Answering by diffusion: prompt tokens in, finished canvases out.

mod generate;
mod text;

use std::ops::Deref;
use std::rc::Rc;

use super::kind::Described;
use super::sequence::Sequence;
use super::{Core, EngineError, LoadOptions, Loading, ModelFile, ModelSpec, SessionKind};
use crate::bytes::CancelToken;
use crate::gpu::{Gpu, GpuError};
use crate::media::Input;
use crate::model::{ConfigError, Denoising, Diffuser, DiffusionPlans, ExpertUse, ring};
use crate::plan::Tested;

pub use generate::{DenoisingStep, DiffusionEvent, DiffusionOptions, DiffusionOutcome, DiffusionTimings};
pub use text::CanvasText;

/// A loaded diffusion model and the KV cache of its conversation.
pub struct DiffusionSession {
    core: Core,
    denoising: Denoising,
    diffuser: Diffuser,
}

impl Deref for DiffusionSession {
    type Target = Core;

    fn deref(&self) -> &Core {
        &self.core
    }
}

impl SessionKind for DiffusionSession {
    fn expert_use(&self) -> Option<(u32, ExpertUse)> {
        self.diffuser.expert_use()
    }

    fn tested(&self) -> Vec<Tested> {
        self.diffuser.tested()
    }
}

impl DiffusionSession {
    /// Loads a model.
    ///
    /// # Errors
    /// Any [`EngineError`]. Cancellation is reported as [`EngineError::is_cancelled`].
    pub async fn load(
        gpu: Rc<Gpu>,
        mut file: ModelFile,
        options: &LoadOptions,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Loading),
    ) -> Result<Self, EngineError> {
        let header = file.take_header(cancel, progress).await?;
        let spec = ModelSpec::with_options(&header, options)?;
        let architecture = || header.metadata.str("general.architecture").unwrap_or_default().to_owned();
        let denoising = spec.config.diffusion;
        let denoising = denoising.ok_or_else(|| ConfigError::NotDiffusion { found: architecture() })?;
        let mut described = Described::new(Rc::clone(&gpu), file, (header, spec), options, progress).await?;
        let plans = DiffusionPlans::new(&described.parts).map_err(GpuError::from)?;
        let compiled = gpu.compile_ahead(plans.all());
        drop(plans);
        let weights = described.load_weights(cancel, progress).await?;
        let Described { core, parts, experts, .. } = described;
        let diffuser = cancel
            .guard(async {
                progress(Loading::Kernels(0, 1));
                compiled.await;
                Ok::<_, EngineError>(Diffuser::new(gpu, parts, weights, experts, core.context).await?)
            })
            .await?;
        progress(Loading::Kernels(1, 1));
        Ok(Self { core, denoising, diffuser })
    }

    /// Returns the sampler settings of the file.
    pub fn denoising(&self) -> Denoising {
        self.denoising
    }

    /// Returns the programs, for statistics and comparisons.
    pub fn diffuser(&self) -> &Diffuser {
        &self.diffuser
    }

    /// Clears the cache.
    pub fn forget(&mut self) {
        self.core.sequence = Sequence::default();
    }

    /// Processes a prompt. Returns the number of tokens that the cache already held; `None` if cancelled.
    ///
    /// # Errors
    /// Same as [`Self::generate`].
    pub async fn read(
        &mut self,
        prompt: &[u32],
        cancel: &CancelToken,
        on: &mut dyn FnMut(DiffusionEvent),
    ) -> Result<Option<u32>, EngineError> {
        self.check_prompt(prompt, 0)?;
        let total = prompt.len() as u32;
        let config = &self.diffuser.parts().config;
        let ring = ring(config, self.diffuser.most_rows());
        let ring = if self.context > ring { ring } else { 0 };
        let input = Input::from(prompt);
        let cached = self.core.sequence.reusable(&input, ring, config.window);
        self.core.sequence.set(input.prefix(cached as usize), cached);
        let mut pos = cached;
        loop {
            on(DiffusionEvent::Prefilling { done: pos, total });
            if pos == total {
                return Ok(Some(cached));
            }
            if cancel.is_cancelled() {
                return Ok(None);
            }
            let end = total.min(pos + self.diffuser.most_rows());
            match self.append(&prompt[pos as usize..end as usize], cancel).await {
                // The next iteration ends the answer.
                Err(error) if error.is_cancelled() => continue,
                appended => appended?,
            }
            pos = end;
        }
    }

    /// Puts final tokens, at most a chunk of them, behind what the cache holds.
    async fn append(&mut self, ids: &[u32], cancel: &CancelToken) -> Result<(), EngineError> {
        let pos = self.context_used();
        let held = [self.core.sequence.held().ids(), ids].concat();
        let written = held.len() as u32;
        // Even if it is cancelled halfway, the chunk has overwritten slots of rings.
        self.core.sequence.set(self.core.sequence.held().clone(), written);
        cancel.guard(async { Ok::<_, EngineError>(self.diffuser.encode(ids, pos, cancel).await?) }).await?;
        self.core.sequence.set(held.into(), written);
        Ok(())
    }
}
