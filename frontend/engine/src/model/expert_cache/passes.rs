//! Chunks of rows, which choose more experts than there are slots: prompts and canvases.

use super::ExpertCache;
use crate::bytes::CancelToken;
use crate::gpu::{PacedQueue, Program, Rows};
use crate::model::StepError;

/// What a chunk is, for the figures of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// Tokens of a prompt, or other final tokens.
    Prompt,
    /// A canvas that is denoised.
    Canvas,
}

impl ExpertCache {
    /// Runs a program for the rows of a chunk, after what `begun` has encoded. The experts' steps of a layer run in passes, each
    /// with as many of the chosen experts as there are slots.
    ///
    /// # Errors
    /// When it is cancelled, the device fails, or an expert cannot be read.
    pub async fn run(
        &self,
        queue: &PacedQueue,
        begun: Option<wgpu::CommandEncoder>,
        program: &Program,
        rows: Rows,
        chunk: Chunk,
        cancel: &CancelToken,
    ) -> Result<(), StepError> {
        let gpu = &self.gpu;
        let (mut begun, mut at) = (begun, 0);
        for (layer, steps) in program.plan().expert_steps().iter().enumerate() {
            queue.run::<StepError>(gpu, begun.take(), [(program, at..steps.start)], rows, cancel).await?;
            let mut encoder = gpu.encoder();
            self.encode_choices(&mut encoder, rows.count);
            gpu.submit(encoder);
            for experts in self.chosen(layer, rows.count).await? {
                self.begin_pass(layer, &experts, chunk).await?;
                queue.run::<StepError>(gpu, None, [(program, steps.clone())], rows, cancel).await?;
            }
            at = steps.end;
        }
        queue.run(gpu, begun, [(program, at..program.len())], rows, cancel).await
    }
}
