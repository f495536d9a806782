//! Running the programs of a few rows and of a chunk. With an expert cache, the host loads experts in between.

use super::{Decoder, StepError};
use crate::bytes::CancelToken;
use crate::gpu::{GpuError, Program, Rows};
use crate::model::expert_cache::Chunk;
use crate::plan::PlanError;

impl Decoder {
    /// Runs a program of a few rows: a token, and drafts that are verified with it. If `readback` is given, samples from
    /// the rows and copies the accepted tokens there.
    ///
    /// A step that misses an expert ends early, and goes on from the experts of that layer once they are loaded. What it
    /// has computed is still in its buffers: the later steps had no rows. If the experts of all rows don't have slots
    /// together, the last rows are dropped.
    ///
    /// # Errors
    /// When the device fails, or an expert cannot be read.
    pub(super) async fn run_step(
        &self,
        program: &Program,
        mut rows: u32,
        readback: Option<usize>,
    ) -> Result<(), StepError> {
        let mut from = 0;
        if let Some(experts) = &self.experts {
            experts.begin_step();
        }
        loop {
            let mut encoder = self.gpu.encoder();
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                program.encode_steps(&mut pass, rows, from..program.len());
                if readback.is_some() {
                    self.sampler.program().encode(&mut pass, rows);
                }
            }
            if let Some(experts) = &self.experts {
                experts.encode_record(&mut encoder);
            }
            match readback {
                Some(which) => self.sampler.submit(&self.gpu, encoder, which),
                None => drop(self.gpu.submit(encoder)),
            }
            let Some(experts) = &self.experts else { return Ok(()) };
            let Some(missed) = experts.missed(rows).await? else { return Ok(()) };
            let layer = missed.layer;
            let missing = || PlanError::Internal { what: format!("step for the experts of layer {layer}") };
            let steps =
                program.plan().expert_steps().get(layer).ok_or_else(missing).map_err(GpuError::from)?;
            from = steps.start;
            rows = missed.rows;
            self.write_rows_of_step(rows);
        }
    }

    /// Runs the layers of a chunk after what is encoded.
    ///
    /// # Errors
    /// When it is cancelled, the device fails, or an expert cannot be read.
    pub(super) async fn run_chunk(
        &self,
        encoder: wgpu::CommandEncoder,
        layers: &Program,
        rows: Rows,
        cancel: &CancelToken,
    ) -> Result<(), StepError> {
        let queue = &self.prompt_queue;
        match &self.experts {
            Some(experts) => experts.run(queue, Some(encoder), layers, rows, Chunk::Prompt, cancel).await,
            None => queue.run(&self.gpu, Some(encoder), [layers.all()], rows, cancel).await,
        }
    }
}
