//! `cargo xtask test`: every check there is, and a summary.

mod programs;
mod steps;
mod tally;

use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use programs::Programs;
use tally::Tally;

use crate::process::readable;
use crate::site;

/// Run every check: formatting, lints, unit, kernel and golden tests, then the page in a real browser.
///
/// Installs what the checks need: a Chromium, a Firefox, a software Vulkan driver and docker-registry (through apt, as
/// root or with sudo), nginx and moto (into ~/.cache/gemtab), and Node packages. A step that fails does not stop the others. The last line counts the tests.
///
/// Kernels run on a software driver, so that results do not depend on the machine. To run them on the graphics card,
/// name its driver in VK_DRIVER_FILES. CHROMIUM and FIREFOX name other browsers than the system's.
#[derive(Args)]
pub struct Options {
    /// Run only these steps, such as fmt,clippy; --list names them
    #[arg(long, value_name = "STEPS", value_delimiter = ',', hide_possible_values = true)]
    only: Vec<Step>,
    /// List the steps and what they do, and run nothing
    #[arg(long)]
    list: bool,
}

/// A step of the test run, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Step {
    /// Formatting of the Rust sources
    Fmt,
    /// Lints; a warning is an error
    Clippy,
    /// Licences, sources and duplicates of the dependencies
    Deny,
    /// Unit tests of every crate, and the tests of the server
    Unit,
    /// Kernels against their twins on the CPU
    Kernels,
    /// The engine against reference outputs
    Golden,
    /// The site builds without a warning of a lint, and the page and the engine stay within their budgets
    Site,
    /// The page in real browsers, with a simulated engine
    E2e,
    /// The page in a real browser, with the real engine on a software adapter
    Webgpu,
    /// All tests of the page in Firefox, and in WebKit where it can be installed; only runs when named
    Browsers,
}

/// What a step has to report.
struct Report {
    step: Step,
    failure: Option<String>,
    tally: Tally,
    time: Duration,
}

/// Runs the steps, prints the summary, and fails if anything failed.
pub fn run(options: &Options) -> Result<()> {
    if options.list {
        for step in Step::value_variants() {
            println!("{:<8} {}", name(*step), help(*step));
        }
        return Ok(());
    }
    site::keep_wrapper()?;
    let wanted = |step: &&Step| match options.only.as_slice() {
        // `e2e` has those of Firefox that differ from Chromium's.
        [] => **step != Step::Browsers,
        only => only.contains(step),
    };
    let started = Instant::now();
    let mut programs = Programs::default();
    let steps: Vec<_> = Step::value_variants().iter().filter(wanted).copied().collect();
    let reports = thread::scope(|scope| {
        let mut beside: Option<Receiver<Report>> = None;
        let mut reports = Vec::new();
        for step in &steps {
            if beside.is_none() && step.runs_programs() {
                // Two compilers beside one another would only wait.
                programs.all().ok();
                let (told, done) = mpsc::channel();
                let (mut programs, steps) = (programs.clone(), &steps);
                scope.spawn(move || {
                    for step in steps.iter().filter(|step| step.runs_beside()) {
                        // Whoever waits is gone only with the whole run.
                        told.send(run_step(*step, |tally| steps::run(*step, &mut programs, tally))).ok();
                    }
                });
                beside = Some(done);
            }
            let elsewhere = beside.as_ref().filter(|_| step.runs_beside());
            // If the other thread has panicked, the scope does, too.
            let report = elsewhere.map_or_else(
                || Some(run_step(*step, |tally| steps::run(*step, &mut programs, tally))),
                |done| done.recv().ok(),
            );
            reports.extend(report);
        }
        reports
    });
    let total = reports.iter().map(Report::counted).sum::<Tally>();
    print!("{}", summary(&reports, total, started.elapsed()));
    if total.failed > 0 {
        // The summary has said it all, and its last line is to stay the last.
        std::process::exit(1);
    }
    Ok(())
}

fn run_step(step: Step, run: impl FnOnce(&mut Tally) -> Result<()>) -> Report {
    eprintln!("\n==> {}: {}", name(step), help(step));
    let started = Instant::now();
    let mut tally = Tally::default();
    let outcome = run(&mut tally);
    let outcome =
        outcome.and_then(|()| if tally.failed > 0 { bail!("{} tests failed", tally.failed) } else { Ok(()) });
    let failure = outcome.err().map(|error| format!("{error:#}"));
    if let Some(failure) = &failure {
        eprintln!("    {} failed: {failure}", name(step));
    }
    Report { step, failure, tally, time: started.elapsed() }
}

impl Step {
    /// Whether it runs programs that are compiled natively.
    fn runs_programs(self) -> bool {
        matches!(self, Self::Unit | Self::Kernels | Self::Golden)
    }

    /// Whether it runs in a thread of its own beside those that come before it. The linker and the optimiser of the site
    /// leave a core free for minutes. Nothing runs beside a browser's software adapter: its threads wait for one another, so
    /// on two cores both take twice as long.
    fn runs_beside(self) -> bool {
        matches!(self, Self::Site)
    }
}

impl Report {
    /// The tests of this step. A failure that is no test, such as a lint, counts as one.
    fn counted(&self) -> Tally {
        let failed = if self.failure.is_some() { self.tally.failed.max(1) } else { self.tally.failed };
        Tally { failed, ..self.tally }
    }
}

fn summary(reports: &[Report], total: Tally, time: Duration) -> String {
    let mut text =
        format!("\n{:<10} {:<8} {:>8} {:>8} {:>14}\n", "step", "result", "passed", "failed", "time");
    for report in reports {
        let result = if report.failure.is_some() { "FAILED" } else { "ok" };
        let Tally { passed, failed } = report.tally;
        let [passed, failed] = if passed + failed == 0 {
            ["-".to_owned(), "-".to_owned()]
        } else {
            [passed.to_string(), failed.to_string()]
        };
        let time = readable(report.time);
        text += &format!("{:<10} {result:<8} {passed:>8} {failed:>8} {time:>14}\n", name(report.step));
    }
    for report in reports {
        if let Some(failure) = &report.failure {
            text += &format!("\n{}: {failure}\n", name(report.step));
        }
    }
    text + &format!("\nin {}\n{} passed, {} failed\n", readable(time), total.passed, total.failed)
}

fn name(step: Step) -> String {
    step.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn help(step: Step) -> String {
    let help = step.to_possible_value().and_then(|value| value.get_help().map(ToString::to_string));
    help.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(step: Step, failure: Option<&str>, passed: usize, failed: usize) -> Report {
        let tally = Tally { passed, failed };
        Report { step, failure: failure.map(str::to_owned), tally, time: Duration::from_secs(2) }
    }

    #[test]
    fn a_failing_check_counts_as_a_failure() {
        assert_eq!(report(Step::Fmt, Some("not formatted"), 0, 0).counted(), Tally { passed: 0, failed: 1 });
        assert_eq!(
            report(Step::Unit, Some("2 tests failed"), 5, 2).counted(),
            Tally { passed: 5, failed: 2 }
        );
        assert_eq!(report(Step::Fmt, None, 0, 0).counted(), Tally::default());
    }

    #[test]
    fn the_last_line_counts_the_tests() {
        let reports = [report(Step::Fmt, Some("not formatted"), 0, 0), report(Step::Unit, None, 5, 0)];
        let total = reports.iter().map(Report::counted).sum();
        let text = summary(&reports, total, Duration::from_secs(61));
        assert!(text.ends_with("\nin 1 min 1 s\n5 passed, 1 failed\n"), "{text}");
        assert!(text.contains("fmt: not formatted"), "{text}");
    }
}
