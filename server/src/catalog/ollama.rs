//! Ollama's store: `manifests/<host>/<namespace>/<model>/<tag>` and `blobs/sha256-<64 hexadecimal digits>`.
//!
//! The store is only read. Links are followed everywhere in it, because people move stores and link to them; what is
//! served is bounded by the digests that listed manifests name, each of which is the name of one file in `blobs`.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use protocol::{CatalogEntry, LayerKind};
use serde::Deserialize;

use super::{
    Blob, Found, Trouble, capabilities,
    digest::Digest,
    facts::{Facts, Stamp},
    is_gemma4,
    name::Name,
};

/// Bytes of a manifest. One of a model with a layer per tensor has some hundred thousand.
const LARGEST_MANIFEST: u64 = 4 << 20;
/// Bytes of a blob that describes: configuration, parameters, system prompt.
const LARGEST_TEXT: u64 = 1 << 20;
/// Manifests that are listed; a store with more is no store.
const MOST_MANIFESTS: usize = 4096;

/// The models of the store at `root`.
///
/// # Errors
/// When the folder of manifests is there but cannot be read. A store without it is an empty one.
pub fn scan(root: &Path, facts: &mut Facts) -> io::Result<Vec<Found>> {
    let mut manifests = Vec::new();
    match find_manifests(&root.join("manifests"), &mut Vec::new(), &mut manifests) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    Ok(manifests.iter().map(|(name, path)| read_model(root, name, path, facts)).collect())
}

/// Collects manifests below `folder`, which is `parts.len()` levels below the root of manifests. What does not have the
/// name of one is left out: Ollama does not list it either.
fn find_manifests(
    folder: &Path,
    parts: &mut Vec<String>,
    found: &mut Vec<(Name, PathBuf)>,
) -> io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(folder)?.filter_map(Result::ok).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if found.len() >= MOST_MANIFESTS {
            tracing::debug!("{} has more than {MOST_MANIFESTS} manifests", folder.display());
            return Ok(());
        }
        let Ok(part) = entry.file_name().into_string() else { continue };
        if let [host, namespace, model] = &parts[..] {
            if let Ok(name) = Name::new(host, namespace, model, &part) {
                found.push((name, entry.path()));
            }
        } else {
            parts.push(part);
            if let Err(error) = find_manifests(&entry.path(), parts, found)
                && error.kind() != io::ErrorKind::NotADirectory
            {
                tracing::debug!("{} cannot be read: {error}", entry.path().display());
            }
            parts.pop();
        }
    }
    Ok(())
}

fn read_model(root: &Path, name: &Name, path: &Path, facts: &mut Facts) -> Found {
    let mut entry = CatalogEntry { name: name.to_string(), ..CatalogEntry::default() };
    match assemble(&Store { root, name }, path, facts, &mut entry) {
        Ok(files) => Found::usable(entry, files),
        Err(trouble) => Found::broken(entry, &trouble),
    }
}

/// Fills the entry as far as it can and gives the model's files.
fn assemble(
    store: &Store,
    path: &Path,
    facts: &mut Facts,
    entry: &mut CatalogEntry,
) -> Result<Vec<(LayerKind, Blob)>, Trouble> {
    let text = read_small(path, "Its manifest", LARGEST_MANIFEST)?;
    let manifest: Manifest = serde_json::from_slice(&text)
        .map_err(|error| Trouble::Manifest { reason: error.to_string(), name: entry.name.clone() })?;
    let layers = manifest.layers.unwrap_or_default();
    entry.size =
        layers.iter().filter(|layer| layer.kind().is_some()).fold(0, |sum, l| sum.saturating_add(l.size));

    let config: Config = manifest.config.and_then(|layer| store.json(&layer)).unwrap_or_default();
    entry.family = config.model_family.unwrap_or_default();
    entry.parameters = config.model_type.unwrap_or_default();
    entry.quantization = config.file_type.unwrap_or_default();
    for layer in &layers {
        match layer.suffix() {
            Some("params") => entry.params = store.json::<Params>(layer).unwrap_or_default().numbers(),
            Some("system") => entry.system = store.text(layer).unwrap_or_default(),
            _ => {}
        }
    }

    if config.remote_host.is_some_and(|host| !host.is_empty()) {
        return Err(Trouble::Remote);
    }
    if config.model_format.as_deref() == Some("safetensors")
        || layers.iter().any(|layer| layer.suffix() == Some("tensor"))
    {
        return Err(Trouble::Safetensors);
    }
    // Before the files are looked at: who cannot run a model is not told to download it.
    if !entry.family.is_empty() && !is_gemma4(&entry.family) {
        return Err(Trouble::Foreign { architecture: entry.family.clone() });
    }
    match layers.iter().filter(|layer| layer.kind() == Some(LayerKind::Model)).count() {
        0 => return Err(Trouble::NoModel),
        1 => {}
        parts => return Err(Trouble::Split { parts: parts as u64 }),
    }

    let mut files = Vec::new();
    for layer in &layers {
        if let Some(kind) = layer.kind() {
            files.push((kind, store.blob(layer, kind)?));
        }
    }
    let mut peeks = Vec::new();
    for (kind, blob) in &files {
        let peek = facts.peek(&blob.path, blob.stamp)?;
        if *kind == LayerKind::Model {
            if !is_gemma4(&peek.architecture) {
                return Err(Trouble::Foreign { architecture: peek.architecture.clone() });
            }
            if entry.family.is_empty() {
                entry.family.clone_from(&peek.architecture);
            }
            if entry.parameters.is_empty() {
                entry.parameters = super::trouble::parameters(peek.parameters);
            }
            if entry.quantization.is_empty() {
                entry.quantization = peek.quantization.into();
            }
        }
        if matches!(kind, LayerKind::Model | LayerKind::Projector) {
            peeks.push(peek);
        }
    }
    entry.capabilities = capabilities(peeks.iter().map(AsRef::as_ref));
    Ok(files)
}

