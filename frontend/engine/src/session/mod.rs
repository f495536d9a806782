//! A loaded model that answers prompts: the interface for the worker and `probe`.

mod adapters;
mod benchmark;
mod checkpoints;
mod diffusion;
mod drafter;
mod error;
mod experts;
mod file;
mod fit;
mod generate;
mod memory;
mod model;
mod profile;
mod sequence;
mod spec;

use std::rc::Rc;
use std::sync::Arc;

use crate::audio::{self, Audio};
use crate::bytes::{ByteSource, CancelToken};
use crate::check;
use crate::gguf::{Family, Header};
use crate::gpu::{Buffer, Gpu, GpuError};
use crate::media::{Input, Media, MediaError};
use crate::model::{
    ConfigError, Decoder, DecoderPlans, FormChoice, HostTable, KvType, LoadedModel, LogitsReader, Products,
    ring,
};
use crate::template::{Conversation, Prompt, RenderOptions, Variant, render};
use crate::tokenizer::Tokenizer;
use crate::train::Base;
use crate::vision::{TowerPlan, Vision};
use crate::weights;

use checkpoints::Checkpoints;
use sequence::Sequence;

pub use adapters::{Loaded, MAX_ADAPTERS};
pub use benchmark::made_up_prompt;
pub use diffusion::{
    CanvasText, DenoisingStep, DiffusionEvent, DiffusionOptions, DiffusionOutcome, DiffusionSession,
    DiffusionTimings,
};
pub use error::EngineError;
pub use experts::ExpertMemory;
pub use file::ModelFile;
pub use fit::Needs;
pub use generate::{Control, Event, Finish, Options, Outcome, Timings};
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
    /// Which products of decode are packed.
    pub products: Products,
    /// Which forms they get.
    pub forms: FormChoice,
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
    /// Compiling kernels: programs done, total programs.
    Kernels(u64, u64),
    /// Fetching the towers: bytes done, total bytes.
    Towers(u64, u64),
}

/// A loaded model with the KV cache of a conversation.
pub struct Session {
    gpu: Rc<Gpu>,
    tokenizer: Rc<Tokenizer>,
    variant: Variant,
    decoder: Decoder,
    context: u32,
    bytes: u64,
    storage: Storage,
    tower_bytes: u64,
    sequence: Sequence,
    checkpoints: Checkpoints,
    vision: Option<Vision>,
    audio: Option<Audio>,
    adapters: Vec<Loaded>,
}

/// Reads the header of a model file.
async fn read_header(
    file: &ModelFile,
    cancel: &CancelToken,
    progress: &mut dyn FnMut(Loading),
) -> Result<Header, EngineError> {
    let mut told = |bytes| progress(Loading::Header(bytes));
    let reading =
        async { Header::read_with_progress(&*file.bytes, &mut told).await.map_err(EngineError::from) };
    cancel.guard(reading).await
}

impl Session {
    /// Loads a model. A previous session should be dropped first to free its memory.
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
        if spec.config.diffusion.is_some() {
            return Err(ConfigError::IsDiffusion.into());
        }
        check::try_matrix_units(&gpu).await?;
        let needs = spec.needs(DeviceMemory::assumed(&gpu))?;
        let (fit, tower_bytes) = (needs.fit(options.context)?, needs.tower_bytes());
        let ModelFile { bytes: source, local } = file;
        // What stays on the host must be available before the first weight is read.
        let outside = spec.table_on_host(fit.storage);
        let outside = outside.map(|spec| {
            let bytes = spec.range.end - spec.range.start;
            local.clone().map(|table| (table, spec.clone())).ok_or(EngineError::NoTable { bytes })
        });
        let outside = outside.transpose()?;
        let experts = spec.expert_source(local)?;
        let tokenizer = Rc::new(Tokenizer::from_metadata(&header.metadata)?);
        let variant = Variant::from_metadata(&header.metadata);
        let vision = spec.vision.clone().map(|tower| Vision::new(Rc::clone(&gpu), Rc::clone(&source), tower));
        let audio = spec.audio.clone().map(|tower| Audio::new(Rc::clone(&gpu), Rc::clone(&source), tower));
        // The header of a large vocabulary takes tens of megabytes.
        drop(header);

