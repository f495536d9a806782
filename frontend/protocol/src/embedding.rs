//! Embeddings: vectors of texts, pictures and sounds, whose products say how alike these are.

use serde::{Deserialize, Serialize};

/// A loaded model that makes embeddings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EncoderDetails {
    /// What to call it.
    pub name: String,
    /// Elements of an embedding.
    pub elements: u32,
    /// Most tokens of an input. The end of a longer text is left out.
    pub longest: u32,
    /// Whether its file lacks the layers at its end: its embeddings are worse, and must not be compared with those of a file that
    /// has them.
    pub lacks_dense: bool,
    /// Whether it takes pictures.
    pub vision: bool,
    /// Whether it takes sound.
    pub audio: bool,
    /// Bytes of graphics memory in use.
    pub gpu_bytes: u64,
}

/// Embeddings of length 1, in the order of their inputs. Those of different models or numbers of elements cannot be compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Embeddings {
    /// Elements of each.
    pub elements: u32,
    /// All of them, one behind the other.
    pub values: Vec<f32>,
}
