//! `cargo xtask bench`: everything that a comparison of engines needs, in one folder, and its run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use clap::Args;

use crate::process::{cargo, exists, run, step, succeeds};
use crate::setup::{self, Toolchain};
use crate::site::{self, Built, Bundle, Manner};
use crate::{project, serve};

/// Time gemtab and other engines on one model, in turns, natively and in headless Chromium, and print a table.
///
/// The model has the shape of Gemma 4 E2B and random weights; the first run writes it. `cargo xtask bench -- --help`
/// lists the options of a run: engines, model, lengths, adapter, browser, a file for the figures.
#[derive(Args)]
pub struct Options {
    /// Only fill this folder; its README says how to run it, here or on a machine without Rust and Node
    #[arg(long, value_name = "DIR")]
    prepare: Option<PathBuf>,
    /// A fast build without optimizations, for trying out a change to the benchmark itself
    #[arg(long)]
    quick: bool,
    /// Options of the run
    #[arg(last = true, value_name = "OPTIONS")]
    run: Vec<String>,
}

/// What the page of the benchmark speaks with the worker through.
const WIRE: Bundle = Bundle { package: "wire", name: "wire", optimise: "-Oz" };

/// Prepares the folder, then runs what is in it.
pub fn run_or_prepare(options: &Options) -> Result<()> {
    let folder = options.prepare.clone().unwrap_or_else(|| project::target().join("bench"));
    prepare(&folder, options.quick)?;
    if options.prepare.is_some() {
        eprintln!("==> {} is ready; its README says how to run it", folder.display());
        return Ok(());
    }
    let mut bench = Command::new(folder.join(executable("bench")));
    if let Some(chromium) = setup::chromium(&project::root().join("end2end"))? {
        bench.env("CHROMIUM", chromium);
    }
    serve::become_process(bench.args(&options.run))
}

fn prepare(folder: &Path, quick: bool) -> Result<()> {
    let [tools, end2end] = ["xtask", "end2end"].map(|part| project::root().join(part));
    let toolchain = Toolchain::ensure()?;
    setup::install(&tools)?;
    setup::install(&end2end)?;
    let manner = Manner { quick, ..Manner::default() };
    let bundles = [&site::WORKER, &site::CONSTRAINTS, &WIRE];
    let built = site::build_bundles(&bundles, toolchain, &manner)?;
    step("Compiling the native engine and the benchmark", || {
        run(cargo(&project::root()).args(["build", "--locked", "--release", "--package", "probe"]))?;
        run(cargo(&project::root()).args(["build", "--locked", "--release", "--package", "bench"]))
    })?;

    let site = folder.join("site");
    fs::remove_dir_all(&site).ok();
    for (name, built) in ["engine", "constraints", "wire"].into_iter().zip(&built) {
        bundle(&site, name, built)?;
    }
    let constraints = Some(["constraints.js", "constraints.wasm"]);
    write(&site.join("worker.js"), site::worker_script("engine.js", "engine.wasm", constraints).as_bytes())?;
    let page = project::root().join("xtask/bench/page");
    for name in [
        "bench.html",
        "bench.js",
        "limits.js",
        "small.js",
        "delay.js",
        "late.js",
        "features.js",
        "plain.js",
        "schema.json",
    ] {
        copy(&page.join(name), &site.join(name))?;
    }
    copy(&page.join("README.md"), &folder.join("README.md"))?;
    let script = "llama-cpp.mjs";
    copy(&project::root().join("xtask/bench/peers").join(script), &folder.join(script))?;
    let wllama = end2end.join("node_modules/@wllama/wllama/esm");
    copy(&wllama.join("index.min.js"), &site.join("wllama/index.js"))?;
    copy(&wllama.join("wasm/wllama.wasm"), &site.join("wllama/wasm/wllama.wasm"))?;
    for name in ["bench", "probe"].map(executable) {
        let to = folder.join(&name);
        copy(&project::target().join("release").join(&name), &to)?;
        // It may have to travel. A machine without `strip` keeps the symbols.
        if exists("strip") {
            succeeds(Command::new("strip").arg(&to));
        }
    }
    Ok(())
}

/// Writes a bundle under plain names: nothing here is kept by a browser.
fn bundle(site: &Path, name: &str, built: &Built) -> Result<()> {
    write(&site.join(name).with_extension("js"), &built.script)?;
    write(&site.join(name).with_extension("wasm"), &built.wasm)?;
    folder_copy(&built.snippets, &site.join("snippets"))
}

fn folder_copy(from: &Path, to: &Path) -> Result<()> {
    if !from.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let path = entry?.path();
        let to = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() { folder_copy(&path, &to)? } else { copy(&path, &to)? }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    ensure_folder_of(to)?;
    // In place of a program that may be running.
    fs::remove_file(to).ok();
    fs::copy(from, to)
        .map(|_| ())
        .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    ensure_folder_of(path)?;
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}

fn ensure_folder_of(path: &Path) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}

fn executable(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}
