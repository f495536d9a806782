//! What training needs of a loaded model. The weights are shared with the session, which stays usable.

use std::rc::Rc;

use crate::adapter::{Projection, Target};
use crate::gpu::Memory;
use crate::model::{Attention, Config, HostTable};
use crate::plan::{Limits, PlanError};
use crate::weights::{Matrix, Weights};

/// A model whose weights stay as they are while an adapter is learned.
#[derive(Clone)]
pub struct Base {
    /// What the file says.
    pub config: Config,
    /// Pieces of the vocabulary.
    pub vocabulary: u32,
    /// Its weights.
    pub weights: Weights,
    /// Where they lie.
    pub memory: Memory,
    /// The id whose per-layer embedding soft tokens have: `<pad>`.
    pub pad: u32,
    /// What the device allows.
    pub limits: Limits,
    /// The per-layer table, where it stays outside of the device.
    pub table: Option<Rc<HostTable>>,
}

impl Base {
    /// The matrix of this name.
    pub(super) fn matrix(&self, name: &str) -> Result<&Matrix, PlanError> {
        self.weights.matrix(name).ok_or_else(|| PlanError::Missing { name: format!("matrix {name}") })
    }

    /// The head: a matrix of its own, or the embedding.
    pub(super) fn head(&self) -> Result<&Matrix, PlanError> {
        self.weights.matrix("output").map_or_else(|| self.matrix("token_embd"), Ok)
    }

    /// Positions a layer sees; 0 for all.
    pub(super) fn window(&self, layer: usize) -> u32 {
        if self.config.layers[layer].attention == Attention::Sliding { self.config.window } else { 0 }
    }

    /// Whether the tokens of a picture see one another in both directions in this layer.
    pub(super) fn sees_pictures_whole(&self, layer: usize) -> bool {
        self.config.sees_pictures_whole() && self.config.layers[layer].attention == Attention::Sliding
    }

    /// Whether later layers read the keys and values of this one.
    pub(super) fn is_donor(&self, layer: usize) -> bool {
        self.config.layers[self.config.first_shared..].iter().any(|other| other.kv_layer == layer)
    }

    /// The chosen projections of every layer that computes them, with columns and rows of each.
    pub(super) fn targets(&self, projections: &[Projection]) -> Vec<(Target, u32, u32)> {
        let mut all = Vec::new();
        for layer in 0..self.config.layers.len() {
            for projection in Projection::ALL.into_iter().filter(|p| projections.contains(p)) {
                let target = Target { layer, projection };
                let of_keys = matches!(projection, Projection::K | Projection::V);
                if of_keys && !self.config.owns_kv(layer) {
                    continue;
                }
                if let Some(matrix) = self.weights.matrix(&target.to_string()) {
                    all.push((target, matrix.k, matrix.n));
                }
            }
        }
        all
    }
}
