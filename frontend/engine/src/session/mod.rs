//! A model that has been loaded and answers: what the worker and `probe` call.

mod adapters;
mod benchmark;
mod checkpoints;
mod error;
mod file;
mod fit;
mod generate;
mod memory;
mod profile;
mod sequence;
mod spec;

use std::rc::Rc;
use std::sync::Arc;

use crate::audio::{self, Hearing};
use crate::bytes::{ByteSource, CancelToken};
use crate::gguf::Header;
use crate::gpu::{Buffer, Gpu, GpuError};
use crate::media::{Input, Media, MediaError};
use crate::model::{Decoder, DecoderPlans, HostTable, Ingredients, KvType, LogitsReader, Products, ring};
use crate::template::{Conversation, Prompt, RenderOptions, Variant, render};
use crate::tokenizer::Tokenizer;
use crate::train::Base;
use crate::vision::{TowerPlan, Vision};
use crate::weights;

use checkpoints::Checkpoints;
use sequence::Sequence;

pub use adapters::{Loaded, MOST_ADAPTERS};
pub use benchmark::made_up_prompt;
pub use error::EngineError;
pub use file::ModelFile;
pub use fit::Needs;
pub use generate::{Control, Event, Finish, Options, Outcome, Timings};
pub use memory::{DeviceMemory, Fit, LargestBuffer, MemoryUse, assumed_memory};
pub use profile::{KernelTime, Profile};
pub use spec::{DEFAULT_CONTEXT, LEAST_CONTEXT, ModelSpec};

/// How to load.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadOptions {
    /// Context length in tokens; 0 for the default.
    pub context: u32,
    /// How keys and values are stored.
    pub kv_type: KvType,
    /// Which products of decode are packed.
    pub products: Products,
    /// Leave the per-layer table outside of the device even where it would fit.
    pub ple_on_host: bool,
    /// Tokens of the largest picture to make room for, where pictures are read in one piece; 0 for the usual budget.
    pub largest_picture: u32,
    /// Bytes to keep free for the towers of a projector file, which are loaded when they are needed.
    pub projector_bytes: u64,
}

/// What a load is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loading {
    /// Reading the header: bytes fetched.
    Header(u64),
    /// Copying the per-layer table to a place on this machine: bytes done, bytes in all.
    Table(u64, u64),
    /// Copying weights: bytes done, bytes in all.
    Weights(u64, u64),
    /// Compiling kernels: lists done, lists in all.
    Kernels(u64, u64),
    /// Fetching what only pictures and sound need: bytes done, bytes in all.
    Towers(u64, u64),
}

/// A loaded model with its conversation's cache.
pub struct Session {
    gpu: Rc<Gpu>,
    tokenizer: Rc<Tokenizer>,
    variant: Variant,
    decoder: Decoder,
    context: u32,
    bytes: u64,
    tower_bytes: u64,
    sequence: Sequence,
    checkpoints: Checkpoints,
    vision: Option<Vision>,
    hearing: Option<Hearing>,
    adapters: Vec<Loaded>,
}

