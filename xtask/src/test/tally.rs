//! Counting tests, from what the runners print.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::iter::Sum;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use super::causes::causes;
use crate::process::{line, wait};

/// What ran, and how long each test took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub passed: usize,
    pub failed: usize,
    /// Each test, and how long it took.
    pub tests: Vec<(String, Duration)>,
    /// What the runner says of each test that failed.
    pub causes: Vec<String>,
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), |mut sum, next| {
            sum.tests.extend(next.tests);
            sum.causes.extend(next.causes);
            Self { passed: sum.passed + next.passed, failed: sum.failed + next.failed, ..sum }
        })
    }
}

/// What a line says of a test.
#[derive(Debug, PartialEq)]
struct Outcome<'a> {
    name: &'a str,
    passed: bool,
    time: Option<Duration>,
}

/// Who prints the results.
#[derive(Clone, Copy)]
pub enum Runner {
    /// Rust's own, with `--report-time`: `test queue::ends ... ok <0.012s>`.
    Libtest,
    /// The list of Playwright: `  ✓  3 [webgpu] › chat.spec.ts:9:1 › answers (1.2s)`.
    Playwright,
}

/// A program that prints nothing for so long hangs.
const STALL: Duration = Duration::from_secs(900);

/// Runs a test program, keeps what it prints in a file, and adds what it counts to `tally`. `over` is told of each test that
/// fails, and returns whether to stop. What a failing program printed is shown at its end.
///
/// # Errors
/// When it does not start, is stopped, or fails although it reports no failed test.
pub fn run(
    command: &mut Command,
    runner: Runner,
    log: &Path,
    tally: &mut Tally,
    over: impl Fn() -> bool,
) -> Result<()> {
    let mut file = File::create(log)
        .and_then(|_| File::options().append(true).open(log))
        .with_context(|| format!("cannot create {}", log.display()))?;
    // Drivers write errors at any time: in the middle of a line that is read here, if they had the same pipe.
    let errors = file.try_clone().context("cannot keep the output")?;
    let child = command.stdout(Stdio::piped()).stderr(errors).spawn();
    let mut child = child.with_context(|| format!("cannot start `{}`", line(command)))?;
    let reader = child.stdout.take().context("the output is not captured")?;
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || BufReader::new(reader).split(b'\n').try_for_each(|bytes| sender.send(bytes)));
    let (failed_before, mut stopped) = (tally.failed, None);
    loop {
        let bytes = match lines.recv_timeout(STALL) {
            Ok(bytes) => bytes.with_context(|| format!("cannot read from `{}`", line(command)))?,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                stopped = Some("stopped: it hangs");
                child.kill().ok();
                break;
            }
        };
        file.write_all(&[&bytes, &b"\n"[..]].concat()).context("cannot keep the output")?;
        let text = without_colour(&String::from_utf8_lossy(&bytes));
        let Some(outcome) = read(&text, runner) else { continue };
        tally.tests.push((outcome.name.to_owned(), outcome.time.unwrap_or_default()));
        if outcome.passed {
            tally.passed += 1;
        } else {
            tally.failed += 1;
            eprintln!("    FAILED {}", outcome.name);
            // Playwright counts for itself, and closes its browsers.
            if over() && matches!(runner, Runner::Libtest) {
                stopped = Some("stopped: too many tests have failed");
                child.kill().ok();
            }
        }
    }
    let status = wait(&mut child).with_context(|| format!("`{}` was lost", line(command)))?;
    let failed = tally.failed - failed_before;
    if failed > 0 || !status.success() {
        let text = std::fs::read_to_string(log).unwrap_or_default();
        eprintln!("\n{text}");
        tally.causes.extend(causes(&without_colour(&text), runner));
    }
    match (stopped, failed) {
        (Some(why), _) => bail!("{why}"),
        (None, 0) if !status.success() => bail!("`{}` failed ({status})", line(command)),
        (None, 0) => Ok(()),
        (None, 1) => bail!("1 test failed"),
        (None, _) => bail!("{failed} tests failed"),
    }
}

fn read(text: &str, runner: Runner) -> Option<Outcome<'_>> {
    match runner {
        Runner::Libtest => libtest(text),
        Runner::Playwright => playwright(text),
    }
}

fn libtest(text: &str) -> Option<Outcome<'_>> {
    let (name, result) = text.strip_prefix("test ")?.rsplit_once(" ... ")?;
    let (result, time) = result.split_once(" <").unwrap_or((result, ""));
    let passed = match result {
        "ok" => true,
        "FAILED" => false,
        _ => return None,
    };
    Some(Outcome { name, passed, time: time.strip_suffix('>').and_then(duration) })
}

fn playwright(text: &str) -> Option<Outcome<'_>> {
    let text = text.trim_start();
    let (passed, rest) = match text.strip_prefix('✓') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('✘')?),
    };
    let rest = rest.trim_start().trim_start_matches(|digit: char| digit.is_ascii_digit()).trim_start();
    let (name, time) = rest.rsplit_once(" (")?;
    Some(Outcome { name, passed, time: time.strip_suffix(')').and_then(duration) })
}

/// Reads `12ms`, `1.5s` or `2.1m`.
fn duration(text: &str) -> Option<Duration> {
    let unit = text.find(|letter: char| letter.is_ascii_alphabetic())?;
    let number: f64 = text[..unit].parse().ok()?;
    let seconds = match &text[unit..] {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(number * seconds).ok()
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

    fn outcome(name: &str, passed: bool, milliseconds: u64) -> Option<Outcome<'_>> {
        Some(Outcome { name, passed, time: Some(Duration::from_millis(milliseconds)) })
    }

    #[test]
    fn libtest_tells_each_test() {
        assert_eq!(read("test a::b ... ok <0.012s>", Runner::Libtest), outcome("a::b", true, 12));
        assert_eq!(read("test c ... FAILED <61.500s>", Runner::Libtest), outcome("c", false, 61_500));
        assert_eq!(read("test c ... ignored, takes hours", Runner::Libtest), None);
        assert_eq!(read("test result: ok. 2 passed; 0 failed; 0 ignored", Runner::Libtest), None);
        let without_time = Some(Outcome { name: "d", passed: true, time: None });
        assert_eq!(read("test d ... ok", Runner::Libtest), without_time);
    }

    #[test]
    fn playwright_tells_each_test() {
        let line = "  ✓   12 [webgpu] › chat.spec.ts:9:1 › answers (again) (1.2s)";
        assert_eq!(
            read(line, Runner::Playwright),
            outcome("[webgpu] › chat.spec.ts:9:1 › answers (again)", true, 1200)
        );
        assert_eq!(read("  ✘  3 [a] › b (2.0m)", Runner::Playwright), outcome("[a] › b", false, 120_000));
        assert_eq!(read("  -  4 [a] › skipped", Runner::Playwright), None);
        assert_eq!(read("  3 passed (4.0s)", Runner::Playwright), None);
    }

    #[test]
    fn colours_are_dropped() {
        assert_eq!(without_colour("\u{1b}[32m  ✓\u{1b}[39m 1"), "  ✓ 1");
    }

    #[test]
    fn a_program_that_fails_without_a_count_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut tally = Tally::default();
        let mut command = Command::new("cargo");
        command.arg("no-such-command");
        let error = run(&mut command, Runner::Libtest, &folder.path().join("log"), &mut tally, || false)
            .expect_err("must fail");
        assert!(error.to_string().contains("no-such-command"), "{error}");
        assert_eq!(tally, Tally::default());
    }
}
