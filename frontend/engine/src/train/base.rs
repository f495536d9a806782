//! The inputs of training from a loaded model. The weights are shared with the session, which remains usable.

use std::rc::Rc;

use crate::adapter::{Projection, Shape, Target};
use crate::gpu::Memory;
use crate::model::{Config, HostTable, target_shape};
use crate::plan::{Limits, PlanError};
use crate::weights::{Matrix, Weights};

/// A model with frozen weights.
#[derive(Clone)]
pub struct Base {
    /// The configuration.
    pub config: Config,
    /// Vocabulary size.
    pub vocabulary: u32,
    /// Its weights.
    pub weights: Weights,
    /// The buffers of the weights.
    pub memory: Memory,
    /// The token whose per-layer embedding soft tokens use: `<pad>`.
    pub pad: u32,
    /// The limits of the device.
    pub limits: Limits,
    /// The per-layer table, if it is on the host.
    pub table: Option<Rc<HostTable>>,
}

impl Base {
    /// Returns the matrix of this name.
    pub(super) fn matrix(&self, name: &str) -> Result<&Matrix, PlanError> {
        self.weights.require(name)
    }

    /// Returns the head: its own matrix, or the embedding.
    pub(super) fn head(&self) -> Result<&Matrix, PlanError> {
        self.weights.matrix("output").map_or_else(|| self.matrix("token_embd"), Ok)
    }

    /// Returns whether later layers use the KV cache of this one.
    pub(super) fn is_donor(&self, layer: usize) -> bool {
        self.config.layers[self.config.first_shared..].iter().any(|other| other.kv_layer == layer)
    }

    /// Returns the chosen projections of every layer that computes them, with their shapes.
    pub(super) fn targets(&self, projections: &[Projection]) -> Vec<(Target, Shape)> {
        let mut all = Vec::new();
        for layer in 0..self.config.layers.len() {
            for projection in Projection::ALL.into_iter().filter(|p| projections.contains(p)) {
                let target = Target { layer, projection };
                let of_keys = matches!(projection, Projection::K | Projection::V);
                if of_keys && !self.config.owns_kv(layer) {
                    continue;
                }
                if let Some(shape) = target_shape(&self.config, &self.weights, target) {
                    all.push((target, shape));
                }
            }
        }
        all
    }
}
