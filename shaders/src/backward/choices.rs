//! Launcher and CPU twin of `wgsl/backward/choices.wgsl`: the gradient of the weighted sum of the chosen experts, with
//! respect to their activations and to the router's logits.

use crate::experts::Mixture;
use crate::{PreprocessError, Source, grid};

params! {
    /// The uniform at binding 0. Then: state, choices, logits, activations, their gradients, gradients of the logits.
    pub struct Params {
        /// Width of an expert's activations in vec4s.
        pub width4: u32,
        /// Factor of the logits.
        pub scale: f32,
        /// Unused.
        pub pad: [u32; 2],
    }
}

impl Params {
    /// Parameters for activations of `width` elements, a multiple of 4.
    pub const fn new(width: u32, scale: f32) -> Self {
        Self { width4: width / 4, scale, pad: [0; 2] }
    }
}

/// Returns the shader.
pub fn source(mixture: Mixture) -> Result<Source, PreprocessError> {
    let name = format!("backward_choices_{}", mixture.name());
    Source::build::<Params>("backward/choices.wgsl", name, &mixture.defines())
}

/// Workgroups for `rows` rows.
pub const fn dispatch(rows: u32) -> [u32; 3] {
    grid(rows)
}

/// CPU twin for one row, in f64: the gradients of the activations, `[used, width]`, and those of all logits. `chosen`
/// has expert and weight of each place ([`crate::experts::choice`]), `gradients` those of the sum through the down
/// projection of each chosen expert.
pub fn choices(
    params: &Params,
    chosen: &[(u32, f64)],
    logits: &[f64],
    act: &[f64],
    gradients: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let (width, scale) = (4 * params.width4 as usize, f64::from(params.scale));
    let exponentials: Vec<f64> = chosen.iter().map(|&(e, _)| (scale * logits[e as usize]).exp()).collect();
    let total: f64 = exponentials.iter().sum();
    let mut dact = Vec::with_capacity(act.len());
    let mut products = Vec::with_capacity(chosen.len());
    for ((act, gradients), (_, weight)) in act.chunks(width).zip(gradients.chunks(width)).zip(chosen) {
        dact.extend(gradients.iter().map(|g| weight * g));
        products.push(weight * act.iter().zip(gradients).map(|(a, g)| a * g).sum::<f64>());
    }
    let along: f64 = products.iter().sum();
    let mut dlogits = vec![0.0; logits.len()];
    for ((&(expert, _), product), exponential) in chosen.iter().zip(products).zip(exponentials) {
        dlogits[expert as usize] = scale * (product - exponential / total * along);
    }
    (dact, dlogits)
}
