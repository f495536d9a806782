//! A model's ears: where its tower is, and the tower once it is loaded.

use std::rc::Rc;

use sha2::{Digest as _, Sha256};

use super::encoder::content;
use super::{AudioError, Encoder, Tower, TowerConfig, TowerPlan};
use crate::bytes::{ByteSource, CancelToken};
use crate::gpu::Gpu;
use crate::media::{Media, Medium, SoftTokens};
use crate::weights::Progress;

/// The tower of a model, loaded when the first clip needs it.
pub struct Hearing {
    gpu: Rc<Gpu>,
    source: Rc<dyn ByteSource>,
    plan: TowerPlan,
    tower: Option<Rc<Tower>>,
}

/// The medium that a clip is in a prompt, encoded or not.
#[must_use]
pub fn medium(config: &TowerConfig, clip: &[f32]) -> Medium {
    let content = content(Sha256::new_with_prefix(bytemuck::cast_slice::<f32, u8>(clip)));
    Medium { media: Media::Audio, content, tokens: config.tokens(clip.len()) }
}

impl Hearing {
    /// The tower of `plan`, whose weights are in `source`. Nothing is loaded yet.
    #[must_use]
    pub fn new(gpu: Rc<Gpu>, source: Rc<dyn ByteSource>, plan: TowerPlan) -> Self {
        Self { gpu, source, plan, tower: None }
    }

    /// What the tower is and costs.
    #[must_use]
    pub fn plan(&self) -> &TowerPlan {
        &self.plan
    }

    /// Whether its weights are on the device.
    #[must_use]
    pub fn is_loaded(&self) -> bool {
        self.tower.is_some()
    }

    /// Bytes that it has on the device.
    #[must_use]
    pub fn bytes_in_use(&self) -> u64 {
        self.tower.as_ref().map_or(0, |tower| tower.bytes_in_use())
    }

    /// Gives its memory back, once no encoder holds it any more. The next clip loads it again.
    pub fn unload(&mut self) {
        self.tower = None;
    }

    /// The tower, loaded now if it is not.
    ///
    /// # Errors
    /// When it cannot be loaded, or `cancel` was cancelled.
    pub async fn tower(
        &mut self,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Rc<Tower>, AudioError> {
        if let Some(tower) = &self.tower {
            return Ok(Rc::clone(tower));
        }
        let (gpu, plan) = (Rc::clone(&self.gpu), self.plan.clone());
        let tower = Rc::new(Tower::load(gpu, &self.source, plan, cancel, progress).await?);
        self.tower = Some(Rc::clone(&tower));
        Ok(tower)
    }

    /// Soft tokens of a clip of at most [`super::CLIP_SAMPLES`]; [`super::Sound::clips`] cuts longer sound.
    ///
    /// # Errors
    /// When the clip is too short or too long, or the tower cannot be loaded or run.
    pub async fn soft_tokens(
        &mut self,
        clip: &[f32],
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<SoftTokens, AudioError> {
        let mut encoder = Encoder::new(self.tower(cancel, progress).await?);
        if encoder.push(clip) < clip.len() {
            return Err(AudioError::TooLong { samples: clip.len(), most: super::CLIP_SAMPLES });
        }
        let soft = encoder.finish()?;
        self.gpu.drained().await?;
        Ok(soft)
    }
}
