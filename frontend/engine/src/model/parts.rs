//! What the lists of dispatches are built from.

use std::sync::Arc;

use super::{Attention, Config, KvCache, KvType, LayerCache, Scratch};
use crate::gpu::{Buffer, GpuError};
use crate::weights::{Matrix, Weights};

/// A table of rotations for one kind of layer; `wgsl/shared/rope.wgsl`.
#[derive(Debug)]
pub struct Rope {
    /// `(cos, sin)` pairs.
    pub table: Arc<Buffer>,
    /// Rows of its first part.
    pub hi_rows: u32,
}

/// Everything on the device that a model needs.
#[derive(Debug)]
pub struct Parts {
    /// What the file says.
    pub config: Config,
    /// Pieces of the vocabulary.
    pub vocabulary: u32,
    /// Weights.
    pub weights: Weights,
    /// Working buffers.
    pub scratch: Scratch,
    /// Keys and values.
    pub kv: KvCache,
    /// How they are stored.
    pub kv_type: KvType,
    /// Rotations of sliding layers.
    pub rope_sliding: Rope,
    /// Rotations of global layers.
    pub rope_global: Rope,
    /// Rows from which the products of decode are packed; none where none are ([`super::forms::choose`]).
    pub packed: Option<u32>,
}

impl Parts {
    /// A matrix that every model of this configuration has.
    ///
    /// # Errors
    /// A fault of this program: the tensor list was checked.
    pub fn matrix(&self, name: &str) -> Result<&Matrix, GpuError> {
        self.weights.matrix(name).ok_or_else(|| GpuError::Fault { reason: format!("no matrix {name}") })
    }

    /// The head: a matrix of its own, or the embedding.
    ///
    /// # Errors
    /// As [`Self::matrix`].
    pub fn head(&self) -> Result<&Matrix, GpuError> {
        self.weights.matrix("output").map_or_else(|| self.matrix("token_embd"), Ok)
    }

    /// The cache that layer `i` reads: its own, or its donor's.
    ///
    /// # Errors
    /// A fault of this program.
    pub fn cache(&self, i: usize) -> Result<&LayerCache, GpuError> {
        let owner = self.config.layers[i].kv_layer;
        self.kv.layers[owner]
            .as_ref()
            .ok_or_else(|| GpuError::Fault { reason: format!("layer {i} has no keys to read") })
    }

    /// The rotations of one kind of layer.
    #[must_use]
    pub fn rope(&self, attention: Attention) -> &Rope {
        match attention {
            Attention::Sliding => &self.rope_sliding,
            Attention::Global => &self.rope_global,
        }
    }

    /// Positions a layer sees; 0 for all.
    #[must_use]
    pub fn window(&self, i: usize) -> u32 {
        if self.config.layers[i].attention == Attention::Sliding { self.config.window } else { 0 }
    }
}
