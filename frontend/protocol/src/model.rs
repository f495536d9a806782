//! Models: where they are, what they are, whether they fit, how loading goes.

use serde::{Deserialize, Serialize};

use crate::catalog::Layer;

/// What a model can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capabilities {
    /// Reads and writes text.
    pub text: bool,
    /// Sees pictures.
    pub vision: bool,
    /// Hears sound.
    pub audio: bool,
    /// Calls tools.
    pub tools: bool,
    /// Can think before it answers.
    pub thinking: bool,
}

/// Where a model is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ModelSource {
    /// On the server that the page came from.
    Server {
        /// Its name, for messages.
        name: String,
        /// Its files.
        layers: Vec<Layer>,
    },
    /// A file of the user, read in place. The `File` handles travel beside the message, in this order: the
    /// model first, then a projector and a drafter if there are any.
    Local {
        /// Names of the files.
        names: Vec<String>,
        /// Their sizes in bytes.
        sizes: Vec<u64>,
    },
}

impl ModelSource {
    /// What to call the model.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Server { name, .. } => name,
            Self::Local { names, .. } => names.first().map_or("", String::as_str),
        }
    }
}

/// How to load a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadOptions {
    /// Context length in tokens; 0 for the default (8192, or less where less fits or the model has less).
    pub context: u32,
    /// Whether to keep the weights in this browser, so that the next load needs no network.
    pub keep: bool,
    /// Whether a part of the model that the device has no room for may lie in ordinary memory. Without it, a load that
    /// has no other place for that part fails with [`crate::Remedy::UseMemory`] before it reads a weight.
    pub use_memory: bool,
    /// Bytes of graphics memory for the experts of a mixture; `None` for as much as is free. Ignored by other models.
    pub expert_memory: Option<u64>,
    /// What is to be stored in 8 bits even where there is room for more.
    pub eight_bits: EightBits,
    /// Whether answers are drafted if the model has a drafter. What they need is prepared with the model then, so that the first
    /// one doesn't wait for it.
    pub drafts: bool,
    /// Bytes of graphics memory that the user lets models use; `None` for what the device is taken to have. A load that finds less
    /// makes do with it.
    pub memory: Option<u64>,
    /// Whether to load a model that needs more than that all the same, with everything in as little memory as possible.
    pub anyway: bool,
}

/// What the engine stores in 8 bits (Q8_0) to save graphics memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EightBits {
    /// The per-layer embeddings of a model whose file has them in floats.
    pub table: bool,
    /// Keys and values.
    pub kv_cache: bool,
}

/// What a load stores in 8 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// What was asked for ([`LoadOptions::eight_bits`]).
    pub asked: EightBits,
    /// What is stored so, because it was asked for or because the memory does not allow more.
    pub eight_bits: EightBits,
}

/// What a model's header says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelDetails {
    /// Name from the file or the server.
    pub name: String,
    /// Architecture, such as `gemma4`.
    pub architecture: String,
    /// Parameters, all tensors counted.
    pub parameters: u64,
    /// Bytes of the file.
    pub file_size: u64,
    /// Layers of the text decoder.
    pub layers: u32,
    /// Width of the residual stream.
    pub width: u32,
    /// Pieces of the vocabulary.
    pub vocabulary: u32,
    /// Longest context the model was made for.
    pub max_context: u32,
    /// Sliding attention window in tokens.
    pub window: u32,
    /// What it can do.
    pub capabilities: Capabilities,
    /// Bytes by tensor type, largest first.
    pub types: Vec<TypeShare>,
    /// Graphics memory for some context lengths.
    pub memory: Vec<ContextCost>,
    /// Sampling that the file recommends, if it does: temperature, top-k, top-p.
    pub recommended: Option<(f32, u32, f32)>,
    /// Whether it comes with a drafter for speculative decoding.
    pub drafter: bool,
    /// How it decodes, if that is by diffusion.
    pub diffusion: Option<Diffusion>,
    /// Whether it was not trained on chats: it continues text.
    pub continues: bool,
    /// Whether it makes embeddings, and doesn't chat.
    pub embeds: bool,
    /// What of it is stored in 8 bits.
    pub stored: Stored,
    /// Bytes of graphics memory that models may use, as asked for ([`LoadOptions::memory`]).
    pub allowed: Option<u64>,
    /// Whether prompts are multiplied in eight bits. False until it is loaded.
    pub packed_prompts: bool,
    /// The memory of its experts, if it is a mixture that can do with some of them in graphics memory.
    pub experts: Option<ExpertMemory>,
}

