//! Products that adapters may correct. Those of experts are in [`super::experts`].

use crate::adapter::{Projection, Shape, Target};
use crate::model::Config;
use crate::model::layer::Site;
use crate::weights::Weights;

impl Site {
    /// All of them. No model has both per-layer inputs and a router.
    pub const ALL: [Self; 7] =
        [Self::Qkv, Self::Output, Self::GateUp, Self::Down, Self::PleGate, Self::PleProjection, Self::Router];

    /// Its products in the order of the decoder.
    pub fn targets(self, layer: usize) -> impl Iterator<Item = Target> {
        let projections: &[Projection] = match self {
            Self::Qkv => &[Projection::Q, Projection::K, Projection::V],
            Self::Output => &[Projection::Output],
            Self::GateUp => &[Projection::Gate, Projection::Up],
            Self::Down => &[Projection::Down],
            Self::PleGate => &[Projection::PleGate],
            Self::PleProjection => &[Projection::PleProjection],
            Self::Router => &[Projection::Router],
        };
        projections.iter().map(move |&projection| Target { layer, projection })
    }

    /// Rows of its products, as far as the layer has them.
    pub fn rows(self, weights: &Weights, layer: usize) -> Vec<u32> {
        let matrices = self.targets(layer).filter_map(|target| weights.matrix(&target.to_string()));
        matrices.map(|matrix| matrix.n).collect()
    }
}

/// Returns the shape of what a target names, if the model has it.
pub fn shape(config: &Config, weights: &Weights, target: Target) -> Option<Shape> {
    let Target { layer, projection } = target;
    if !projection.is_of_experts() {
        let matrix = weights.matrix(&target.to_string())?;
        return Some(Shape { experts: 1, input: matrix.k, output: matrix.n });
    }
    // What is on the device may be slots for some of them, and gate and up may be apart.
    let experts =
        config.experts.filter(|_| weights.matrix(&format!("blk.{layer}.ffn_down_exps")).is_some())?;
    let (width, ff) = (config.width, experts.feed_forward);
    let (input, output) = if projection == Projection::ExpertDown { (ff, width) } else { (width, 2 * ff) };
    Some(Shape { experts: experts.mixture.experts, input, output })
}
