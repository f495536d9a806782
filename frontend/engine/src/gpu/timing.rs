//! GPU timing, with timestamps if the device has them, otherwise with the clock.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use shaders::bandwidth::copy;
use web_time::Instant;

use super::{Buffer, Gpu, GpuError, Memory, Program, Readback};
use crate::plan::{Grid, Plan, Value};

/// Browsers round timestamps to 0.1 ms: 2 % of this.
const MIN_MS: f64 = 5.0;
/// With the clock, submit and wait are included: a few per cent of this.
const MIN_MS_BY_CLOCK: f64 = 20.0;
/// Maximum number of dispatches of one measurement.
const MAX_DISPATCHES: usize = 16_384;
/// Size of each of the two buffers for measuring bandwidth: larger than caches.
const COPY_BYTES: u64 = 256 << 20;
/// Minimum size for a useful result.
const MIN_COPY_BYTES: u64 = 16 << 20;

/// Times programs.
pub struct Timer<'a> {
    gpu: &'a Gpu,
    stamps: Option<Stamps>,
    /// Whether timestamps were found to say nothing.
    by_clock: Cell<bool>,
}

/// The time of a program, and how it was measured.
#[derive(Clone, Copy, Debug)]
pub struct Timed {
    /// Milliseconds of one run.
    pub ms: f64,
    rows: u32,
    /// Number of runs in one pass.
    repeats: usize,
}

/// Two timestamps and their readback.
struct Stamps {
    set: wgpu::QuerySet,
    resolved: Arc<Buffer>,
    readback: Readback,
    /// Milliseconds of a tick.
    tick_ms: f64,
}

