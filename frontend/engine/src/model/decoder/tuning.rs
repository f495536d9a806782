//! The tuning of a loaded decoder.

use std::rc::Rc;

use super::choose::{Chosen, choose};
use super::{Decoder, DecoderPlans};
use crate::gpu::GpuError;
use crate::model::Tuning;
use crate::model::sampler::Sampler;
use crate::plan::Layout;

impl Decoder {
    /// Returns how decode computes its products.
    pub fn tuning(&self) -> Tuning {
        self.tuning
    }

    /// Returns whether that was decided by timing.
    pub fn was_timed(&self) -> bool {
        self.timed
    }

    /// Changes how decode computes its products. The KV cache remains valid.
    ///
    /// # Errors
    /// When the device was lost, is out of memory, or rejects a kernel that is not packed. All that was bound before is still
    /// bound then.
    pub async fn set_tuning(&mut self, tuning: Tuning) -> Result<(), GpuError> {
        self.drop_rounds();
        self.gain.take();
        if let Some(experts) = &self.experts {
            experts.assume_resident();
        }
        let sampling = Rc::clone(&self.sampling);
        let plans = DecoderPlans::with_sampling(&self.parts, Some(tuning), None, sampling)?;
        let mut memory = self.memory.clone();
        let pool = memory.take_temporaries();
        let layout = Layout::of(&plans.schedules());
        self.gpu.allocate_from(pool, "working memory", &layout, &mut memory).await?;
        let chosen = choose(&self.gpu, &self.parts, &plans, &memory, false, &mut |_| ()).await?;
        let Chosen { tuning, programs, timed } = chosen;
        let sampler = Sampler::bind(&self.gpu, &plans.sampling, &memory).await?;
        // Before anything is replaced: adapters whose programs use other buffers than the sampler would answer nonsense.
        let corrected = match &self.adapters {
            Some(adapters) => {
                let (corrections, loaded) = (&adapters.corrections, &adapters.memory);
                Some(self.corrected(tuning, &memory, corrections, loaded).await?)
            }
            None => None,
        };
        (self.tuning, self.plain, self.memory, self.sampler) = (tuning, programs, memory, sampler);
        if let Some((adapters, corrected)) = self.adapters.as_mut().zip(corrected) {
            (adapters.programs, adapters.memory) = corrected;
        }
        self.timed = timed;
        self.gpu.check()
    }
}
