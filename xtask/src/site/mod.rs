//! Building the site: wasm bundles, their glue, the style sheet and static files, under names that carry a hash.

mod builds;
mod bundle;
mod fingerprint;
mod lint;
#[path = "../../../app/build/messages.rs"]
mod messages;
mod offline;
mod publish;
mod style;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use builds::Builds;
pub use bundle::{Built, Bundle, Manner, build as build_bundles};
use clap::Args;
pub use lint::{as_compiler, keep_wrapper, lint_tests};
use publish::Site;

use crate::process::{diagnostics, run, step};
use crate::setup::Toolchain;
use crate::{project, setup};

/// Build what the browser loads, into target/site: the page, the engine, the style sheet.
///
/// Each build has a folder of its own there, and `latest` names the one that a server takes. The first build compiles
/// everything for wasm and takes a few minutes. A build with nothing to do takes no time.
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

/// The level of `wasm-opt`. The compiler has already optimised. `-O3` and `-Oz` take four times as long, and their files are
/// smaller, but 2 % larger once they are compressed.
const OPTIMISE: &str = "-O1";

/// The size-optimised bundle of the interface.
const PAGE: Bundle = Bundle { package: "frontend", name: "page", optimise: OPTIMISE };
/// The speed-optimised bundle of the engine.
pub const WORKER: Bundle = Bundle { package: "worker", name: "engine", optimise: OPTIMISE };
/// The size-optimised bundle that reads documents, fetched with the first of them.
const DOCUMENTS: Bundle = Bundle { package: "reader", name: "documents", optimise: OPTIMISE };

/// The size-optimised bundle that constrains answers, fetched with the first tool or format.
pub const CONSTRAINTS: Bundle = Bundle { package: "constraints", name: "constraints", optimise: OPTIMISE };

/// The engine that is played by timers, for tests alone.
const FAKE: Bundle = Bundle { package: "fake", name: "fake", optimise: "" };

/// The programs that make the site, where they are compiled already.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    /// See [`Manner::glue`].
    pub glue: Option<PathBuf>,
    /// The one that lists the dependencies.
    pub supply: Option<PathBuf>,
}

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

/// Builds the site, unless it is up to date, and returns its folder. A server that is started without one takes it from now on.
pub fn build(options: &Options) -> Result<PathBuf> {
    // Linted crates are others to cargo: what the tests have compiled is not to be compiled again.
    let lint = linted().exists();
    build_with(options, lint, &Programs::default(), true)
}

/// Compiles the bundles of a site with lints, so that [`build_linted`] has less to do.
pub fn compile_linted(options: &Options) -> Result<()> {
    let toolchain = Toolchain::ensure()?;
    if !toolchain.has_clippy() {
        eprintln!(
            "    This toolchain has no Clippy for wasm, so only the compiler's own warnings are checked."
        );
    }
    fs::create_dir_all(project::state())?;
    fs::write(linted(), "").context("cannot remember that the site is linted")?;
    bundle::compile(&bundles(options), toolchain, &linted_manner(options))
}

/// Builds the site of bundles that are compiled with lints, unless it is up to date, and returns its folder. It is for tests alone.
pub fn build_linted(options: &Options, programs: &Programs) -> Result<PathBuf> {
    build_with(options, true, programs, false)
}

/// Fails when Clippy or the compiler has warned of anything in the bundles.
pub fn check_lints(options: &Options) -> Result<()> {
    // It is compiled: cargo tells again what was said, this time in messages.
    let toolchain = Toolchain::ensure()?;
    match diagnostics(&mut bundle::compiler(&bundles(options), toolchain, &linted_manner(options))?)? {
        0 => Ok(()),
        count => bail!("{count} warnings, which are errors here"),
    }
}

fn linted_manner(options: &Options) -> Manner {
    Manner { quick: options.quick, lint: true, ..Manner::default() }
}

/// Exists when the tests have compiled the site.
fn linted() -> PathBuf {
    project::state().join("linted")
}

