//! Drawing tokens on the device, and bringing their ids back.

use std::sync::Arc;

use shaders::sampling::{Candidates, MAX_RECENT, Params, Sampling, Settings};
use shaders::selftest::Form as Tried;

use super::Parts;
use crate::gpu::{Buffer, Gpu, GpuError, Grid, Readback, Steps};

/// Ids that the output ring holds: more than can be on their way at a time.
pub const OUT_LEN: u32 = 64;

/// One form of the sampling kernels, ready to run.
struct Form {
    steps: Steps,
    params: Arc<Buffer>,
    sampling: Sampling,
    /// Kept for their bind groups.
    _lists: Vec<Arc<Buffer>>,
}

/// The sampling kernels and their buffers.
pub struct Sampler {
    forms: Vec<Form>,
    active: usize,
    /// Ring of recent ids, for the penalties.
    recent: Arc<Buffer>,
    /// Ring of drawn ids.
    drawn: Arc<Buffer>,
    readbacks: [Readback; 2],
    settings: Settings,
}

impl Sampler {
    /// Compiles every form, so that a change of settings never waits.
    ///
    /// # Errors
    /// When the device refuses a kernel or a buffer.
    pub async fn new(gpu: &Gpu, parts: &Parts) -> Result<Self, GpuError> {
        let recent = gpu.storage("recent tokens", u64::from(MAX_RECENT) * 4)?;
        let drawn = gpu.storage("drawn tokens", u64::from(OUT_LEN) * 4)?;
        let mut forms = Vec::new();
        for candidates in Candidates::ALL {
            forms.push(Self::form(gpu, parts, candidates, &recent, &drawn).await?);
        }
        let readback = || gpu.readback("drawn tokens", u64::from(OUT_LEN) * 4);
        let readbacks = [readback()?, readback()?];
        Ok(Self { forms, active: 0, recent, drawn, readbacks, settings: Settings::default() })
    }

    async fn form(
        gpu: &Gpu,
        parts: &Parts,
        candidates: Candidates,
        recent: &Arc<Buffer>,
        drawn: &Arc<Buffer>,
    ) -> Result<Form, GpuError> {
        let s = &parts.scratch;
        let sampling = Sampling { vocab: parts.vocabulary, candidates };
        let many = candidates == Candidates::Many;
        let lists = gpu.storage("candidates", sampling.slice_list_bytes())?;
        let merged = gpu.storage("merged candidates", sampling.merged_list_bytes())?;
        let sums = gpu.storage("sums", sampling.sum_bytes())?;
        let params = gpu.uniform_with("sampling", &Params::new(&Settings::default(), sampling, OUT_LEN))?;
        let mut steps = Steps::default();
        let mut buffers: Vec<&wgpu::Buffer> = vec![&s.state, recent, &s.logits, &lists];
        if many {
            buffers.push(&sums);
        }
        let grid = Grid::Fixed(sampling.top_k_grid());
        steps.push_shared(gpu, &sampling.top_k()?, &params, &buffers, grid).await?;
        steps.tried_as(Tried::TopK(candidates));
        let mut last = &lists;
        if sampling.merges() {
            let grid = Grid::Fixed(sampling.merge_lists_grid());
            steps.push_shared(gpu, &sampling.merge_lists()?, &params, &[&lists, &merged], grid).await?;
            steps.tried_as(Tried::MergeLists(candidates));
            last = &merged;
        }
        let mut buffers: Vec<&wgpu::Buffer> = vec![&s.state, recent, &s.tokens, drawn, last];
        if many {
            buffers.push(&sums);
        }
        steps.push_shared(gpu, &sampling.sample()?, &params, &buffers, Grid::Fixed([1, 1, 1])).await?;
        steps.tried_as(Tried::Sample(candidates));
        Ok(Form { steps, params, sampling, _lists: vec![lists, merged, sums] })
    }

    /// Settings for the tokens to come, and the tokens that count as recent.
    pub fn begin(&mut self, gpu: &Gpu, settings: Settings, history: &[u32]) -> u32 {
        let candidates = settings.candidates();
        self.active = self.forms.iter().position(|f| f.sampling.candidates == candidates).unwrap_or(0);
        let form = &self.forms[self.active];
        let params = Params::new(&settings, form.sampling, OUT_LEN);
        gpu.queue().write_buffer(&form.params, 0, bytemuck::bytes_of(&params));
        self.settings = settings;
        // Entry i of the ring is token number i of those that ever entered, modulo its length.
        let tail = &history[history.len().saturating_sub(MAX_RECENT as usize)..];
        let mut ring = [u32::MAX; MAX_RECENT as usize];
        ring[..tail.len()].copy_from_slice(tail);
        gpu.queue().write_buffer(&self.recent, 0, bytemuck::cast_slice(&ring));
        tail.len() as u32
    }

    /// The dispatches that draw one token from the logits and make it the next input.
    #[must_use]
    pub fn steps(&self) -> &Steps {
        &self.forms[self.active].steps
    }

    /// The dispatches of every form.
    pub fn all_steps(&self) -> impl Iterator<Item = &Steps> {
        self.forms.iter().map(|form| &form.steps)
    }

    /// Submits `encoder` with a copy of the drawn ids to one of the two readback buffers at its end.
    pub fn submit(&self, gpu: &Gpu, encoder: wgpu::CommandEncoder, which: usize) {
        self.readbacks[which].submit(gpu, encoder, &self.drawn, 0, u64::from(OUT_LEN) * 4);
    }

    /// The drawn ids as of the last copy: token number `i` is at `i % OUT_LEN`.
    ///
    /// # Errors
    /// When the device was lost.
    pub async fn read(&self, gpu: &Gpu, which: usize) -> Result<Vec<u32>, GpuError> {
        let bytes = self.readbacks[which].read(gpu, u64::from(OUT_LEN) * 4).await?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }
}