/// Graphics memory for the experts of a mixture, in bytes. Experts without a place there are read when a token needs them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExpertMemory {
    /// The least that works: the experts of one token.
    pub least: u64,
    /// What all experts take.
    pub all: u64,
    /// What they get.
    pub held: u64,
    /// What was asked for ([`LoadOptions::expert_memory`]).
    pub asked: Option<u64>,
    /// Tokens a second that reading leaves possible, if a token's experts are chosen evenly among all. Real ones are not, so
    /// it is a low estimate. For a diffusion model: if every step uses all experts, and a block takes all of its steps. None
    /// where nothing is read.
    pub rate: Option<f64>,
}

/// How a diffusion model decodes: a block of tokens at a time, in steps that settle all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diffusion {
    /// Tokens of a block.
    pub canvas: u32,
    /// Most steps of a block.
    pub steps: u32,
}

/// Share of one tensor type in a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypeShare {
    /// Type, such as `Q4_K`.
    pub name: String,
    /// Tensors of this type.
    pub tensors: u32,
    /// Their bytes in the file.
    pub bytes: u64,
}

/// Graphics memory that a context length takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextCost {
    /// Context length in tokens.
    pub context: u32,
    /// Bytes in all: weights, cache and working memory.
    pub bytes: u64,
}

/// Whether a model fits the device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FitVerdict {
    /// It fits with the context asked for.
    Fits {
        /// Context length in tokens.
        context: u32,
        /// Bytes of graphics memory in all.
        bytes: u64,
        /// Bytes of the model that stay outside of graphics memory.
        outside: u64,
    },
    /// It fits with a shorter context only.
    FitsWith {
        /// Longest context length in tokens that fits.
        context: u32,
        /// Bytes of graphics memory in all.
        bytes: u64,
        /// Bytes of the model that stay outside of graphics memory.
        outside: u64,
    },
    /// It does not fit.
    TooLarge {
        /// Bytes needed with the shortest useful context.
        needed: u64,
        /// Bytes that the device is taken to offer.
        available: u64,
    },
    /// A single tensor, or another buffer, is larger than the device can bind.
    TensorTooLarge {
        /// The tensor, or what the buffer holds.
        tensor: String,
        /// Its bytes.
        needed: u64,
        /// The device's limit.
        available: u64,
    },
}

/// Where a load stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadProgress {
    /// What is being done.
    pub phase: LoadPhase,
    /// Done, in the phase's unit.
    pub done: u64,
    /// In all; 0 when not known yet.
    pub total: u64,
    /// Units a second over the last seconds; 0 when not known yet.
    pub rate: f64,
    /// Whether the connection to the server is lost, and the load tries again.
    pub lost: bool,
}

/// What a load is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LoadPhase {
    /// Reading the header; bytes.
    Header,
    /// Copying what the graphics device has no room for to a place on this machine; bytes.
    Table,
    /// Copying weights to the graphics device; bytes.
    Weights,
    /// Timing which kernels are the fastest.
    Tuning,
    /// Compiling kernels; count.
    Kernels,
    /// Fetching what only pictures and sound need, so that nothing is fetched later; bytes.
    Towers,
}

/// What is kept in this browser.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CacheReport {
    /// The weights.
    pub entries: Vec<CacheEntry>,
    /// Bytes that this origin uses in this browser.
    pub used: u64,
    /// Bytes that this origin may use.
    pub quota: u64,
    /// Whether the browser promised not to delete them by itself.
    pub persisted: bool,
}

/// Weights kept in this browser.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CacheEntry {
    /// The blob's digest, as in [`Layer::digest`].
    pub digest: String,
    /// The name it was kept under.
    pub name: String,
    /// Bytes in all.
    pub size: u64,
    /// Bytes that are here; less than `size` while a download is unfinished.
    pub present: u64,
    /// Last use, in milliseconds since 1970.
    pub last_used: f64,
    /// When all bytes were last found to be right, in milliseconds since 1970; 0 if that is not known.
    pub checked: f64,
}
