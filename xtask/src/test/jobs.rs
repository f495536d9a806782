//! What each step runs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use anyhow::{Context as _, Result, bail};

use super::Step;
use super::changed::Selection;
use super::programs::{self, Program, executable};
use super::queue::{Job, Milestone, Queue};
use super::tally::{self, Runner, Tally};
use crate::adopt::adopting;
use crate::process::{self, cargo, step};
use crate::setup::{self, Toolchain, npx};
use crate::{project, serve, site, size};

/// How tests run.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// With what guards against a new driver or browser.
    pub thorough: bool,
    /// On bundles that compile fast, not on those that visitors get.
    pub quick: bool,
}

impl Manner {
    /// The site of the tests: the one that visitors get, unless it has to be quick, and the simulated engine beside it.
    fn site(self) -> site::Options {
        site::Options { quick: self.quick, simulator: true }
    }
}

/// Set for tests that have more to try in a thorough run.
const THOROUGH: (&str, &str) = ("GEMTAB_THOROUGH", "1");

/// Set for property tests, which else try other cases in each run.
const SAME_CASES: (&str, &str) = ("PROPTEST_RNG_SEED", "1");

/// Set where the machine has other things to do, too: browser tests wait longer for what has to come.
const SLOW: (&str, &str) = ("GEMTAB_SLOW", "1");

/// The programs, once they are compiled.
type Compiled = Arc<OnceLock<Vec<Program>>>;

/// The folder of the site, once it is made.
type Made = Arc<OnceLock<PathBuf>>;

/// The jobs of a run. Those that others wait for come first.
pub fn queue(selection: Selection, manner: Manner) -> Result<Queue<'static>> {
    let (selection, thorough) = (Arc::new(selection), manner.thorough);
    let steps = &selection.steps;
    std::fs::create_dir_all(logs()).context("cannot create the folder of the logs")?;
    let runs = |step: Step| steps.contains(&step);
    let (compiled, made) = (Compiled::default(), Made::default());
    let natives: Vec<_> = steps.iter().copied().filter(|step| step.runs_programs()).collect();
    let queue = Queue::default();
    if !natives.is_empty() || runs(Step::Clippy) || runs(Step::Real) {
        queue.extend([compile(natives, thorough, &selection, Arc::clone(&compiled))]);
    }
    let has_programs = !queue.is_empty();
    if steps.iter().any(|step| step.needs_site()) {
        // Before programs compile beside. What rustup can't do, the job does.
        Toolchain::find_or_add();
        // Its makers are among the programs.
        let needs: &[_] =
            if has_programs { &[Milestone::Bundles, Milestone::Programs] } else { &[Milestone::Bundles] };
        queue.extend(build_site(manner, runs(Step::Site), needs, &compiled, &made));
    }
    if runs(Step::Fmt) {
        queue.extend([job(Step::Fmt, "rustfmt", |_, _| formatting())]);
    }
    if runs(Step::Deny) {
        queue.extend([job(Step::Deny, "cargo-deny", |_, _| dependencies())]);
    }
    if runs(Step::Clippy) {
        let lint = job(Step::Clippy, "lints", |_, _| programs::lint());
        queue.extend([Job { needs: &[Milestone::Programs], ..lint }]);
    }
    if runs(Step::Real) {
        let programs = Arc::clone(&compiled);
        let work = move |queue: &Queue<'_>, tally: &mut Tally| published(programs.get(), queue, tally);
        queue.extend([Job { needs: &[Milestone::Programs], ..job(Step::Real, "Gemma 3 270M", work) }]);
    }
    type Arguments = fn(&Path, &mut Command) -> Result<()>;
    let browser_tests: [(_, _, Arguments); 4] = [
        (Step::E2e, "the simulated engine", end_to_end),
        (Step::Webgpu, "the real engine", webgpu),
        (Step::Browsers, "other browsers", other_browsers),
        (Step::Real, "the page with Gemma 3 270M", published_in_a_page),
    ];
    for (step, name, arguments) in browser_tests {
        if runs(step) {
            let (compiled, made, selection) =
                (Arc::clone(&compiled), Arc::clone(&made), Arc::clone(&selection));
            let work = move |queue: &Queue<'_>, tally: &mut Tally| {
                let site = made.get().context("there is no site")?;
                let mut playwright = playwright(compiled.get(), site)?;
                arguments(&project::root().join("end2end"), &mut playwright)?;
                playwright.envs(thorough.then_some(THOROUGH));
                if !selection.browser_tests.is_empty() {
                    let names: Vec<_> = selection.browser_tests.iter().map(String::as_str).collect();
                    playwright.args(["--pass-with-no-tests", "--grep", &names.join("|")]);
                }
                // Whoever waits for one changed test need not wait long for its failure. A whole run is busy.
                playwright.envs((!manner.quick).then_some(SLOW));
                let log = logs().join(format!("{step}.log"));
                let mut playwright = adopting(playwright);
                tally::run(&mut playwright, Runner::Playwright, &log, tally, || queue.count_failure())
            };
            queue.extend([Job { needs: &[Milestone::Site], ..job(step, name, work) }]);
        }
    }
    Ok(queue)
}

