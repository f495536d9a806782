//! The memory of experts: how many are held, and the figures of it before and after a load.

use engine::gguf::Header;
use engine::gpu::GpuError;
use engine::model::ExpertUse;
use engine::session::{DeviceMemory, EngineError, LoadOptions, ModelSession, ModelSpec};
use protocol::{ExpertMemory, ExpertTimings};

/// How much memory experts may take.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allowance {
    /// Bytes that the user chose for them; `None` for as much as is free.
    pub chosen: Option<u64>,
    /// Bytes of graphics memory in all, once a load has found that there are no more.
    pub found: Option<u64>,
}

impl Allowance {
    /// The memory of the device, as far as it is known.
    pub fn of(self, memory: DeviceMemory) -> DeviceMemory {
        DeviceMemory { available: memory.available.min(self.found.unwrap_or(u64::MAX)), ..memory }
    }

    /// These options, with places for experts. `memory` is that of [`Self::of`].
    ///
    /// # Errors
    /// As [`ModelSpec::with_expert_budget`].
    pub fn places(
        self,
        header: &Header,
        options: &LoadOptions,
        memory: DeviceMemory,
    ) -> Result<LoadOptions, EngineError> {
        let with = |budget| ModelSpec::with_expert_budget(header, options, budget, memory);
        let wanted = with(self.chosen)?;
        if self.chosen.is_none() || self.found.is_none() {
            return Ok(wanted);
        }
        // What was chosen did not fit, or what fits now is more than that.
        let fits = with(None)?;
        let fewer = [wanted, fits].into_iter().filter(|options| options.expert_slots > 0);
        Ok(fewer.min_by_key(|options| options.expert_slots).unwrap_or(fits))
    }

    /// Returns the limit to try after a load has run out of memory; `None` if it would change nothing.
    pub fn less(self, plan: &ModelSpec, error: &EngineError) -> Option<u64> {
        let EngineError::Gpu(GpuError::OutOfMemory { in_use, .. }) = error else { return None };
        let memory = plan.expert_memory().ok().flatten()?;
        let shrinks = memory.slots > memory.mixture.used && self.found.is_none_or(|found| *in_use < found);
        shrinks.then_some(*in_use)
    }
}

/// Returns the figures of a model's experts as they are or would be loaded. `speed` is that of reading, in bytes a second.
///
/// # Errors
/// When a matrix of experts has no layout.
pub fn memory(plan: &ModelSpec, asked: Option<u64>, speed: f64) -> Result<Option<ExpertMemory>, EngineError> {
    let Some(memory) = plan.expert_memory()? else { return Ok(None) };
    // A diffusion model reads for all tokens of a canvas at once, in each of its steps.
    let (read, tokens) = match plan.config.diffusion {
        Some(it) => (memory.read_per_canvas(), f64::from(it.canvas) / f64::from(it.steps.max(1))),
        None => (memory.read_per_token(), 1.0),
    };
    Ok(Some(ExpertMemory {
        least: memory.least(),
        all: memory.all(),
        held: memory.held(),
        asked,
        rate: (read > 0).then(|| tokens * speed / read as f64),
    }))
}

/// Returns how a session has used its experts; `None` if all of them are on the device.
pub fn used(session: &ModelSession) -> Option<ExpertUse> {
    session.expert_use().map(|(_, used)| used)
}

/// The figures of an answer.
pub fn timings(used: &ExpertUse) -> ExpertTimings {
    ExpertTimings { uses: used.uses, misses: used.misses, bytes: used.missed_bytes }
}
