//! Cuts long work into short submits: the page stays responsive, Stop is prompt, and the driver's watchdog is not triggered.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::iter::Peekable;
use std::ops::Range;

use futures_channel::oneshot;
use futures_util::FutureExt as _;
use futures_util::future::Shared;
use web_time::Instant;

use super::{Gpu, GpuError, Program};
use crate::bytes::{CancelToken, SourceError};
use crate::plan::Plan;

/// Target duration of a submit, in milliseconds.
const TARGET_MS: f64 = 40.0;
/// Maximum number of rows of a chunk before anything is measured.
const FIRST_ROWS: u32 = 64;
/// A chunk is not shortened below this number of rows.
const MIN_ROWS: u32 = 32;
/// Maximum number of steps of the first submit to an idle device, which begins while the rest is encoded: a browser takes
/// several microseconds for each step, milliseconds for a prompt.
const FIRST_STEPS: usize = 64;
/// By how much the number of steps may grow from one submit to the next.
const STEPS_GROWTH: usize = 4;

/// The rows that steps run for.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// Number of rows.
    pub count: u32,
    /// Position of the last one.
    pub last: u32,
}

impl Rows {
    /// `count` rows from `position` on.
    pub const fn at(position: u32, count: u32) -> Self {
        Self { count, last: (position + count).saturating_sub(1) }
    }
}

/// Multiply-adds of a submit: measured, and at most doubled from one submit to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkPerSubmit(pub f64);

impl WorkPerSubmit {
    /// That of the first submit: well under a second on the slowest device.
    pub const FIRST: Self = Self(5e7);

    /// Records that this many multiply-adds took `ms`.
    pub fn learn(&mut self, work: f64, ms: f64) {
        // Short submits say little about long ones.
        if ms > TARGET_MS || work > 0.5 * self.0 {
            let fitting = work * TARGET_MS / ms.max(0.05);
            self.0 = fitting.min(2.0 * work.max(self.0)).max(1.0);
        }
    }

    /// Takes at most `most` steps for the next submit, each with its multiply-adds, and returns them with the sum. At least one
    /// of them has any, if there are as many.
    pub fn take<T>(self, steps: &mut Peekable<impl Iterator<Item = (T, f64)>>, most: usize) -> (Vec<T>, f64) {
        let (mut taken, mut work) = (Vec::new(), 0.0);
        while taken.len() < most
            && let Some((step, more)) = steps.next_if(|(_, more)| work == 0.0 || work + more <= self.0)
        {
            taken.push(step);
            work += more;
        }
        (taken, work)
    }

    /// Returns the number of rows of a chunk, at most `most`: so few that a submit with the longest step is short enough.
    pub fn rows(self, plan: &Plan, position: u32, most: u32) -> u32 {
        if self.0 <= Self::FIRST.0 {
            return most.min(FIRST_ROWS);
        }
        let longest = |rows: u32| {
            let of_steps = plan.steps().iter().map(|step| step.work(rows, position + rows - 1));
            of_steps.fold(0.0, f64::max)
        };
        let mut rows = most;
        while rows > MIN_ROWS && longest(rows) > self.0 {
            rows = (rows / 2).next_multiple_of(MIN_ROWS).min(rows - 1);
        }
        rows
    }
}

/// A submit that the device may not have finished.
#[derive(Debug)]
struct Pending {
    work: f64,
    submitted: Instant,
    /// When the device had finished it. Cancelled when the device is lost.
    done: Shared<oneshot::Receiver<Instant>>,
    #[cfg(not(target_arch = "wasm32"))]
    index: wgpu::SubmissionIndex,
}

/// Cuts work into submits of about 40 ms, by the multiply-adds of its steps and by how long earlier submits took. One submit
/// runs while the next is encoded; more are pending where their end is reported late.
#[derive(Debug)]
pub struct PacedQueue {
    work_per_submit: Cell<WorkPerSubmit>,
    /// Delay until the end of a submit is reported, in milliseconds.
    late_ms: f64,
    pending: RefCell<VecDeque<Pending>>,
    /// When the last submit was finished.
    last_done: Cell<Option<Instant>>,
}

impl PacedQueue {
    /// Returns a queue that has measured nothing. A readback of an idle device takes `readback_ms`.
    pub fn new(readback_ms: f64) -> Self {
        Self {
            work_per_submit: Cell::new(WorkPerSubmit::FIRST),
            late_ms: readback_ms,
            pending: RefCell::default(),
            last_done: Cell::default(),
        }
    }

