//! A loaded model that answers prompts: the interface for the worker and `probe`.

mod adapters;
mod benchmark;
mod checkpoints;
mod constrained;
mod constraint;
mod diffusion;
mod drafter;
mod encoder;
mod error;
mod experts;
mod file;
mod fit;
mod generate;
mod kept_cache;
mod kind;
mod memory;
mod model;
mod profile;
mod sequence;
mod spec;

use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use std::sync::Arc;

use crate::bytes::CancelToken;
use crate::gpu::{Buffer, Gpu, GpuError};
use crate::media::Input;
use crate::model::{
    ConfigError, Decoder, DecoderPlans, ExpertUse, KvType, LoadedModel, LogitsReader, Preparing, TEXT_CHUNK,
    Tuning,
};
use crate::plan::Tested;
use crate::train::Base;

use checkpoints::Checkpoints;
use kind::Described;

pub use adapters::{LoadedAdapter, MAX_ADAPTERS};
pub use benchmark::made_up_prompt;
pub use constraint::{Constraint, ConstraintError};
pub use diffusion::{
    CanvasText, DenoisingStep, DiffusionEvent, DiffusionOptions, DiffusionOutcome, DiffusionSession,
    DiffusionTimings,
};
pub use encoder::{EncoderSession, shortened};
pub use error::EngineError;
pub use experts::ExpertMemory;
pub use file::ModelFile;
pub use fit::Needs;
pub use generate::{Control, Event, Finish, Options, Outcome, Timings};
pub use kept_cache::{CacheContents, CachePart, Reuse};
pub use kind::{Core, SessionKind};
pub use memory::{DeviceMemory, Fit, LargestBuffer, MemoryUse, Storage, TablePlace, assumed_memory};
pub use model::ModelSession;
pub use profile::{KernelTime, Profile};
pub use spec::{DEFAULT_CONTEXT, MIN_CONTEXT, ModelSpec};

/// Options of loading.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadOptions {
    /// Context length in tokens; 0 for the default.
    pub context: u32,
    /// Storage type of the KV cache. F16 becomes Q8_0 where the context does not fit otherwise.
    pub kv_type: KvType,
    /// How decode computes its products; `None` to measure what is the fastest.
    pub tuning: Option<Tuning>,
    /// Whether other forms of the products are tried if the tuning is measured.
    pub tries_forms: bool,
    /// Whether rows of prompts are rounded to int8, as an earlier load found ([`crate::tiles::choose`]); `None` to measure it.
    pub packed_tiles: Option<bool>,
    /// The first place that the per-layer table may have. It gets a later one if it does not fit.
    pub table: TablePlace,
    /// Experts per layer that have a place on the device; 0 for all. See [`ModelSpec::with_expert_budget`].
    pub expert_slots: u32,
    /// Tokens of the largest image to support, if images must be in one chunk; 0 for the default budget.
    pub largest_picture: u32,
    /// Bytes to reserve for the towers of a projector file, which are loaded on demand.
    pub projector_bytes: u64,
    /// Bytes to reserve for a drafter.
    pub drafter_bytes: u64,
    /// Bytes that other models on the device take.
    pub bytes_of_others: u64,
    /// Bytes that the device has for all of them; `None` for what it is assumed to have ([`assumed_memory`]).
    pub memory: Option<u64>,
}

/// Progress of loading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loading {
    /// Reading the header: bytes fetched.
    Header(u64),
    /// Copying to this machine what does not fit on the device: bytes done, total bytes.
    Table(u64, u64),
    /// Copying weights: bytes done, total bytes.
    Weights(u64, u64),
    /// Timing which kernels are the fastest. This may come before the weights and behind them.
    Tuning,
    /// Compiling kernels: programs done, total programs.
    Kernels(u64, u64),
    /// Fetching the towers: bytes done, total bytes.
    Towers(u64, u64),
}

/// A loaded model with the KV cache of a conversation.
pub struct Session {
    core: Core,
    decoder: Decoder,
    checkpoints: Checkpoints,
    adapters: Vec<LoadedAdapter>,
}

impl Deref for Session {
    type Target = Core;

