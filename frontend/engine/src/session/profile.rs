//! Profiling a generated token, a prefill chunk, or a step of a canvas.

use std::time::Duration;

use shaders::matmul::FewRows;

use super::{DiffusionSession, EngineError, Session};
use crate::bytes::CancelToken;
use crate::gpu::{Program, Timer};
use crate::model::Drafts;

/// Time of copying before anything else is timed: during a load of seconds a card lowers its clock, to a fifth at worst, and it
/// takes half a second to raise it again.
const WAKE: Duration = Duration::from_millis(800);

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
        let rows = rows.clamp(1, self.decoder.chunk_len());
        let is_chunk = rows > FewRows::MAX_ROWS;
        if rows > 1 && !is_chunk {
            self.decoder.prepare_rounds(Drafts::Always { count: rows - 1 }).await?;
        }
        let position = position.min(self.context.saturating_sub(rows + 1));
        // A whole token or round advances the position, and must stay within the cache.
        let most = if is_chunk { u32::MAX } else { (self.context - position - 1) / rows };
        let decoder = &self.decoder;
        let timer = Timer::new(&self.core.gpu)?;
        let program = match rows {
            _ if is_chunk => decoder.chunk().clone(),
            2.. => decoder.round(rows),
            _ => decoder.token(),
        };
        let prepare = || decoder.prepare_timing(position, rows);
        let timing = Timing { timer, position, rows, most, prepare: &prepare, cancel };
        timing.profile(&[&program], progress).await
    }
}

impl DiffusionSession {
    /// Times every kernel of one step of a canvas of `rows` tokens behind `position` others. Otherwise like
    /// [`Session::profile`].
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
        let rows = rows.min(self.diffuser().most_rows());
        let position = position.min(self.context().saturating_sub(rows));
        let diffuser = self.diffuser();
        let canvas = vec![0; rows as usize];
        diffuser.write_rows(&canvas, position, position + rows)?;
        diffuser.assume_resident();
        let timer = Timer::new(diffuser.gpu())?;
        let timing = Timing { timer, position, rows, most: u32::MAX, prepare: &|| (), cancel };
        timing.profile(&diffuser.step_programs(), progress).await
    }
}

/// How programs are timed.
struct Timing<'a> {
    timer: Timer<'a>,
    position: u32,
    rows: u32,
    /// How often a whole program can run in a row.
    most: u32,
    /// What the host writes before each pass.
    prepare: &'a dyn Fn(),
    cancel: &'a CancelToken,
}

impl Timing<'_> {
    /// Times programs that run one after the other, and their kernels.
    async fn profile(
        &self,
        programs: &[&Program],
        progress: &mut dyn FnMut(u32, u32),
    ) -> Result<Profile, EngineError> {
        let Self { timer, position, rows, most, prepare, cancel } = self;
        let uses: Vec<_> = programs.iter().flat_map(|program| program.by_kernel()).collect();
        let total = uses.len() as u32 + 2;
        progress(0, total);
        let copy_bytes_per_s = timer.bandwidth(WAKE).await?;
        progress(1, total);
        cancel.check()?;
        let mut token_ms = 0.0;
        for program in programs {
            token_ms += timer.time_rows(program, *rows, *most, prepare).await?;
        }
        let mut kernels = Vec::with_capacity(uses.len());
        let names: Vec<_> = uses.iter().map(|uses| uses.name.clone()).collect();
        for (done, uses) in (2..).zip(uses) {
            progress(done, total);
            cancel.check()?;
            kernels.push(KernelTime {
                ms: timer.time_rows(&uses.program, *rows, u32::MAX, prepare).await?,
                dispatches: uses.program.len() as u32,
                bytes: uses.program.plan().bytes_read(*position),
                // The same kernel for matrices with other numbers of rows is identified by its workgroups.
                name: match names.iter().filter(|name| **name == uses.name).count() {
                    1 => uses.name,
                    _ => format!("{} ({} workgroups)", uses.name, uses.workgroups.iter().product::<u32>()),
                },
            });
        }
        kernels.sort_by(|a, b| b.ms.total_cmp(&a.ms));
        Ok(Profile {
            position: *position,
            timestamps: timer.reads_timestamps(),
            copy_bytes_per_s,
            token_ms,
            token_bytes: programs.iter().map(|program| program.plan().bytes_read(*position)).sum(),
            dispatches: programs.iter().map(|program| program.len() as u32).sum(),
            kernels,
        })
    }
}