        let mut parts = spec.describe(fit.context, fit.storage, gpu.plan_limits())?;
        let plans = DecoderPlans::with_forms(&parts, options.products, options.forms);
        let plans = plans.map_err(GpuError::from)?;
        let compiled = gpu.compile_ahead(plans.usual());
        drop(plans);
        let mut told = |p: weights::Progress| progress(Loading::Weights(p.done, p.total));
        let weights =
            weights::load(&gpu, &source, &spec.tensors, &mut parts.weights, cancel, &mut told).await?;
        cancel.check()?;
        let whole = LoadedModel {
            parts,
            weights,
            table: outside.map(|(table, spec)| HostTable::new(table, spec)),
            experts,
            context: fit.context,
            pad: tokenizer.special().pad.unwrap_or(0),
            products: options.products,
            forms: options.forms,
        };
        // Compiling may also take long.
        let mut told = |done, total| progress(Loading::Kernels(done, total));
        let decoder = cancel
            .guard(async {
                told(0, Decoder::PROGRAMS);
                compiled.await;
                let decoder = Decoder::new(Rc::clone(&gpu), whole, &mut told).await?;
                // Rows that can't be read now are fetched, or fail, when they are needed.
                decoder.warm_rows().await.ok();
                Ok::<_, EngineError>(decoder)
            })
            .await?;
        Ok(Self {
            gpu,
            tokenizer,
            variant,
            decoder,
            context: fit.context,
            bytes: fit.bytes,
            storage: fit.storage,
            tower_bytes,
            sequence: Sequence::default(),
            checkpoints: Checkpoints::default(),
            vision,
            audio,
            adapters: Vec::new(),
        })
    }

    /// Uses the towers of a projector file instead of those in the model file. Their weights are loaded on demand. Those of
    /// Gemma 3 are left alone.
    ///
    /// # Errors
    /// When the file is inconsistent, or belongs to a model of another width.
    pub fn use_projector(&mut self, source: &Rc<dyn ByteSource>, header: &Header) -> Result<(), EngineError> {
        let width = self.decoder.config().width;
        if self.decoder.config().family == Family::Gemma3 {
            return Ok(());
        }
        if let Some(plan) = TowerPlan::read(header, width)? {
            self.vision = Some(Vision::new(Rc::clone(&self.gpu), Rc::clone(source), plan));
        }
        if let Some(plan) = audio::TowerPlan::read(header, width)? {
            self.audio = Some(Audio::new(Rc::clone(&self.gpu), Rc::clone(source), plan));
        }
        Ok(())
    }

    /// The vision tower, if there is one.
    #[must_use]
    pub fn vision(&self) -> Option<&Vision> {
        self.vision.as_ref()
    }

    /// The vision tower, to encode images or to unload it.
    ///
    /// # Errors
    /// [`MediaError::NoTower`] if there is none.
    pub fn vision_mut(&mut self) -> Result<&mut Vision, EngineError> {
        self.vision.as_mut().ok_or_else(|| MediaError::NoTower { media: Media::Image }.into())
    }

    /// The audio tower, if there is one.
    #[must_use]
    pub fn audio(&self) -> Option<&Audio> {
        self.audio.as_ref()
    }

    /// The audio tower, to encode audio or to unload it.
    ///
    /// # Errors
    /// [`MediaError::NoTower`] if there is none.
    pub fn audio_mut(&mut self) -> Result<&mut Audio, EngineError> {
        self.audio.as_mut().ok_or_else(|| MediaError::NoTower { media: Media::Audio }.into())
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

    /// The decoder, for statistics.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// Changes which products of decode are packed, and clears the cache.
    ///
    /// # Errors
    /// When the device was lost, or rejects a kernel; the session must not be used then.
    pub async fn set_products(&mut self, products: Products) -> Result<(), EngineError> {
        self.forget();
        Ok(self.decoder.set_products(products).await?)
    }

    /// The inputs of training. They share the weights, and may outlive the session.
    #[must_use]
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

    /// Context length in tokens.
    #[must_use]
    pub fn context(&self) -> u32 {
        self.context
    }

    /// Planned device memory ([`Fit::bytes`]). It includes towers and checkpoints, which are allocated later.
    #[must_use]
    pub fn planned_bytes(&self) -> u64 {
        self.bytes
    }

    /// How table and cache are stored.
    #[must_use]
    pub fn storage(&self) -> Storage {
        self.storage
    }

    /// The part of it that is reserved for towers.
    #[must_use]
    pub fn tower_bytes(&self) -> u64 {
        self.tower_bytes
    }

    /// Number of tokens in the cache.
    #[must_use]
    pub fn context_used(&self) -> u32 {
        self.sequence.held().len() as u32
    }

    /// Renders a conversation with this model's chat template.
    #[must_use]
    pub fn render(&self, conversation: &Conversation, thinking: bool) -> Prompt {
        let options = RenderOptions { thinking, ..RenderOptions::new(self.variant) };
        render(&conversation.messages, &conversation.tools, &options)
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
        let total = self.begin_logits(prompt.len())?;
        let first = total.saturating_sub(last as u32);
        let mut logits = Vec::new();
        let reader = LogitsReader::new(&self.decoder).await?;
        let mut pos = 0;
        while pos < total {
            let end = self.chunk_end(prompt, pos, self.decoder.text_chunk_len())?;
            reader.prefill(prompt, pos, end - pos).await?;
            for row in pos.max(first)..end {
                logits.extend(reader.row(row - pos).await?);
            }
            pos = end;
        }
        Ok(logits)
    }

    /// Clears the cache for a prompt of `len` tokens, and checks its length.
    fn begin_logits(&mut self, len: usize) -> Result<u32, EngineError> {
        let total = len as u32;
        if total == 0 {
            return Err(EngineError::Empty);
        }
        if total > self.context {
            return Err(EngineError::ContextFull { tokens: total, context: self.context });
        }
        self.sequence.clear();
        Ok(total)
    }

    /// Same as [`Self::logits`], for a prompt without media, with each token processed by the decode kernels.
    ///
    /// # Errors
    /// Same as [`Self::generate`].
    pub async fn logits_by_steps(&mut self, prompt: &[u32], last: usize) -> Result<Vec<f32>, EngineError> {
        let total = self.begin_logits(prompt.len())?;
        let first = total.saturating_sub(last as u32);
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

    /// The end of the prompt chunk that starts at `pos`: `most` tokens of text at most.
    fn chunk_end(&self, prompt: &Input, pos: u32, most: u32) -> Result<u32, EngineError> {
        let whole = self.decoder.config().sees_pictures_whole().then(|| self.decoder.chunk_len());
        Ok(prompt.chunk_end(pos, most, whole)?)
    }

    /// Tokens of the longest supported image; `None` if there is no limit.
    #[must_use]
    pub fn largest_picture(&self) -> Option<u32> {
        self.decoder.config().sees_pictures_whole().then(|| self.decoder.chunk_len())
    }

    /// The blocks of a prompt whose soft tokens [`Self::generate`] needs, because they are not in the cache.
    #[must_use]
    pub fn unread_blocks(&self, prompt: &Input) -> Vec<usize> {
        let held = self.reusable(prompt);
        let blocks = prompt.blocks().iter().enumerate();
        blocks.filter(|(_, block)| block.range().end > held).map(|(index, _)| index).collect()
    }

    /// Clears the cache; the next prompt is processed from its beginning.
    pub fn forget(&mut self) {
        self.sequence.clear();
        self.checkpoints.clear();
    }

    /// Length of the prompt's prefix that is in the cache.
    fn reusable(&self, prompt: &Input) -> u32 {
        self.directly_reusable(prompt).max(self.best_checkpoint(prompt).map_or(0, |(_, tokens)| tokens))
    }

    /// The checkpoint with the longest usable prefix of a prompt, and its length: never the whole prompt, since the
    /// logits of the last token are needed.
    fn best_checkpoint(&self, prompt: &Input) -> Option<(usize, u32)> {
        let index = self.checkpoints.longest(prompt, self.sequence.held())?;
        Some((index, self.checkpoints.len(index).min(prompt.len().saturating_sub(1)) as u32))
    }

    fn directly_reusable(&self, prompt: &Input) -> u32 {
        let config = self.decoder.config();
        let ring = ring(config, self.decoder.chunk_len());
        let turns = self.decoder.kv().layers.iter().flatten().any(|layer| layer.ring > 0);
        self.sequence.reusable(prompt, if turns { ring } else { 0 }, config.window)
    }

    /// Prepares the cache for a prompt, and returns the number of tokens that need not be computed.
    fn restore(&mut self, prompt: &Input) -> u32 {
        let direct = self.directly_reusable(prompt);
        let Some((index, tokens)) = self.best_checkpoint(prompt).filter(|&(_, tokens)| tokens > direct)
        else {
            if direct == 0 {
                self.sequence.clear();
            }
            return direct;
        };
        self.sequence = self.checkpoints.restore(&self.gpu, &self.rings(), index);
        tokens
    }

    /// The buffers of the caches that are rings.
    fn rings(&self) -> Vec<Arc<Buffer>> {
        let (kv, memory) = (self.decoder.kv(), self.decoder.memory());
        kv.rings().filter_map(|ring| memory.get(ring).ok().cloned()).collect()
    }

    /// Saves the rings at the end of a prompt. If this fails, regenerating processes the prompt again.
    async fn save(&mut self) {
        self.checkpoints.save(&self.gpu, &self.rings(), &self.sequence).await.ok();
    }
}
