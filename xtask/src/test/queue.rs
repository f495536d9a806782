//! Jobs that run side by side.
//!
//! A lane is a thread that takes the next job that can run. Two of them keep two cores busy: while the tests of one job wait,
//! or its last one is alone, those of another compute.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use super::Step;
use super::tally::Tally;
use crate::process::{Usage, readable, take_usage};

/// What other jobs wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Milestone {
    /// The native test programs are compiled.
    Programs,
    /// The bundles are compiled for wasm.
    Bundles,
    /// The site is built.
    Site,
}

type Work<'a> = Box<dyn FnOnce(&Queue<'a>, &mut Tally) -> Result<()> + Send + 'a>;

/// A piece of a step.
pub struct Job<'a> {
    /// The step whose row of the summary it counts in.
    pub step: Step,
    /// What it is called in the log.
    pub name: String,
    /// What must have been reached before it runs.
    pub needs: &'static [Milestone],
    /// What is reached when it succeeds.
    pub reaches: Option<Milestone>,
    /// What it does.
    pub work: Work<'a>,
}

/// The outcome of a job.
#[derive(Clone, Debug)]
pub struct Report {
    pub step: Step,
    pub name: String,
    pub failure: Option<String>,
    pub tally: Tally,
    pub time: Duration,
    pub usage: Usage,
    /// Whether it compiled something, and ran no tests.
    pub compiles: bool,
}

/// The jobs of a run.
#[derive(Default)]
pub struct Queue<'a> {
    state: Mutex<State<'a>>,
    changed: Condvar,
}

#[derive(Default)]
struct State<'a> {
    /// In the order in which they should start.
    waiting: Vec<Job<'a>>,
    running: usize,
    reached: Vec<Milestone>,
    /// Those that will not be reached.
    missed: Vec<Milestone>,
    reports: Vec<Report>,
    failures: usize,
}

/// The run ends when so many tests have failed.
pub const MAX_FAILURES: usize = 10;

impl<'a> Queue<'a> {
    /// Adds jobs behind those that are waiting.
    pub fn extend(&self, jobs: impl IntoIterator<Item = Job<'a>>) {
        self.state().waiting.extend(jobs);
        self.changed.notify_all();
    }

    /// Counts a test that failed. Returns whether the run should end.
    pub fn count_failure(&self) -> bool {
        let mut state = self.state();
        state.failures += 1;
        state.failures >= MAX_FAILURES
    }

    /// Whether there are no jobs yet.
    pub fn is_empty(&self) -> bool {
        self.state().waiting.is_empty()
    }

    /// Runs all jobs, and those that they add, in so many lanes. Returns the reports in the order of their ends.
    pub fn run(self, lanes: usize) -> Vec<Report> {
        thread::scope(|scope| {
            for _ in 0..lanes {
                scope.spawn(|| while self.run_next() {});
            }
        });
        let State { waiting, mut reports, .. } =
            self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Nothing that was left out may look as if it had passed.
        reports.extend(waiting.into_iter().map(Report::not_run));
        reports
    }

    /// Runs the next job that can run, once there is one. Returns `false` when there will be none.
    fn run_next(&self) -> bool {
        let mut state = self.state();
        let job = loop {
            if state.failures >= MAX_FAILURES {
                return false;
            }
            if let Some(at) = state.waiting.iter().position(|job| state.can_run(job)) {
                break state.waiting.remove(at);
            }
            if state.running == 0 {
                return false;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        };
        state.running += 1;
        let missed = job.needs.iter().find(|needed| state.missed.contains(needed)).copied();
        drop(state);

        let Job { step, name, reaches, work, .. } = job;
        eprintln!("==> {step}: {name}");
        let started = Instant::now();
        let mut tally = Tally::default();
        take_usage();
        let outcome = match missed {
            Some(milestone) => Err(anyhow!("not run: {} failed", milestone.job())),
            None => catch_unwind(AssertUnwindSafe(|| work(self, &mut tally)))
                .unwrap_or_else(|_| Err(anyhow!("the job panicked"))),
        };
        let failure = outcome.err().map(|error| format!("{name}: {error:#}"));
        let (time, usage) = (started.elapsed(), take_usage());
        let report = Report { step, name, failure, tally, time, usage, compiles: reaches.is_some() };
        eprintln!("    {}", report.line());

        let mut state = self.state();
        if let Some(milestone) = reaches {
            let list = if report.failure.is_none() { &mut state.reached } else { &mut state.missed };
            list.push(milestone);
        }
        state.running -= 1;
        state.reports.push(report);
        self.changed.notify_all();
        true
    }

    fn state(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State<'_> {
    fn can_run(&self, job: &Job<'_>) -> bool {
        let decided = |needed| self.reached.contains(needed) || self.missed.contains(needed);
        job.needs.iter().all(decided)
    }
}

impl Milestone {
    /// What reaches it, in words.
    fn job(self) -> &'static str {
        match self {
            Self::Programs => "compiling the tests",
            Self::Bundles => "compiling the bundles",
            Self::Site => "making the site",
        }
    }
}

impl Report {
    /// The report of a job that nothing has started: too many tests failed, or no job reaches what it needs.
    fn not_run(job: Job<'_>) -> Self {
        Self {
            step: job.step,
            failure: Some(format!("{}: not run", job.name)),
            name: job.name,
            tally: Tally::default(),
            time: Duration::ZERO,
            usage: Usage::default(),
            compiles: job.reaches.is_some(),
        }
    }

