//! Splits work into short submits, so that the page stays responsive and the driver's watchdog is not triggered.

use web_time::Instant;

use super::TrainError;
use crate::bytes::CancelToken;
use crate::gpu::{Gpu, Program};

/// Target duration of a submit.
const TARGET_MS: f64 = 40.0;
/// Work of the first submit: well under a second on the slowest device.
const FIRST: f64 = 5e7;

/// Dispatches that are submitted together, with their cost: a plan or a program.
#[derive(Default)]
pub(super) struct Segment<P = Program> {
    /// The dispatches.
    pub steps: P,
    /// Estimated multiply-adds per row.
    pub cost: f64,
}

/// The amount of work per submit: measured, and at most doubled from one submit to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    budget: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { budget: FIRST }
    }
}

impl Pace {
    /// Records that work of this cost took `ms`.
    fn learn(&mut self, cost: f64, ms: f64) {
        let fitting = cost * TARGET_MS / ms.max(0.05);
        // Short submits say little about long ones.
        if ms > TARGET_MS || cost > 0.5 * self.budget {
            self.budget = fitting.min(2.0 * self.budget).max(1.0);
        }
    }

    /// Runs the segments for `rows` rows, and waits for each submit before the next.
    ///
    /// # Errors
    /// [`TrainError::Cancelled`] between two submits, or an error of the device.
    pub async fn run<'a>(
        &mut self,
        gpu: &Gpu,
        segments: impl IntoIterator<Item = &'a Segment>,
        rows: u32,
        cancel: &CancelToken,
    ) -> Result<(), TrainError> {
        let mut segments = segments.into_iter().peekable();
        while segments.peek().is_some() {
            cancel.check()?;
            let started = Instant::now();
            let mut encoder = gpu.encoder();
            let mut cost = 0.0;
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                while let Some(segment) =
                    segments.next_if(|next| cost == 0.0 || cost + next.cost * f64::from(rows) <= self.budget)
                {
                    segment.steps.encode(&mut pass, rows);
                    cost += (segment.cost * f64::from(rows)).max(1.0);
                }
            }
            gpu.queue().submit([encoder.finish()]);
            gpu.drained().await?;
            self.learn(cost, started.elapsed().as_secs_f64() * 1000.0);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settle(cost_per_ms: f64) -> f64 {
        let mut pace = Pace::default();
        for _ in 0..40 {
            pace.learn(pace.budget, 0.3 + pace.budget / cost_per_ms);
        }
        pace.budget / cost_per_ms
    }

    #[test]
    fn submits_become_as_long_as_wanted_on_any_device() {
        for cost_per_ms in [1e5, 1e7, 1e10] {
            assert!((settle(cost_per_ms) - TARGET_MS).abs() < 2.0, "{cost_per_ms}");
        }
    }
}
