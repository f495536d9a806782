//! What a run has to say at its end.

use std::time::Duration;

use clap::ValueEnum as _;

use super::Step;
use super::queue::Report;
use super::tally::Tally;
use crate::process::{Usage, readable};

/// How many of the longest tests are listed.
const LONGEST: usize = 20;

/// How many programs are listed with their memory.
const LARGEST: usize = 10;

/// A row for each step, what failed, and the longest tests. The last line counts the tests.
pub fn summary(reports: &[Report], time: Duration) -> String {
    let mut text = format!(
        "\n{:<8} {:<6} {:>6} {:>6} {:>14} {:>14} {:>14} {:>9}\n",
        "step", "result", "passed", "failed", "compiling", "running", "processor", "memory"
    );
    for step in Step::value_variants() {
        let of_step: Vec<_> = reports.iter().filter(|report| report.step == *step).collect();
        if of_step.is_empty() {
            continue;
        }
        let result = if of_step.iter().any(|report| report.failure.is_some()) { "FAILED" } else { "ok" };
        let tally: Tally = of_step.iter().map(|report| counted(report)).sum();
        let took = |compiles: bool| {
            let those = of_step.iter().filter(|report| report.compiles == compiles);
            dash(those.map(|report| report.time).sum::<Duration>(), readable)
        };
        let usage: Usage = of_step.iter().map(|report| report.usage).sum();
        text += &format!(
            "{:<8} {result:<6} {:>6} {:>6} {:>14} {:>14} {:>14} {:>9}\n",
            step.to_string(),
            dash(tally.passed, |it| it.to_string()),
            dash(tally.failed, |it| it.to_string()),
            took(true),
            took(false),
            readable(usage.processor),
            gigabytes(usage.peak),
        );
    }
    let total: Tally = reports.iter().map(counted).sum();
    text += &longest(reports);
    text += &largest(reports);
    for report in reports {
        if let Some(failure) = &report.failure {
            text += &format!("\n{}: {failure}\n", report.step);
            for cause in &report.tally.causes {
                text += &format!("\n{cause}\n");
            }
        }
    }
    let processor = reports.iter().map(|report| report.usage).sum::<Usage>().processor;
    text += &format!("\nin {}, with {} of processor time\n", readable(time), readable(processor));
    text + &format!("{} passed, {} failed\n", total.passed, total.failed)
}

/// The tests of a job. A failure that is no test, such as a lint, counts as one.
fn counted(report: &Report) -> Tally {
    let failed = if report.failure.is_some() { report.tally.failed.max(1) } else { report.tally.failed };
    Tally { failed, ..report.tally.clone() }
}

fn longest(reports: &[Report]) -> String {
    let tests = reports.iter().flat_map(|report| report.tally.tests.iter().map(move |test| (report, test)));
    let mut tests: Vec<_> = tests.collect();
    tests.sort_by_key(|(_, (_, time))| std::cmp::Reverse(*time));
    let lines = tests
        .iter()
        .take(LONGEST)
        .map(|(report, (name, time))| format!("{:>14}  {}: {name}\n", readable(*time), report.name));
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("\nthe longest tests\n{lines}") }
}

/// The programs that took the most memory.
fn largest(reports: &[Report]) -> String {
    let mut reports: Vec<_> = reports.iter().filter(|report| !report.tally.tests.is_empty()).collect();
    reports.sort_by_key(|report| std::cmp::Reverse(report.usage.peak));
    let lines = reports
        .iter()
        .take(LARGEST)
        .map(|report| format!("{:>14}  {}: {}\n", gigabytes(report.usage.peak), report.step, report.name));
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("\nthe programs that took the most memory\n{lines}") }
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.2} GB", bytes as f64 / 1e9)
}

fn dash<T: Default + PartialEq>(value: T, format: impl Fn(T) -> String) -> String {
    if value == T::default() { "-".to_owned() } else { format(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(step: Step, failure: Option<&str>, passed: usize, failed: usize) -> Report {
        let tests = (0..passed).map(|at| (format!("{step} {at}"), Duration::from_secs(at as u64)));
        Report {
            step,
            name: "tests".into(),
            failure: failure.map(str::to_owned),
            tally: Tally { passed, failed, tests: tests.collect(), causes: vec!["why".to_owned(); failed] },
            time: Duration::from_secs(2),
            usage: Usage { processor: Duration::from_secs(3), peak: 2_500_000_000 },
            compiles: false,
        }
    }

    #[test]
    fn a_failing_check_counts_as_a_failure() {
        assert_eq!(counted(&report(Step::Fmt, Some("not formatted"), 0, 0)).failed, 1);
        assert_eq!(counted(&report(Step::Unit, Some("2 tests failed"), 5, 2)).failed, 2);
        assert_eq!(counted(&report(Step::Fmt, None, 0, 0)), Tally::default());
    }

    #[test]
    fn the_last_line_counts_the_tests() {
        let reports = [report(Step::Fmt, Some("not formatted"), 0, 0), report(Step::Unit, None, 30, 0)];
        let text = summary(&reports, Duration::from_secs(61));
        assert!(
            text.ends_with("\nin 1 min 1 s, with 6.0 s of processor time\n30 passed, 1 failed\n"),
            "{text}"
        );
        assert!(text.contains("fmt: not formatted"), "{text}");
        let failed =
            summary(&[report(Step::Unit, Some("tests: 1 test failed"), 1, 1)], Duration::from_secs(1));
        assert!(failed.contains("\nunit: tests: 1 test failed\n\nwhy\n"), "{failed}");
        assert!(text.contains("2.50 GB  unit: tests"), "{text}");
        let listed = |at: usize| text.contains(&format!("  tests: unit {at}\n"));
        assert!(listed(29) && listed(10) && !listed(9), "{text}");
    }
}
