//! Launcher and CPU twin of `wgsl/diffusion/join.wgsl`: h = rms(h + branch), without weights.

use crate::case::{Case, CaseError, Expected, LEN, args, as_f32, random};
use crate::math::rms;
use crate::{Defines, Kernel, PreprocessError, Source, grid};

/// The kernel. Bindings: params, state, branch, h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Join;

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
    pub const fn new(width: u32, eps: f32) -> Self {
        Self { width4: width / 4, eps, pad: [0; 2] }
    }
}

/// Workgroups for so many rows.
pub const fn dispatch(rows: u32) -> [u32; 3] {
    grid(rows)
}

/// CPU twin, in f64: the new h.
pub fn join(params: &Params, h: &[f32], branch: &[f32]) -> Vec<f64> {
    let width = 4 * params.width4 as usize;
    let sum: Vec<f64> = h.iter().zip(branch).map(|(&h, &b)| f64::from(h) + f64::from(b)).collect();
    sum.chunks(width).flat_map(|row| rms(row, None, params.eps.into())).collect()
}

impl Kernel for Join {
    fn source(&self) -> Result<Source, PreprocessError> {
        Source::build::<Params>("diffusion/join.wgsl", "diffusion_join", &Defines::new())
    }

    fn case(&self) -> Result<Case, CaseError> {
        let width = 388_u32;
        let params = Params::new(width, 1e-6);
        let count = (LEN * width) as usize;
        let (h, branch) = (random(81, count), random(82, count));
        let want = as_f32(&join(&params, &h, &branch));
        let args = args![uniform(&params), state(0, LEN), floats(&branch), floats(&h)];
        let expected = vec![Expected::new(3, want, 1e-4)];
        Ok(Case { args, grid: dispatch(LEN), expected })
    }
}
