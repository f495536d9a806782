//! LoRA adapters: what they are, and how much they count in an answer.

use serde::{Deserialize, Serialize};

use crate::model::ModelSource;

/// Where an adapter is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AdapterSource {
    /// In a GGUF file, or in the two files of PEFT, weights first.
    Files(ModelSource),
    /// In this browser, where a training has put it: the id of [`crate::tune::KeptAdapter`].
    Kept(String),
}

/// What an adapter's file says, once it is known to fit the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AdapterDetails {
    /// What requests call it: chosen by the page for one that it opens, the layer's digest for one that came with its
    /// model.
    pub key: String,
    /// Name of its file or model.
    pub name: String,
    /// Largest rank.
    pub rank: u32,
    /// Numbers in all its factors.
    pub parameters: u64,
    /// Layers that it corrects.
    pub layers: u32,
    /// Projections that it corrects, by the names of their tensors: `attn_q`, `ffn_down`.
    pub projections: Vec<String>,
}

/// How much an adapter counts in an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdapterScale {
    /// The adapter.
    pub key: String,
    /// 1 is as trained, 0 is off.
    pub scale: f32,
}
