//! Sampling on the device, and readback of ids.

use std::sync::Arc;

use shaders::sampling::{Params, Sampling, Settings};

use super::sampling_plans::{DRAWN_BYTES, OUT_LEN, SamplingPlan, SamplingPlans};
use crate::gpu::{Buffer, Gpu, GpuError, Memory, Program, Readback};

/// One variant of the sampling kernels, bound.
struct Variant {
    program: Program,
    params: Arc<Buffer>,
    sampling: Sampling,
}

/// The sampling kernels and their buffers.
pub struct Sampler {
    variants: Vec<Variant>,
    active: usize,
    history: Arc<Buffer>,
    drawn: Arc<Buffer>,
    readbacks: Vec<Readback>,
    settings: Settings,
}

impl Sampler {
    /// Binds all variants.
    ///
    /// # Errors
    /// When the device rejects a kernel or a buffer.
    pub async fn bind(gpu: &Gpu, plans: &SamplingPlans, memory: &Memory) -> Result<Self, GpuError> {
        let mut variants = Vec::new();
        for SamplingPlan { plan, params, sampling } in &plans.variants {
            let (program, params) = (gpu.bind(plan, memory).await?, Arc::clone(memory.get(params)?));
            variants.push(Variant { program, params, sampling: *sampling });
        }
        let readback = |value| Ok::<_, GpuError>(Readback::new(Arc::clone(memory.get(value)?)));
        let readbacks = plans.readbacks.iter().map(readback).collect::<Result<_, _>>()?;
        let [history, drawn] = [memory.get(&plans.history)?, memory.get(&plans.drawn)?].map(Arc::clone);
        let mut sampler =
            Self { variants, active: 0, history, drawn, readbacks, settings: Settings::default() };
        sampler.begin(gpu, Settings::default(), &[]);
        Ok(sampler)
    }

    /// Sets the settings for the next tokens, and the tokens before them. Returns the number of these.
    pub fn begin(&mut self, gpu: &Gpu, settings: Settings, history: &[u32]) -> u32 {
        let candidates = settings.candidates();
        self.active = self.variants.iter().position(|f| f.sampling.candidates == candidates).unwrap_or(0);
        let variant = &self.variants[self.active];
        let params = Params::new(&settings, variant.sampling, OUT_LEN);
        gpu.queue().write_buffer(&variant.params, 0, bytemuck::bytes_of(&params));
        self.settings = settings;
        let room = usize::try_from(self.history.size() / 4).unwrap_or(usize::MAX);
        let history = &history[..history.len().min(room)];
        gpu.queue().write_buffer(&self.history, 0, bytemuck::cast_slice(history));
        history.len() as u32
    }

    /// Returns the dispatches that sample a token for each row of a step, and make the last accepted one the next input.
    pub fn program(&self) -> &Program {
        &self.variants[self.active].program
    }

    /// Returns the programs of all variants.
    pub fn all(&self) -> impl Iterator<Item = &Program> {
        self.variants.iter().map(|variant| &variant.program)
    }

    /// Submits `encoder`, with a copy of the sampled ids to one of the `MAX_PENDING` readback buffers at its end.
    pub fn submit(&self, gpu: &Gpu, encoder: wgpu::CommandEncoder, which: usize) {
        self.readbacks[which].submit(gpu, encoder, &self.drawn, 0, DRAWN_BYTES);
    }

    /// Returns the ids of the last copy: token number `i` is at `i % OUT_LEN`. Behind them is the number of tokens sampled.
    ///
    /// # Errors
    /// When the device was lost.
    pub async fn read(&self, gpu: &Gpu, which: usize) -> Result<Vec<u32>, GpuError> {
        let bytes = self.readbacks[which].read(gpu, DRAWN_BYTES).await?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }
}
