//! Launcher and CPU twin of `wgsl/train/sum_pairs.wgsl`: the sum over the chosen experts of each row.

use super::rows::Params;
use crate::experts::Mixture;
use crate::{PreprocessError, Source};

/// Returns the shader. Bindings: params, state, choices if the sum is `weighted`, y, out.
pub fn source(mixture: Mixture, weighted: bool) -> Result<Source, PreprocessError> {
    let name = format!("train_sum_pairs_{}{}", mixture.name(), if weighted { "_weighted" } else { "" });
    Source::build::<Params>("train/sum_pairs.wgsl", name, &mixture.defines().set("WEIGHTED", weighted))
}

/// CPU twin for one row, in f64. `y` is `[used, width]`; without weights they are 1.
pub fn sum_pairs(weights: Option<&[f32]>, y: &[f32], width: usize) -> Vec<f64> {
    let mut sum = vec![0.0; width];
    for (place, y) in y.chunks_exact(width).enumerate() {
        let weight = weights.map_or(1.0, |weights| f64::from(weights[place]));
        sum.iter_mut().zip(y).for_each(|(sum, &y)| *sum += weight * f64::from(y));
    }
    sum
}