    fn deref(&self) -> &Core {
        &self.core
    }
}

impl DerefMut for Session {
    fn deref_mut(&mut self) -> &mut Core {
        &mut self.core
    }
}

impl SessionKind for Session {
    fn expert_use(&self) -> Option<(u32, ExpertUse)> {
        self.decoder.expert_use()
    }

    fn tested(&self) -> Vec<Tested> {
        self.with_towers(self.decoder.tested())
    }
}

impl Session {
    /// Loads a model. A previous session should be dropped first to free its memory.
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
        if spec.config.diffusion.is_some() {
            return Err(ConfigError::IsDiffusion.into());
        }
        if spec.config.encoder.is_some() {
            return Err(ConfigError::IsEncoder.into());
        }
        let mut described = Described::new(Rc::clone(&gpu), file, (header, spec), options, progress).await?;
        let plans = DecoderPlans::new(&described.parts, options.tuning, None).map_err(GpuError::from)?;
        let compiled = gpu.compile_ahead(plans.usual());
        drop(plans);
        let weights = described.load_weights(cancel, progress).await?;
        let Described { core, parts, table, experts, .. } = described;
        let model = LoadedModel {
            parts,
            weights,
            table,
            experts,
            context: core.context,
            pad: core.tokenizer.special().pad.unwrap_or(0),
            tuning: options.tuning,
            tries_forms: options.tries_forms,
        };
        // Compiling may also take long.
        let mut report = |step| {
            progress(match step {
                Preparing::Tuning => Loading::Tuning,
                Preparing::Programs(done) => Loading::Kernels(done, Decoder::PROGRAMS),
            });
        };
        let decoder = cancel
            .guard(async {
                report(Preparing::Programs(0));
                compiled.await;
                let decoder = Decoder::new(Rc::clone(&gpu), model, &mut report).await?;
                // Rows that can't be read now are fetched, or fail, when they are needed.
                decoder.warm_rows().await.ok();
                Ok::<_, EngineError>(decoder)
            })
            .await?;
        let (checkpoints, adapters) = (Checkpoints::default(), Vec::new());
        Ok(Self { core, decoder, checkpoints, adapters })
    }

    /// Returns the decoder, for statistics.
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// Returns whether rows of prompts are rounded to int8.
    pub fn packs_prompts(&self) -> bool {
        self.decoder.parts().limits.packed_tiles
    }

    /// Changes how decode computes its products, and clears the cache.
    ///
    /// # Errors
    /// When the device was lost, or rejects a kernel; the session must not be used then.
    pub async fn set_tuning(&mut self, tuning: Tuning) -> Result<(), EngineError> {
        self.forget();
        Ok(self.decoder.set_tuning(tuning).await?)
    }

    /// Returns the inputs of training. They share the weights, and may outlive the session.
    pub fn training_base(&self) -> Base {
        let parts = self.decoder.parts();
        Base {
            config: parts.config.clone(),
            vocabulary: parts.vocabulary,
            weights: parts.weights.clone(),
            memory: self.decoder.weights().clone(),
            pad: self.decoder.pad(),
            limits: parts.limits,
            table: self.decoder.table().cloned(),
        }
    }

    /// Logits of the last `last` rows of a prompt, after the softcap: `[last, vocabulary]`. Every token of the
    /// prompt goes through all layers.
    ///
    /// # Errors
    /// Same as [`Self::generate`].
    pub async fn logits(&mut self, prompt: impl Into<Input>, last: usize) -> Result<Vec<f32>, EngineError> {
        self.logits_of(&prompt.into(), last).await
    }

    async fn logits_of(&mut self, prompt: &Input, last: usize) -> Result<Vec<f32>, EngineError> {
        self.check_prompt(prompt.ids(), 0)?;
        self.core.sequence.clear();
        let total = prompt.len() as u32;
        let first = total.saturating_sub(last as u32);
        let mut logits = Vec::new();
        let reader = LogitsReader::new(&self.decoder).await?;
        let mut pos = 0;
        while pos < total {
            let end = self.chunk_end(prompt, pos, TEXT_CHUNK)?;
            reader.prefill(prompt, pos, end - pos).await?;
            for row in pos.max(first)..end {
                logits.extend(reader.row(row - pos).await?);
            }
            pos = end;
        }
        Ok(logits)
    }

    /// Same as [`Self::logits`], for a prompt without media, with each token processed by the decode kernels.
    ///
    /// # Errors
    /// Same as [`Self::generate`].
    pub async fn logits_by_steps(&mut self, prompt: &[u32], last: usize) -> Result<Vec<f32>, EngineError> {
        self.check_prompt(prompt, 0)?;
        self.core.sequence.clear();
        let first = (prompt.len() as u32).saturating_sub(last as u32);
        let mut logits = Vec::new();
        let reader = LogitsReader::new(&self.decoder).await?;
        for (pos, &id) in (0..).zip(prompt) {
            let row = reader.step(id, pos).await?;
            if pos >= first {
                logits.extend(row);
            }
        }
        Ok(logits)
    }

    /// Returns the end of the prompt chunk that starts at `pos`: `most` tokens of text at most.
    fn chunk_end(&self, prompt: &Input, pos: u32, most: u32) -> Result<u32, EngineError> {
        let whole = self.decoder.config().sees_pictures_whole().then(|| self.decoder.chunk_len());
        Ok(prompt.chunk_end(pos, most, whole)?)
    }

    /// Tokens of the longest supported image; `None` if there is no limit.
    pub fn largest_picture(&self) -> Option<u32> {
        self.decoder.config().sees_pictures_whole().then(|| self.decoder.chunk_len())
    }

    /// Returns the blocks of a prompt whose soft tokens [`Self::generate`] needs, because they are not in the cache.
    pub fn unread_blocks(&self, prompt: &Input) -> Vec<usize> {
        let held = self.reusable(prompt);
        let blocks = prompt.blocks().iter().enumerate();
        blocks.filter(|(_, block)| block.range().end > held).map(|(index, _)| index).collect()
    }

    /// Clears the cache; the next prompt is processed from its beginning.
    pub fn forget(&mut self) {
        self.core.sequence.clear();
        self.checkpoints.clear();
    }

    /// Length of the prompt's prefix that is in the cache.
    fn reusable(&self, prompt: &Input) -> u32 {
        self.directly_reusable(prompt).max(self.best_checkpoint(prompt).map_or(0, |(_, tokens)| tokens))
    }

    /// Returns the checkpoint with the longest usable prefix of a prompt, and its length: never the whole prompt, since the
    /// logits of the last token are needed.
    fn best_checkpoint(&self, prompt: &Input) -> Option<(usize, u32)> {
        let index = self.checkpoints.longest(prompt, self.core.sequence.held())?;
        Some((index, self.checkpoints.len(index).min(prompt.len().saturating_sub(1)) as u32))
    }

    fn directly_reusable(&self, prompt: &Input) -> u32 {
        let (ring, window) = self.turning();
        self.core.sequence.reusable(prompt, ring, window)
    }

    /// Prepares the cache for a prompt, and returns the number of tokens that need not be computed.
    fn restore(&mut self, prompt: &Input) -> u32 {
        let direct = self.directly_reusable(prompt);
        let Some((index, tokens)) = self.best_checkpoint(prompt).filter(|&(_, tokens)| tokens > direct)
        else {
            if direct == 0 {
                self.core.sequence.clear();
            }
            return direct;
        };
        self.core.sequence = self.checkpoints.restore(&self.core.gpu, &self.rings(), index);
        tokens
    }

    /// Returns the buffers of the caches that are rings.
    fn rings(&self) -> Vec<Arc<Buffer>> {
        let (kv, memory) = (self.decoder.kv(), self.decoder.memory());
        kv.rings().filter_map(|ring| memory.get(ring).ok().cloned()).collect()
    }

    /// Saves the rings at the end of a prompt. If this fails, regenerating processes the prompt again.
    async fn save(&mut self) {
        self.checkpoints.save(&self.core.gpu, &self.rings(), &self.core.sequence).await.ok();
    }
}
