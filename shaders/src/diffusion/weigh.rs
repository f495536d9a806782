//! Launcher and CPU twin of `wgsl/diffusion/weigh.wgsl`: probabilities and samples, a tile of the vocabulary at a time.

use super::tempered;
use crate::{Defines, PreprocessError, Source};

params! {
    /// The uniform at binding 0. Then: state, temperature, uniform draws, rows, logits, picks.
    #[derive(Default)]
    pub struct Params {
        /// Pieces of the tile.
        pub n: u32,
        /// The first of them.
        pub row0: u32,
        /// 1 for the first tile: samples begin anew.
        pub first: u32,
        /// The softcap; 0 is off.
        pub softcap: f32,
        /// What probabilities are multiplied with.
        pub scale: f32,
        /// Unused.
        pub pad: [u32; 3],
    }
}

/// The shader. Bindings: params, state, temperature, uniform draws, rows, logits, picks.
///
/// # Errors
/// A fault of the template.
pub fn source() -> Result<Source, PreprocessError> {
    Source::build::<Params>("diffusion/weigh.wgsl", "diffusion_weigh", &Defines::new())
}

/// Workgroups for so many rows, at most 65 535.
#[must_use]
pub const fn dispatch(rows: u32) -> [u32; 3] {
    [rows, 1, 1]
}

/// CPU twin for all raw logits of one row, in f64: the probabilities, and the id that is picked by `uniform`.
#[must_use]
pub fn weigh(a: &[f32], softcap: f32, temperature: f32, uniform: f32) -> (Vec<f64>, u32) {
    let z: Vec<f64> = a.iter().map(|&a| tempered(a.into(), softcap.into(), temperature.into())).collect();
    let top = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = z.iter().map(|z| (z - top).exp()).sum();
    let p: Vec<f64> = z.iter().map(|z| (z - top).exp() / sum).collect();
    let mut before = 0.0;
    let reached = p.iter().position(|p| {
        before += p;
        before >= f64::from(uniform.max(f32::MIN_POSITIVE))
    });
    let likeliest = || z.iter().position(|&z| z == top).unwrap_or(0);
    (p, reached.unwrap_or_else(likeliest) as u32)
}
