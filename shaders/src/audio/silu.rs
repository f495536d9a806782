//! `wgsl/audio/silu.wgsl`: the activation of the feed-forward blocks.

use super::sigmoid;
use crate::case::{Case, CaseError, Expected, args, random};
use crate::{Defines, Kernel, PreprocessError, Source, grid};

/// Elements per workgroup.
const ELEMENTS: u32 = 1024;

/// The kernel. Bindings: params, state, x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silu;

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
    pub const fn new(width: u32) -> Self {
        Self { width4: width / 4, pad: [0; 3] }
    }
}

/// Workgroups for a step of `rows`.
pub const fn dispatch(params: &Params, rows: u32) -> [u32; 3] {
    grid((rows * params.width4).div_ceil(ELEMENTS / 4))
}

/// CPU twin: `x·sigmoid(x)`.
pub fn silu(x: f64) -> f64 {
    x * sigmoid(x)
}

impl Kernel for Silu {
    fn source(&self) -> Result<Source, PreprocessError> {
        Source::build::<Params>("audio/silu.wgsl", "audio_silu", &Defines::new())
    }

    fn case(&self) -> Result<Case, CaseError> {
        let (width, rows) = (100, 3);
        let params = Params::new(width);
        let x: Vec<f32> = random(93, (width * rows) as usize).into_iter().map(|v| 9.0 * v).collect();
        let want = x.iter().map(|&v| silu(v.into()) as f32).collect();
        let args = args![uniform(&params), state(0, rows), floats(&x)];
        let grid = dispatch(&params, rows);
        Ok(Case { args, grid, expected: vec![Expected::new(2, want, 1e-4)] })
    }
}
