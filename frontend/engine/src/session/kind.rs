//! What sessions of all kinds of models share: how they load, and what is known of a loaded model.

use std::ops::Deref;
use std::rc::Rc;

use super::sequence::Sequence;
use super::{
    DeviceMemory, EngineError, Finish, Fit, LoadOptions, Loading, ModelFile, ModelSpec, Storage,
    assumed_memory,
};
use crate::audio::{self, Audio};
use crate::bytes::{ByteSource, CancelToken};
use crate::check;
use crate::gguf::Header;
use crate::gpu::{Gpu, Memory};
use crate::media::{Media, MediaError};
use crate::model::{ExpertSource, ExpertUse, HostTable, Parts};
use crate::plan::{Limits, Tested};
use crate::template::{Conversation, Prompt, RenderOptions, Variant, render};
use crate::tiles;
use crate::tokenizer::{Specials, Tokenizer};
use crate::vision::{TowerPlan, Vision};
use crate::weights;

/// The last sentence of a thought that has become too long.
const END_OF_THOUGHT: &str = "\n\nI've thought about this long enough. I'll answer now.";

/// What sessions of all kinds of models have.
pub struct Core {
    pub(super) gpu: Rc<Gpu>,
    pub(super) tokenizer: Rc<Tokenizer>,
    variant: Variant,
    pub(super) vocabulary: u32,
    pub(super) context: u32,
    bytes: u64,
    tower_bytes: u64,
    storage: Storage,
    pub(super) sequence: Sequence,
    /// Elements of the soft tokens that it takes; `None` if it takes none.
    soft_token_width: Option<u32>,
    vision: Option<Vision>,
    audio: Option<Audio>,
}

/// A session of any kind of model: what differs between them.
pub trait SessionKind: Deref<Target = Core> {
    /// Returns the number of experts per layer that have a place on the device, and how they were used; `None` if all are there.
    fn expert_use(&self) -> Option<(u32, ExpertUse)>;

    /// Returns the kernels with a self-test, each text once: also those of towers that are loaded.
    fn tested(&self) -> Vec<Tested>;
}

impl Core {
    /// Returns the tokenizer. It is shared, so that prompts can be counted during generation.
    pub fn tokenizer(&self) -> &Rc<Tokenizer> {
        &self.tokenizer
    }

    /// Returns the variant of the chat template.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Returns the context length in tokens.
    pub fn context(&self) -> u32 {
        self.context
    }

    /// Returns the number of tokens in the cache.
    pub fn context_used(&self) -> u32 {
        self.sequence.held().len() as u32
    }

    /// Returns the planned device memory ([`Fit::bytes`]). It includes towers and checkpoints, which are allocated later.
    pub fn planned_bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the part of [`Self::planned_bytes`] that is reserved for towers.
    pub fn tower_bytes(&self) -> u64 {
        self.tower_bytes
    }

    /// Returns how table and cache are stored.
    pub fn storage(&self) -> Storage {
        self.storage
    }

    /// Uses the towers of a projector file instead of those in the model file. Their weights are loaded on demand. Those of
    /// Gemma 3 and of models that decode by diffusion are left alone.
    ///
    /// # Errors
    /// When the file is inconsistent, or belongs to a model of another width.
    pub fn use_projector(&mut self, source: &Rc<dyn ByteSource>, header: &Header) -> Result<(), EngineError> {
        let Some(width) = self.soft_token_width else { return Ok(()) };
        if let Some(plan) = TowerPlan::read(header, width)? {
            self.vision = Some(Vision::new(Rc::clone(&self.gpu), Rc::clone(source), plan));
        }
        if let Some(plan) = audio::TowerPlan::read(header, width)? {
            self.audio = Some(Audio::new(Rc::clone(&self.gpu), Rc::clone(source), plan));
        }
        Ok(())
    }

    /// Returns the vision tower, if there is one.
    pub fn vision(&self) -> Option<&Vision> {
        self.vision.as_ref()
    }

    /// Returns the vision tower, to encode images or to unload it.
    ///
    /// # Errors
    /// [`MediaError::NoTower`] if there is none.
    pub fn vision_mut(&mut self) -> Result<&mut Vision, EngineError> {
        self.vision.as_mut().ok_or_else(|| MediaError::NoTower { media: Media::Image }.into())
    }

    /// Returns the audio tower, if there is one.
    pub fn audio(&self) -> Option<&Audio> {
        self.audio.as_ref()
    }

    /// Returns the audio tower, to encode audio or to unload it.
    ///
    /// # Errors
    /// [`MediaError::NoTower`] if there is none.
    pub fn audio_mut(&mut self) -> Result<&mut Audio, EngineError> {
        self.audio.as_mut().ok_or_else(|| MediaError::NoTower { media: Media::Audio }.into())
    }

    /// Returns these kernels and those of towers that are loaded, each text once.
    pub(super) fn with_towers(&self, tested: Vec<Tested>) -> Vec<Tested> {
        let vision = self.vision.iter().flat_map(Vision::tested);
        let audio = self.audio.iter().flat_map(Audio::tested);
        Tested::distinct(tested.into_iter().chain(vision).chain(audio))
    }

