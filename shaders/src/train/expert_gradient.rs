//! Launcher and CPU twin of `wgsl/train/expert_gradient.wgsl`: the gradient of the factors of a mixture's experts.

use crate::experts::low_rank::Params;
use crate::experts::{Choice, choice_defines};
use crate::{PreprocessError, Source};

/// Returns the shader. Bindings: params, tiles, pairs, choices if pairs are `weighted`, rows, z, gradients.
pub fn source(weighted: bool) -> Result<Source, PreprocessError> {
    let name = format!("train_expert_gradient{}", if weighted { "_weighted" } else { "" });
    Source::build::<Params>("train/expert_gradient.wgsl", name, &choice_defines().set("WEIGHTED", weighted))
}

/// Workgroups.
pub const fn dispatch(params: &Params) -> [u32; 3] {
    [params.width.div_ceil(32), params.rank.div_ceil(8), params.end - params.begin]
}

/// CPU twin, in f64: adds to `gradients`.
pub fn gradient(
    params: &Params,
    (choices, weighted): (&[Choice], bool),
    [rows, z]: [&[f32]; 2],
    gradients: &mut [f64],
) {
    let z = z.chunks_exact(params.rank as usize);
    for ((pair, choice), z) in (0..).zip(choices).zip(z) {
        let weight = if weighted { f64::from(choice.weight) } else { 1.0 };
        for (j, &value) in params.row(rows, pair).iter().enumerate() {
            for (r, &z) in z.iter().enumerate() {
                if let Some(place) = params.place(choice.expert, j, r) {
                    gradients[place] += f64::from(params.scale) * weight * f64::from(value) * f64::from(z);
                }
            }
        }
    }
}
