//! Building the site: wasm bundles, their glue, the style sheet and static files, under names that carry a hash.

mod bundle;
mod fingerprint;
#[path = "../../../app/build/messages.rs"]
mod messages;
mod publish;
mod style;

use std::panic::resume_unwind;
use std::path::PathBuf;
use std::{fs, thread};

use anyhow::{Context as _, Result, anyhow};
pub use bundle::{Built, Bundle};
use clap::Args;
use publish::Site;

use crate::process::{cargo, run, step};
use crate::setup::Toolchain;
use crate::{project, setup};

/// Build what the browser loads, into target/site: the page, the engine, the style sheet.
///
/// The first build compiles everything for wasm and takes a few minutes. A build with nothing to do takes no time.
#[derive(Args, Clone, Copy, Debug, Default, Hash)]
#[group(skip)]
pub struct Options {
    /// A fast build without optimizations or compression, for trying out a change. Includes --simulator
    #[arg(long)]
    pub quick: bool,
    /// Include the simulated engine, which the page's tests turn on with `?fake` in the address
    #[arg(long)]
    pub simulator: bool,
}

/// The size-optimised bundle of the interface.
const PAGE: Bundle = Bundle { package: "frontend", profile: "page", name: "page", optimise: "-Oz" };
/// The speed-optimised bundle of the engine.
pub const WORKER: Bundle = Bundle { package: "worker", profile: "worker", name: "engine", optimise: "-O3" };

/// The engine that is played by timers.
const FAKE: Bundle = Bundle { package: "fake", profile: "page", name: "fake", optimise: "-Oz" };

/// What the site is made of. A change in any of these files is a reason to build again.
const INPUTS: &[&str] = &[
    ".cargo",
    "Cargo.lock",
    "Cargo.toml",
    "app",
    "frontend",
    "shaders",
    "style",
    "xtask/glue",
    "xtask/src/site",
    "xtask/supply",
];

/// Builds the site, unless it is up to date.
pub fn build(options: &Options) -> Result<()> {
    let now = fingerprint::of(&project::root(), INPUTS, options)?;
    let recorded = project::state().join("site.fingerprint");
    if fs::read_to_string(&recorded).is_ok_and(|then| then == now)
        && project::site().join("assets.json").exists()
    {
        eprintln!("==> The site is up to date");
        return Ok(());
    }
    // Until the new build is complete there is none.
    fs::remove_file(&recorded).ok();
    step("Building the site", || build_now(options))?;
    fs::create_dir_all(project::state())?;
    fs::write(&recorded, now).with_context(|| format!("cannot write {}", recorded.display()))
}

/// The script that starts the engine from these files beside it.
pub fn worker_script(script: &str, wasm: &str) -> String {
    include_str!("worker.js")
        .replace("{{ahead}}", include_str!("ahead.js"))
        .replace("{{script}}", script)
        .replace("{{wasm}}", wasm)
}

fn build_now(options: &Options) -> Result<()> {
    let tools = project::root().join("xtask");
    let toolchain = Toolchain::ensure()?;
    setup::install(&tools)?;

    // The linker and the optimiser of each bundle use one core for minutes: two bundles at a time.
    let (interface, engine) = thread::scope(|scope| {
        let interface = scope.spawn(|| {
            let page = PAGE.build(toolchain, options.quick)?;
            let fake = options.quick || options.simulator;
            let fake = fake.then(|| FAKE.build(toolchain, options.quick)).transpose()?;
            Ok::<_, anyhow::Error>((page, fake))
        });
        let engine = WORKER.build(toolchain, options.quick);
        (interface.join(), engine)
    });
    let (page, fake) = interface.unwrap_or_else(|panic| resume_unwind(panic))?;
    let engine = engine?;

    let mut site = Site::new(project::site());
    site.add_snippets(&page)?;
    site.add_snippets(&engine)?;
    let page_js = site.add_glue(PAGE.name, &page)?;
    let page_wasm = site.add_hashed("page", "wasm", &page.wasm)?;
    let texts = add_texts(&mut site)?;
    let boot = include_str!("boot.js")
        .replace("{{script}}", &page_js.file)
        .replace("{{wasm}}", &page_wasm.file)
        .replace("{{texts}}", &texts);
    let boot = site.add_hashed("boot", "js", boot.as_bytes())?;
    let engine_js = site.add_hashed("engine", "js", &engine.script)?;
    let engine_wasm = site.add_hashed("engine", "wasm", &engine.wasm)?;
    let worker = worker_script(&engine_js.file, &engine_wasm.file);
    let worker = site.add_hashed("worker", "js", worker.as_bytes())?;
    let fake = match fake {
        Some(fake) => {
            site.add_snippets(&fake)?;
            let script = site.add_hashed("fake", "js", &fake.script)?;
            let wasm = site.add_hashed("fake", "wasm", &fake.wasm)?;
            let worker = include_str!("worker.js").replace("{{ahead}}", "");
            let worker = worker.replace("{{script}}", &script.file).replace("{{wasm}}", &wasm.file);
            Some(site.add_hashed("fake-worker", "js", worker.as_bytes())?.address)
        }
        None => None,
    };
    let recorder = site.add_hashed("recorder", "js", include_bytes!("recorder.js"))?;
    let style = style::bundle(&project::root().join("style/main.css"))?;
    let stylesheet = site.add_hashed("style", "css", style.as_bytes())?;
    site.add_static(&project::root().join("style/static"))?;
    site.add_static(&list_dependencies()?)?;

    if !options.quick {
        step("Compressing", || site.compress(&tools.join("compress.mjs")))?;
    }
    site.finish(&publish::Assets {
        stylesheet: &stylesheet.address,
        boot: &boot.address,
        page_js: &page_js.address,
        page_wasm: &page_wasm.address,
        worker: &worker.address,
        recorder: &recorder.address,
        fake: fake.as_deref(),
    })
}

/// Adds a file with the words of each language; a JavaScript object with their addresses beside the boot script.
fn add_texts(site: &mut Site) -> Result<String> {
    let catalogue = messages::read(&project::root().join("app/locales"));
    let catalogue = catalogue.map_err(|faults| anyhow!("{}", faults.join("\n")))?;
    let mut addresses = Vec::new();
    for (tag, texts) in messages::files(&catalogue) {
        let file = site.add_hashed(&format!("texts.{tag}"), "txt", texts.as_bytes())?.file;
        addresses.push(format!("\"{tag}\": \"./{file}\""));
    }
    Ok(format!("{{ {} }}", addresses.join(", ")))
}

/// The notices of third parties and the bill of materials, in a folder.
fn list_dependencies() -> Result<PathBuf> {
    let folder = project::state().join("supply");
    step("Listing the dependencies and their licences", || {
        let mut supply = cargo(&project::root());
        supply.args(["run", "--locked", "--quiet", "--package", "supply", "--"]);
        run(supply.arg(&folder))?;
        Ok(folder)
    })
}
