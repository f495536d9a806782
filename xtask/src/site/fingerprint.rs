//! Telling cheaply whether anything has changed since the last build: by names, sizes and times of the sources.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::path::Path;

use anyhow::{Context as _, Result};

/// Folders that no build of the site reads.
const SKIPPED: &[&str] = &["node_modules", "target", "tests", "benches"];

/// A short text that changes when one of the inputs does, or the manner of building.
pub fn of(root: &Path, inputs: &[&str], manner: impl Hash) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    manner.hash(&mut hasher);
    for input in inputs {
        visit(&root.join(input), &mut hasher)?;
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// The name-worthy hash of some bytes.
pub fn of_bytes(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    format!("{:016x}", hasher.finish())
}

fn visit(path: &Path, hasher: &mut DefaultHasher) -> Result<()> {
    let metadata = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    path.hash(hasher);
    if !metadata.is_dir() {
        metadata.len().hash(hasher);
        metadata.modified()?.hash(hasher);
        return Ok(());
    }
    let mut entries: Vec<_> = fs::read_dir(path)?.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for entry in entries {
        let skipped = entry.file_name().is_some_and(|name| SKIPPED.iter().any(|skipped| name == *skipped));
        if !skipped {
            visit(&entry, hasher)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_changes_the_fingerprint_and_a_test_file_does_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let sources = folder.path().join("app");
        fs::create_dir_all(sources.join("tests")).expect("folders");
        fs::write(sources.join("lib.rs"), "one").expect("a file");
        let of = |quick| of(folder.path(), &["app"], quick).expect("a fingerprint");

        let before = of(false);
        assert_eq!(before, of(false));
        assert_ne!(before, of(true));
        fs::write(sources.join("tests/page.rs"), "test").expect("a file");
        assert_eq!(before, of(false));
        fs::write(sources.join("lib.rs"), "three").expect("a file");
        assert_ne!(before, of(false));
    }

    #[test]
    fn a_missing_input_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = of(folder.path(), &["gone"], false).expect_err("must fail");
        assert!(error.to_string().contains("gone"), "{error}");
    }
}
