//! `wgsl/audio/unit_norm.wgsl`: RMS norm without weights, after adding a bias.

use crate::case::{Case, CaseError, EPS, Expected, args, as_f32, random};
use crate::math::rms;
use crate::{Defines, Kernel, PreprocessError, Source, grid};

/// The kernel. Bindings: params, state, vectors, x, y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitNorm;

params! {
    /// The uniform at binding 0.
    pub struct Params {
        /// Width of a row in vec4s.
        pub width4: u32,
        /// Offset of the bias in `vectors`; [`Params::NONE`] for none.
        pub bias: u32,
        /// ε of the norm.
        pub eps: f32,
        /// Unused.
        pub pad: u32,
    }
}

impl Params {
    /// The value of `bias` for no bias.
    pub const NONE: u32 = u32::MAX;

    /// Rows of `width` elements, a multiple of 4.
    pub const fn new(width: u32, bias: Option<u32>, eps: f32) -> Self {
        let bias = match bias {
            Some(bias) => bias,
            None => Self::NONE,
        };
        Self { width4: width / 4, bias, eps, pad: 0 }
    }
}

/// Workgroups for a step of `rows`.
pub const fn dispatch(rows: u32) -> [u32; 3] {
    grid(rows)
}

/// CPU twin.
pub fn unit_norm(params: &Params, vectors: &[f32], x: &[f32]) -> Vec<f64> {
    let width = 4 * params.width4 as usize;
    let bias = |i: usize| {
        if params.bias == Params::NONE { 0.0 } else { f64::from(vectors[params.bias as usize + i]) }
    };
    let normed = |row: &[f32]| {
        let biased: Vec<f64> = row.iter().enumerate().map(|(i, &v)| f64::from(v) + bias(i)).collect();
        rms(&biased, None, f64::from(params.eps))
    };
    x.chunks(width).flat_map(normed).collect()
}

impl Kernel for UnitNorm {
    fn source(&self) -> Result<Source, PreprocessError> {
        Source::build::<Params>("audio/unit_norm.wgsl", "audio_unit_norm", &Defines::new())
    }

    fn case(&self) -> Result<Case, CaseError> {
        let (width, rows) = (640, 3);
        let params = Params::new(width, Some(0), EPS);
        let (vectors, x) = (random(82, width as usize), random(83, (width * rows) as usize));
        let want = as_f32(&unit_norm(&params, &vectors, &x));
        let args = args![uniform(&params), state(0, rows), floats(&vectors), floats(&x), zeros(want.len())];
        let grid = dispatch(rows);
        Ok(Case { args, grid, expected: vec![Expected::new(4, want, 1e-4)] })
    }
}