    /// Renders a conversation with this model's chat template.
    pub fn render(&self, conversation: &Conversation, thinking: bool) -> Prompt {
        let options = RenderOptions { thinking, ..RenderOptions::new(self.variant) };
        render(&conversation.messages, &conversation.tools, &options)
    }

    /// Checks that a prompt has tokens of the vocabulary, and leaves room for `room` more in the context.
    pub(super) fn check_prompt(&self, ids: &[u32], room: u32) -> Result<(), EngineError> {
        if ids.is_empty() {
            return Err(EngineError::Empty);
        }
        self.check_ids(ids)?;
        let (tokens, context) = (ids.len() as u32, self.context);
        if tokens.saturating_add(room) > context {
            return Err(EngineError::ContextFull { tokens, context });
        }
        Ok(())
    }

    /// Checks that ids are tokens of the vocabulary.
    pub(super) fn check_ids(&self, ids: &[u32]) -> Result<(), EngineError> {
        let vocabulary = self.vocabulary;
        match ids.iter().find(|&&id| id >= vocabulary) {
            Some(&id) => Err(EngineError::NoToken { id, vocabulary }),
            None => Ok(()),
        }
    }

    /// Returns what closes a thought that has become too long: a sentence in its voice, and the end token.
    pub(super) fn end_of_thought(&self) -> Vec<u32> {
        let mut ids = self.tokenizer.encode(END_OF_THOUGHT, Specials::Ignore);
        ids.extend(self.tokenizer.special().channel_close);
        ids
    }

    /// Returns how a turn finishes that ends with this token; `None` if the token doesn't end it.
    pub(super) fn end_of_turn(&self, id: u32) -> Option<Finish> {
        let calls = self.tokenizer.special().tool_response_open == Some(id);
        let ends = self.tokenizer.stop_ids().contains(&id);
        ends.then_some(if calls { Finish::ToolCall } else { Finish::EndOfTurn })
    }
}

/// A model that fits the device, before its weights are loaded.
pub(super) struct Described {
    pub core: Core,
    pub spec: ModelSpec,
    pub parts: Parts,
    /// The whole file.
    pub source: Rc<dyn ByteSource>,
    /// The per-layer table, if it is on the host.
    pub table: Option<HostTable>,
    /// The experts, if some are on the host.
    pub experts: Option<ExpertSource>,
}

impl Described {
    /// Describes the model of a file with this header.
    pub async fn new(
        gpu: Rc<Gpu>,
        file: ModelFile,
        (header, spec): (Header, ModelSpec),
        options: &LoadOptions,
        progress: &mut dyn FnMut(Loading),
    ) -> Result<Self, EngineError> {
        check::try_matrix_units(&gpu).await?;
        // What others than text models make of rounded rows is not held to a reference.
        let is_text = spec.config.diffusion.is_none() && spec.config.encoder.is_none();
        let mut timing = || progress(Loading::Tuning);
        let packed_tiles =
            is_text && tiles::choose(&gpu, spec.dtypes(), options.packed_tiles, &mut timing).await?;
        let limits = Limits { packed_tiles, ..gpu.plan_limits() };
        let available = options.memory.unwrap_or_else(|| assumed_memory(&gpu));
        let memory = DeviceMemory { available, limits };
        let needs = spec.needs(memory.beside(options.bytes_of_others))?;
        let Fit { context, bytes, storage } = needs.fit(options.context)?;
        let tower_bytes = needs.tower_bytes();
        let ModelFile { bytes: source, local, .. } = file;
        // What stays on the host must be available before the first weight is read.
        let table = spec.table_on_host(storage).map(|table| {
            let bytes = table.range.end - table.range.start;
            let local = local.clone().ok_or(EngineError::NoTable { bytes })?;
            Ok::<_, EngineError>(HostTable::new(local, table.clone()))
        });
        let table = table.transpose()?;
        let experts = spec.expert_source(local)?;
        let tokenizer = Rc::new(Tokenizer::from_metadata(&header.metadata)?);
        let variant = Variant::from_metadata(&header.metadata);
        // The header of a large vocabulary takes tens of megabytes.
        drop(header);
        let parts = spec.describe(context, storage, limits)?;
        let (vocabulary, sequence) = (parts.vocabulary, Sequence::default());
        let vision = spec.vision.clone();
        let vision = vision.map(|tower| Vision::new(Rc::clone(&gpu), Rc::clone(&source), tower));
        let audio = spec.audio.clone();
        let audio = audio.map(|tower| Audio::new(Rc::clone(&gpu), Rc::clone(&source), tower));
        let core = Core {
            gpu,
            tokenizer,
            variant,
            vocabulary,
            context,
            bytes,
            tower_bytes,
            storage,
            sequence,
            soft_token_width: spec.config.takes_media().then_some(spec.config.width),
            vision,
            audio,
        };
        Ok(Self { core, spec, parts, source, table, experts })
    }

    /// Loads the weights.
    pub async fn load_weights(
        &mut self,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Loading),
    ) -> Result<Memory, EngineError> {
        let mut report = |p: weights::Progress| progress(Loading::Weights(p.done, p.total));
        let Self { core, spec, parts, source, .. } = self;
        let loading =
            weights::load(&core.gpu, source, &spec.tensors, &mut parts.weights, cancel, &mut report);
        let loaded = loading.await?;
        cancel.check()?;
        Ok(loaded)
    }
}
