//! Running other programs, and telling what is going on meanwhile.

use std::cell::Cell;
use std::io::{ErrorKind, Read as _};
use std::iter::Sum;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use wait4::Wait4 as _;

/// What programs used that have ended, with those that they started and waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Processor time, of the user and the system.
    pub processor: Duration,
    /// The most memory that any one process had resident, in bytes.
    pub peak: u64,
}

impl Sum for Usage {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, next| Self {
            processor: sum.processor + next.processor,
            peak: sum.peak.max(next.peak),
        })
    }
}

thread_local! {
    /// Of the programs that this thread has run.
    static USED: Cell<Usage> = Cell::default();
}

/// Returns what the programs used that this thread has run since the last call.
pub fn take_usage() -> Usage {
    USED.take()
}

/// Adds what another thread's programs used to this one's.
pub fn add_usage(usage: Usage) {
    USED.set([USED.get(), usage].into_iter().sum());
}

/// Waits for the end of a program, and notes what it used.
pub fn wait(child: &mut Child) -> std::io::Result<ExitStatus> {
    let ended = child.wait4()?;
    let used = ended.rusage;
    add_usage(Usage { processor: used.utime + used.stime, peak: used.maxrss });
    Ok(ended.status)
}

/// Says what is about to happen, does it, and says how long it took.
pub fn step<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("==> {what}");
    let started = Instant::now();
    let outcome = work()?;
    eprintln!("    done in {}: {what}", readable(started.elapsed()));
    Ok(outcome)
}

/// A duration as a person says it: `0.4 s`, `12 s`, `3 min 5 s`.
pub fn readable(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", duration.as_secs_f64()),
        10..60 => format!("{seconds} s"),
        _ => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

/// Runs a program to its end. What it prints is shown.
pub fn run(command: &mut Command) -> Result<()> {
    let mut child = command.spawn().with_context(|| not_started(command))?;
    check(command, wait(&mut child))
}

fn check(command: &Command, ended: std::io::Result<ExitStatus>) -> Result<()> {
    let status = ended.with_context(|| format!("`{}` was lost", line(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status})", line(command));
    }
    Ok(())
}

/// Runs a program to its end and returns what it wrote to its standard output.
pub fn output(command: &mut Command) -> Result<String> {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().with_context(|| not_started(command))?;
    let mut bytes = Vec::new();
    if let Some(stdout) = &mut child.stdout {
        stdout.read_to_end(&mut bytes).with_context(|| format!("cannot read from `{}`", line(command)))?;
    }
    check(command, wait(&mut child))?;
    String::from_utf8(bytes)
        .with_context(|| format!("`{}` printed something that is not text", line(command)))
}

/// Runs a cargo command that compiles, and counts what the compiler and its lints say.
pub fn diagnostics(cargo: &mut Command) -> Result<usize> {
    let messages = output(cargo.args(["--quiet", "--message-format=json"]))?;
    Ok(messages.lines().filter(|message| is_diagnostic(message)).count())
}

/// Whether one of cargo's messages is the compiler's.
fn is_diagnostic(message: &str) -> bool {
    message.starts_with(r#"{"reason":"compiler-message""#)
}

/// Whether the program starts and succeeds. What it prints is dropped.
pub fn succeeds(command: &mut Command) -> bool {
    let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    silent.status().is_ok_and(|status| status.success())
}

/// Whether a program of this name can be started.
pub fn exists(program: &str) -> bool {
    let started = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    !matches!(started, Err(error) if error.kind() == ErrorKind::NotFound)
}

/// `cargo`, as a person would start it in this folder: not bound to the toolchain that runs `xtask`.
pub fn cargo(directory: &Path) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(directory);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") || name == "CARGO" {
            command.env_remove(name.as_ref());
        }
    }
    command
}

/// The command line, for messages.
pub fn line(command: &Command) -> String {
    let arguments = command.get_args().map(|argument| argument.to_string_lossy());
    let mut words = vec![command.get_program().to_string_lossy()];
    words.extend(arguments);
    words.join(" ")
}

fn not_started(command: &Command) -> String {
    format!("cannot start `{}`", line(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        assert_eq!(readable(Duration::from_millis(440)), "0.4 s");
        assert_eq!(readable(Duration::from_millis(59_900)), "59 s");
        assert_eq!(readable(Duration::from_secs(185)), "3 min 5 s");
    }

    #[test]
    fn a_warning_is_told_from_what_was_built() {
        assert!(is_diagnostic(
            r#"{"reason":"compiler-message","package_id":"p","message":{"level":"warning"}}"#
        ));
        assert!(!is_diagnostic(r#"{"reason":"compiler-artifact","package_id":"p"}"#));
    }

    #[test]
    fn a_failing_program_is_named() {
        let error =
            run(Command::new("cargo").arg("no-such-command").stderr(Stdio::null())).expect_err("must fail");
        assert!(error.to_string().contains("cargo no-such-command"), "{error}");
    }
}
