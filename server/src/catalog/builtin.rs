//! The built-in demonstration model.

use std::{fs, io, path::Path};

use super::{
    Found, Listing,
    facts::Facts,
    folder::{self, GgufFile, MAX_FILES},
};
use crate::text::{printable, shown};

/// A demonstration model is small and sure of little: it answers best when it hardly varies.
const TEMPERATURE: f64 = 0.2;

/// The models in `root`, labelled as demonstrations. They are small: their digests are those of their content.
///
/// # Errors
/// When the folder cannot be read.
pub fn scan(root: &Path, facts: &mut Facts) -> io::Result<Listing> {
    let root = fs::canonicalize(root)?;
    let mut paths = Vec::new();
    let is_whole = folder::walk(&root, 0, MAX_FILES, &mut paths)?;
    let mut files = Vec::new();
    for path in paths {
        match folder::examine(&root, &path, facts) {
            Ok((path, stamp, peek)) => {
                let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
                files.push(GgufFile { name: name.unwrap_or_default(), path, stamp, peek });
            }
            // Not the visitor's to repair, and no reason to show a second demonstration that does not work.
            Err(trouble) => {
                tracing::debug!("{}: {}", shown(&path), printable(&trouble.to_string()));
            }
        }
    }
    let mut found = folder::assemble(files, |path, stamp| facts.sha256(path, stamp));
    for Found { entry, .. } in &mut found {
        entry.demo = true;
        entry.params.insert("temperature".into(), TEMPERATURE);
    }
    Ok(Listing { found, is_whole })
}