/// The store, as seen from one model.
struct Store<'a> {
    root: &'a Path,
    name: &'a Name,
}

impl Store<'_> {
    fn path(&self, digest: Digest) -> PathBuf {
        self.root.join("blobs").join(digest.file_name())
    }

    /// The blob that a layer names, if it is there whole.
    fn blob(&self, layer: &LayerRef, kind: LayerKind) -> Result<Blob, Trouble> {
        let what = match kind {
            LayerKind::Model => "The model's file",
            LayerKind::Projector => "The projector's file",
            LayerKind::Adapter => "The adapter's file",
            LayerKind::Draft => "The drafter's file",
        };
        let name = || self.name.to_string();
        let digest = layer.digest().map_err(|reason| Trouble::Manifest { reason, name: name() })?;
        let path = self.path(digest);
        let metadata = match fs::metadata(&path) {
            Ok(metadata) if metadata.is_file() => metadata,
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Trouble::Unreadable { what, error });
            }
            _ if self.is_partial(digest) => return Err(Trouble::Unfinished { name: name() }),
            _ => return Err(Trouble::Missing { what, name: name() }),
        };
        let stamp = Stamp::from(&metadata);
        if stamp.size != layer.size {
            return Err(Trouble::WrongSize { what, found: stamp.size, expected: layer.size, name: name() });
        }
        let path = fs::canonicalize(&path).map_err(|error| Trouble::Unreadable { what, error })?;
        Ok(Blob { digest, path, stamp })
    }

    /// Whether a download of the blob was begun: Ollama keeps it in `sha256-…-partial*` until it is whole.
    fn is_partial(&self, digest: Digest) -> bool {
        let prefix = format!("{}-partial", digest.file_name());
        fs::read_dir(self.root.join("blobs")).is_ok_and(|entries| {
            entries
                .filter_map(Result::ok)
                .any(|entry| entry.file_name().to_string_lossy().starts_with(&prefix))
        })
    }

    /// The text of a layer that describes the model. What only adds to a model does not break it when it is missing.
    fn text(&self, layer: &LayerRef) -> Option<String> {
        let path = self.path(layer.digest().ok()?);
        match read_small(&path, "A layer", LARGEST_TEXT) {
            Ok(text) => String::from_utf8(text).ok(),
            Err(trouble) => {
                tracing::debug!("{}: {} is left out. {trouble}", self.name, layer.media_type);
                None
            }
        }
    }

    fn json<T: serde::de::DeserializeOwned>(&self, layer: &LayerRef) -> Option<T> {
        serde_json::from_str(&self.text(layer)?).ok()
    }
}

/// Reads a file that must be small.
fn read_small(path: &Path, what: &'static str, limit: u64) -> Result<Vec<u8>, Trouble> {
    use io::Read as _;

    let unreadable = |error| Trouble::Unreadable { what, error };
    // Before it is opened: opening a pipe would wait for whoever writes to it.
    let metadata = fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(unreadable(io::Error::other("it is not a file")));
    }
    if metadata.len() > limit {
        return Err(Trouble::TooLarge { what, size: metadata.len() });
    }
    let mut text = Vec::new();
    fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut text)).map_err(unreadable)?;
    Ok(text)
}

#[derive(Deserialize)]
struct Manifest {
    config: Option<LayerRef>,
    layers: Option<Vec<LayerRef>>,
}

#[derive(Deserialize)]
struct LayerRef {
    #[serde(rename = "mediaType")]
    media_type: String,
    digest: String,
    size: u64,
}

impl LayerRef {
    /// What follows `application/vnd.ollama.image.` in the media type.
    fn suffix(&self) -> Option<&str> {
        self.media_type.strip_prefix("application/vnd.ollama.image.")
    }

    /// What the layer holds, if it is a file for the engine.
    fn kind(&self) -> Option<LayerKind> {
        match self.suffix()? {
            "model" => Some(LayerKind::Model),
            "projector" => Some(LayerKind::Projector),
            "adapter" => Some(LayerKind::Adapter),
            "draft" => Some(LayerKind::Draft),
            _ => None,
        }
    }

    fn digest(&self) -> Result<Digest, String> {
        match self.digest.parse::<Digest>() {
            Ok(digest) if digest.is_sha256() => Ok(digest),
            _ => Err("a layer has no valid digest".into()),
        }
    }
}

/// The configuration blob, as far as it matters here. Any field may be missing or null.
#[derive(Default, Deserialize)]
struct Config {
    model_format: Option<String>,
    model_family: Option<String>,
    model_type: Option<String>,
    file_type: Option<String>,
    remote_host: Option<String>,
}

/// The parameters blob: numbers, and also texts and lists, which are no sampling settings.
#[derive(Default, Deserialize)]
struct Params(BTreeMap<String, serde_json::Value>);

impl Params {
    fn numbers(self) -> BTreeMap<String, f64> {
        self.0.into_iter().filter_map(|(name, value)| Some((name, value.as_f64()?))).collect()
    }
}

#[cfg(test)]
#[path = "ollama_tests.rs"]
mod tests;
