//! Logits on the host, of all rows of a prompt or token by token, for comparison with a reference. Generation does
//! not need them.

use super::plans::LogitsPlans;
use super::{AdapterPrograms, Decoder, StepError};
use crate::bytes::CancelToken;
use crate::gpu::{GpuError, Memory, Program};
use crate::media::Input;
use crate::plan::Layout;

/// Reads the logits of a decoder, with its active adapters.
pub struct LogitsReader<'d> {
    decoder: &'d Decoder,
    chunk: Program,
    head: Program,
    /// Frees the buffers that the decoder has not, when it is dropped.
    _memory: Memory,
}

impl<'d> LogitsReader<'d> {
    /// Binds the programs.
    ///
    /// # Errors
    /// When the device is out of memory or rejects a kernel.
    pub async fn new(decoder: &'d Decoder) -> Result<Self, GpuError> {
        let Decoder { gpu, parts, tuning, .. } = decoder;
        let (memory, corrections) = match decoder.active() {
            Some(AdapterPrograms { corrections, memory, .. }) => (memory, Some(corrections)),
            None => (&decoder.memory, None),
        };
        let plans = LogitsPlans::new(parts, *tuning, corrections)?;
        let mut memory = memory.clone();
        let pool = memory.take_temporaries();
        gpu.allocate_from(pool, "logits", &Layout::of(&plans.schedules()), &mut memory).await?;
        let chunk = gpu.bind(&plans.chunk, &memory).await?;
        let head = gpu.bind(&plans.head, &memory).await?;
        Ok(Self { decoder, chunk, head, _memory: memory })
    }

    /// Same as [`Decoder::prefill`], but through all layers, so that the logits of each row are available.
    ///
    /// # Errors
    /// Same as [`Decoder::prefill`].
    pub async fn prefill(&self, input: &Input, pos: u32, len: u32) -> Result<(), StepError> {
        self.decoder.append(input, pos, len, &self.chunk, &CancelToken::default()).await
    }

    /// Logits of row `row` of the last chunk, after the softcap. `[vocabulary]`. Rows must be requested in
    /// ascending order, since row 0 is overwritten.
    ///
    /// # Errors
    /// When the device was lost.
    pub async fn row(&self, row: u32) -> Result<Vec<f32>, GpuError> {
        self.decoder.single_out(row);
        self.decoder.gpu.run(&self.head, 1);
        self.read().await
    }

    /// Appends token `id` at position `pos` to the cache with the decode program, and returns its logits after the
    /// softcap. `[vocabulary]`.
    ///
    /// # Errors
    /// When the device or the table fails.
    pub async fn step(&self, id: u32, pos: u32) -> Result<Vec<f32>, StepError> {
        let decoder = self.decoder;
        decoder.fetch_rows(&[id]).await?;
        decoder.gpu.queue().write_buffer(&decoder.io.tokens, 0, bytemuck::bytes_of(&id));
        decoder.write_state(pos, 1, 0);
        decoder.run_step(&decoder.programs().one, 1, None).await?;
        Ok(self.read().await?)
    }

    /// The softcap is part of sampling, so it is applied here.
    async fn read(&self) -> Result<Vec<f32>, GpuError> {
        let Decoder { gpu, io, parts, .. } = self.decoder;
        let bytes = gpu.read_once(&io.logits, 0, 4 * u64::from(parts.vocabulary)).await?;
        let mut logits: Vec<f32> = bytemuck::pod_collect_to_vec(&bytes);
        let cap = parts.config.softcap;
        if cap > 0.0 {
            for z in &mut logits {
                *z = cap * (*z / cap).tanh();
            }
        }
        Ok(logits)
    }
}
