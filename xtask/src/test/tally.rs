//! Counting tests, from what the runners print.

use std::io::{BufRead as _, BufReader};
use std::iter::Sum;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::process::line;

/// How many tests ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub passed: usize,
    pub failed: usize,
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), |sum, next| Self {
            passed: sum.passed + next.passed,
            failed: sum.failed + next.failed,
        })
    }
}

/// Who prints the results.
#[derive(Clone, Copy)]
pub enum Runner {
    /// Rust's own: `test result: ok. 3 passed; 0 failed; …`, once for each test program.
    Libtest,
    /// `3 passed (4.0s)`, `1 failed`, … each on a line of its own, at the end.
    Playwright,
}

/// Runs a test program, shows what it prints, and adds what it counts to `tally`.
///
/// # Errors
/// When it does not start, or fails although it reports no failed test.
pub fn run(command: &mut Command, runner: Runner, tally: &mut Tally) -> Result<()> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{}`", line(command)))?;
    let stdout = child.stdout.take().context("the output is not captured")?;
    let failed_before = tally.failed;
    for bytes in BufReader::new(stdout).split(b'\n') {
        let bytes = bytes.with_context(|| format!("cannot read from `{}`", line(command)))?;
        let text = String::from_utf8_lossy(&bytes);
        println!("{text}");
        count(&text, runner, tally);
    }
    let status = child.wait().with_context(|| format!("`{}` was lost", line(command)))?;
    if !status.success() && tally.failed == failed_before {
        bail!("`{}` failed ({status})", line(command));
    }
    Ok(())
}

fn count(text: &str, runner: Runner, tally: &mut Tally) {
    let text = without_colour(text);
    match runner {
        Runner::Libtest => {
            let Some((_, results)) =
                text.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
            else {
                return;
            };
            for result in results.split(';') {
                add(result, tally);
            }
        }
        Runner::Playwright => {
            let result = text.trim();
            add(result.split_once(" (").map_or(result, |(result, _)| result), tally);
        }
    }
}

/// Adds a result such as `3 passed`.
fn add(result: &str, tally: &mut Tally) {
    let Some((number, kind)) = result.trim().split_once(' ') else { return };
    let Ok(number) = number.parse::<usize>() else { return };
    match kind {
        "passed" => tally.passed += number,
        "failed" | "flaky" | "interrupted" => tally.failed += number,
        _ => {}
    }
}

/// The text without the terminal's colour codes.
fn without_colour(text: &str) -> String {
    let mut pieces = text.split('\u{1b}');
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |plain, piece| {
        let visible = piece.split_once('m').map_or(piece, |(_, visible)| visible);
        plain + visible
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(text: &str, runner: Runner) -> Tally {
        let mut tally = Tally::default();
        text.lines().for_each(|line| count(line, runner, &mut tally));
        tally
    }

    #[test]
    fn libtest_is_counted_over_all_programs() {
        let text = "running 2 tests\ntest a ... ok\n\
                    test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 7 filtered out; finished in 0.00s\n\
                    test result: \u{1b}[31mFAILED\u{1b}[0m. 3 passed; 1 failed; 4 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(counted(text, Runner::Libtest), Tally { passed: 5, failed: 1 });
    }

    #[test]
    fn playwright_is_counted_at_its_end() {
        let text = "Running 5 tests using 1 worker\n  ok 1 [webgpu] › 3 passed\n\n  \u{1b}[31m1 failed\u{1b}[39m\n    \
                    [webgpu] › a.spec.ts\n  1 skipped\n  3 passed (4.0s)\n";
        assert_eq!(counted(text, Runner::Playwright), Tally { passed: 3, failed: 1 });
    }

    #[test]
    fn a_program_that_fails_without_a_count_is_an_error() {
        let mut tally = Tally::default();
        let mut command = Command::new("cargo");
        command.arg("no-such-command").stderr(Stdio::null());
        let error = run(&mut command, Runner::Libtest, &mut tally).expect_err("must fail");
        assert!(error.to_string().contains("no-such-command"), "{error}");
        assert_eq!(tally, Tally::default());
    }
}