    /// One line for the log.
    fn line(&self) -> String {
        let Self { step, name, failure, tally, time, usage, .. } = self;
        let result = if failure.is_some() { "FAILED" } else { "ok" };
        let tests = match tally.passed + tally.failed {
            0 => String::new(),
            _ => format!("{} passed, {} failed, ", tally.passed, tally.failed),
        };
        let processor = readable(usage.processor);
        format!("{result} {step}: {name} ({tests}{}, processor {processor})", readable(*time))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn job<'a>(name: &str, work: impl FnOnce(&Queue<'a>, &mut Tally) -> Result<()> + Send + 'a) -> Job<'a> {
        Job { step: Step::Unit, name: name.to_owned(), needs: &[], reaches: None, work: Box::new(work) }
    }

    fn names(reports: &[Report]) -> Vec<&str> {
        reports.iter().map(|report| report.name.as_str()).collect()
    }

    #[test]
    fn jobs_run_beside_one_another_and_may_add_others() {
        let (to_second, from_first) = mpsc::channel();
        let (to_first, from_second) = mpsc::channel();
        let queue = Queue::default();
        queue.extend([
            job("first", move |queue, _| {
                to_second.send(())?;
                from_second.recv()?;
                queue.extend([job("added", |_, _| Ok(()))]);
                Ok(())
            }),
            job("second", move |_, _| {
                from_first.recv()?;
                to_first.send(())?;
                Ok(())
            }),
        ]);
        let reports = queue.run(2);
        assert_eq!(reports.len(), 3);
        assert!(reports.iter().all(|report| report.failure.is_none()), "{reports:?}");
    }

    #[test]
    fn a_job_waits_for_what_it_needs_and_fails_without_it() {
        for succeeds in [true, false] {
            let queue = Queue::default();
            queue.extend([
                Job { needs: &[Milestone::Site], ..job("e2e", |_, _| Ok(())) },
                Job {
                    reaches: Some(Milestone::Site),
                    ..job("site", move |_, _| if succeeds { Ok(()) } else { Err(anyhow!("no")) })
                },
            ]);
            let reports = queue.run(2);
            assert_eq!(names(&reports), ["site", "e2e"]);
            assert_eq!(reports[1].failure.is_none(), succeeds);
        }
    }

    #[test]
    fn the_run_ends_after_ten_failures() {
        let queue = Queue::default();
        queue.extend((0..20).map(|_| {
            job("fails", |queue, _| {
                queue.count_failure();
                Ok(())
            })
        }));
        let reports = queue.run(1);
        assert_eq!(reports.iter().filter(|report| report.failure.is_none()).count(), MAX_FAILURES);
        assert_eq!(reports.iter().filter(|report| report.failure.is_some()).count(), 20 - MAX_FAILURES);
    }

    #[test]
    fn a_job_whose_needs_nothing_reaches_is_a_failure() {
        let queue = Queue::default();
        queue.extend([Job { needs: &[Milestone::Site], ..job("e2e", |_, _| Ok(())) }]);
        assert!(queue.run(1)[0].failure.is_some());
    }

    #[test]
    fn a_panic_is_a_failure() {
        let queue = Queue::default();
        queue.extend([job("panics", |_, _| panic!("on purpose"))]);
        assert!(queue.run(1)[0].failure.is_some());
    }
}
