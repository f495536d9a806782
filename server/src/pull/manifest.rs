//! A manifest from the network.

use serde::{Deserialize, Serialize};

use super::error::PullError;
use crate::{catalog::digest::Digest, text::printable};

/// Files of one model, configuration included. Published ones have about eight.
const MAX_FILES: usize = 64;
/// What the media types of layers of a model begin with.
const LAYER: &str = "application/vnd.ollama.image.";

/// A file that a manifest names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct File {
    pub(super) digest: Digest,
    pub(super) size: u64,
    /// `model`, `projector`, `template` and so on, or `config`.
    pub(super) kind: String,
}

/// A manifest, as far as it matters here.
#[derive(Deserialize, Serialize)]
pub(super) struct Manifest {
    #[serde(rename = "schemaVersion")]
    pub(super) version: u32,
    #[serde(rename = "mediaType", default, skip_serializing_if = "Option::is_none")]
    pub(super) media_type: Option<String>,
    pub(super) config: Option<Descriptor>,
    #[serde(default)]
    pub(super) layers: Vec<Descriptor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) annotations: Option<Annotations>,
}

#[derive(Deserialize, Serialize)]
pub(super) struct Descriptor {
    #[serde(rename = "mediaType")]
    pub(super) media_type: String,
    pub(super) digest: String,
    pub(super) size: u64,
}

/// What was joined into the files of this manifest, which other programs don't look at.
#[derive(Deserialize, Serialize)]
pub(super) struct Annotations {
    #[serde(rename = "gemtab.parts", default)]
    pub(super) parts: String,
}

impl Descriptor {
    pub(super) fn new(kind: &str, digest: Digest, size: u64) -> Self {
        let media_type = match kind {
            "config" => "application/vnd.docker.container.image.v1+json".into(),
            layer => format!("{LAYER}{layer}"),
        };
        Self { media_type, digest: digest.to_string(), size }
    }

    fn file(&self, kind: &str, host: &str) -> Result<File, PullError> {
        match self.digest.parse::<Digest>() {
            Ok(digest) if digest.is_sha256() => Ok(File { digest, size: self.size, kind: kind.into() }),
            _ => Err(unusable(host, "a file in it has no valid digest")),
        }
    }
}

/// The files that a manifest names, each once, the small ones first: if one of them can't be had, that shows early.
pub(super) fn files(text: &[u8], host: &str) -> Result<Vec<File>, PullError> {
    let manifest: Manifest =
        serde_json::from_slice(text).map_err(|error| unusable(host, &error.to_string()))?;
    if manifest.version != 2 {
        return Err(unusable(host, "its manifest isn't of version 2"));
    }
    if manifest.layers.len() >= MAX_FILES {
        return Err(PullError::Pieces { host: host.into(), files: manifest.layers.len() });
    }
    let config = manifest.config.ok_or_else(|| unusable(host, "it has no configuration"))?;
    let mut files = vec![config.file("config", host)?];
    for layer in &manifest.layers {
        let kind = layer.media_type.strip_prefix(LAYER).filter(|kind| is_kind(kind));
        let Some(kind) = kind else {
            let reason =
                format!("it holds “{}”, which isn't a part of a model", printable(&layer.media_type));
            return Err(unusable(host, &reason));
        };
        let file = layer.file(kind, host)?;
        match files.iter().find(|known| known.digest == file.digest) {
            None => files.push(file),
            Some(known) if known.size == file.size => {}
            Some(_) => return Err(unusable(host, "it gives one file two sizes")),
        }
    }
    if !files.iter().any(|file| file.kind == "model") {
        return Err(unusable(host, "it names no file with a model"));
    }
    files.sort_by_key(|file| file.size);
    Ok(files)
}

/// Whether it is a word, as all kinds of layers are.
fn is_kind(kind: &str) -> bool {
    (1..=32).contains(&kind.len()) && kind.bytes().all(|byte| byte.is_ascii_lowercase())
}

fn unusable(host: &str, reason: &str) -> PullError {
    PullError::Manifest { host: host.into(), reason: crate::text::shorten(reason) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn layer(kind: &str, digit: char, size: u64) -> Value {
        json!({"mediaType": kind, "digest": format!("sha256:{}", digit.to_string().repeat(64)), "size": size})
    }

    fn manifest(layers: &[Value]) -> Value {
        let config = layer("application/vnd.docker.container.image.v1+json", 'c', 9);
        json!({"schemaVersion": 2, "config": config, "layers": layers})
    }

    fn read(manifest: &Value) -> Result<Vec<File>, String> {
        files(manifest.to_string().as_bytes(), "host").map_err(|error| error.to_string())
    }

    fn ollama(kind: &str, digit: char, size: u64) -> Value {
        layer(&format!("{LAYER}{kind}"), digit, size)
    }

    #[test]
    fn all_kinds_of_ollama_are_taken_the_small_ones_first() {
        let kinds = ["model", "projector", "adapter", "template", "system", "params", "license", "draft"];
        let layers: Vec<_> = kinds.iter().zip('0'..).map(|(kind, digit)| ollama(kind, digit, 100)).collect();
        let files = read(&manifest(&layers)).expect("files");
        assert_eq!(files.len(), 9);
        assert_eq!((files[0].kind.as_str(), files[0].size), ("config", 9));
        let twice = read(&manifest(&[ollama("model", '0', 5), ollama("license", '0', 5)])).expect("files");
        assert_eq!(twice.len(), 2);
    }

    #[test]
    fn broken_manifests_are_refused() {
        let layers = [ollama("model", '0', 7_200_000_000), ollama("params", '1', 90)];
        let plain = manifest(&layers).to_string().into_bytes();
        let annotated = json!({
            "schemaVersion": 2, "mediaType": "m", "layers": layers, "annotations": {"gemtab.parts": "a, b"},
            "config": layer("application/vnd.docker.container.image.v1+json", 'c', 9),
        });
        crate::fuzz::fuzz("manifest", &[plain, annotated.to_string().into_bytes()], |bytes| {
            let files = files(bytes, "host");
            files.inspect(|it| assert!(!it.is_empty() && it.len() <= MAX_FILES)).is_ok()
        });
    }

    #[test]
    fn anything_else_is_refused_with_a_reason() {
        let image = layer("application/vnd.docker.image.rootfs.diff.tar.gzip", '1', 5);
        for (wrong, reason) in [
            (json!("text"), "invalid type"),
            (json!({"schemaVersion": 1}), "version 2"),
            (json!({"schemaVersion": 2, "manifests": []}), "no configuration"),
            (manifest(&[]), "no file with a model"),
            (manifest(&[image]), "rootfs.diff.tar.gzip”, which isn't a part of a model"),
            (manifest(&[ollama("model", 'x', 5)]), "no valid digest"),
            (manifest(&[ollama("../model", '1', 5)]), "isn't a part of a model"),
            (manifest(&[ollama("model", '1', 5), ollama("license", '1', 6)]), "two sizes"),
            (manifest(&vec![ollama("tensor", '1', 5); 64]), "has the model in 64 files"),
            (manifest(&[json!({"mediaType": "m", "digest": "d", "size": -1})]), "invalid value"),
        ] {
            let error = read(&wrong).expect_err("refused");
            assert!(error.contains(reason), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_manifest_or_an_error(text in "\\PC{0,200}") {
            let _ = files(text.as_bytes(), "host");
        }
    }
}
