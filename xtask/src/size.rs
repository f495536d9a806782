//! `cargo xtask size`: how much a visitor downloads, and the budgets for it.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use clap::Args;

use crate::site;

/// Print how much a visitor downloads, and fail when the page or the engine is over its budget.
#[derive(Args)]
pub struct Options {}

/// The most that a wasm file may weigh when compressed with brotli, in bytes; the page's with the words of a language.
const BUDGETS: [(&str, u64); 5] = [
    ("page", 900_000),
    ("later", 517_000),
    ("engine", 1_308_000),
    ("documents", 900_000),
    ("constraints", 600_000),
];

/// The most that all fonts may weigh, in bytes.
const FONTS: u64 = 150_000;

/// Builds the site and checks it.
pub fn run(_: &Options) -> Result<()> {
    check(&site::build(&site::Options::default())?)
}

/// Prints the sizes of the site in a folder and compares the bundles with their budgets.
pub fn check(site: &Path) -> Result<()> {
    let folder = site.join("pkg");
    let mut files = Vec::new();
    let mut fonts = 0;
    for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(name) = name.strip_suffix(".br") {
            let raw = size(&folder.join(name))?;
            files.push((name.to_owned(), raw, size(&path)?));
        } else if name.ends_with(".woff2") {
            fonts += size(&path)?;
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
    let texts =
        files.iter().filter(|(name, ..)| name.starts_with("texts.")).map(|(.., compressed)| *compressed);
    let texts = texts.max().context("the site has no texts")?;
    let page = total(&["boot.", "page.", "parts.", "style."]) + texts;
    println!("\nthe page, until it is interactive: {page} bytes");
    println!("the rest of it, once it is:        {} bytes", total(&["later."]));
    println!("fonts:                             {fonts} bytes");
    println!("the engine, which follows:         {} bytes", total(&["engine.", "worker."]));
    println!("the reader of documents:           {} bytes", total(&["documents"]));
    println!("grammar support:                   {} bytes", total(&["constraints"]));

    let weight = |bundle: &str| {
        let is_it = |name: &str| name.strip_prefix(bundle).is_some_and(|rest| rest.starts_with('.'));
        files
            .iter()
            .find(|(name, ..)| is_it(name) && name.ends_with(".wasm"))
            .map(|(.., compressed)| *compressed)
    };
    if fonts > FONTS {
        bail!("the fonts are {fonts} bytes, but their budget is {FONTS}");
    }
    for (bundle, budget) in BUDGETS {
        let weight = weight(bundle).with_context(|| format!("the site has no {bundle}"))?;
        let weight = weight + if bundle == "page" { texts } else { 0 };
        if weight > budget {
            bail!("the {bundle} is {weight} bytes compressed, but its budget is {budget}");
        }
    }
    Ok(())
}

fn size(path: &Path) -> Result<u64> {
    Ok(fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_over_its_budget_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("pkg")).expect("a folder");
        let write = |name: &str, compressed: u64| {
            for (name, bytes) in [(name.to_owned(), 1), (format!("{name}.br"), compressed)] {
                let file = fs::File::create(folder.path().join("pkg").join(name)).expect("a file");
                file.set_len(bytes).expect("its size");
            }
        };
        let [page, later, engine, documents, constraints] = BUDGETS.map(|(_, budget)| budget);
        write("texts.en.txt", 1_000);
        let cases = [
            ([0, 0, 0, 0, 0], None),
            ([1, 0, 0, 0, 0], Some("page")),
            ([0, 1, 0, 0, 0], Some("later")),
            ([0, 0, 1, 0, 0], Some("engine")),
            ([0, 0, 0, 1, 0], Some("documents")),
            ([0, 0, 0, 0, 1], Some("constraints")),
        ];
        for (extra, refused) in cases {
            write("page.1.wasm", page - 1_000 + extra[0]);
            write("later.1.wasm", later + extra[1]);
            write("engine.1.wasm", engine + extra[2]);
            write("documents.1.wasm", documents + extra[3]);
            write("constraints.1.wasm", constraints + extra[4]);
            let error = check(folder.path()).err().map(|error| error.to_string());
            assert_eq!(error.is_some(), refused.is_some(), "{error:?}");
            assert!(error.is_none_or(|error| refused.is_some_and(|bundle| error.contains(bundle))));
        }
        write("constraints.1.wasm", constraints);
        for (bytes, fits) in [(FONTS, true), (FONTS + 1, false)] {
            let font = fs::File::create(folder.path().join("pkg/font.1.woff2")).expect("a file");
            font.set_len(bytes).expect("its size");
            assert_eq!(check(folder.path()).is_ok(), fits);
        }
    }
}
