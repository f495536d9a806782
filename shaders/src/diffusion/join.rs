//! Launcher and CPU twin of `wgsl/diffusion/join.wgsl`: h = rms(h + branch), without weights.

use crate::math::rms;
use crate::{Defines, PreprocessError, Source, grid};

params! {
    /// The uniform at binding 0. Then: state, branch, h.
    pub struct Params {
        /// A quarter of the width of a row.
        pub width4: u32,
        /// ε of the norm.
        pub eps: f32,
        /// Unused.
        pub pad: [u32; 2],
    }
}

impl Params {
    /// Rows of `width` elements, a multiple of 4.
    #[must_use]
    pub const fn new(width: u32, eps: f32) -> Self {
        Self { width4: width / 4, eps, pad: [0; 2] }
    }
}

/// The shader. Bindings: params, state, branch, h.
///
/// # Errors
/// A fault of the template.
pub fn source() -> Result<Source, PreprocessError> {
    Source::build::<Params>("diffusion/join.wgsl", "diffusion_join", &Defines::new())
}

/// Workgroups for so many rows.
#[must_use]
pub const fn dispatch(rows: u32) -> [u32; 3] {
    grid(rows)
}

/// CPU twin, in f64: the new h.
#[must_use]
pub fn join(params: &Params, h: &[f32], branch: &[f32]) -> Vec<f64> {
    let width = 4 * params.width4 as usize;
    let sum: Vec<f64> = h.iter().zip(branch).map(|(&h, &b)| f64::from(h) + f64::from(b)).collect();
    sum.chunks(width).flat_map(|row| rms(row, None, params.eps.into())).collect()
}