/// Where the output of each job is kept.
fn logs() -> PathBuf {
    project::state().join("logs")
}

fn job<'a>(
    step: Step,
    name: &str,
    work: impl FnOnce(&Queue<'a>, &mut Tally) -> Result<()> + Send + 'a,
) -> Job<'a> {
    Job { step, name: name.to_owned(), needs: &[], reaches: None, work: Box::new(work) }
}

impl Step {
    /// Whether it runs programs that are compiled natively.
    fn runs_programs(self) -> bool {
        matches!(self, Self::Unit | Self::Kernels | Self::Golden)
    }

    /// Whether it needs the site.
    fn needs_site(self) -> bool {
        matches!(self, Self::Site | Self::E2e | Self::Webgpu | Self::Browsers | Self::Real)
    }

    /// The step that runs a test program.
    fn of(program: &Program) -> Self {
        if program.package == Path::new("shaders") {
            Self::Kernels
        } else if program.is_integration_test
            && matches!(program.package.to_str(), Some("frontend/engine" | "frontend/probe"))
        {
            Self::Golden
        } else {
            Self::Unit
        }
    }
}

/// The tests of the engine on a device.
const DEVICE: (&str, &str) = ("frontend/engine", "device");

/// The tests of schemas that others have written.
const SCHEMAS: (&str, &str) = ("frontend/probe", "schemas");

/// The programs that take longest, in the order in which they start.
const FIRST: &[(&str, &str)] =
    &[DEVICE, ("frontend/worker", "worker"), ("frontend/probe", "probe"), ("shaders", "kernels")];

/// Compiles the programs, and adds a job for each one that these steps run.
fn compile(steps: Vec<Step>, thorough: bool, selection: &Arc<Selection>, compiled: Compiled) -> Job<'static> {
    let selection = Arc::clone(selection);
    let work = move |queue: &Queue<'static>, _: &mut Tally| {
        let all = programs::compile()?;
        let is_run = |it: &&Program| it.is_test && steps.contains(&Step::of(it)) && selection.has(it);
        let mut run: Vec<_> = all.iter().filter(is_run).collect();
        if run.is_empty() && !steps.is_empty() {
            bail!("there are no test programs");
        }
        run.sort_by_key(|program| place(program).unwrap_or(FIRST.len()));
        let driver = setup::software_vulkan()?;
        let test = |program: &Program| {
            let filters = selection.filters(program).into_iter().map(str::to_owned).collect();
            test(program.clone(), filters, driver.clone(), thorough)
        };
        queue.extend(run.into_iter().map(test));
        compiled.set(all).ok();
        Ok(())
    };
    Job { reaches: Some(Milestone::Programs), ..job(Step::Clippy, "compiling the tests", work) }
}

/// The place of a program among the first. `None` for all others.
fn place(program: &Program) -> Option<usize> {
    FIRST.iter().position(|&it| program.is(it)).filter(|_| program.is_integration_test)
}

/// Runs the tests of a program whose names contain one of the filters, or all if there are none.
fn test(program: Program, filters: Vec<String>, driver: Option<PathBuf>, thorough: bool) -> Job<'static> {
    let step = Step::of(&program);
    let kind = if program.is_integration_test { "tests/" } else { "" };
    let name = format!("{} {kind}{}", program.package.display(), program.name);
    let log = logs().join(format!("{}.log", name.replace(['/', ' '], "-")));
    let work = move |queue: &Queue<'_>, tally: &mut Tally| {
        let mut test = command(&program, driver.as_deref());
        test.args(&filters);
        // What is ignored without it is thorough, too.
        test.envs(thorough.then_some(THOROUGH)).args(thorough.then_some("--include-ignored"));
        // A change is judged by cases that were there before it. A thorough run looks for others.
        test.envs((!thorough).then_some(SAME_CASES));
        // They have a step of their own.
        test.args(["--skip", PUBLISHED]);
        if program.package == Path::new("server") {
            servers();
        }
        if program.is(SCHEMAS) && thorough {
            match setup::schema_suite() {
                Ok(suite) => test.env("GEMTAB_SCHEMAS", suite),
                Err(error) => {
                    eprintln!("    SKIPPED: the JSON Schema Test Suite, which is missing: {error:#}");
                    return Ok(());
                }
            };
        }
        tally::run(&mut test, Runner::Libtest, &log, tally, || queue.count_failure())
    };
    job(step, &name, work)
}

/// Runs the tests of a program, with the time of each, which only the environment variable lets a stable toolchain tell.
fn command(program: &Program, driver: Option<&Path>) -> Command {
    let folder = project::root().join(&program.package);
    let mut test = Command::new(&program.executable);
    test.current_dir(&folder).env("CARGO_MANIFEST_DIR", &folder);
    test.args(["-Zunstable-options", "--report-time"]).env("RUSTC_BOOTSTRAP", "1");
    test.envs(driver.map(|driver| ("VK_DRIVER_FILES", driver)));
    test
}

