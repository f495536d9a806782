//! The server's model list: the JSON of `GET /api/models`.

use serde::{Deserialize, Serialize};

use crate::model::Capabilities;
use crate::said::{FolderProblem, ListNote, ModelProblem, Said};

/// Answer of `GET /api/models`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Catalog {
    /// Every model found, usable or not. The default model is first.
    pub models: Vec<CatalogEntry>,
    /// Folders that were searched, for the empty state: what to do when a model is missing from the list.
    pub searched: Vec<Searched>,
    /// What the list lacks: models that had no room.
    #[serde(default)]
    pub notes: Vec<Said<ListNote>>,
}

/// A folder that was searched for models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searched {
    /// Where it is.
    pub folder: String,
    /// Why nothing in it could be listed, if so.
    pub problem: Option<Said<FolderProblem>>,
}

/// One model of the server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CatalogEntry {
    /// The name that users type, such as `gemma4:e2b`.
    pub name: String,
    /// The family or architecture, such as `gemma4`; empty when unknown.
    pub family: String,
    /// Parameters as text, such as `5.1B`; empty when unknown.
    pub parameters: String,
    /// Quantisation, such as `Q4_K_M`; empty when unknown.
    pub quantization: String,
    /// Bytes of all layers that a load reads.
    pub size: u64,
    /// Digest of the model layer, as in [`Layer::digest`]; empty when broken.
    pub digest: String,
    /// What it can do.
    pub capabilities: Capabilities,
    /// Whether this is the built-in demonstration model.
    pub demo: bool,
    /// Whether it decodes by diffusion.
    #[serde(default)]
    pub diffusion: bool,
    /// Whether it was not trained on chats: it continues text.
    #[serde(default)]
    pub continues: bool,
    /// Whether it makes embeddings, and doesn't chat.
    #[serde(default)]
    pub embeds: bool,
    /// Defaults for sampling that come with the model (Ollama's params layer), as JSON numbers by name.
    pub params: std::collections::BTreeMap<String, f64>,
    /// Texts that end its answers (Ollama's params layer).
    #[serde(default)]
    pub stop: Vec<String>,
    /// A system prompt that comes with the model, or empty.
    pub system: String,
    /// The files it is made of.
    pub layers: Vec<Layer>,
    /// Why it cannot be used, if so.
    pub broken: Option<Said<ModelProblem>>,
}

impl CatalogEntry {
    /// Returns whether it can be used to chat.
    #[must_use]
    pub fn chats(&self) -> bool {
        self.broken.is_none() && !self.embeds
    }
}

/// One file of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layer {
    /// What it holds.
    pub kind: LayerKind,
    /// `sha256:` and 64 hexadecimal digits when the content can be checked against it. A file outside Ollama's store
    /// has `gguf:` and 64 hexadecimal digits: an identity that is cheap to compute for many gigabytes. It changes when
    /// the file changes, but is no checksum of the content.
    pub digest: String,
    /// Bytes.
    pub size: u64,
    /// Where to get it, relative to the page's origin: `/api/blobs/` and the digest, its colon a hyphen.
    pub url: String,
}

/// What a layer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerKind {
    /// GGUF: the text model, perhaps with its towers.
    Model,
    /// GGUF: vision and audio towers.
    Projector,
    /// GGUF: a LoRA adapter.
    Adapter,
    /// GGUF: a drafter for speculative decoding.
    Draft,
}
