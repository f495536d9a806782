//! A session of any kind of model.

use std::ops::Deref;
use std::rc::Rc;

use super::{
    DiffusionSession, EngineError, LoadOptions, Loading, ModelFile, ModelSpec, Session, SessionKind,
};
use crate::bytes::CancelToken;
use crate::gpu::Gpu;
use crate::media::Input;
use crate::model::{ConfigError, Tuning};

/// A loaded model of any kind. What they share is [`SessionKind`] and [`Core`](super::Core).
pub enum ModelSession {
    /// Decodes token by token.
    Autoregressive(Box<Session>),
    /// Decodes by diffusion.
    Diffusion(Box<DiffusionSession>),
}

impl Deref for ModelSession {
    type Target = dyn SessionKind;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Autoregressive(session) => &**session,
            Self::Diffusion(session) => &**session,
        }
    }
}

impl ModelSession {
    /// Loads a model.
    ///
    /// # Errors
    /// Same as [`Session::load`].
    pub async fn load(
        gpu: Rc<Gpu>,
        mut file: ModelFile,
        options: &LoadOptions,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Loading),
    ) -> Result<Self, EngineError> {
        let header = file.take_header(cancel, progress).await?;
        let is_diffusion = ModelSpec::with_options(&header, options)?.config.diffusion.is_some();
        file.header = Some(header);
        Ok(if is_diffusion {
            let loading = DiffusionSession::load(gpu, file, options, cancel, progress);
            Self::Diffusion(Box::new(loading.await?))
        } else {
            let loading = Session::load(gpu, file, options, cancel, progress);
            Self::Autoregressive(Box::new(loading.await?))
        })
    }

    /// Returns the session of a model that decodes token by token: for adapters, training, media and measurements.
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

    /// Returns how decode computes its products; `None` for a diffusion model, which has none.
    pub fn tuning(&self) -> Option<Tuning> {
        self.autoregressive().ok().map(|session| session.decoder().tuning())
    }

    /// Returns whether rows of prompts are rounded to int8.
    pub fn packs_prompts(&self) -> bool {
        self.autoregressive().is_ok_and(Session::packs_prompts)
    }

    /// Returns the tokens of the longest supported image; `None` if there is no limit.
    pub fn largest_picture(&self) -> Option<u32> {
        self.autoregressive().ok().and_then(Session::largest_picture)
    }

    /// Returns the blocks of a prompt that need soft tokens; see [`Session::unread_blocks`]. A diffusion model takes none.
    pub fn unread_blocks(&self, prompt: &Input) -> Vec<usize> {
        self.autoregressive().map(|session| session.unread_blocks(prompt)).unwrap_or_default()
    }
}
