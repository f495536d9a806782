//! The steps of a drafter one by one, for comparison with a reference. Generation runs them in rounds.

use std::sync::Arc;

use super::Decoder;
use crate::gpu::{Buffer, GpuError, Memory, Program};
use crate::model::drafter;
use crate::plan::{Layout, Schedule};

/// What a step of a drafter computes.
#[derive(Clone, Debug, PartialEq)]
pub struct DraftStep {
    /// The drafted token.
    pub id: u32,
    /// `[vocabulary]`; empty with an ordered head, which computes few of them.
    pub logits: Vec<f32>,
    /// The hidden state for the next step. `[width of the target]`.
    pub hidden: Vec<f32>,
}

/// Runs the steps of a decoder's drafter.
pub struct DraftReader<'d> {
    decoder: &'d Decoder,
    steps: Vec<Program>,
    logits: Option<Arc<Buffer>>,
    hidden: Arc<Buffer>,
    /// Kept alive: dropping a buffer destroys it.
    #[allow(dead_code, reason = "the programs use its buffers")]
    memory: Memory,
}

impl<'d> DraftReader<'d> {
    /// Binds `count` steps; `None` without a drafter.
    ///
    /// # Errors
    /// When the device is out of memory or rejects a kernel.
    pub async fn new(decoder: &'d Decoder, count: u32) -> Result<Option<Self>, GpuError> {
        let Decoder { gpu, parts, tuning, drafter, .. } = decoder;
        let Some(drafter) = drafter else { return Ok(None) };
        let step = |at| drafter::step(parts, &drafter.parts, *tuning, at, true);
        let plans = (0..count).map(step).collect::<Result<Vec<_>, _>>()?;
        let mut memory = decoder.memory.clone();
        let pool = memory.take_temporaries();
        memory.extend(&drafter.weights);
        let schedules: Vec<Schedule<'_>> = plans.iter().map(|plan| vec![plan]).collect();
        gpu.allocate_from(pool, "drafts", &Layout::of(&schedules), &mut memory).await?;
        let mut steps = Vec::with_capacity(plans.len());
        for plan in &plans {
            steps.push(gpu.bind(plan, &memory).await?);
        }
        let logits = &drafter.parts.parts.scratch.logits;
        let logits = if memory.holds(logits) { Some(Arc::clone(memory.get(logits)?)) } else { None };
        let hidden = Arc::clone(memory.get(&drafter.parts.hidden)?);
        Ok(Some(Self { decoder, steps, logits, hidden, memory }))
    }

    /// Drafts behind token `id`, which has position `pos`: all tokens before it must be in the cache. `hidden` is the
    /// target's hidden state at `pos − 1`.
    ///
    /// # Errors
    /// When the device was lost.
    pub async fn draft(&self, id: u32, pos: u32, hidden: &[f32]) -> Result<Vec<DraftStep>, GpuError> {
        let Decoder { gpu, io, parts, .. } = self.decoder;
        gpu.queue().write_buffer(&io.tokens, 0, bytemuck::bytes_of(&id));
        gpu.queue().write_buffer(&io.stream[1], 0, bytemuck::cast_slice(hidden));
        self.decoder.write_state(pos, 1, 0);
        let mut drafts = Vec::with_capacity(self.steps.len());
        for (at, step) in (1..).zip(&self.steps) {
            gpu.run(step, 1);
            let ids = gpu.read_once(&io.tokens, 4 * at, 4).await?;
            let logits = match &self.logits {
                Some(logits) => {
                    let bytes = gpu.read_once(logits, 0, 4 * u64::from(parts.vocabulary)).await?;
                    bytemuck::pod_collect_to_vec(&bytes)
                }
                None => Vec::new(),
            };
            let hidden = gpu.read_once(&self.hidden, 0, 4 * u64::from(parts.config.width)).await?;
            drafts.push(DraftStep {
                id: bytemuck::pod_read_unaligned(&ids[..4]),
                logits,
                hidden: bytemuck::pod_collect_to_vec(&hidden),
            });
        }
        Ok(drafts)
    }
}
