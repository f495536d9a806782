//! Embeds every `wgsl/**/*.wgsl` as a table from path (relative to `wgsl/`, with `/`) to text.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("wgsl");
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?).join("wgsl_table.rs");
    println!("cargo::rerun-if-changed=wgsl");

    let mut files = Vec::new();
    collect(&root, &mut files)?;

    let mut named = Vec::new();
    for file in files {
        let relative = file.strip_prefix(&root).map_err(io::Error::other)?;
        let name: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
        named.push((name.join("/"), file));
    }
    // By text, as they are searched: paths are ordered by their parts.
    named.sort();
    let mut table = String::from("pub(crate) static FILES: &[(&str, &str)] = &[\n");
    for (name, file) in &named {
        writeln!(table, "    ({name:?}, include_str!({file:?})),").map_err(io::Error::other)?;
    }
    table.push_str("];\n");
    fs::write(out, table)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            println!("cargo::rerun-if-changed={}", path.display());
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "wgsl") {
            println!("cargo::rerun-if-changed={}", path.display());
            files.push(path);
        }
    }
    Ok(())
}