fn build_with(options: &Options, lint: bool, programs: &Programs, latest: bool) -> Result<PathBuf> {
    let builds = Builds::lock(project::sites())?;
    let name = fingerprint::of(&project::root(), INPUTS, options)?;
    let folder = match builds.find(&name) {
        Some(folder) => {
            eprintln!("==> The site is up to date");
            folder
        }
        None => step("Building the site", || {
            let site = Site::new(builds.begin(&name)?);
            build_now(site, &builds.all()?, options, lint, programs)?;
            builds.finish(&name)
        })?,
    };
    if latest {
        builds.make_latest(&name)?;
    }
    Ok(folder)
}

/// The script that starts the engine from these files beside it. `constraints` are the script and the wasm of that bundle; `None`
/// for an engine that constrains no answers.
pub fn worker_script(script: &str, wasm: &str, constraints: Option<[&str; 2]>) -> String {
    let constraints = constraints.map(|[script, wasm]| {
        let load = include_str!("constraints.js").replace("{{constraints-script}}", script);
        load.replace("{{constraints-wasm}}", wasm)
    });
    include_str!("worker.js")
        .replace("{{ahead}}", include_str!("ahead.js"))
        .replace("{{constraints}}", &constraints.unwrap_or_default())
        .replace("{{script}}", script)
        .replace("{{wasm}}", wasm)
}

/// The bundles of a site: the page's, the engine's, that for documents and that of constraints first.
fn bundles(options: &Options) -> Vec<&'static Bundle> {
    let fake = (options.quick || options.simulator).then_some(&FAKE);
    [&PAGE, &WORKER, &DOCUMENTS, &CONSTRAINTS].into_iter().chain(fake).collect()
}

/// Fills the folder of a site. What `others` have compressed is not compressed again.
fn build_now(
    mut site: Site,
    others: &[PathBuf],
    options: &Options,
    lint: bool,
    programs: &Programs,
) -> Result<()> {
    let tools = project::root().join("xtask");
    let toolchain = Toolchain::ensure()?;
    setup::install(&tools)?;

    let manner = Manner { quick: options.quick, lint, glue: programs.glue.clone() };
    let mut built = bundle::build(&bundles(options), toolchain, &manner)?.into_iter();
    let mut next = || built.next();
    let (Some(page), Some(engine), Some(documents), Some(constraints)) = (next(), next(), next(), next())
    else {
        bail!("there are fewer bundles than were asked for");
    };

    let fake = next();

    site.add_snippets(&page)?;
    site.add_snippets(&engine)?;
    let page_js = site.add_glue(PAGE.name, &page)?;
    let page_wasm = site.add_hashed("page", "wasm", &page.wasm)?;
    let texts = add_texts(&mut site)?;
    let named: Vec<_> = texts.iter().map(|(tag, file)| format!("\"{tag}\": \"./{file}\"")).collect();
    let boot = include_str!("boot.js")
        .replace("{{script}}", &page_js.file)
        .replace("{{wasm}}", &page_wasm.file)
        .replace("{{texts}}", &format!("{{ {} }}", named.join(", ")));
    let boot = site.add_hashed("boot", "js", boot.as_bytes())?;
    let engine_js = site.add_hashed("engine", "js", &engine.script)?;
    let engine_wasm = site.add_hashed("engine", "wasm", &engine.wasm)?;
    site.add_snippets(&constraints)?;
    let constraints_js = site.add_hashed(CONSTRAINTS.name, "js", &constraints.script)?;
    let constraints_wasm = site.add_hashed(CONSTRAINTS.name, "wasm", &constraints.wasm)?;
    let constraints = [constraints_js.file.as_str(), &constraints_wasm.file];
    let worker = worker_script(&engine_js.file, &engine_wasm.file, Some(constraints));
    let worker = site.add_hashed("worker", "js", worker.as_bytes())?;
    let documents = add_worker(&mut site, DOCUMENTS.name, &documents)?;
    let fake = fake.map(|fake| add_worker(&mut site, FAKE.name, &fake)).transpose()?;
    let recorder = site.add_hashed("recorder", "js", include_bytes!("recorder.js"))?;
    let preview = site.add_hashed("preview", "html", include_bytes!("preview.html"))?;
    let sandbox = site.add_hashed("sandbox", "html", include_bytes!("sandbox.html"))?;
    let (style, font) = with_fonts(&mut site, &style::bundle(&project::root().join("style/main.css"))?)?;
    let stylesheet = site.add_hashed("style", "css", style.as_bytes())?;
    site.add_static(&project::root().join("style/static"))?;
    site.add_static(&list_dependencies(programs)?)?;

    let languages: Vec<_> = texts.iter().map(|(tag, _)| tag.as_str()).collect();
    let script = offline::script(&site, &boot.address, &languages)?;
    site.add(Path::new("sw.js"), script.as_bytes())?;

    if !options.quick {
        step("Compressing", || site.compress(&tools.join("compress.mjs"), others))?;
    }
    site.finish(&publish::Assets {
        stylesheet: &stylesheet.address,
        font: &font,
        boot: &boot.address,
        page_js: &page_js.address,
        page_wasm: &page_wasm.address,
        worker: &worker.address,
        recorder: &recorder.address,
        documents: &documents,
        preview: &preview.address,
        sandbox: &sandbox.address,
        fake: fake.as_deref(),
    })
}

