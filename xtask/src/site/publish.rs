//! Writing the site: hashed names, compressed siblings, and the list of what the page refers to.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::bundle::Built;
use super::fingerprint::of_bytes;
use crate::process::run;

/// Files whose compressed siblings are worth having.
const COMPRESSIBLE: &[&str] = &["css", "js", "json", "svg", "txt", "wasm", "webmanifest"];

/// The site under construction.
pub struct Site {
    root: PathBuf,
    files: BTreeSet<PathBuf>,
}

/// A file whose name carries the hash of its content, so that it may be cached for ever.
pub struct Hashed {
    /// Its name.
    pub file: String,
    /// Its path from the origin's root.
    pub address: String,
}

/// What the server reads from `assets.json`: see `app::Assets`.
pub struct Assets<'a> {
    pub stylesheet: &'a str,
    pub font: &'a str,
    pub boot: &'a str,
    pub page_js: &'a str,
    pub page_wasm: &'a str,
    pub worker: &'a str,
    pub recorder: &'a str,
    pub documents: &'a str,
    pub preview: &'a str,
    pub sandbox: &'a str,
    pub fake: Option<&'a str>,
}

impl Site {
    /// A site in this folder, which is empty.
    pub fn new(root: PathBuf) -> Self {
        Self { root, files: BTreeSet::new() }
    }

    /// Adds `/pkg/STEM.HASH.EXTENSION`.
    pub fn add_hashed(&mut self, stem: &str, extension: &str, content: &[u8]) -> Result<Hashed> {
        self.add_named(format!("{stem}.{}.{extension}", of_bytes(content)), content)
    }

    /// Adds the glue of a bundle, and what the bundle fetches later. As the glue and the script that fetches import one
    /// another, both carry the hash of both.
    pub fn add_glue(&mut self, stem: &str, bundle: &Built) -> Result<Hashed> {
        let Some(parts) = &bundle.parts else { return self.add_hashed(stem, "js", &bundle.script) };
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).context("a script is not UTF-8");
        let (mut glue, mut fetching) = (text(&bundle.script)?, text(&parts.script)?);
        for (name, wasm) in &parts.files {
            let file = self.add_hashed(name.trim_start_matches("split_"), "wasm", wasm)?.file;
            fetching = renamed(&fetching, &format!("{name}.wasm"), &file)?;
        }
        let hash = of_bytes(format!("{glue}{fetching}").as_bytes());
        let (glue_file, fetching_file) = (format!("{stem}.{hash}.js"), format!("parts.{hash}.js"));
        glue = renamed(&glue, "parts.js", &fetching_file)?;
        fetching = renamed(&fetching, &format!("{stem}.js"), &glue_file)?;
        self.add_named(fetching_file, fetching.as_bytes())?;
        self.add_named(glue_file, glue.as_bytes())
    }

    fn add_named(&mut self, file: String, content: &[u8]) -> Result<Hashed> {
        self.add(&Path::new("pkg").join(&file), content)?;
        Ok(Hashed { address: format!("/pkg/{file}"), file })
    }

    /// Adds the scripts that crates bring along, where the glue imports them from.
    pub fn add_snippets(&mut self, bundle: &Built) -> Result<()> {
        self.add_folder(&bundle.snippets, Path::new("pkg/snippets"))
    }

    /// Adds the files of a folder at the origin's root, under their own names.
    pub fn add_static(&mut self, folder: &Path) -> Result<()> {
        self.add_folder(folder, Path::new(""))
    }

    /// Puts `.br` and `.gz` beside every file: those of `others`, the folders of other sites, where they have the same file.
    pub fn compress(&mut self, script: &Path, others: &[PathBuf]) -> Result<()> {
        let compressible = |file: &&PathBuf| {
            let extension = file.extension().and_then(|extension| extension.to_str());
            extension.is_some_and(|extension| COMPRESSIBLE.contains(&extension))
        };
        let files: Vec<_> = self.files.iter().filter(compressible).cloned().collect();
        let missing: Vec<_> = files
            .iter()
            .filter(|file| !others.iter().any(|other| self.take_compressed(file, other)))
            .map(|file| self.root.join(file))
            .collect();
        if !missing.is_empty() {
            run(Command::new("node").arg(script).args(&missing))?;
        }
        self.files.extend(files.iter().flat_map(|file| siblings(file)));
        Ok(())
    }

    /// Whether another site has the same file, and its compressed siblings could be copied.
    fn take_compressed(&self, file: &Path, other: &Path) -> bool {
        let same = |site: &Path| fs::read(site.join(file)).ok();
        same(other).is_some_and(|content| same(&self.root) == Some(content))
            && siblings(file).iter().all(|it| fs::copy(other.join(it), self.root.join(it)).is_ok())
    }

    /// Writes `assets.json`.
    pub fn finish(mut self, assets: &Assets) -> Result<()> {
        let mut fields = vec![
            ("stylesheet", assets.stylesheet),
            ("font", assets.font),
            ("boot", assets.boot),
            ("page_js", assets.page_js),
            ("page_wasm", assets.page_wasm),
            ("worker", assets.worker),
            ("recorder", assets.recorder),
            ("documents", assets.documents),
            ("preview", assets.preview),
            ("sandbox", assets.sandbox),
        ];
        fields.extend(assets.fake.map(|fake| ("fake", fake)));
        // The addresses are made here, of characters that need no escape.
        let lines: Vec<_> =
            fields.iter().map(|(name, address)| format!("  \"{name}\": \"{address}\"")).collect();
        self.add(Path::new("assets.json"), format!("{{\n{}\n}}\n", lines.join(",\n")).as_bytes())
    }

    /// The paths of all files from the origin's root, sorted.
    pub fn addresses(&self) -> Vec<String> {
        self.files.iter().map(|file| format!("/{}", file.display()).replace('\\', "/")).collect()
    }

    /// A hash of all files with their names.
    pub fn hash(&self) -> Result<String> {
        let mut all = String::new();
        for file in &self.files {
            let path = self.root.join(file);
            let content = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            all += &format!("{} {}\n", file.display(), of_bytes(&content));
        }
        Ok(of_bytes(all.as_bytes()))
    }

    /// Adds a file at a path from the origin's root.
    pub fn add(&mut self, file: &Path, content: &[u8]) -> Result<()> {
        let path = self.root.join(file);
        let folder = path.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))?;
        self.files.insert(file.into());
        Ok(())
    }

    fn add_folder(&mut self, from: &Path, to: &Path) -> Result<()> {
        if !from.exists() {
            return Ok(());
        }
        for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
            let path = entry?.path();
            let to = to.join(path.file_name().unwrap_or_default());
            if path.is_dir() {
                self.add_folder(&path, &to)?;
            } else {
                let content = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                self.add(&to, &content)?;
            }
        }
        Ok(())
    }
}

