//! `wgsl/audio/silu.wgsl`: the activation of the feed-forward parts.

use bytemuck::{Pod, Zeroable};

use super::sigmoid;
use crate::{Binding, Defines, PreprocessError, Source, grid};

/// Elements a workgroup makes.
const ELEMENTS: u32 = 1024;

/// The uniform at binding 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Params {
    /// A quarter of the width of a row.
    pub width4: u32,
    /// Unused.
    pub pad: [u32; 3],
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
/// A fault of the template.
pub fn source() -> Result<Source, PreprocessError> {
    let bindings = vec![Binding::Uniform, Binding::Read, Binding::ReadWrite];
    Source::build("audio/silu.wgsl", "audio_silu", &Defines::new(), bindings)
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
