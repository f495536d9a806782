//! Programs with the processes that they leave behind.
//!
//! Playwright kills a browser before the browser has waited for its own processes. They become orphans, and their processor
//! time counts for nobody. So a process of ours stands between: Linux gives it the orphans, it waits for them, and what
//! it used includes what they used.

use std::ffi::OsString;
use std::process::Command;

use anyhow::Result;
use clap::Args;

/// Runs a program and adopts its orphans.
#[derive(Args)]
pub struct Options {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    command: Vec<OsString>,
}

/// Returns a command that runs `command` through [`run`]. Elsewhere than on Linux, returns `command`.
pub fn adopting(command: Command) -> Command {
    if !cfg!(target_os = "linux") {
        return command;
    }
    // This program, also if the tests have compiled another one in its place.
    let mut adopting = Command::new("/proc/self/exe");
    adopting.arg("adopt").arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => adopting.env(name, value),
            None => adopting.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        adopting.current_dir(folder);
    }
    adopting
}

/// Runs the program to its end, then exits as it did.
#[cfg(target_os = "linux")]
pub fn run(options: &Options) -> Result<()> {
    use anyhow::Context as _;
    use rustix::process::{Pid, WaitOptions, getpid, set_child_subreaper, wait};

    set_child_subreaper(Some(getpid())).context("cannot adopt orphans")?;
    let [program, arguments @ ..] = options.command.as_slice() else { return Ok(()) };
    let child = Command::new(program).args(arguments).spawn();
    let child = Pid::from_child(&child.with_context(|| format!("cannot start {}", program.display()))?);
    let code = loop {
        match wait(WaitOptions::empty()).context("the program was lost")? {
            Some((pid, status)) if pid == child => break status.exit_status().unwrap_or(1),
            _ => {}
        }
    };
    // Those that have ended. One that goes on is not waited for.
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
    std::process::exit(code);
}

/// Fails: [`adopting`] has no need of it here.
#[cfg(not(target_os = "linux"))]
pub fn run(_: &Options) -> Result<()> {
    anyhow::bail!("orphans are adopted on Linux only")
}
