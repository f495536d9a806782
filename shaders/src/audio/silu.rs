//! `wgsl/audio/silu.wgsl`: the activation of the feed-forward blocks.

use super::sigmoid;
use crate::{Defines, PreprocessError, Source, grid};

/// Elements per workgroup.
const ELEMENTS: u32 = 1024;

params! {
    /// The uniform at binding 0.
    #[derive(Eq)]
    pub struct Params {
        /// Width of a row in vec4s.
        pub width4: u32,
        /// Unused.
        pub pad: [u32; 3],
    }
}

impl Params {
    /// Rows of `width` elements, a multiple of 4.
    #[must_use]
    pub const fn new(width: u32) -> Self {
        Self { width4: width / 4, pad: [0; 3] }
    }
}

/// The shader. Bindings: params, state, x.
///
/// # Errors
/// When the template cannot be expanded.
pub fn source() -> Result<Source, PreprocessError> {
    Source::build::<Params>("audio/silu.wgsl", "audio_silu", &Defines::new())
}

/// Workgroups for a step of `rows`.
#[must_use]
pub const fn dispatch(params: &Params, rows: u32) -> [u32; 3] {
    grid((rows * params.width4).div_ceil(ELEMENTS / 4))
}

/// CPU twin: `x·sigmoid(x)`.
#[must_use]
pub fn silu(x: f64) -> f64 {
    x * sigmoid(x)
}
