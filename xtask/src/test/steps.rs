//! What each step runs.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::Step;
use super::programs::{Program, Programs};
use super::tally::{self, Runner, Tally};
use crate::process::{self, cargo, step};
use crate::setup::{self, npx};
use crate::{project, serve, size};

/// Runs a step.
pub fn run(step: Step, programs: &mut Programs, tally: &mut Tally) -> Result<()> {
    match step {
        Step::Fmt => formatting(),
        Step::Clippy => programs.lint(),
        Step::Deny => dependencies(),
        Step::Unit => unit(programs, tally),
        Step::Kernels => kernels(programs, tally),
        Step::Golden => golden(programs, tally),
        Step::Site => site(programs),
        Step::E2e => end_to_end(programs, tally),
        Step::Webgpu => webgpu(programs, tally),
        Step::Browsers => other_browsers(programs, tally),
    }
}

fn formatting() -> Result<()> {
    process::run(cargo(&project::root()).args(["fmt", "--all", "--check"]))
}

/// Licences, sources and duplicates of the dependencies, as `deny.toml` allows them. Not advisories: their list is
/// fetched from the network, and a new one is no fault of the change that is tested.
fn dependencies() -> Result<()> {
    let mut deny = setup::cargo_deny()?;
    deny.args(["--locked", "check", "--hide-inclusion-graph", "licenses", "bans", "sources"]);
    process::run(deny.current_dir(project::root()))
}

fn unit(programs: &mut Programs, tally: &mut Tally) -> Result<()> {
    // What needs it says so where it is missing; everything else runs in any case.
    if let Err(error) = setup::docker_registry() {
        eprintln!("    without docker-registry: {error:#}");
    }
    if let Err(error) = setup::nginx() {
        eprintln!("    SKIPPED: the server behind nginx, which is missing: {error:#}");
    }
    if let Err(error) = setup::moto() {
        eprintln!("    SKIPPED: the server over S3, of which there is no server for tests: {error:#}");
    }
    programs.run(|program| !is_kernel(program) && !is_golden(program), tally)
}

fn kernels(programs: &mut Programs, tally: &mut Tally) -> Result<()> {
    programs.run(is_kernel, tally)
}

fn golden(programs: &mut Programs, tally: &mut Tally) -> Result<()> {
    programs.run(is_golden, tally)
}

fn is_kernel(program: &Program) -> bool {
    program.package == Path::new("shaders")
}

fn is_golden(program: &Program) -> bool {
    program.is_integration_test && program.package == Path::new("frontend/engine")
}

/// The site of the tests: the one that visitors get, and the simulated engine beside it.
const SITE: crate::site::Options = crate::site::Options { quick: false, simulator: true };

fn site(programs: &Programs) -> Result<()> {
    let makers =
        crate::site::Programs { glue: programs.executable("glue"), supply: programs.executable("supply") };
    crate::site::build_linted(&SITE, &makers)?;
    size::check()
}

fn end_to_end(programs: &Programs, tally: &mut Tally) -> Result<()> {
    let mut playwright = playwright(programs)?;
    playwright.args(["--project=fake-engine", "--project=microphone", "--project=back"]);
    // Where it can be had: all of its tests are the step `browsers`.
    match setup::firefox(&project::root().join("end2end")) {
        Ok(firefox) => {
            playwright.envs(firefox.map(|firefox| ("FIREFOX", firefox)));
            playwright.arg("--project=firefox");
        }
        Err(error) => eprintln!("    without Firefox: {error:#}"),
    }
    tally::run(&mut playwright, Runner::Playwright, tally)
}

fn webgpu(programs: &Programs, tally: &mut Tally) -> Result<()> {
    let mut playwright = playwright(programs)?;
    // A run deletes the results of the run before, and another one may be under way.
    playwright.args(["--project=webgpu", "--output=webgpu-results"]);
    tally::run(&mut playwright, Runner::Playwright, tally)
}

fn other_browsers(programs: &Programs, tally: &mut Tally) -> Result<()> {
    let folder = project::root().join("end2end");
    let mut playwright = playwright(programs)?;
    if let Some(firefox) = setup::firefox(&folder)? {
        playwright.env("FIREFOX", firefox);
    }
    playwright.args(["--project=fake-engine-firefox", "--project=webgpu-firefox"]);
    if setup::webkit(&folder) {
        playwright.arg("--project=fake-engine-webkit");
    }
    tally::run(&mut playwright, Runner::Playwright, tally)
}

/// The runner of the browser tests, with the site, the server and the native engine that it needs.
fn playwright(programs: &Programs) -> Result<Command> {
    crate::site::build(&SITE).context("the site was not built")?;
    let server = programs.executable("server").map_or_else(|| serve::build_server(false), Ok)?;
    let probe = programs.executable("probe").map_or_else(build_probe, Ok)?;
    let folder = project::root().join("end2end");
    setup::install(&folder)?;
    setup::fonts();
    let mut playwright = npx(&folder, "playwright");
    playwright.arg("test").current_dir(&folder);
    playwright.env("GEMTAB_SERVER", server).env("GEMTAB_SITE", project::site()).env("GEMTAB_PROBE", probe);
    // Under another name than the loader's own: the browser brings its own driver.
    if let Some(driver) = setup::software_vulkan()? {
        playwright.env("GEMTAB_PROBE_DRIVER", driver);
    }
    if let Some(shell) = setup::headless_shell() {
        playwright.env("CHROMIUM_SHELL", shell);
    }
    if let Some(chromium) = setup::chromium(&folder)? {
        playwright.env("CHROMIUM", chromium);
    }
    Ok(playwright)
}

/// Compiles the native engine, against which the one in the browser is held, and returns the path of its executable.
fn build_probe() -> Result<PathBuf> {
    step("Compiling the native engine", || {
        process::run(cargo(&project::root()).args([
            "build",
            "--locked",
            "--package",
            "engine",
            "--bin",
            "probe",
        ]))?;
        Ok(project::executable("debug", "probe"))
    })
}
