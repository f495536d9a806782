//! The audio tower of a model, loaded on demand.

use std::rc::Rc;

use sha2::{Digest as _, Sha256};

use super::encoder::content;
use super::{AudioError, Encoder, Tower, TowerConfig, TowerPlan};
use crate::bytes::CancelToken;
use crate::media::{Media, Medium, OnDemand, SoftTokens};
use crate::plan::Tested;
use crate::weights::Progress;

/// The audio tower of a model, loaded when the first clip needs it.
pub type Audio = OnDemand<TowerPlan, Rc<Tower>>;

/// Returns the medium of a clip in a prompt, whether encoded or not.
pub fn medium(config: &TowerConfig, clip: &[f32]) -> Medium {
    let content = content(Sha256::new_with_prefix(bytemuck::cast_slice::<f32, u8>(clip)));
    Medium { media: Media::Audio, content, tokens: config.tokens(clip.len()) }
}

impl Audio {
    /// Bytes that it uses on the device.
    pub fn bytes_in_use(&self) -> u64 {
        self.tower.as_ref().map_or(0, |tower| tower.bytes_in_use())
    }

    /// [`Tower::tested`]; empty before the first clip.
    pub fn tested(&self) -> impl Iterator<Item = Tested> {
        self.tower.iter().flat_map(|tower| tower.tested())
    }

    /// Returns the tower, loaded on first use.
    ///
    /// # Errors
    /// When it cannot be loaded, or on cancellation.
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

    /// Returns the soft tokens of a clip of at most [`super::CLIP_SAMPLES`] samples. [`super::Sound::clips`] splits longer
    /// audio.
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
