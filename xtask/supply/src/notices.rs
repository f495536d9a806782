//! The notices of third parties: who wrote what, under which licence, and the licences' texts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::graph::{Graph, Package};

const RULE: &str = "--------------------------------------------------------------------------------";

/// The notices as one text: of the crates, and of the fonts in a folder. A text that many crates share is there once, below the
/// names of all of them.
pub fn text(graph: &Graph, fonts: &Path) -> Result<String> {
    let mut texts: BTreeMap<String, Vec<&Package>> = BTreeMap::new();
    let mut without = Vec::new();
    for package in graph.foreign() {
        let folder = package.manifest_path.parent().unwrap_or(&package.manifest_path);
        let found = licenses_in(folder)?;
        if found.is_empty() {
            without.push(package);
        }
        for text in found {
            texts.entry(text).or_default().push(package);
        }
    }
    let mut out = String::from(
        "gemtab contains software of others, under these licenses. The Rust standard library (MIT OR Apache-2.0,\n\
         https://github.com/rust-lang/rust) is part of it too.\n",
    );
    for (text, packages) in &texts {
        section(&mut out, packages)?;
        writeln!(out, "\n{text}")?;
    }
    if !without.is_empty() {
        section(&mut out, &without)?;
        writeln!(out, "\nThese come without the text of their license; see https://spdx.org/licenses.")?;
    }
    for text in licenses_in(fonts)? {
        writeln!(out, "\n{RULE}\nFont\n\n{text}")?;
    }
    Ok(out)
}

fn section(out: &mut String, packages: &[&Package]) -> Result<()> {
    writeln!(out, "\n{RULE}")?;
    for package in packages {
        write!(out, "{} {} ({})", package.name, package.version, package.license())?;
        if !package.authors.is_empty() {
            write!(out, " by {}", package.authors.join(", "))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The texts of the files whose names say that they are licences or notices.
fn licenses_in(folder: &Path) -> Result<Vec<String>> {
    let is_license = |name: &str| {
        let name = name.to_lowercase();
        ["license", "licence", "copying", "copyright", "notice", "unlicense"]
            .iter()
            .any(|word| name.starts_with(word))
    };
    let mut texts = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return Ok(texts) };
    let mut files: Vec<_> = entries.flatten().filter(|entry| entry.path().is_file()).collect();
    files.sort_by_key(fs::DirEntry::file_name);
    for file in files.iter().filter(|file| is_license(&file.file_name().to_string_lossy())) {
        let bytes =
            fs::read(file.path()).with_context(|| format!("cannot read {}", file.path().display()))?;
        // Line ends differ between otherwise equal texts.
        let text = String::from_utf8_lossy(&bytes).replace('\r', "");
        texts.push(text.trim_matches('\n').trim_end().to_owned());
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::graph;

    #[test]
    fn a_shared_text_is_there_once_and_a_missing_one_is_mentioned() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut graph = graph();
        let mut extra = graph.packages["pkg:cargo/two@1.0.0"].clone();
        extra.name = "three".into();
        graph.packages.insert(extra.url(), extra);
        for (name, file, license) in [
            ("one", "LICENSE-MIT", "Permission is granted.\n"),
            ("two", "license.txt", "\nPermission is granted.\r\n"),
            ("app", "LICENSE", "Ours"),
            ("one", "README", "No license."),
        ] {
            let folder = folder.path().join(name);
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join(file), license).expect("written");
            let package =
                graph.packages.values_mut().find(|package| package.name == name).expect("a package");
            package.manifest_path = folder.join("Cargo.toml");
        }
        let text = text(&graph, Path::new("none")).expect("a text");
        assert_eq!(text.matches("Permission is granted.").count(), 1, "{text}");
        let both = "one 1.0.0 (MIT OR Apache-2.0) by Ada\ntwo 1.0.0 (MIT OR Apache-2.0) by Ada\n\nPermission";
        assert!(text.contains(both), "{text}");
        assert!(text.contains("three 1.0.0 (MIT OR Apache-2.0) by Ada\n\nThese come without"), "{text}");
        assert!(!text.contains("Ours") && !text.contains("No license."), "{text}");
    }
}
