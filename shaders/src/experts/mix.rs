//! `wgsl/experts/mix.wgsl`: the feed-forward branch of a row, from its dense part and its chosen experts.

use super::{Choice, Mixture};
use crate::math::rms;
use crate::{Defines, PreprocessError, Source, grid};

params! {
    /// The uniform at binding 0.
    #[derive(Default)]
    pub struct Params {
        /// Offset of the weights of the dense part's norm in `vectors`.
        pub dense_norm: u32,
        /// Offset of the weights of the experts' norm.
        pub experts_norm: u32,
        /// ε of both norms.
        pub eps: f32,
        /// Unused.
        pub pad: u32,
    }
}

/// The shader for rows of `width` elements. Bindings: params, state, vectors, choices, y, branch. Without a mixture, y
/// has a sum for each row, as [`super::down`] leaves it, and there are no choices.
///
/// # Errors
/// When the template cannot be expanded.
pub fn source(mixture: Option<Mixture>, width: u32) -> Result<Source, PreprocessError> {
    let (defines, of) = mixture.map_or((Defines::new(), "sums".into()), |all| (all.defines(), all.name()));
    let defines = defines.set("SUMMED", mixture.is_none()).set("WIDTH", width);
    Source::build::<Params>("experts/mix.wgsl", format!("experts_mix_{of}_w{width}"), &defines)
}

/// Workgroups for a chunk of `positions`.
#[must_use]
pub const fn dispatch(positions: u32) -> [u32; 3] {
    grid(positions)
}

/// CPU twin for one row, in f64. `y` is `[used, width]`.
#[must_use]
pub fn mix(params: &Params, vectors: &[f32], choices: &[Choice], y: &[f32], branch: &[f32]) -> Vec<f64> {
    let width = branch.len();
    let norm = |row: &[f64], at: u32| rms(row, Some(&vectors[at as usize..][..width]), params.eps.into());
    let dense: Vec<f64> = branch.iter().map(|&v| f64::from(v)).collect();
    let mut sum = vec![0.0; width];
    for (choice, y) in choices.iter().zip(y.chunks_exact(width)) {
        sum.iter_mut().zip(y).for_each(|(sum, &y)| *sum += f64::from(choice.weight) * f64::from(y));
    }
    let experts = norm(&sum, params.experts_norm);
    norm(&dense, params.dense_norm).iter().zip(experts).map(|(a, b)| a + b).collect()
}
