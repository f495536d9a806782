//! The programs that the plans of a decoder become.

use super::plans::Plans;
use crate::gpu::{Gpu, GpuError, Memory, Program};

/// The programs of [`Plans`].
pub struct Programs {
    /// See [`Plans::one`].
    pub one: Program,
    /// See [`Plans::embed`].
    pub embed: Program,
    /// See [`Plans::chunk`].
    pub chunk: Program,
    /// See [`Plans::tail`].
    pub tail: Program,
}

impl Programs {
    /// Number of programs that [`Self::bind`] creates; the unit of its progress.
    pub const COUNT: u64 = 4;

    /// Binds the plans. `progress` gets the programs done.
    ///
    /// # Errors
    /// When the device refuses a kernel.
    pub async fn bind(
        gpu: &Gpu,
        plans: &Plans,
        memory: &Memory,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Self, GpuError> {
        let mut programs = Vec::with_capacity(Self::COUNT as usize);
        for plan in plans.all() {
            programs.push(gpu.bind(plan, memory).await?);
            progress(programs.len() as u64);
        }
        let mut programs = programs.into_iter();
        let mut next = || programs.next().unwrap_or_default();
        Ok(Self { one: next(), embed: next(), chunk: next(), tail: next() })
    }
}
