//! The service worker, which opens the page without the server.

use anyhow::Result;

use super::publish::Site;

/// The pages that open without the server: those of `app/src/place.rs`. One conversation stands for all.
const PAGES: [&str; 6] =
    ["/", "/c/00000000000000000000000000000000", "/models", "/tune", "/settings", "/diagnostics"];

/// Parts whose files are kept once they were needed: what their names begin with, and the events by which the page says so.
const WHEN_NEEDED: [&str; 2] = ["documents", "constraints"];

/// Files that the page only links to.
const NOTICES: [&str; 2] = ["/sbom.cdx.json", "/third-party-licenses.txt"];

/// The script for a site that is complete but for it. Every page of this build names `boot`.
pub fn script(site: &Site, boot: &str, languages: &[&str]) -> Result<String> {
    let files = site.addresses().into_iter().filter(|address| !NOTICES.contains(&address.as_str()));
    let is_of =
        |address: &str, part: &str| address.strip_prefix("/pkg/").is_some_and(|it| it.starts_with(part));
    let (needed, files): (Vec<_>, Vec<_>) =
        files.partition(|address| WHEN_NEEDED.iter().any(|part| is_of(address, part)));
    let parts = WHEN_NEEDED.map(|part| {
        let files: Vec<_> = needed.iter().filter(|address| is_of(address, part)).collect();
        format!("{part}: {}", list(&files))
    });
    Ok(include_str!("sw.js")
        .replace("{{needed}}", &format!("{{ {} }}", parts.join(", ")))
        .replace("{{boot}}", boot)
        .replace("{{version}}", &site.hash()?)
        .replace("{{files}}", &list(&files))
        .replace("{{pages}}", &list(&PAGES))
        .replace("{{languages}}", &list(languages)))
}

/// A JavaScript array of addresses and tags, which have no character that needs an escape.
fn list(words: &[impl AsRef<str>]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("\n  \"{}\",", word.as_ref())).collect();
    format!("[{}\n]", words.concat())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_file_is_listed_and_any_change_is_another_version() {
        let folder = tempfile::tempdir().expect("a folder");
        let written = |icon: &[u8]| {
            let mut site = Site::new(folder.path().into());
            site.add_hashed("boot", "js", b"boot").expect("written");
            site.add(Path::new("icon.svg"), icon).expect("written");
            site.add(Path::new("sbom.cdx.json"), b"{}").expect("written");
            site.add_hashed("documents", "wasm", b"documents").expect("written");
            site.add_hashed("constraints", "wasm", b"constraints").expect("written");
            script(&site, "/pkg/boot.js", &["en", "de"]).expect("a script")
        };
        let (one, two) = (written(b"one"), written(b"two"));
        assert_ne!(one, two);
        assert_eq!(one, written(b"one"));
        assert!(one.contains("\n  \"/icon.svg\",\n") && one.contains("\n  \"/pkg/boot."), "{one}");
        assert!(!one.contains("sbom") && !one.contains("{{"), "{one}");
        for part in WHEN_NEEDED {
            let listed = one.find(&format!("{part}: [\n  \"/pkg/{part}."));
            assert!(listed > one.find("const whenNeeded"), "{one}");
        }
    }
}
