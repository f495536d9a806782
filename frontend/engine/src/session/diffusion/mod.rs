//! Answering by diffusion: prompt tokens in, finished canvases out.

mod generate;
mod text;

use std::rc::Rc;

use super::sequence::Sequence;
use super::{
    DeviceMemory, EngineError, Fit, LoadOptions, Loading, ModelFile, ModelSpec, Storage, read_header,
};
use crate::bytes::CancelToken;
use crate::check;
use crate::gguf::Header;
use crate::gpu::{Gpu, GpuError};
use crate::media::Input;
use crate::model::{ConfigError, Denoising, Diffuser, DiffusionPlans, ring};
use crate::template::{Conversation, Prompt, RenderOptions, Variant, render};
use crate::tokenizer::Tokenizer;
use crate::weights;

pub use generate::{DenoisingStep, DiffusionEvent, DiffusionOptions, DiffusionOutcome, DiffusionTimings};
pub use text::CanvasText;

/// A loaded diffusion model and the KV cache of its conversation.
pub struct DiffusionSession {
    gpu: Rc<Gpu>,
    tokenizer: Rc<Tokenizer>,
    variant: Variant,
    denoising: Denoising,
    diffuser: Diffuser,
    context: u32,
    bytes: u64,
    storage: Storage,
    sequence: Sequence,
}

impl DiffusionSession {
    /// Loads a model.
    ///
    /// # Errors
    /// Any [`EngineError`]. Cancellation is reported as [`EngineError::is_cancelled`].
    pub async fn load(
        gpu: Rc<Gpu>,
        file: ModelFile,
        options: &LoadOptions,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Loading),
    ) -> Result<Self, EngineError> {
        let header = read_header(&file, cancel, progress).await?;
        Self::load_with_header(gpu, file, header, options, cancel, progress).await
    }

    /// Same as [`Self::load`], with a header that was already read.
    ///
    /// # Errors
    /// Same as [`Self::load`].
    pub async fn load_with_header(
        gpu: Rc<Gpu>,
        file: ModelFile,
        header: Header,
        options: &LoadOptions,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Loading),
    ) -> Result<Self, EngineError> {
        let spec = ModelSpec::with_options(&header, options)?;
        let architecture = || header.metadata.str("general.architecture").unwrap_or_default().to_owned();
        let denoising = spec.config.diffusion;
        let denoising = denoising.ok_or_else(|| ConfigError::NotDiffusion { found: architecture() })?;
        check::try_matrix_units(&gpu).await?;
        let fit = spec.fit(options.context, DeviceMemory::assumed(&gpu))?;
        // What stays on the host must be available before the first weight is read.
        let ModelFile { bytes: source, local } = file;
        let experts = spec.expert_source(local)?;
        let tokenizer = Rc::new(Tokenizer::from_metadata(&header.metadata)?);
        let variant = Variant::from_metadata(&header.metadata);
        drop(header);

        let mut parts = spec.describe(fit.context, fit.storage, gpu.plan_limits())?;
        let plans = DiffusionPlans::new(&parts).map_err(GpuError::from)?;
        let compiled = gpu.compile_ahead(plans.all());
        drop(plans);
        let mut told = |p: weights::Progress| progress(Loading::Weights(p.done, p.total));
        let loaded =
            weights::load(&gpu, &source, &spec.tensors, &mut parts.weights, cancel, &mut told).await?;
        let diffuser = cancel
            .guard(async {
                progress(Loading::Kernels(0, 1));
                compiled.await;
                let made = Diffuser::new(Rc::clone(&gpu), parts, loaded, experts, fit.context).await;
                made.map_err(EngineError::from)
            })
            .await?;
        progress(Loading::Kernels(1, 1));
        let sequence = Sequence::default();
        let Fit { context, bytes, storage } = fit;
        Ok(Self { gpu, tokenizer, variant, denoising, diffuser, context, bytes, storage, sequence })
    }

    /// The tokenizer. It is shared, so that prompts can be counted during generation.
    #[must_use]
    pub fn tokenizer(&self) -> &Rc<Tokenizer> {
        &self.tokenizer
    }

    /// The variant of the chat template.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The sampler settings of the file.
    #[must_use]
    pub fn denoising(&self) -> Denoising {
        self.denoising
    }

    /// The programs, for figures and comparisons.
    #[must_use]
    pub fn diffuser(&self) -> &Diffuser {
        &self.diffuser
    }

    /// Tokens that the context holds, canvases included.
    #[must_use]
    pub fn context(&self) -> u32 {
        self.context
    }

    /// How table and cache are stored.
    #[must_use]
    pub fn storage(&self) -> Storage {
        self.storage
    }

    /// Planned device memory ([`super::Fit::bytes`]).
    #[must_use]
    pub fn planned_bytes(&self) -> u64 {
        self.bytes
    }

    /// Tokens in the cache.
    #[must_use]
    pub fn context_used(&self) -> u32 {
        self.sequence.held().len() as u32
    }

    /// Empties the cache.
    pub fn forget(&mut self) {
        self.sequence = Sequence::default();
    }

    /// The prompt of a conversation, in this model's template.
    #[must_use]
    pub fn render(&self, conversation: &Conversation, thinking: bool) -> Prompt {
        let options = RenderOptions { thinking, ..RenderOptions::new(self.variant) };
        render(&conversation.messages, &conversation.tools, &options)
    }

    /// Brings the cache up to a prompt; the tokens that it held already, or none when cancelled meanwhile.
    ///
    /// # Errors
    /// As [`Self::generate`].
    pub async fn read(
        &mut self,
        prompt: &[u32],
        cancel: &CancelToken,
        on: &mut dyn FnMut(DiffusionEvent),
    ) -> Result<Option<u32>, EngineError> {
        let vocabulary = self.diffuser.parts().vocabulary;
        if prompt.is_empty() {
            return Err(EngineError::Empty);
        }
        if let Some(&id) = prompt.iter().find(|&&id| id >= vocabulary) {
            return Err(EngineError::NoToken { id, vocabulary });
        }
        let total = prompt.len() as u32;
        if total > self.context {
            return Err(EngineError::ContextFull { tokens: total, context: self.context });
        }
        let config = &self.diffuser.parts().config;
        let ring = ring(config, self.diffuser.most_rows());
        let ring = if self.context > ring { ring } else { 0 };
        let input = Input::from(prompt);
        let cached = self.sequence.reusable(&input, ring, config.window);
        self.sequence.set(input.prefix(cached as usize), cached);
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
        let held = [self.sequence.held().ids(), ids].concat();
        let written = held.len() as u32;
        // Even if it is cancelled halfway, the chunk has overwritten slots of rings.
        self.sequence.set(self.sequence.held().clone(), written);
        cancel.guard(async { Ok::<_, EngineError>(self.diffuser.encode(ids, pos, cancel).await?) }).await?;
        self.sequence.set(held.into(), written);
        Ok(())
    }
}
