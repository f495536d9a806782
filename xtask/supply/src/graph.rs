//! The crates that something is made of.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde::Deserialize;

/// The output of `cargo metadata`, as far as it matters here.
#[derive(Deserialize)]
pub struct Metadata {
    pub packages: Vec<Package>,
    pub resolve: Resolve,
}

#[derive(Deserialize)]
pub struct Resolve {
    pub nodes: Vec<Node>,
}

#[derive(Deserialize)]
pub struct Node {
    pub id: String,
    pub deps: Vec<Dependency>,
}

#[derive(Deserialize)]
pub struct Dependency {
    pub pkg: String,
    pub dep_kinds: Vec<Kind>,
}

#[derive(Deserialize)]
pub struct Kind {
    /// None for what is linked; `build` and `dev` for the rest.
    pub kind: Option<String>,
}

/// A crate.
#[derive(Clone, Deserialize)]
pub struct Package {
    pub id: String,
    pub name: String,
    pub version: String,
    pub license: Option<String>,
    /// None for crates of this repository.
    pub source: Option<String>,
    pub repository: Option<String>,
    pub manifest_path: PathBuf,
    #[serde(default)]
    pub authors: Vec<String>,
}

impl Package {
    /// The package URL: a name that is the same in every bill of materials.
    pub fn url(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version)
    }

    /// The licence as SPDX writes it; a slash is an old way to write OR.
    pub fn license(&self) -> String {
        let license = self.license.as_deref().unwrap_or("NOASSERTION");
        license.split('/').map(str::trim).collect::<Vec<_>>().join(" OR ")
    }
}

/// Crates and what they depend on, by package URL.
#[derive(Default)]
pub struct Graph {
    pub packages: BTreeMap<String, Package>,
    pub depends: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    /// Adds the named crate of this repository and all that it links: no tools of the build, no tests.
    pub fn add(&mut self, metadata: &Metadata, root: &str) -> Result<()> {
        let packages: HashMap<_, _> =
            metadata.packages.iter().map(|package| (&*package.id, package)).collect();
        let nodes: HashMap<_, _> = metadata.resolve.nodes.iter().map(|node| (&*node.id, node)).collect();
        let root = metadata.packages.iter().find(|package| package.source.is_none() && package.name == root);
        let mut waiting = vec![&*root.context("a crate that is shipped is missing")?.id];
        let mut seen = BTreeSet::new();
        while let Some(id) = waiting.pop() {
            if !seen.insert(id) {
                continue;
            }
            let package = packages.get(id).context("a dependency isn't a package")?;
            let node = nodes.get(id).context("a package is not resolved")?;
            let linked = node
                .deps
                .iter()
                .filter(|dependency| dependency.dep_kinds.iter().any(|kind| kind.kind.is_none()));
            let depends = self.depends.entry(package.url()).or_default();
            for dependency in linked {
                let on = packages.get(&*dependency.pkg).context("a dependency isn't a package")?;
                depends.insert(on.url());
                waiting.push(&dependency.pkg);
            }
            self.packages.insert(package.url(), (*package).clone());
        }
        Ok(())
    }

    /// The crates that others wrote.
    pub fn foreign(&self) -> impl Iterator<Item = &Package> {
        self.packages.values().filter(|package| package.source.is_some())
    }
}

/// The checksums of a lock file, by package URL.
pub fn checksums(lock: &str) -> BTreeMap<String, String> {
    let field = |block: &str, name: &str| -> Option<String> {
        let value = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \""))?;
        Some(value.trim_end_matches('"').to_owned())
    };
    let of = |block: &str| {
        let (name, version) = (field(block, "name")?, field(block, "version")?);
        Some((format!("pkg:cargo/{name}@{version}"), field(block, "checksum")?))
    };
    lock.split("[[package]]").filter_map(of).collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// `app` links `one`, which links `two`; `tool` is for its build, `test` for its tests.
    pub fn graph() -> Graph {
        let package = |name: &str, source: Option<&str>| {
            serde_json::json!({
                "id": name, "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0", "source": source,
                "repository": null, "manifest_path": format!("/nowhere/{name}/Cargo.toml"), "authors": ["Ada"],
            })
        };
        let depends =
            |on: &str, kind: Option<&str>| serde_json::json!({"pkg": on, "dep_kinds": [{"kind": kind}]});
        let registry = Some("registry+https://example.org");
        let metadata = serde_json::json!({
            "packages": [
                package("app", None), package("one", registry), package("two", registry),
                package("tool", registry), package("test", registry),
            ],
            "resolve": {"nodes": [
                {"id": "app", "deps": [
                    depends("one", None), depends("tool", Some("build")), depends("test", Some("dev")),
                ]},
                {"id": "one", "deps": [depends("two", None)]},
                {"id": "two", "deps": []},
                {"id": "tool", "deps": []},
                {"id": "test", "deps": []},
            ]},
        });
        let mut graph = Graph::default();
        graph.add(&serde_json::from_value(metadata).expect("metadata"), "app").expect("a graph");
        graph
    }

    #[test]
    fn what_is_linked_is_shipped() {
        let graph = graph();
        let names: Vec<_> = graph.packages.values().map(|package| &*package.name).collect();
        assert_eq!(names, ["app", "one", "two"]);
        assert_eq!(graph.foreign().count(), 2);
        assert!(graph.depends["pkg:cargo/app@1.0.0"].contains("pkg:cargo/one@1.0.0"));
        assert_eq!(graph.packages["pkg:cargo/one@1.0.0"].license(), "MIT OR Apache-2.0");
    }

    #[test]
    fn checksums_are_those_of_the_lock_file() {
        let lock = "version = 4\n\n[[package]]\nname = \"app\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"one\"\n\
                    version = \"1.0.0\"\nsource = \"r\"\nchecksum = \"abc\"\ndependencies = [\n \"two\",\n]\n";
        assert_eq!(checksums(lock), BTreeMap::from([("pkg:cargo/one@1.0.0".into(), "abc".into())]));
    }
}