/// Adds the bundle of a worker that compiles nothing ahead. Returns the address of its script.
fn add_worker(site: &mut Site, name: &str, bundle: &Built) -> Result<String> {
    site.add_snippets(bundle)?;
    let script = site.add_hashed(name, "js", &bundle.script)?;
    let wasm = site.add_hashed(name, "wasm", &bundle.wasm)?;
    let worker = include_str!("worker.js").replace("{{ahead}}", "").replace("{{constraints}}", "");
    let worker = worker.replace("{{script}}", &script.file).replace("{{wasm}}", &wasm.file);
    Ok(site.add_hashed(&format!("{name}-worker"), "js", worker.as_bytes())?.address)
}

/// Adds the fonts that a style sheet names in its folder `fonts`. Returns the style sheet with their names on the site, and the
/// address of the first one, which is that of text.
fn with_fonts(site: &mut Site, style: &str) -> Result<(String, String)> {
    let mut pieces = style.split("url(\"fonts/");
    let mut named = pieces.next().unwrap_or_default().to_owned();
    let mut first = None;
    for piece in pieces {
        let (name, rest) = piece.split_once('"').context("the address of a font has no end")?;
        let (stem, extension) = name.rsplit_once('.').context("a font has no extension")?;
        let path = project::root().join("style/fonts").join(name);
        let font = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let added = site.add_hashed(stem, extension, &font)?;
        named.push_str(&format!("url(\"{}\"{rest}", added.file));
        first.get_or_insert(added.address);
    }
    Ok((named, first.context("the style sheet names no font")?))
}

/// Adds a file with the words of each language. Its tag and name.
fn add_texts(site: &mut Site) -> Result<Vec<(String, String)>> {
    let catalogue = messages::read(&project::root().join("app/locales"));
    let catalogue = catalogue.map_err(|faults| anyhow!("{}", faults.join("\n")))?;
    let mut files = Vec::new();
    for (tag, texts) in messages::files(&catalogue) {
        let file = site.add_hashed(&format!("texts.{tag}"), "txt", texts.as_bytes())?.file;
        files.push((tag, file));
    }
    Ok(files)
}

/// The notices of third parties and the bill of materials, in a folder.
fn list_dependencies(programs: &Programs) -> Result<PathBuf> {
    let folder = project::state().join("supply");
    step("Listing the dependencies and their licences", || {
        run(bundle::program("supply", programs.supply.as_deref()).arg(&folder))?;
        Ok(folder)
    })
}
