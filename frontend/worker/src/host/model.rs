//! The loaded model: what is known of it, and its session on the device.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use engine::audio;
use engine::bytes::ByteSource;
use engine::gguf::Header;
use engine::gpu::Gpu;
use engine::media::Media;
use engine::model::{Denoising, Tuning};
use engine::session::{EngineError, LoadOptions, ModelFile, ModelSession};
use engine::template::{KnownCounts, Variant};
use engine::tokenizer::Tokenizer;
use futures_util::FutureExt as _;
use protocol::{Begun, PageId};

use crate::constraints::Vocabulary;
use crate::state::drafter::Drafter;
use crate::state::encoded::Encoded;
use crate::state::heard::Listening;
use crate::state::identity::Identity;
use crate::state::kept_caches::Synced;
use crate::state::subject::Subject;

/// A loaded model without its session, which a running answer borrows exclusively.
pub struct Model {
    /// What the page calls it.
    pub name: String,
    /// What its files are.
    pub identity: Cell<Identity>,
    /// Its bytes, to load it again from.
    pub file: ModelFile,
    /// How it was loaded, with the context length that was allocated.
    pub options: LoadOptions,
    /// How its session computes products of decode; `None` if it has none.
    pub tuning: Cell<Option<Tuning>>,
    /// Whether it rounds rows of prompts to int8.
    pub packs_prompts: Cell<bool>,
    /// Whether its kernels were tried, or are being tried by request.
    pub verified: Cell<bool>,
    /// The texts of the kernels that were tried, or are known to be right.
    pub tried: RefCell<HashSet<Arc<str>>>,
    /// Whether kernels are tried while the engine is idle.
    pub verifying: Cell<bool>,
    /// What is remembered of these, if the model has any.
    pub subject: Option<Subject>,
    /// Its tokenizer.
    pub tokenizer: Rc<Tokenizer>,
    /// Its chat template.
    pub variant: Variant,
    /// Its sampler, if it decodes by diffusion.
    pub denoising: Option<Denoising>,
    /// Keys of the adapters that came with it.
    pub own_adapters: Vec<String>,
    /// All adapters of its session, to be added again after a loss.
    pub adapters: RefCell<Held>,
    /// The pages that have opened each adapter, by its key.
    pub opened_by: RefCell<BTreeMap<String, BTreeSet<PageId>>>,
    /// The file with its towers, where that is a file of its own.
    pub projector: Option<Rc<dyn ByteSource>>,
    /// Its drafter, if it has one.
    pub drafter: RefCell<Option<Drafter>>,
    /// Whether it has a tower for pictures.
    pub vision: bool,
    /// Tokens of the longest picture that it can read; `None` if there is no limit.
    pub largest_picture: Option<u32>,
    /// Its tower for sound, if it has one.
    pub audio_tower: Option<audio::TowerConfig>,
    /// Its last answer, if that was cut off.
    pub last: RefCell<Option<LastAnswer>>,
    /// Tokens of the texts that were counted last.
    pub counts: RefCell<KnownCounts>,
    /// Its tokens for grammars, once they were needed.
    pub vocabulary: RefCell<Option<Rc<dyn Vocabulary>>>,
}

impl Model {
    /// Whether it has a tower for such media.
    pub fn takes(&self, media: Media) -> bool {
        match media {
            Media::Audio => self.audio_tower.is_some(),
            Media::Image | Media::Video => self.vision,
        }
    }
}

/// An answer that was cut off, as the page has it and as it was drawn.
pub struct LastAnswer {
    /// Ids of its prompt.
    pub prompt: Vec<u32>,
    /// Its text.
    pub begun: Begun,
    /// Its ids.
    pub ids: Vec<u32>,
}

/// Adapters of a session.
pub type Held = Vec<engine::session::LoadedAdapter>;

/// The place of the session: who has it locked may use the device.
pub type Slot = Option<Ready>;

/// A session with its device.
pub struct Ready {
    pub gpu: Rc<Gpu>,
    pub session: ModelSession,
    /// Soft tokens of recent pictures and sounds.
    pub encoded: Encoded,
    /// The recording that is being encoded.
    pub listening: Option<Listening>,
    /// What of its KV cache is kept.
    pub synced: Synced,
}

impl Ready {
    /// A session without towers yet; `projector` is the file with those that are not in the model's own.
    ///
    /// # Errors
    /// When the projector cannot be read, or belongs to another model.
    pub async fn new(
        gpu: Rc<Gpu>,
        mut session: ModelSession,
        projector: Option<&Rc<dyn ByteSource>>,
    ) -> Result<Self, EngineError> {
        if let Some(source) = projector {
            let header = Header::read(&**source).await?;
            session.autoregressive_mut()?.use_projector(source, &header)?;
        }
        Ok(Self { gpu, session, encoded: Encoded::default(), listening: None, synced: Synced::default() })
    }

    /// Frees the towers and their soft tokens. They are loaded again when they are needed.
    pub fn free_towers(&mut self) {
        self.encoded.clear();
        self.listening = None;
        // Without towers there is nothing to unload.
        let Ok(session) = self.session.autoregressive_mut() else { return };
        if let Ok(vision) = session.vision_mut() {
            vision.unload();
        }
        if let Ok(audio) = session.audio_mut() {
            audio.unload();
        }
    }

    /// Returns the planned bytes without the towers, which training frees.
    pub fn memory_without_towers(&self) -> u64 {
        self.session.planned_bytes() - self.session.tower_bytes()
    }
}

/// Whether a device is gone.
pub fn is_lost(gpu: &Gpu) -> bool {
    gpu.lost().now_or_never().is_some()
}