impl Session {
    /// Loads a model. What is not needed any more should be dropped before: memory is not shared.
    ///
    /// # Errors
    /// Anything of [`EngineError`]; a cancelled token shows as [`EngineError::is_cancelled`].
    pub async fn load(
        gpu: Rc<Gpu>,
        file: ModelFile,
        options: &LoadOptions,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Loading),
    ) -> Result<Self, EngineError> {
        let header = cancel
            .guard(async {
                Header::read_with_progress(&*file.bytes, &mut |bytes| progress(Loading::Header(bytes)))
                    .await
                    .map_err(EngineError::from)
            })
            .await?;
        Self::load_with_header(gpu, file, header, options, cancel, progress).await
    }

    /// As [`Self::load`], with a header that has been read already.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub async fn load_with_header(
        gpu: Rc<Gpu>,
        file: ModelFile,
        header: Header,
        options: &LoadOptions,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Loading),
    ) -> Result<Self, EngineError> {
        let spec = ModelSpec::with_options(&header, options)?;
        let needs = spec.needs(DeviceMemory::assumed(&gpu))?;
        let (fit, tower_bytes) = (needs.fit(options.context)?, needs.tower_bytes());
        let ModelFile { bytes: source, table } = file;
        // What is outside of the device is in reach before the first weight is read, or the model is not loaded.
        let outside = spec.table().filter(|_| fit.table_on_host);
        let outside = outside.map(|spec| {
            let bytes = spec.range.end - spec.range.start;
            table.map(|table| (table, spec.clone())).ok_or(EngineError::NoTable { bytes })
        });
        let outside = outside.transpose()?;
        let tokenizer = Rc::new(Tokenizer::from_metadata(&header.metadata)?);
        let rows = spec.tensors.vocabulary();
        if tokenizer.vocabulary_size() > rows as usize {
            return Err(EngineError::Vocabulary { pieces: tokenizer.vocabulary_size(), rows });
        }
        let variant = Variant::from_metadata(&header.metadata);
        let eyes = spec.vision.clone().map(|tower| Vision::new(Rc::clone(&gpu), Rc::clone(&source), tower));
        let ears = spec.audio.clone().map(|tower| Hearing::new(Rc::clone(&gpu), Rc::clone(&source), tower));
        // The header of a large vocabulary is tens of megabytes.
        drop(header);

        let mut parts = spec.describe(fit.context, fit.table_on_host, gpu.plan_limits())?;
        let plans = DecoderPlans::new(&parts, options.products, None).map_err(GpuError::from)?;
        let compiled = gpu.compile_ahead(plans.usual());
        drop(plans);
        let mut told = |p: weights::Progress| progress(Loading::Weights(p.done, p.total));
        let weights =
            weights::load(&gpu, &source, &spec.tensors, &mut parts.weights, cancel, &mut told).await?;
        cancel.check()?;
        let whole = Ingredients {
            parts,
            weights,
            table: outside.map(|(table, spec)| HostTable::new(table, spec)),
            context: fit.context,
            pad: tokenizer.special().pad.unwrap_or(0),
            products: options.products,
        };
        // Compiling may take long, too.
        let mut told = |done, total| progress(Loading::Kernels(done, total));
        let decoder = cancel
            .guard(async {
                told(0, Decoder::PROGRAMS);
                compiled.await;
                let made = Decoder::new(Rc::clone(&gpu), whole, &mut told).await;
                made.map_err(EngineError::from)
            })
            .await?;
        Ok(Self {
            gpu,
            tokenizer,
            variant,
            decoder,
            context: fit.context,
            bytes: fit.bytes,
            tower_bytes,
            sequence: Sequence::default(),
            checkpoints: Checkpoints::default(),
            vision: eyes,
            hearing: ears,
            adapters: Vec::new(),
        })
    }

    /// Takes the towers of a projector file beside the model, in place of those in the model's own file. Their weights
    /// are loaded when the first medium needs them.
    ///
    /// # Errors
    /// When the file contradicts itself, or belongs to a model of another width.
    pub fn use_projector(&mut self, source: &Rc<dyn ByteSource>, header: &Header) -> Result<(), EngineError> {
        let width = self.decoder.config().width;
        if let Some(plan) = TowerPlan::read(header, width)? {
            self.vision = Some(Vision::new(Rc::clone(&self.gpu), Rc::clone(source), plan));
        }
        if let Some(plan) = audio::TowerPlan::read(header, width)? {
            self.hearing = Some(Hearing::new(Rc::clone(&self.gpu), Rc::clone(source), plan));
        }
        Ok(())
    }

    /// The model's eyes, where it has any.
    #[must_use]
    pub fn vision(&self) -> Option<&Vision> {
        self.vision.as_ref()
    }

    /// The model's eyes, to encode pictures or to unload the tower.
    ///
    /// # Errors
    /// [`MediaError::NoTower`] where it has none.
    pub fn vision_mut(&mut self) -> Result<&mut Vision, EngineError> {
        self.vision.as_mut().ok_or_else(|| MediaError::NoTower { media: Media::Image }.into())
    }

    /// The model's ears, where it has any.
    #[must_use]
    pub fn hearing(&self) -> Option<&Hearing> {
        self.hearing.as_ref()
    }

    /// The model's ears, to encode sound or to unload the tower.
    ///
    /// # Errors
    /// [`MediaError::NoTower`] where it has none.
    pub fn hearing_mut(&mut self) -> Result<&mut Hearing, EngineError> {
        self.hearing.as_mut().ok_or_else(|| MediaError::NoTower { media: Media::Audio }.into())
    }

    /// The tokenizer. Shared, so that prompts can be counted while an answer runs.
    #[must_use]
    pub fn tokenizer(&self) -> &Rc<Tokenizer> {
        &self.tokenizer
    }

    /// The chat template's variant.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The decoder, for figures.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// Changes which products of decode are packed, and forgets what the ones before have put into the cache.
    ///
    /// # Errors
    /// When the device was lost, or refuses a kernel; the session must not be used then.
    pub async fn set_products(&mut self, products: Products) -> Result<(), EngineError> {
        self.forget();
        Ok(self.decoder.set_products(products).await?)
    }

    /// What training needs of the model. It shares the weights, and outlives the session if it must.
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

    /// Tokens that the context holds.
    #[must_use]
    pub fn context(&self) -> u32 {
        self.context
    }

    /// Bytes of graphics memory that the load was planned with ([`Fit::bytes`]): with room for the towers and for what an
    /// answer keeps, which are not there from the beginning.
    #[must_use]
    pub fn planned_bytes(&self) -> u64 {
        self.bytes
    }

    /// Of these, what is kept free for towers.
    #[must_use]
    pub fn tower_bytes(&self) -> u64 {
        self.tower_bytes
    }

    /// Tokens in the cache.
    #[must_use]
    pub fn context_used(&self) -> u32 {
        self.sequence.held().len() as u32
    }

    /// The prompt of a conversation, in this model's template.
    #[must_use]
    pub fn render(&self, conversation: &Conversation, thinking: bool) -> Prompt {
        let options = RenderOptions { thinking, ..RenderOptions::new(self.variant) };
        render(&conversation.messages, &conversation.tools, &options)
    }

    /// Logits of the last `last` rows of a prompt, after the softcap: `[last, vocabulary]`. The prompt runs through
    /// all layers for every token.
    ///
    /// # Errors
    /// As [`Self::generate`].
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
            let end = self.chunk_end(prompt, pos)?;
            reader.prefill(prompt, pos, end - pos).await?;
            for row in pos.max(first)..end {
                logits.extend(reader.row(row - pos).await?);
            }
            pos = end;
        }
        Ok(logits)
    }

    /// Forgets the sequence for a prompt of `len` tokens whose logits are wanted; its length.
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

    /// As [`Self::logits`], of a prompt without media, each token by the kernels of a drawn one.
    ///
    /// # Errors
    /// As [`Self::generate`].
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

    /// Where the chunk of a prompt that begins at `pos` ends.
    fn chunk_end(&self, prompt: &Input, pos: u32) -> Result<u32, EngineError> {
        let whole = self.decoder.config().sees_pictures_whole().then(|| self.decoder.chunk_len());
        Ok(prompt.chunk_end(pos, self.decoder.text_chunk_len(), whole)?)
    }

    /// Tokens of the longest picture that it can read; none where any picture can be.
    #[must_use]
    pub fn largest_picture(&self) -> Option<u32> {
        self.decoder.config().sees_pictures_whole().then(|| self.decoder.chunk_len())
    }

    /// The blocks of a prompt whose soft tokens [`Self::generate`] will read: the cache does not hold them.
    #[must_use]
    pub fn unread_blocks(&self, prompt: &Input) -> Vec<usize> {
        let held = self.reusable(prompt);
        let blocks = prompt.blocks().iter().enumerate();
        blocks.filter(|(_, block)| block.range().end > held).map(|(index, _)| index).collect()
    }

    /// Forgets the conversation in the cache; the next prompt is read anew.
    pub fn forget(&mut self) {
        self.sequence.clear();
        self.checkpoints.clear();
    }

    /// Leading tokens of a prompt that the cache spares.
    fn reusable(&self, prompt: &Input) -> u32 {
        self.directly_reusable(prompt).max(self.best_checkpoint(prompt).map_or(0, |(_, tokens)| tokens))
    }

    /// The checkpoint that spares most of a prompt, and how much: never all of it, for the last token's logits are
    /// wanted.
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

    /// Prepares the cache for a prompt and returns how many of its tokens need not be computed.
    fn restore(&mut self, prompt: &Input) -> u32 {
        let direct = self.directly_reusable(prompt);
        let Some((index, tokens)) = self.best_checkpoint(prompt).filter(|&(_, tokens)| tokens > direct)
        else {
            if direct == 0 {
                self.sequence.clear();
            }
            return direct;
        };
        let held = self.checkpoints.restore(&self.gpu, &self.rings(), index).clone();
        let written = held.len() as u32;
        self.sequence.clear();
        self.sequence.set(held, written);
        tokens
    }

    /// The buffers of the caches that are rings.
    fn rings(&self) -> Vec<Arc<Buffer>> {
        let (kv, memory) = (self.decoder.kv(), self.decoder.memory());
        kv.rings().filter_map(|ring| memory.get(ring).ok().cloned()).collect()
    }

    /// Keeps a copy of the rings at the end of a prompt. Without room for it, regenerating reads the prompt anew.
    async fn save(&mut self) {
        self.checkpoints.save(&self.gpu, &self.rings(), self.sequence.held()).await.ok();
    }
}
