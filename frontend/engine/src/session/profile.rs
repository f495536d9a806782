//! Profiling a generated token.

use shaders::matmul::FewRows;

use super::{EngineError, Session};
use crate::bytes::CancelToken;
use crate::gpu::Timer;
use crate::model::Drafts;

/// Times of one generated token, by kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// Position of the token.
    pub position: u32,
    /// Whether times are from GPU timestamps, not from the clock.
    pub timestamps: bool,
    /// Bytes per second read and written in a plain copy.
    pub copy_bytes_per_s: f64,
    /// Milliseconds per token, with all kernels one after the other.
    pub token_ms: f64,
    /// Bytes of weights, keys and values read per token.
    pub token_bytes: u64,
    /// Dispatches per token.
    pub dispatches: u32,
    /// By kernel and number of workgroups, longest first.
    pub kernels: Vec<KernelTime>,
}

/// All dispatches of one kernel in one token.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelTime {
    /// The kernel.
    pub name: String,
    /// Number of dispatches.
    pub dispatches: u32,
    /// Total milliseconds.
    pub ms: f64,
    /// Total bytes of weights, keys and values read.
    pub bytes: u64,
}

impl Session {
    /// Times every kernel of one generated token at `position`, of a round that verifies `rows` − 1 drafted tokens, or,
    /// with more rows than a round can have, of the layers of a prefill chunk. The dispatches of all layers run in turn,
    /// so that weights are not in a hardware cache if they would not be during decoding. `progress` receives steps done
    /// and total steps. The cache is empty afterwards.
    ///
    /// # Errors
    /// Errors of the device. Cancellation is reported as [`EngineError::is_cancelled`].
    pub async fn profile(
        &mut self,
        position: u32,
        rows: u32,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(u32, u32),
    ) -> Result<Profile, EngineError> {
        self.forget();
        let rows = rows.min(self.decoder.chunk_len());
        let is_chunk = rows > FewRows::MOST;
        if rows > 1 && !is_chunk {
            self.decoder.prepare_rounds(Drafts::Always { count: rows - 1 }).await?;
        }
        let position = position.min(self.context.saturating_sub(rows + 1));
        // A whole token or round advances the position, and must stay within the cache.
        let most = if is_chunk { u32::MAX } else { (self.context - position - 1) / rows };
        let decoder = &self.decoder;
        let timer = Timer::new(&self.gpu)?;
        let token = match rows {
            _ if is_chunk => decoder.chunk().clone(),
            2.. => decoder.round(rows),
            _ => decoder.token(),
        };
        let uses = token.by_kernel();
        let total = uses.len() as u32 + 2;
        let prepare = || decoder.prepare_timing(position, rows);

        progress(0, total);
        let copy_bytes_per_s = timer.bandwidth().await?;
        progress(1, total);
        cancel.check()?;
        let token_ms = timer.time_rows(&token, rows, most, &prepare).await?;
        let mut kernels = Vec::with_capacity(uses.len());
        let names: Vec<_> = uses.iter().map(|uses| uses.name.clone()).collect();
        for (done, uses) in (2..).zip(uses) {
            progress(done, total);
            cancel.check()?;
            kernels.push(KernelTime {
                ms: timer.time_rows(&uses.program, rows, u32::MAX, &prepare).await?,
                dispatches: uses.program.len() as u32,
                bytes: uses.program.plan().bytes_read(position),
                // The same kernel for matrices with other numbers of rows is identified by its workgroups.
                name: match names.iter().filter(|name| **name == uses.name).count() {
                    1 => uses.name,
                    _ => format!("{} ({} workgroups)", uses.name, uses.workgroups.iter().product::<u32>()),
                },
            });
        }
        kernels.sort_by(|a, b| b.ms.total_cmp(&a.ms));
        Ok(Profile {
            position,
            timestamps: timer.reads_timestamps(),
            copy_bytes_per_s,
            token_ms,
            token_bytes: token.plan().bytes_read(position),
            dispatches: token.len() as u32,
            kernels,
        })
    }
}
