//! The models of this machine and of an object store, and the files that may be read because a listed model names them.
//!
//! [`Library`](crate::library::Library) asks each [`Source`] in turn; a source never fails as a whole, it lists what it cannot
//! use with the reason.

pub mod builtin;
pub mod digest;
mod facts;
pub mod folder;
pub mod gguf;
mod list;
pub mod name;
pub mod ollama;
mod pairing;
mod trouble;

use std::path::PathBuf;

use protocol::{Capabilities, CatalogEntry, Layer, LayerKind};

use self::{digest::Digest, gguf::Peek};
pub use self::{
    facts::{Facts, Stamp},
    list::List,
    trouble::Trouble,
};

/// A place where models are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Ollama's store: the folder with `manifests` and `blobs`.
    Ollama(PathBuf),
    /// A folder of `.gguf` files.
    Folder(PathBuf),
    /// The folder of the built-in demonstration model.
    Builtin(PathBuf),
}

/// What a source holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// The models.
    pub found: Vec<Found>,
    /// Whether these are all that are there.
    pub is_whole: bool,
}

/// A model that a source found, and its files.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The line in the list.
    pub entry: CatalogEntry,
    /// The files that its layers name; none when it cannot be used.
    pub blobs: Vec<Blob>,
}

impl Found {
    /// A model that cannot be used: what is known of it, and why.
    fn broken(entry: CatalogEntry, trouble: &Trouble) -> Self {
        let entry = CatalogEntry {
            digest: String::new(),
            layers: Vec::new(),
            capabilities: Capabilities::default(),
            broken: Some(trouble.said()),
            ..entry
        };
        Self { entry, blobs: Vec::new() }
    }

    /// A model that can be used. The first blob of kind [`LayerKind::Model`] gives it its digest.
    pub(crate) fn usable(entry: CatalogEntry, files: Vec<(LayerKind, Blob)>) -> Self {
        let layers: Vec<Layer> = files
            .iter()
            .map(|(kind, blob)| Layer {
                kind: *kind,
                digest: blob.digest().to_string(),
                size: blob.size(),
                url: blob.digest().url(),
            })
            .collect();
        let digest = layers.iter().find(|layer| layer.kind == LayerKind::Model);
        let entry = CatalogEntry {
            size: layers.iter().map(|layer| layer.size).sum(),
            digest: digest.map(|layer| layer.digest.clone()).unwrap_or_default(),
            layers,
            broken: None,
            ..entry
        };
        Self { entry, blobs: files.into_iter().map(|(_, blob)| blob).collect() }
    }
}

/// A file that may be served, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blob {
    /// On this machine.
    File(BlobFile),
    /// In the object store.
    Object(BlobObject),
}

impl Blob {
    /// Its name in addresses.
    #[must_use]
    pub fn digest(&self) -> Digest {
        match self {
            Self::File(file) => file.digest,
            Self::Object(object) => object.digest,
        }
    }

    /// Bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self {
            Self::File(file) => file.stamp.size,
            Self::Object(object) => object.size,
        }
    }
}

impl From<BlobFile> for Blob {
    fn from(file: BlobFile) -> Self {
        Self::File(file)
    }
}

/// A file on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobFile {
    /// Its name in addresses.
    pub digest: Digest,
    /// Where it is.
    pub path: PathBuf,
    /// What it was when it was listed. It is not served when it has changed since.
    pub stamp: Stamp,
}

/// A file in the object store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobObject {
    /// Its name in addresses, and in the store.
    pub digest: Digest,
    /// Bytes, as the manifest says. It is not served when the store has another number.
    pub size: u64,
}

/// Why the engine doesn't run models of this architecture, if it doesn't. A drafter is no model, although it is named like
/// one.
fn refuse(architecture: &str) -> Result<(), Trouble> {
    if is_drafter(architecture) {
        Err(Trouble::Drafter)
    } else if [DIFFUSION, GEMMA3].contains(&architecture)
        || EMBEDDING.contains(&architecture)
        || architecture.starts_with("gemma4")
    {
        Ok(())
    } else {
        Err(Trouble::Foreign { architecture: architecture.into() })
    }
}

/// `general.architecture` of a model that decodes by diffusion.
const DIFFUSION: &str = "diffusion-gemma";

/// `general.architecture` of Gemma 3.
const GEMMA3: &str = "gemma3";

/// `general.architecture` of models that make embeddings. Ollama's files of the first say `gemma3`.
const EMBEDDING: [&str; 2] = ["gemma-embedding", "gemma-embedding2"];

/// Whether a model makes embeddings.
fn embeds(peek: &Peek) -> bool {
    EMBEDDING.contains(&peek.architecture.as_str()) || (peek.architecture == GEMMA3 && peek.pools)
}

/// Whether a model was not trained on chats, as far as its file says.
fn continues(peek: &Peek) -> bool {
    peek.architecture == GEMMA3 && !peek.chats && !peek.pools
}

/// `general.architecture` of a drafter for speculative decoding.
const DRAFTER: &str = "gemma4-assistant";

/// The same in files of other programs, which the engine refuses and says why.
const DRAFTER_DIALECTS: [&str; 2] = ["gemma4_assistant", "gemma4_mtp"];

fn is_drafter(architecture: &str) -> bool {
    architecture == DRAFTER || DRAFTER_DIALECTS.contains(&architecture)
}

/// What a model made of these files can do. Tools and thinking are matters of the chat format, which all of Gemma 4 have.
/// Of a diffusion model and of Gemma 3 the engine runs no towers.
fn capabilities<'a>(files: impl IntoIterator<Item = &'a Peek>) -> Capabilities {
    let mut all = Capabilities { text: true, tools: true, thinking: true, ..Capabilities::default() };
    let mut only_text = false;
    for peek in files {
        all.vision |= peek.vision;
        all.audio |= peek.audio;
        only_text |= [DIFFUSION, GEMMA3].contains(&peek.architecture.as_str());
        if peek.architecture == GEMMA3 || embeds(peek) {
            (all.tools, all.thinking) = (false, false);
        }
        all.text &= !embeds(peek);
    }
    Capabilities { vision: all.vision && !only_text, audio: all.audio && !only_text, ..all }
}
