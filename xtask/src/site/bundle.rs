//! Wasm bundles: compiled, taken apart where it has parts that are fetched later, given its glue, optimised.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, thread};

use anyhow::{Context as _, Result};

use super::fingerprint::of_bytes;
use super::lint;
use crate::process::{add_usage, cargo, run, step, take_usage};
use crate::project;
use crate::setup::{Toolchain, npx};

/// How a bundle is made.
pub struct Bundle {
    /// The crate.
    pub package: &'static str,
    /// What the result is called.
    pub name: &'static str,
    /// The level of `wasm-opt`; empty for none.
    pub optimise: &'static str,
}

/// A finished bundle.
pub struct Built {
    /// The glue: a JavaScript module.
    pub script: Vec<u8>,
    /// The wasm file.
    pub wasm: Vec<u8>,
    /// Scripts that the glue imports, if there are any.
    pub snippets: PathBuf,
    /// What is fetched later, if there is anything.
    pub parts: Option<Parts>,
}

/// What was taken out of a bundle. The glue imports the script as `./parts.js`, and the script the glue by its name.
pub struct Parts {
    /// The JavaScript module that fetches the files.
    pub script: Vec<u8>,
    /// The files, each with the name without extension by which the script fetches it.
    pub files: Vec<(String, Vec<u8>)>,
}

/// The WebAssembly features that `rustc` may use and that every browser with WebGPU has.
const FEATURES: &[&str] = &[
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-extended-const",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
    "--enable-simd",
];

/// How bundles are built.
#[derive(Clone, Debug, Default)]
pub struct Manner {
    /// Without optimisations.
    pub quick: bool,
    /// With lints: see [`lint`].
    pub lint: bool,
    /// The generator of glue, where it is compiled already.
    pub glue: Option<PathBuf>,
}

/// Builds bundles, compiled at once: what they have in common is compiled once. What has not changed is taken from the
/// last time.
pub fn build(bundles: &[&Bundle], toolchain: Toolchain, manner: &Manner) -> Result<Vec<Built>> {
    compile(bundles, toolchain, manner)?;
    // The generator and the optimiser use one core each.
    thread::scope(|scope| {
        let finish = |bundle: &Bundle| (bundle.finish(manner), take_usage());
        let finishing: Vec<_> = bundles.iter().map(|bundle| scope.spawn(move || finish(bundle))).collect();
        finishing
            .into_iter()
            .map(|finishing| {
                let (built, usage) = finishing.join().unwrap_or_else(|panic| resume_unwind(panic));
                add_usage(usage);
                built
            })
            .collect()
    })
}

/// Compiles bundles.
pub fn compile(bundles: &[&Bundle], toolchain: Toolchain, manner: &Manner) -> Result<()> {
    let names: Vec<_> = bundles.iter().map(|bundle| bundle.name).collect();
    step(&format!("Compiling for wasm: {}", names.join(", ")), || {
        run(&mut compiler(bundles, toolchain, manner)?)
    })
}

/// The command that compiles bundles.
pub fn compiler(bundles: &[&Bundle], toolchain: Toolchain, manner: &Manner) -> Result<Command> {
    let mut build = toolchain.cargo("build");
    build.args(["--profile", manner.profile()]);
    build.args(bundles.iter().flat_map(|bundle| ["--package", bundle.package]));
    if manner.lint {
        lint::lint(&mut build);
    }
    Ok(build)
}

impl Manner {
    /// The cargo profile.
    fn profile(&self) -> &'static str {
        if self.quick { "quick" } else { "web" }
    }
}

impl Bundle {
    /// The glue of the compiled wasm file, and what the optimiser makes of it.
    fn finish(&self, manner: &Manner) -> Result<Built> {
        let level = if manner.quick { "" } else { self.optimise };
        let compiled = project::wasm_target().join("wasm32-unknown-unknown").join(manner.profile());
        let compiled = &compiled.join(self.package).with_extension("wasm");

        let folder = project::state().join(self.name);
        let glue = folder.join(format!("{}.js", self.name));
        let wasm = folder.join(format!("{}_bg.wasm", self.name));
        let made_from = folder.join("made-from");
        let recipe = format!("{} {level}", of_bytes(&read(compiled)?));
        if !fs::read_to_string(&made_from).is_ok_and(|last| last == recipe) {
            fs::remove_dir_all(&folder).ok();
            fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
            step(&format!("Generating the glue of the {}", self.name), || {
                self.generate_glue(compiled, &folder, manner)
            })?;
            if !level.is_empty() {
                let parts = part_files(&folder)?;
                step(&format!("Optimising the {} with wasm-opt", self.name), || {
                    parts.iter().chain([&wasm]).try_for_each(|file| optimise(file, level))
                })?;
            }
            fs::write(&made_from, recipe).with_context(|| format!("cannot write {}", made_from.display()))?;
        }
        Ok(Built {
            script: read(&glue)?,
            wasm: read(&wasm)?,
            snippets: folder.join("snippets"),
            parts: read_parts(&folder)?,
        })
    }

    fn generate_glue(&self, compiled: &Path, folder: &Path, manner: &Manner) -> Result<()> {
        let mut generator = program("glue", manner.glue.as_deref());
        run(generator.arg(compiled).arg(folder).arg(self.name))
    }
}

/// A program of the workspace: the one that is compiled already, or cargo, which compiles it first.
pub fn program(package: &str, compiled: Option<&Path>) -> Command {
    if let Some(compiled) = compiled {
        return Command::new(compiled);
    }
    let mut run = cargo(&project::root());
    run.args(["run", "--locked", "--quiet", "--package", package, "--"]);
    run
}

/// Optimises a wasm file in place. Only now is it stripped: the generator reads what stripping removes.
fn optimise(wasm: &Path, level: &str) -> Result<()> {
    let mut wasm_opt: Command = npx(&project::root().join("xtask"), "wasm-opt");
    wasm_opt.arg(level).args(FEATURES).args(["--strip-debug", "--strip-producers"]);
    run(wasm_opt.arg(wasm).arg("-o").arg(wasm))
}

/// The wasm files that were taken out of the bundle in a folder.
fn part_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let parts = folder.join("parts");
    if !parts.exists() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(&parts).with_context(|| format!("cannot read {}", parts.display()))?;
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "wasm"));
    files.sort();
    Ok(files)
}

fn read_parts(folder: &Path) -> Result<Option<Parts>> {
    let script = folder.join("parts/parts.js");
    if !script.exists() {
        return Ok(None);
    }
    let stem = |file: &Path| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let files =
        part_files(folder)?.iter().map(|file| Ok((stem(file), read(file)?))).collect::<Result<_>>()?;
    Ok(Some(Parts { script: read(&script)?, files }))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}
