//! Ollama's store: `manifests/<host>/<namespace>/<model>/<tag>` and `blobs/sha256-<64 hexadecimal digits>`.
//!
//! The store is only read. Links are followed everywhere in it, because people move stores and link to them; what is
//! served is bounded by the digests that listed manifests name, each of which is the name of one file in `blobs`.

use std::{
    cell::{Cell, OnceCell},
    collections::{BTreeMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use protocol::said::ModelPart;
use protocol::{CatalogEntry, LayerKind};
use serde::Deserialize;

use super::{
    BlobFile, DIFFUSION, Found, Listing, Trouble, capabilities, continues,
    digest::Digest,
    embeds,
    facts::{Facts, Stamp},
    name::Name,
    refuse,
};
use crate::{
    regular,
    text::{printable, shorten, shown},
};

/// Bytes of a manifest. One of a model with a layer per tensor has some hundred thousand.
const LARGEST_MANIFEST: u64 = 4 << 20;
/// Bytes of a blob that describes: configuration, parameters, system prompt.
const LARGEST_TEXT: u64 = 64 << 10;
/// Bytes of all system prompts together.
const MAX_PROMPTS: usize = 4 << 20;
/// Files of one model. Published ones have three.
const MAX_LAYERS: usize = 64;
/// Manifests that are listed.
const MAX_MANIFESTS: usize = 4096;
/// Bytes of all entries together, as JSON. The list that visitors get has room for less.
const MAX_ENTRIES: usize = 16 << 20;
/// Bytes of what the configuration calls the family, the size or the quantization. Longer ones are left out.
const LONGEST_WORD: usize = 64;
/// Numbers that are read of the parameters. Ollama knows some twenty.
const MAX_NUMBERS: usize = 64;

/// The models of the store at `root`.
///
/// # Errors
/// When the folder of manifests is there but cannot be read. A store without it is an empty one.
pub fn scan(root: &Path, facts: &mut Facts) -> io::Result<Listing> {
    scan_up_to(MAX_MANIFESTS, MAX_ENTRIES, root, facts)
}

/// The first `most` models, as long as their entries have `room`.
fn scan_up_to(most: usize, mut room: usize, root: &Path, facts: &mut Facts) -> io::Result<Listing> {
    let mut manifests = Vec::new();
    let mut is_whole = match find_manifests(&root.join("manifests"), most, &mut Vec::new(), &mut manifests) {
        Ok(is_whole) => is_whole,
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => return Err(error),
    };
    let store = Store::new(root);
    let mut found = Vec::new();
    for (name, path) in &manifests {
        let model = read_model(&store, name, path, facts);
        // What has no JSON has no place in a list either.
        let size = serde_json::to_vec(&model.entry).map_or(usize::MAX, |json| json.len());
        let Some(left) = room.checked_sub(size) else {
            is_whole = false;
            break;
        };
        room = left;
        found.push(model);
    }
    Ok(Listing { found, is_whole })
}

/// Collects up to `most` manifests below `folder`, which is `parts.len()` levels below the root of manifests, and tells
/// whether those are all. What does not have the name of one is left out: Ollama does not list it either.
fn find_manifests(
    folder: &Path,
    most: usize,
    parts: &mut Vec<String>,
    found: &mut Vec<(Name, PathBuf)>,
) -> io::Result<bool> {
    let mut entries: Vec<_> = fs::read_dir(folder)?.filter_map(Result::ok).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let Ok(part) = entry.file_name().into_string() else { continue };
        if let [host, namespace, model] = &parts[..] {
            if let Ok(name) = Name::new(host, namespace, model, &part) {
                if found.len() >= most {
                    return Ok(false);
                }
                found.push((name, entry.path()));
            }
        } else {
            parts.push(part);
            let is_whole = find_manifests(&entry.path(), most, parts, found);
            parts.pop();
            match is_whole {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => {}
                Err(error) => tracing::debug!("{} cannot be read: {error}", shown(&entry.path())),
            }
        }
    }
    Ok(true)
}

fn read_model(store: &Store, name: &Name, path: &Path, facts: &mut Facts) -> Found {
    let mut entry = CatalogEntry { name: name.to_string(), ..CatalogEntry::default() };
    match assemble(store, path, facts, &mut entry) {
        Ok(files) => {
            Found::usable(entry, files.into_iter().map(|(kind, file)| (kind, file.into())).collect())
        }
        Err(trouble) => Found::broken(entry, &trouble),
    }
}

/// Fills the entry as far as it can and gives the model's files.
fn assemble(
    store: &Store,
    path: &Path,
    facts: &mut Facts,
    entry: &mut CatalogEntry,
) -> Result<Vec<(LayerKind, BlobFile)>, Trouble> {
    let text = read_small(path, ModelPart::Manifest, LARGEST_MANIFEST)?;
    let manifest: Manifest = serde_json::from_slice(&text).map_err(|error| Trouble::Manifest {
        reason: shorten(&error.to_string()),
        name: entry.name.clone(),
    })?;
    let layers = manifest.layers.unwrap_or_default();
    entry.size =
        layers.iter().filter(|layer| layer.kind().is_some()).fold(0, |sum, l| sum.saturating_add(l.size));

    let config: Config = manifest.config.and_then(|layer| store.json(&layer, facts)).unwrap_or_default();
    let word = |text: Option<String>| text.filter(|text| text.len() <= LONGEST_WORD).unwrap_or_default();
    entry.family = word(config.model_family);
    entry.parameters = word(config.model_type);
    entry.quantization = word(config.file_type);
    // Of several the last one counts, as with Ollama.
    let last = |suffix| layers.iter().rfind(|layer| layer.suffix() == Some(suffix));
    let params: Option<Params> = last("params").and_then(|layer| store.json(layer, facts));
    let params = params.unwrap_or_default();
    entry.stop = params.stop();
    entry.params = params.numbers();
    if let Some(prompt) = last("system").and_then(|layer| store.text(layer, facts)) {
        store.make_room(prompt.len())?;
        entry.system = prompt.to_string();
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
    if !entry.family.is_empty() {
        refuse(&entry.family)?;
    }
    match layers.iter().filter(|layer| layer.kind() == Some(LayerKind::Model)).count() {
        0 => return Err(Trouble::NoModel),
        1 => {}
        parts => return Err(Trouble::Split { parts: parts as u64 }),
    }

    let mut files = Vec::new();
    for layer in &layers {
        if let Some(kind) = layer.kind() {
            if files.len() == MAX_LAYERS {
                let reason = format!("it names more than {MAX_LAYERS} files");
                return Err(Trouble::Manifest { reason, name: entry.name.clone() });
            }
            files.push((kind, store.blob(layer, kind, &entry.name)?));
        }
    }
    let mut peeks = Vec::new();
    for (kind, blob) in &files {
        let peek = facts.peek(&blob.path, blob.stamp)?;
        if *kind == LayerKind::Model {
            refuse(&peek.architecture)?;
        }
        if peek.parts > 1 {
            return Err(Trouble::Split { parts: peek.parts });
        }
        if *kind == LayerKind::Model {
            entry.diffusion = peek.architecture == DIFFUSION;
            // Ollama keeps templates beside the file.
            entry.continues = continues(&peek) && last("template").is_none();
            entry.embeds = embeds(&peek);
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

/// The store during one scan.
struct Store<'a> {
    root: &'a Path,
    /// Blobs of which a download was begun: Ollama keeps them in `sha256-…-partial*` until they are whole. Listed once,
    /// when the first blob is missing.
    partial: OnceCell<HashSet<Digest>>,
    /// Bytes that further system prompts may have.
    room: Cell<usize>,
}

impl<'a> Store<'a> {
    fn new(root: &'a Path) -> Self {
        Self { root, partial: OnceCell::new(), room: Cell::new(MAX_PROMPTS) }
    }

    fn path(&self, digest: Digest) -> PathBuf {
        self.root.join("blobs").join(digest.file_name())
    }

    /// The blob that a layer of the named model names, if it is there whole.
    fn blob(&self, layer: &LayerRef, kind: LayerKind, name: &str) -> Result<BlobFile, Trouble> {
        let part = match kind {
            LayerKind::Model => ModelPart::Model,
            LayerKind::Projector => ModelPart::Projector,
            LayerKind::Adapter => ModelPart::Adapter,
            LayerKind::Draft => ModelPart::Drafter,
        };
        let name = || name.to_owned();
        let digest = layer.digest().map_err(|reason| Trouble::Manifest { reason, name: name() })?;
        let path = self.path(digest);
        let metadata = match fs::metadata(&path) {
            Ok(metadata) if metadata.is_file() => metadata,
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Trouble::Unreadable { part, error });
            }
            _ if self.is_partial(digest) => return Err(Trouble::Unfinished { name: name() }),
            _ => return Err(Trouble::Missing { part, name: name() }),
        };
        let stamp = Stamp::from(&metadata);
        if stamp.size != layer.size {
            return Err(Trouble::WrongSize { part, found: stamp.size, expected: layer.size, name: name() });
        }
        let path = fs::canonicalize(&path).map_err(|error| Trouble::Unreadable { part, error })?;
        Ok(BlobFile { digest, path, stamp })
    }

    fn is_partial(&self, digest: Digest) -> bool {
        let list = || {
            let entries = fs::read_dir(self.root.join("blobs")).into_iter().flatten().flatten();
            entries
                .filter_map(|entry| entry.file_name().to_str()?.split_once("-partial")?.0.parse().ok())
                .collect()
        };
        self.partial.get_or_init(list).contains(&digest)
    }

    /// The text of a layer that describes the model. What only adds to a model does not break it when it is missing.
    fn text(&self, layer: &LayerRef, facts: &mut Facts) -> Option<Arc<str>> {
        let digest = layer.digest().ok()?;
        let left_out = |why: &str| {
            tracing::debug!("{} ({}) is left out: {why}", digest, printable(&layer.media_type));
        };
        let mut read = || {
            let path = fs::canonicalize(self.path(digest))?;
            let metadata = fs::symlink_metadata(&path)?;
            if metadata.len() > LARGEST_TEXT {
                return Err(io::Error::from(io::ErrorKind::FileTooLarge));
            }
            facts.text(&path, Stamp::from(&metadata), digest)
        };
        match read() {
            Ok(Some(text)) => return Some(text),
            Ok(None) => left_out("it is not the text that its digest names"),
            Err(error) => left_out(&error.to_string()),
        }
        None
    }

    fn json<T: serde::de::DeserializeOwned>(&self, layer: &LayerRef, facts: &mut Facts) -> Option<T> {
        serde_json::from_str(&self.text(layer, facts)?).ok()
    }

    /// Takes `bytes` of the room for system prompts.
    fn make_room(&self, bytes: usize) -> Result<(), Trouble> {
        let left = self.room.get().checked_sub(bytes).ok_or(Trouble::TooManyPrompts)?;
        self.room.set(left);
        Ok(())
    }
}

/// Reads a file that must be small.
fn read_small(path: &Path, part: ModelPart, limit: u64) -> Result<Vec<u8>, Trouble> {
    use io::Read as _;

    let unreadable = |error| Trouble::Unreadable { part, error };
    let (file, metadata) = regular::open_linked(path).map_err(unreadable)?;
    if metadata.len() > limit {
        return Err(Trouble::TooLarge { part, size: metadata.len() });
    }
    let mut text = Vec::new();
    file.take(limit).read_to_end(&mut text).map_err(unreadable)?;
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

/// Texts that end an answer of which more than so many are not read.
const MAX_STOPS: usize = 64;

/// The parameters blob: numbers, texts and lists.
#[derive(Default, Deserialize)]
struct Params(BTreeMap<String, serde_json::Value>);

impl Params {
    /// One text, or a list of them.
    fn stop(&self) -> Vec<String> {
        let texts = match self.0.get("stop") {
            Some(serde_json::Value::Array(texts)) => texts.as_slice(),
            Some(text) => std::slice::from_ref(text),
            None => &[],
        };
        let texts = texts.iter().filter_map(serde_json::Value::as_str).filter(|text| !text.is_empty());
        texts.take(MAX_STOPS).map(str::to_owned).collect()
    }

    fn numbers(self) -> BTreeMap<String, f64> {
        let short = self.0.into_iter().filter(|(name, _)| name.len() <= LONGEST_WORD);
        short.filter_map(|(name, value)| Some((name, value.as_f64()?))).take(MAX_NUMBERS).collect()
    }
}

#[cfg(test)]
#[path = "ollama_tests.rs"]
mod tests;