    /// Returns the number of rows of the next chunk through the steps of `plan`, from `position` on: at most `most`, fewer where
    /// a single step would take too long.
    pub fn rows(&self, plan: &Plan, position: u32, most: u32) -> u32 {
        self.work_per_submit.get().rows(plan, position, most)
    }

    /// Submits what `encoder` has, and the given steps of programs behind it. On return, the last submits may be pending.
    ///
    /// # Errors
    /// [`SourceError::Cancelled`] between two submits, or an error of the device.
    pub async fn run<'a, E: From<GpuError> + From<SourceError>>(
        &self,
        gpu: &Gpu,
        encoder: Option<wgpu::CommandEncoder>,
        parts: impl IntoIterator<Item = (&'a Program, Range<usize>)>,
        rows: Rows,
        cancel: &CancelToken,
    ) -> Result<(), E> {
        let steps = parts.into_iter().flat_map(|(program, range)| {
            let steps = range.clone().zip(program.plan().steps().get(range).unwrap_or_default());
            steps.map(move |(at, step)| ((program, at), step.work(rows.count, rows.last)))
        });
        let mut steps = steps.peekable();
        let mut begun = encoder;
        self.take_finished();
        let mut most = if self.pending.borrow().is_empty() { FIRST_STEPS } else { usize::MAX };
        while begun.is_some() || steps.peek().is_some() {
            cancel.check()?;
            let mut encoder = begun.take().unwrap_or_else(|| gpu.encoder());
            let (taken, work) = self.work_per_submit.get().take(&mut steps, most);
            most = most.saturating_mul(STEPS_GROWTH);
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                for (program, at) in taken {
                    program.encode_steps(&mut pass, rows.count, at..at + 1);
                }
            }
            self.submit(gpu, encoder.finish(), work).await?;
        }
        Ok(())
    }

    /// Returns whether this much work fits a single submit.
    pub fn fits_one_submit(&self, work: f64) -> bool {
        work <= self.work_per_submit.get().0
    }

    /// Submits commands with this many multiply-adds once there is room in the device's queue.
    ///
    /// # Errors
    /// When the device was lost, or reported an error.
    pub async fn submit(&self, gpu: &Gpu, commands: wgpu::CommandBuffer, work: f64) -> Result<(), GpuError> {
        self.take_finished();
        while !self.has_room(work) {
            self.wait_for_oldest(gpu).await?;
            self.take_finished();
        }
        let _index = gpu.submit_recorded(commands);
        let (done, finished) = oneshot::channel();
        gpu.queue().on_submitted_work_done(move || {
            // Nobody waits any more if the queue was dropped.
            done.send(Instant::now()).ok();
        });
        self.pending.borrow_mut().push_back(Pending {
            work,
            submitted: Instant::now(),
            done: finished.shared(),
            #[cfg(not(target_arch = "wasm32"))]
            index: _index,
        });
        Ok(())
    }

    fn has_room(&self, work: f64) -> bool {
        let pending = self.pending.borrow();
        let sum: f64 = pending.iter().map(|pending| pending.work).sum();
        pending.is_empty() || sum + work <= self.work_per_submit.get().0 * (2.0 + self.late_ms / TARGET_MS)
    }

    /// Waits for the oldest pending submit.
    async fn wait_for_oldest(&self, gpu: &Gpu) -> Result<(), GpuError> {
        #[cfg(not(target_arch = "wasm32"))]
        gpu.wait_for(self.pending.borrow().front().map(|oldest| oldest.index.clone()))?;
        let oldest = self.pending.borrow().front().map(|oldest| oldest.done.clone());
        if let Some(oldest) = oldest {
            // An error means that the device is lost, which the check reports.
            oldest.await.ok();
        }
        gpu.check()
    }

    /// Takes the submits that are finished, and learns from them.
    fn take_finished(&self) {
        let mut pending = self.pending.borrow_mut();
        let (mut work, mut busy_ms) = (0.0, 0.0);
        let is_done = |oldest: &Pending| oldest.done.clone().now_or_never();
        while let Some(done) = pending.front().and_then(is_done) {
            let Some((oldest, done)) = pending.pop_front().zip(done.ok()) else { continue };
            let ms = |since: Instant| done.saturating_duration_since(since).as_secs_f64() * 1000.0;
            // It began when it was submitted, or when the one before was finished.
            let alone = (ms(oldest.submitted) - self.late_ms).max(0.0);
            busy_ms += self.last_done.replace(Some(done)).map_or(alone, |before| alone.min(ms(before)));
            work += oldest.work;
        }
        let mut work_per_submit = self.work_per_submit.get();
        work_per_submit.learn(work, busy_ms);
        self.work_per_submit.set(work_per_submit);
    }
}