/// A script that imports or fetches a file beside it by another name. Where it names the file otherwise, as the wasm file
/// does the script that it imports from, the name stays.
fn renamed(script: &str, from: &str, to: &str) -> Result<String> {
    let found =
        ["from ", "new URL("].map(|before| (format!("{before}\"./{from}\""), format!("{before}\"./{to}\"")));
    ensure!(found.iter().any(|(from, _)| script.contains(from)), "the script does not import {from}");
    Ok(found.iter().fold(script.to_owned(), |script, (from, to)| script.replace(from, to)))
}

/// The compressed siblings of a file.
fn siblings(file: &Path) -> [PathBuf; 2] {
    [".br", ".gz"].map(|suffix| {
        let mut name = file.as_os_str().to_owned();
        name.push(suffix);
        name.into()
    })
}

#[cfg(test)]
mod tests {
    use super::super::bundle::Parts;
    use super::*;

    const ASSETS: Assets = Assets {
        stylesheet: "/pkg/s.css",
        font: "/pkg/f.woff2",
        boot: "/pkg/b.js",
        page_js: "/j",
        page_wasm: "/w",
        worker: "/e",
        recorder: "/r",
        documents: "/d",
        preview: "/v",
        sandbox: "/s",
        fake: None,
    };

    #[test]
    fn names_carry_the_hash_of_the_content() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut site = Site::new(folder.path().into());
        let one = site.add_hashed("page", "js", b"one").expect("written");
        let two = site.add_hashed("page", "js", b"two").expect("written");
        assert_ne!(one.file, two.file);
        assert_eq!(one.address, format!("/pkg/{}", one.file));
        assert_eq!(fs::read(folder.path().join("pkg").join(&one.file)).expect("the file"), b"one");
    }

    #[test]
    fn what_is_fetched_later_has_a_hash_too_and_changes_that_of_the_glue() {
        let folder = tempfile::tempdir().expect("a folder");
        let add = |wasm: &[u8]| {
            let bundle = Built {
                script: b"import * as parts from \"./parts.js\"; ({ \"./parts.js\": parts })".into(),
                wasm: Vec::new(),
                snippets: folder.path().join("none"),
                parts: Some(Parts {
                    script: b"import { initSync } from \"./page.js\"; new URL(\"./split_later.wasm\")".into(),
                    files: vec![("split_later".into(), wasm.into())],
                }),
            };
            Site::new(folder.path().into()).add_glue("page", &bundle).expect("written").file
        };
        let (one, two) = (add(b"one"), add(b"two"));
        assert_ne!(one, two);
        let read = |file: &str| fs::read_to_string(folder.path().join("pkg").join(file)).expect("the file");
        let named = |script: &str, at: usize| {
            script.split('"').nth(at).and_then(|name| name.strip_prefix("./")).expect("a name").to_owned()
        };
        let fetching = named(&read(&one), 1);
        assert!(fetching.starts_with("parts."), "{fetching}");
        assert!(
            read(&one).contains("{ \"./parts.js\": parts }"),
            "what the wasm file imports has the name in it"
        );
        assert_eq!(named(&read(&fetching), 1), one, "they import one another");
        assert_eq!(read(&named(&read(&fetching), 3)), "one");
    }

    #[test]
    fn what_another_site_has_compressed_is_taken_from_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        let sites = [&one, &two].map(|root| {
            let mut site = Site::new(root.clone());
            site.add(Path::new("same.js"), b"same").expect("written");
            site.add(Path::new("other.js"), root.to_string_lossy().as_bytes()).expect("written");
            site
        });
        for name in ["same.js.br", "same.js.gz", "other.js.br", "other.js.gz"] {
            fs::write(one.join(name), "compressed").expect("written");
        }
        let taken = |file| sites[1].take_compressed(Path::new(file), &one);
        assert!(taken("same.js") && !taken("other.js"));
        assert_eq!(fs::read(two.join("same.js.br")).expect("the file"), b"compressed");
        assert!(!two.join("other.js.br").exists());
    }

    #[test]
    fn the_list_of_what_the_page_refers_to_is_json() {
        let folder = tempfile::tempdir().expect("a folder");
        Site::new(folder.path().into()).finish(&ASSETS).expect("finished");
        let assets = fs::read_to_string(folder.path().join("assets.json")).expect("the list");
        assert!(assets.contains("\"stylesheet\": \"/pkg/s.css\","), "{assets}");
        assert!(assets.ends_with("\"sandbox\": \"/s\"\n}\n"), "{assets}");
    }
}
