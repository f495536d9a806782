//! Links from documents lead somewhere.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The repository's Markdown files.
fn documents(root: &Path) -> Vec<PathBuf> {
    let listed = Command::new("git").args(["ls-files", "*.md"]).current_dir(root).output();
    let listed = String::from_utf8(listed.expect("git lists the files").stdout).expect("paths in UTF-8");
    listed.lines().map(|path| root.join(path)).collect()
}

/// Targets of inline links, without what is after `#`.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
    links.filter_map(|target| target.split('#').next())
}

#[test]
fn every_relative_link_of_a_document_leads_to_a_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let documents = documents(&root);
    assert!(documents.len() >= 4, "{documents:?}");
    let mut broken = Vec::new();
    for document in documents {
        let text = std::fs::read_to_string(&document).expect("the document is there");
        let folder = document.parent().expect("a file lies in a folder");
        let relative = targets(&text).filter(|target| !target.is_empty() && !target.contains("://"));
        let gone = relative.filter(|target| !folder.join(target).exists());
        broken.extend(gone.map(|target| format!("{}: {target}", document.display())));
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn links_are_found() {
    let text = "[a](b.md) and [c](https://d.e) and [`f`](../g.rs#L1), not (this)";
    assert_eq!(targets(text).collect::<Vec<_>>(), ["b.md", "https://d.e", "../g.rs"]);
}
