//! Where the time of a drawn token goes.

use super::{EngineError, Session};
use crate::bytes::CancelToken;
use crate::gpu::Timer;

/// The time of a drawn token, by kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// Position of the token.
    pub position: u32,
    /// Whether times are the device's own, not the clock's.
    pub timestamps: bool,
    /// Bytes a second that the device reads and writes in a plain copy.
    pub copy_bytes_per_s: f64,
    /// Milliseconds of a whole token, all kernels one after the other.
    pub token_ms: f64,
    /// Bytes of weights, keys and values that a token reads.
    pub token_bytes: u64,
    /// Dispatches of a token.
    pub dispatches: u32,
    /// By kernel and number of workgroups, longest first.
    pub kernels: Vec<KernelTime>,
}

/// All dispatches of one kernel in one token.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelTime {
    /// The kernel.
    pub name: String,
    /// Its dispatches.
    pub dispatches: u32,
    /// Milliseconds of all of them.
    pub ms: f64,
    /// Bytes of weights, keys and values that they read.
    pub bytes: u64,
}

impl Session {
    /// Times every kernel of one drawn token at `position`: the dispatches of all layers in turn, over and over, so that
    /// none finds its weights in a cache where the next token would not. `progress` gets steps done and steps in all.
    /// The cache is empty afterwards.
    ///
    /// # Errors
    /// What the device reports; a cancelled token shows as [`EngineError::is_cancelled`].
    pub async fn profile(
        &mut self,
        position: u32,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(u32, u32),
    ) -> Result<Profile, EngineError> {
        self.forget();
        let position = position.min(self.context.saturating_sub(2));
        // The whole list moves on by a token each time, and must not leave the cache.
        let most = self.context - position - 1;
        let decoder = &self.decoder;
        let timer = Timer::new(&self.gpu)?;
        let token = decoder.token();
        let uses = token.by_kernel();
        let total = uses.len() as u32 + 2;
        let prepare = || decoder.pretend(position);

        progress(0, total);
        let copy_bytes_per_s = timer.bandwidth().await?;
        progress(1, total);
        cancel.check()?;
        let token_ms = timer.time(&token, most, &prepare).await?;
        let mut kernels = Vec::with_capacity(uses.len());
        let names: Vec<_> = uses.iter().map(|uses| uses.name.clone()).collect();
        for (done, uses) in (2..).zip(uses) {
            progress(done, total);
            cancel.check()?;
            kernels.push(KernelTime {
                ms: timer.time(&uses.program, u32::MAX, &prepare).await?,
                dispatches: uses.program.len() as u32,
                bytes: uses.program.plan().bytes_read(position),
                // The same kernel for matrices of other heights: told apart by its workgroups.
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
