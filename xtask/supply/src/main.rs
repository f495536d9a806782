//! `supply FOLDER`: writes what the site and the server are made of: `third-party-licenses.txt`, the notices that many
//! licences ask for, and `sbom.cdx.json`, a bill of materials in the format of CycloneDX.

mod bill;
mod graph;
mod notices;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use graph::{Graph, Metadata};

/// What is shipped, each with the target that it is compiled for; none for the machine that builds.
const SHIPPED: [(&str, Option<&str>); 3] = [
    ("frontend", Some("wasm32-unknown-unknown")),
    ("worker", Some("wasm32-unknown-unknown")),
    ("server", None),
];

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from).context("give the folder to write to")?;
    let mut graph = Graph::default();
    for (package, target) in SHIPPED {
        graph.add(&metadata(target)?, package)?;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let lock = root.join("Cargo.lock");
    let lock = fs::read_to_string(&lock).with_context(|| format!("cannot read {}", lock.display()))?;
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let write = |name: &str, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    write("third-party-licenses.txt", notices::text(&graph, &root.join("style/fonts"))?)?;
    write("sbom.cdx.json", format!("{:#}\n", bill::of(&graph, &graph::checksums(&lock))))
}

/// What cargo knows of the dependencies for this target.
fn metadata(target: Option<&str>) -> Result<Metadata> {
    let target = target.map_or_else(host, |target| Ok(target.to_owned()))?;
    let mut cargo = Command::new("cargo");
    cargo.args(["metadata", "--locked", "--format-version=1", "--filter-platform", &target]);
    let json = output(cargo.current_dir(env!("CARGO_MANIFEST_DIR")))?;
    serde_json::from_slice(&json).context("cargo's metadata is not as expected")
}

fn host() -> Result<String> {
    let version = String::from_utf8(output(Command::new("rustc").arg("-vV"))?)?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("`rustc -vV` names no host")
}

fn output(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(output.stdout)
}
