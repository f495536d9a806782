//! Chunks of rows, which choose more experts than there are slots: prompts and canvases.

use super::{Chunk, ExpertCache};
use crate::bytes::{CancelToken, SourceError};
use crate::gpu::{GpuError, PacedQueue, Program, Rows};
use crate::model::ExpertError;

impl ExpertCache {
    /// Runs a program for the rows of a chunk, after what `begun` has encoded. The experts' steps of a layer run in passes, each
    /// with as many of the chosen experts as there are slots.
    ///
    /// # Errors
    /// When it is cancelled, the device fails, or an expert cannot be read.
    pub async fn run<E: From<GpuError> + From<SourceError> + From<ExpertError>>(
        &self,
        queue: &PacedQueue,
        begun: Option<wgpu::CommandEncoder>,
        program: &Program,
        rows: Rows,
        chunk: Chunk,
        cancel: &CancelToken,
    ) -> Result<(), E> {
        let gpu = &self.gpu;
        let (mut begun, mut at) = (begun, 0);
        for (layer, steps) in program.plan().expert_steps().iter().enumerate() {
            queue.run::<E>(gpu, begun.take(), [(program, at..steps.start)], rows, cancel).await?;
            let mut encoder = gpu.encoder();
            self.encode_choices(&mut encoder, rows.count);
            gpu.submit(encoder);
            for experts in self.chosen(layer, rows.count).await? {
                self.begin_pass(layer, &experts, chunk).await?;
                queue.run::<E>(gpu, None, [(program, steps.clone())], rows, cancel).await?;
            }
            at = steps.end;
        }
        queue.run(gpu, begun, [(program, at..program.len())], rows, cancel).await
    }
}
