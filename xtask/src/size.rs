//! `cargo xtask size`: how much a visitor downloads, and the budget for it.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use clap::Args;

use crate::{project, site};

/// Print how much a visitor downloads, and fail when the engine is over its budget.
#[derive(Args)]
pub struct Options {}

/// The most the engine's wasm may weigh when compressed with brotli, in bytes.
const ENGINE_BUDGET: u64 = 1_200_000;

/// Builds the site and checks it.
pub fn run(_: &Options) -> Result<()> {
    site::build(&site::Options::default())?;
    check()
}

/// Prints the sizes of the built site and compares the engine with its budget.
pub fn check() -> Result<()> {
    let folder = project::site().join("pkg");
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(name) = name.strip_suffix(".br") {
            let raw = size(&folder.join(name))?;
            files.push((name.to_owned(), raw, size(&path)?));
        }
    }
    files.sort();
    println!("{:<32} {:>12} {:>12}", "file", "bytes", "brotli");
    for (name, raw, compressed) in &files {
        println!("{name:<32} {raw:>12} {compressed:>12}");
    }
    let total = |prefixes: &[&str]| -> u64 {
        let wanted = |name: &str| prefixes.iter().any(|prefix| name.starts_with(prefix));
        files.iter().filter(|(name, ..)| wanted(name)).map(|(_, _, compressed)| compressed).sum()
    };
    println!("\nthe page, until it is interactive: {} bytes", total(&["boot.", "page.", "style."]));
    println!("the engine, which follows:         {} bytes", total(&["engine.", "worker."]));

    let is_engine = |name: &str| name.starts_with("engine.") && name.ends_with(".wasm");
    let (.., engine) = files.iter().find(|(name, ..)| is_engine(name)).context("the site holds no engine")?;
    if *engine > ENGINE_BUDGET {
        bail!("the engine weighs {engine} bytes compressed, and its budget is {ENGINE_BUDGET}");
    }
    Ok(())
}

fn size(path: &Path) -> Result<u64> {
    Ok(fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?.len())
}