impl<'a> Timer<'a> {
    /// Returns a timer of this device.
    ///
    /// # Errors
    /// When the device gives no buffer.
    pub fn new(gpu: &'a Gpu) -> Result<Self, GpuError> {
        use wgpu::BufferUsages as U;
        let stamps = if gpu.features.contains(wgpu::Features::TIMESTAMP_QUERY) {
            Some(Stamps {
                set: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                    label: Some("timestamps"),
                    ty: wgpu::QueryType::Timestamp,
                    count: 2,
                }),
                resolved: gpu.buffer("timestamps", 16, U::QUERY_RESOLVE | U::COPY_SRC)?,
                readback: gpu.readback("timestamps", 16)?,
                tick_ms: f64::from(gpu.queue.get_timestamp_period()) / 1e6,
            })
        } else {
            None
        };
        Ok(Self { gpu, stamps, by_clock: Cell::default() })
    }

    /// Returns whether it uses timestamps, not the clock.
    pub fn reads_timestamps(&self) -> bool {
        self.stamps().is_some()
    }

    fn stamps(&self) -> Option<&Stamps> {
        self.stamps.as_ref().filter(|_| !self.by_clock.get())
    }

    /// Milliseconds per run of a program for `rows` rows. The program is repeated in one pass, at most `most` times,
    /// until the pass is long enough to measure; `prepare` is called before each pass. Kernels that change their
    /// input do so each time, so results are meaningless.
    ///
    /// # Errors
    /// When the device was lost.
    pub async fn time_rows(
        &self,
        program: &Program,
        rows: u32,
        most: u32,
        prepare: &dyn Fn(),
    ) -> Result<f64, GpuError> {
        Ok(self.calibrate(program, rows, most, prepare).await?.ms)
    }

    /// Same as [`Self::time_rows`], for one row.
    ///
    /// # Errors
    /// Same as [`Self::time_rows`].
    pub async fn time(&self, program: &Program, most: u32, prepare: &dyn Fn()) -> Result<f64, GpuError> {
        self.time_rows(program, 1, most, prepare).await
    }

    /// Same as [`Self::time_rows`], with the number of runs that were long enough, for [`Self::time_again`].
    ///
    /// # Errors
    /// Same as [`Self::time_rows`].
    pub async fn calibrate(
        &self,
        program: &Program,
        rows: u32,
        most: u32,
        prepare: &dyn Fn(),
    ) -> Result<Timed, GpuError> {
        if program.is_empty() {
            return Ok(Timed { ms: 0.0, rows, repeats: 1 });
        }
        let most = (MAX_DISPATCHES / program.len()).min(most as usize).max(1);
        // The first run may still upload and compile.
        prepare();
        self.replay(program, rows, 1).await?;
        let mut repeats = 1;
        loop {
            let least = if self.reads_timestamps() { MIN_MS } else { MIN_MS_BY_CLOCK };
            prepare();
            let ms = self.replay(program, rows, repeats).await?;
            if repeats == most && ms <= 0.0 && self.reads_timestamps() {
                // Some browsers offer timestamps that stand still.
                self.by_clock.set(true);
                repeats = 1;
                continue;
            }
            if ms >= least || repeats == most {
                return Ok(Timed { ms: ms / repeats as f64, rows, repeats });
            }
            // Slightly more than needed, but limited: the first estimate may be mostly waiting.
            let factor = (1.2 * least / ms.max(0.01)).clamp(2.0, 16.0);
            repeats = ((repeats as f64 * factor) as usize).min(most);
        }
    }

    /// Milliseconds per run of a program that was timed before, by one pass of as many runs.
    ///
    /// # Errors
    /// Same as [`Self::time_rows`].
    pub async fn time_again(
        &self,
        program: &Program,
        before: Timed,
        prepare: &dyn Fn(),
    ) -> Result<f64, GpuError> {
        prepare();
        Ok(self.replay(program, before.rows, before.repeats).await? / before.repeats as f64)
    }

    async fn replay(&self, program: &Program, rows: u32, repeats: usize) -> Result<f64, GpuError> {
        self.gpu.drained().await?;
        let mut encoder = self.gpu.encoder();
        let timestamp_writes = self.stamps().map(|stamps| wgpu::ComputePassTimestampWrites {
            query_set: &stamps.set,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        });
        {
            let descriptor = wgpu::ComputePassDescriptor { label: None, timestamp_writes };
            let mut pass = encoder.begin_compute_pass(&descriptor);
            for _ in 0..repeats {
                program.encode(&mut pass, rows);
            }
        }
        let Some(stamps) = self.stamps() else {
            let started = Instant::now();
            self.gpu.submit(encoder);
            self.gpu.drained().await?;
            return Ok(started.elapsed().as_secs_f64() * 1000.0);
        };
        encoder.resolve_query_set(&stamps.set, 0..2, &stamps.resolved, 0);
        stamps.readback.submit(self.gpu, encoder, &stamps.resolved, 0, 16);
        let bytes = stamps.readback.read(self.gpu, 16).await?;
        let ticks: Vec<u64> = bytemuck::pod_collect_to_vec(&bytes);
        // Browsers may add noise: an end before the start counts as zero.
        let passed = ticks[1].saturating_sub(ticks[0]);
        Ok(passed as f64 * stamps.tick_ms)
    }

    /// Bytes per second read plus written in a plain copy, once copies have run for `wake`.
    ///
    /// # Errors
    /// When the device is out of memory for two buffers of 16 MiB, or was lost.
    pub async fn bandwidth(&self, wake: Duration) -> Result<f64, GpuError> {
        let gpu = self.gpu;
        let mut bytes = COPY_BYTES.min(gpu.max_binding()) & !15;
        let mut memory = Memory::default();
        let [from, to] = loop {
            let pair = ["copied from", "copied to"].map(|name| Value::temporary(name, bytes));
            match gpu.allocate("a measurement of the memory", &pair, &mut memory).await {
                Err(GpuError::OutOfMemory { .. }) if bytes / 2 >= MIN_COPY_BYTES => bytes /= 2,
                made => break made.map(|()| pair)?,
            }
        };
        let params = copy::Params::new((bytes / 16) as u32);
        let mut plan = Plan::default();
        plan.push(copy::BandwidthCopy, &params, &[&from, &to], Grid::Fixed(params.dispatch()))?;
        let copy = gpu.bind(&plan, &memory).await?;
        let began = Instant::now();
        let ms = loop {
            let ms = self.time(&copy, u32::MAX, &|| ()).await?;
            if began.elapsed() >= wake {
                break ms;
            }
        };
        Ok(2.0 * bytes as f64 * 1000.0 / ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::GpuOptions;

    #[test]
    fn timestamps_that_stand_still_give_way_to_the_clock() {
        pollster::block_on(async {
            let gpu = Gpu::open(&GpuOptions::default()).await.expect("a device");
            let mut memory = Memory::default();
            let pair = ["from", "to"].map(|name| Value::temporary(name, 256));
            gpu.allocate("a test", &pair, &mut memory).await.expect("memory");
            let params = copy::Params::new(16);
            let mut plan = Plan::default();
            let grid = Grid::Fixed(params.dispatch());
            plan.push(copy::BandwidthCopy, &params, &[&pair[0], &pair[1]], grid).expect("a plan");
            let program = gpu.bind(&plan, &memory).await.expect("a program");
            let mut timer = Timer::new(&gpu).expect("a timer");
            if let Some(stamps) = &mut timer.stamps {
                stamps.tick_ms = 0.0;
            }
            let timed = timer.calibrate(&program, 1, 8, &|| ()).await.expect("a time");
            assert!(timed.ms > 0.0 && !timer.reads_timestamps());
            // What is timed again is timed by the same clock.
            assert!(timer.time_again(&program, timed, &|| ()).await.expect("a time") > 0.0);
        });
    }
}