/// The names of the tests of the published model begin so.
const PUBLISHED: &str = "published::";

/// The tests of the published model, where it can be had.
fn published(compiled: Option<&Vec<Program>>, queue: &Queue<'_>, tally: &mut Tally) -> Result<()> {
    let is_it = |it: &&Program| it.is_test && it.is_integration_test && it.is(DEVICE);
    let device = compiled.and_then(|all| all.iter().find(is_it));
    let device = device.context("the tests of the engine are missing")?;
    let model = match setup::gemma3_270m() {
        Ok(model) => model,
        Err(error) => {
            eprintln!("    SKIPPED: the published model, which is missing: {error:#}");
            return Ok(());
        }
    };
    let mut test = command(device, setup::software_vulkan()?.as_deref());
    test.env("GEMTAB_PUBLISHED", model).args(["--include-ignored", "--nocapture", PUBLISHED]);
    tally::run(&mut test, Runner::Libtest, &logs().join("published.log"), tally, || queue.count_failure())
}

/// Installs what the tests of the server run. What needs it says so where it is missing; everything else runs in any case.
fn servers() {
    if let Err(error) = setup::docker_registry() {
        eprintln!("    without docker-registry: {error:#}");
    }
    if let Err(error) = setup::nginx() {
        eprintln!("    SKIPPED: the server behind nginx, which is missing: {error:#}");
    }
    if let Err(error) = setup::moto() {
        eprintln!("    SKIPPED: the server over S3, of which there is no server for tests: {error:#}");
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

/// Compiles the bundles, then makes the site of them.
fn build_site(
    manner: Manner,
    checked: bool,
    needs: &'static [Milestone],
    compiled: &Compiled,
    made: &Made,
) -> [Job<'static>; 2] {
    let (compiled, made) = (Arc::clone(compiled), Arc::clone(made));
    let options = manner.site();
    let compile = move |_: &Queue<'_>, _: &mut Tally| site::compile_linted(&options);
    let build = move |_: &Queue<'_>, _: &mut Tally| {
        let executable = |name| executable(compiled.get()?, name);
        let makers = site::Programs { glue: executable("glue"), supply: executable("supply") };
        let site = site::build_linted(&options, &makers)?;
        made.set(site.clone()).ok();
        if !checked {
            return Ok(());
        }
        site::check_lints(&options)?;
        size::check(&site)
    };
    [
        Job { reaches: Some(Milestone::Bundles), ..job(Step::Site, "compiling the bundles", compile) },
        Job { needs, reaches: Some(Milestone::Site), ..job(Step::Site, "making the site", build) },
    ]
}

/// The arguments for the page with a simulated engine. Playwright itself takes off the types of the tests and never checks them.
fn end_to_end(folder: &Path, playwright: &mut Command) -> Result<()> {
    let mut types = npx(folder, "tsc");
    process::run(types.args(["--noEmit", "--project", "."]).current_dir(folder))?;
    playwright.args(["--project=fake-engine", "--project=microphone", "--project=back"]);
    Ok(())
}

/// The arguments for the page with the real engine.
fn webgpu(_: &Path, playwright: &mut Command) -> Result<()> {
    // A run deletes the results of the run before, and another one may be under way.
    playwright.args(["--project=webgpu", "--output=webgpu-results"]);
    Ok(())
}

/// The arguments for the page with the published model, where it can be had.
fn published_in_a_page(_: &Path, playwright: &mut Command) -> Result<()> {
    // Without it the native tests have said so.
    if let Ok(model) = setup::gemma3_270m() {
        playwright.env("GEMTAB_PUBLISHED", model);
    }
    playwright.args(["--project=webgpu", "--output=real-results", "published"]);
    Ok(())
}

/// The arguments for other browsers than Chromium.
fn other_browsers(folder: &Path, playwright: &mut Command) -> Result<()> {
    if let Some(firefox) = setup::firefox(folder)? {
        playwright.env("FIREFOX", firefox);
    }
    playwright.args([
        "--project=fake-engine-firefox",
        "--project=webgpu-firefox",
        "--output=browsers-results",
    ]);
    if setup::webkit(folder) {
        playwright.arg("--project=fake-engine-webkit");
    }
    Ok(())
}

/// The runner of the browser tests, with the site, the server and the native engine that it needs.
fn playwright(compiled: Option<&Vec<Program>>, site: &Path) -> Result<Command> {
    let executable = |name| executable(compiled?, name);
    let server = executable("server").map_or_else(|| serve::build_server(false), Ok)?;
    let probe = executable("probe").map_or_else(build_probe, Ok)?;
    let folder = project::root().join("end2end");
    setup::install(&folder)?;
    setup::fonts();
    let mut playwright = npx(&folder, "playwright");
    playwright.arg("test").current_dir(&folder);
    playwright.env("GEMTAB_SERVER", server).env("GEMTAB_SITE", site).env("GEMTAB_PROBE", probe);
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
        let words = ["build", "--locked", "--package", "probe"];
        process::run(cargo(&project::root()).args(words))?;
        Ok(project::executable("debug", "probe"))
    })
}
