//! The adapters of a decoder: programs that add what they correct.

use std::sync::Arc;

use super::programs::Programs;
use super::{Decoder, Plans};
use crate::adapter::{Adapter, Shape, Target};
use crate::gpu::{GpuError, Memory};
use crate::model::Tuning;
use crate::model::corrections::{self, Corrections, Scales};
use crate::model::target_shape;

/// The programs with adapters, and their buffers.
pub(super) struct AdapterPrograms {
    pub(super) corrections: Corrections,
    scales: Scales,
    pub(super) programs: Programs,
    pub(super) memory: Memory,
    /// Whether any adapter has a non-zero scale.
    active: bool,
}

impl Decoder {
    /// Returns the adapters, if any is active.
    pub(super) fn active(&self) -> Option<&AdapterPrograms> {
        self.adapters.as_ref().filter(|adapters| adapters.active)
    }

    /// Replaces the adapters. They must match the model ([`Adapter::fit`]), and their total rank must not exceed
    /// the limit of the kernels ([`total_rank`](crate::model::total_rank)). All scales start at zero.
    ///
    /// # Errors
    /// When the device is out of memory or rejects a kernel. The previous adapters are removed in that case.
    pub async fn set_adapters(&mut self, adapters: &[&Adapter]) -> Result<(), GpuError> {
        self.drop_rounds();
        self.adapters = None;
        if adapters.is_empty() {
            return Ok(());
        }
        let ranks: Vec<_> = adapters.iter().map(|adapter| adapter.ranks()).collect();
        let corrects = |target| adapters.iter().any(|adapter| adapter.get(target).is_some());
        let corrections = Corrections::describe(&self.parts, &ranks, &corrects)?;
        let (programs, memory) =
            self.corrected(self.tuning, &self.memory, &corrections, &Memory::default()).await?;
        let scales = corrections::load(&self.gpu, &self.parts, &corrections, adapters, &memory).await?;
        self.gpu.check()?;
        self.adapters = Some(AdapterPrograms { corrections, scales, programs, memory, active: false });
        Ok(())
    }

    /// Returns the programs with adapters, and their memory: `plain` is that of the programs without, `loaded` has the values of
    /// the adapters, if they are loaded. They run instead of the plain ones; their temporaries use the same buffers, in
    /// their own assignment.
    pub(super) async fn corrected(
        &self,
        tuning: Tuning,
        plain: &Memory,
        corrections: &Corrections,
        loaded: &Memory,
    ) -> Result<(Programs, Memory), GpuError> {
        let plans = Plans::new(&self.parts, tuning, Some(corrections))?;
        let at_load = corrections.all_ahead().map(|ahead| &ahead.plan);
        self.gpu.compile_ahead(plans.all().into_iter().chain(at_load)).await;
        let (mut memory, mut loaded) = (plain.clone(), loaded.clone());
        let mut pool = memory.take_temporaries();
        // Those of the programs that are replaced, unless they are the plain ones.
        let own = loaded.take_temporaries();
        pool.extend(own.into_iter().filter(|own| plain.buffers().all(|plain| !Arc::ptr_eq(own, plain))));
        memory.extend(&loaded);
        self.gpu.allocate_from(pool, "adapters", &plans.layout(corrections), &mut memory).await?;
        let programs = Programs::bind(&self.gpu, &plans, &memory, &mut |_| ()).await?;
        Ok((programs, memory))
    }

    /// Sets the scale of each adapter. If all are zero, the plain programs run.
    pub fn set_adapter_scales(&mut self, scales: &[f32]) {
        if let Some(adapters) = &mut self.adapters {
            adapters.scales.set(&self.gpu, scales);
            adapters.active = scales.iter().any(|&scale| scale != 0.0);
        }
    }

    /// Returns the shape of what adapters may correct, if the model has it.
    pub fn shape(&self, target: Target) -> Option<Shape> {
        target_shape(&self.parts.config, &self.parts.weights, target)
    }
}
