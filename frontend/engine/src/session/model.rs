//! A session of either kind of model: one that decodes token by token, or by diffusion.

use std::rc::Rc;

use super::{DiffusionSession, EngineError, LoadOptions, Loading, ModelFile, ModelSpec, Session, Storage};
use crate::audio::Audio;
use crate::bytes::CancelToken;
use crate::gguf::Header;
use crate::gpu::Gpu;
use crate::media::Input;
use crate::model::{ConfigError, ExpertUse, Products};
use crate::plan::Tested;
use crate::template::Variant;
use crate::tokenizer::Tokenizer;
use crate::vision::Vision;

/// A loaded model of either kind.
pub enum ModelSession {
    /// Decodes token by token.
    Autoregressive(Box<Session>),
    /// Decodes by diffusion.
    Diffusion(Box<DiffusionSession>),
}

impl ModelSession {
    /// Loads a model with a header that was already read.
    ///
    /// # Errors
    /// Same as [`Session::load`].
    pub async fn load_with_header(
        gpu: Rc<Gpu>,
        file: ModelFile,
        header: Header,
        options: &LoadOptions,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Loading),
    ) -> Result<Self, EngineError> {
        if ModelSpec::with_options(&header, options)?.config.diffusion.is_some() {
            let loading = DiffusionSession::load_with_header(gpu, file, header, options, cancel, progress);
            return Ok(Self::Diffusion(Box::new(loading.await?)));
        }
        let loading = Session::load_with_header(gpu, file, header, options, cancel, progress);
        Ok(Self::Autoregressive(Box::new(loading.await?)))
    }

    /// Same as [`Self::load_with_header`], after reading the header.
    ///
    /// # Errors
    /// Same as [`Session::load`].
    pub async fn load(
        gpu: Rc<Gpu>,
        file: ModelFile,
        options: &LoadOptions,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Loading),
    ) -> Result<Self, EngineError> {
        let header = super::read_header(&file, cancel, progress).await?;
        Self::load_with_header(gpu, file, header, options, cancel, progress).await
    }

    /// The session of a model that decodes token by token: for adapters, training, media and measurements.
    ///
    /// # Errors
    /// [`ConfigError::IsDiffusion`] when it is a diffusion model.
    pub fn autoregressive(&self) -> Result<&Session, EngineError> {
        match self {
            Self::Autoregressive(session) => Ok(session),
            Self::Diffusion(_) => Err(ConfigError::IsDiffusion.into()),
        }
    }

    /// Same as [`Self::autoregressive`], to change it.
    ///
    /// # Errors
    /// [`ConfigError::IsDiffusion`] when it is a diffusion model.
    pub fn autoregressive_mut(&mut self) -> Result<&mut Session, EngineError> {
        match self {
            Self::Autoregressive(session) => Ok(session),
            Self::Diffusion(_) => Err(ConfigError::IsDiffusion.into()),
        }
    }

    /// The tokenizer.
    #[must_use]
    pub fn tokenizer(&self) -> &Rc<Tokenizer> {
        match self {
            Self::Autoregressive(session) => session.tokenizer(),
            Self::Diffusion(session) => session.tokenizer(),
        }
    }

    /// The variant of the chat template.
    #[must_use]
    pub fn variant(&self) -> Variant {
        match self {
            Self::Autoregressive(session) => session.variant(),
            Self::Diffusion(session) => session.variant(),
        }
    }

    /// Context length in tokens.
    #[must_use]
    pub fn context(&self) -> u32 {
        match self {
            Self::Autoregressive(session) => session.context(),
            Self::Diffusion(session) => session.context(),
        }
    }

    /// Number of tokens in the cache.
    #[must_use]
    pub fn context_used(&self) -> u32 {
        match self {
            Self::Autoregressive(session) => session.context_used(),
            Self::Diffusion(session) => session.context_used(),
        }
    }

    /// Planned device memory ([`super::Fit::bytes`]).
    #[must_use]
    pub fn planned_bytes(&self) -> u64 {
        match self {
            Self::Autoregressive(session) => session.planned_bytes(),
            Self::Diffusion(session) => session.planned_bytes(),
        }
    }

    /// How table and cache are stored.
    #[must_use]
    pub fn storage(&self) -> Storage {
        match self {
            Self::Autoregressive(session) => session.storage(),
            Self::Diffusion(session) => session.storage(),
        }
    }

    /// Experts per layer that have a place on the device, and how they were used; `None` if all are there.
    #[must_use]
    pub fn expert_use(&self) -> Option<(u32, ExpertUse)> {
        match self {
            Self::Autoregressive(session) => session.decoder().expert_use(),
            Self::Diffusion(session) => session.diffuser().expert_use(),
        }
    }

    /// The part of it that is reserved for towers.
    #[must_use]
    pub fn tower_bytes(&self) -> u64 {
        self.autoregressive().map_or(0, Session::tower_bytes)
    }

    /// Which products of decode are packed. A diffusion model has none.
    #[must_use]
    pub fn products(&self) -> Products {
        self.autoregressive().map_or(Products::Floats, |session| session.decoder().products())
    }

    /// Tokens of the longest supported image; `None` if there is no limit.
    #[must_use]
    pub fn largest_picture(&self) -> Option<u32> {
        self.autoregressive().ok().and_then(Session::largest_picture)
    }

    /// The kernels with a self-test, each text once: also those of towers that are loaded.
    #[must_use]
    pub fn tested(&self) -> Vec<Tested> {
        match self {
            Self::Autoregressive(session) => {
                let seeing = session.vision().into_iter().flat_map(Vision::tested);
                let hearing = session.audio().into_iter().flat_map(Audio::tested);
                Tested::distinct(session.decoder().tested().into_iter().chain(seeing).chain(hearing))
            }
            Self::Diffusion(session) => session.diffuser().tested(),
        }
    }

    /// The blocks of a prompt that need soft tokens; see [`Session::unread_blocks`]. A diffusion model takes none.
    #[must_use]
    pub fn unread_blocks(&self, prompt: &Input) -> Vec<usize> {
        self.autoregressive().map(|session| session.unread_blocks(prompt)).unwrap_or_default()
    }
}
