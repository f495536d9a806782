//! Which products of decode are packed, and their forms.

use std::rc::Rc;

use super::choose::{Chosen, choose};
use super::{Decoder, DecoderPlans};
use crate::gpu::GpuError;
use crate::model::forms::Products;
use crate::model::sampler::Sampler;
use crate::model::{FormChoice, Forms};
use crate::plan::Layout;

impl Decoder {
    /// Which products of decode are packed: any but [`Products::Measured`].
    #[must_use]
    pub fn products(&self) -> Products {
        self.choices.products()
    }

    /// The forms of its products.
    #[must_use]
    pub fn forms_of_products(&self) -> Forms {
        self.choices.forms
    }

    /// Whether that was decided by timing.
    #[must_use]
    pub fn products_were_timed(&self) -> bool {
        self.timed
    }

    /// Changes which products of decode are packed. The KV cache remains valid.
    ///
    /// # Errors
    /// When the device was lost, is out of memory, or rejects a kernel that is not packed. All that was bound before is still
    /// bound then.
    pub async fn set_products(&mut self, products: Products) -> Result<(), GpuError> {
        self.drop_rounds();
        self.gain.take();
        if let Some(experts) = &self.experts {
            experts.assume_resident();
        }
        let forms = FormChoice::Known(self.choices.forms);
        let sampling = Rc::clone(&self.sampling);
        let plans = DecoderPlans::with_sampling(&self.parts, (products, forms), None, sampling)?;
        let mut memory = self.memory.clone();
        let pool = memory.take_temporaries();
        let layout = Layout::of(&plans.schedules());
        self.gpu.allocate_from(pool, "working memory", &layout, &mut memory).await?;
        let chosen = choose(&self.gpu, &self.parts, &plans, &memory, (products, forms), &mut |_| ()).await?;
        let Chosen { choices, programs, timed } = chosen;
        let sampler = Sampler::bind(&self.gpu, &plans.sampling, &memory).await?;
        // Before anything is replaced: adapters whose programs use other buffers than the sampler would answer nonsense.
        let corrected = match &self.adapters {
            Some(adapters) => {
                let (corrections, loaded) = (&adapters.corrections, &adapters.memory);
                Some(self.corrected(choices, &memory, corrections, loaded).await?)
            }
            None => None,
        };
        (self.choices, self.plain, self.memory, self.sampler) = (choices, programs, memory, sampler);
        if let Some((adapters, corrected)) = self.adapters.as_mut().zip(corrected) {
            (adapters.programs, adapters.memory) = corrected;
        }
        self.timed = timed;
        self.gpu.check()
    }
}
