//! `cargo xtask test`: every check there is, and a summary.

mod causes;
mod changed;
mod jobs;
mod programs;
mod queue;
mod summary;
mod tally;
mod thorough;

use std::fmt;
use std::time::Instant;

use anyhow::Result;
use changed::Selection;
use clap::{Args, ValueEnum};
use jobs::Manner;

use crate::site;

/// Run every check: formatting, lints, unit, kernel and golden tests, then the page in a real browser.
///
/// Installs what the checks need: a Chromium, a software Vulkan driver and docker-registry (through apt, as root or with
/// sudo), nginx and moto (into ~/.cache/gemtab), and Node packages. A step that fails does not stop the others, but ten
/// failed tests end the run. The last line counts the tests.
///
/// Kernels run on a software driver, so that results do not depend on the machine. To run them on the graphics card,
/// name its driver in VK_DRIVER_FILES. CHROMIUM and FIREFOX name other browsers than the system's.
#[derive(Args)]
pub struct Options {
    /// Run only these steps, such as fmt,clippy; --list names them
    #[arg(long, value_name = "STEPS", value_delimiter = ',', hide_possible_values = true)]
    only: Vec<Step>,
    /// Also run what guards against a new driver or browser: every permutation of every kernel on the device, long
    /// random tests, the JSON Schema Test Suite (downloaded, 0.4 MB), all tests of the page in Firefox and, where it can be
    /// installed, in WebKit
    #[arg(long)]
    thorough: bool,
    /// Run what the files can break that differ from the last commit on main, with bundles that compile fast
    #[arg(long, conflicts_with_all = ["only", "thorough"])]
    changed: bool,
    /// List the steps and what they do, and run nothing
    #[arg(long)]
    list: bool,
}

/// A step of the test run: a row of its summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Step {
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
    /// The page in a real browser, with a simulated engine
    E2e,
    /// The page in a real browser, with the real engine on a software adapter
    Webgpu,
    /// The page in Firefox, and in WebKit where it can be installed; only with --thorough, or when named
    Browsers,
    /// The published Gemma 3 270M, which is downloaded (253 MB), against reference outputs; only with --thorough, or when named
    Real,
}

/// Jobs that run at once: what one leaves of two cores the other takes. More would only take more memory.
const LANES: usize = 2;

/// Runs the steps, prints the summary, and fails if anything failed.
pub fn run(options: &Options) -> Result<()> {
    if options.list {
        for step in Step::value_variants() {
            println!("{step:<8} {}", step.help());
        }
        return Ok(());
    }
    site::keep_wrapper()?;
    let selection = if options.changed {
        Selection::now()?
    } else {
        let wanted = |step: &&Step| match options.only.as_slice() {
            [] => options.thorough || !matches!(step, Step::Browsers | Step::Real),
            only => only.contains(step),
        };
        let steps = Step::value_variants().iter().filter(wanted).copied().collect();
        Selection { steps, ..Selection::default() }
    };
    let manner = Manner { thorough: options.thorough, quick: options.changed };
    let started = Instant::now();
    let reports = jobs::queue(selection, manner)?.run(LANES);
    let failed = reports.iter().any(|report| report.failure.is_some());
    if options.thorough && options.only.is_empty() && !failed {
        thorough::remember()?;
    }
    println!("\n{}", thorough::last());
    print!("{}", summary::summary(&reports, started.elapsed()));
    if failed {
        // The summary has said it all, and its last line is to stay the last.
        std::process::exit(1);
    }
    Ok(())
}

impl Step {
    fn help(self) -> String {
        let help = self.to_possible_value().and_then(|value| value.get_help().map(ToString::to_string));
        help.unwrap_or_default()
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.to_possible_value().as_ref().map_or("", |value| value.get_name()))
    }
}
