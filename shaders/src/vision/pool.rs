//! `wgsl/vision/pool.wgsl`: average pooling of 3×3 patches.

use super::{GRID, PatchGrid, defines};
use crate::case::{Arg, Case, CaseError, EPS, Expected, args, random};
use crate::math::rms;
use crate::{Kernel, PreprocessError, Source, grid};

/// The kernel, with or without standardisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool {
    /// Whether the result is standardised.
    pub standardise: bool,
}

params! {
    /// The uniform at binding 0. Then: the patch grid, h, x, and vectors where the result is standardised.
    pub struct Params {
        /// Width of a row in vec4s.
        pub width4: u32,
        /// Offset of the bias.
        pub std_bias: u32,
        /// Offset of the scale.
        pub std_scale: u32,
        /// ε of the norm.
        pub eps: f32,
    }
}

/// Workgroups for `patches` patches.
pub const fn dispatch(patches: u32) -> [u32; 3] {
    grid(patches / 9)
}

/// CPU twin; with `vectors` the result is standardised.
pub fn pool(params: &Params, grid: PatchGrid, h: &[f32], vectors: Option<&[f32]>) -> Vec<f32> {
    let width = 4 * params.width4 as usize;
    let columns = grid.columns as usize;
    let mut x = Vec::new();
    for (row, column) in (0..grid.rows as usize / 3).flat_map(|y| (0..columns / 3).map(move |x| (y, x))) {
        let mut pooled = vec![0.0f64; width];
        for patch in (0..9).map(|i| (3 * row + i / 3) * columns + 3 * column + i % 3) {
            pooled.iter_mut().zip(&h[patch * width..]).for_each(|(sum, &h)| *sum += f64::from(h));
        }
        pooled.iter_mut().for_each(|sum| *sum *= (width as f64).sqrt() / 9.0);
        if let Some(vectors) = vectors {
            for (i, p) in pooled.iter_mut().enumerate() {
                let at = |begin: u32| f64::from(vectors[begin as usize + i]);
                *p = (*p - at(params.std_bias)) * at(params.std_scale);
            }
        }
        x.extend(rms(&pooled, None, params.eps.into()).into_iter().map(|v| v as f32));
    }
    x
}

impl Kernel for Pool {
    fn source(&self) -> Result<Source, PreprocessError> {
        let name = if self.standardise { "vision_pool_standardise" } else { "vision_pool" };
        Source::build::<Params>("vision/pool.wgsl", name, &defines().set("STANDARDISE", self.standardise))
    }

    fn case(&self) -> Result<Case, CaseError> {
        let width = 144;
        let h = random(78, (GRID.patches() * width) as usize);
        let vectors = random(79, 2 * width as usize);
        let params = Params { width4: width / 4, std_bias: 0, std_scale: width, eps: EPS };
        let want = pool(&params, GRID, &h, self.standardise.then_some(&vectors[..]));
        let mut args = args![uniform(&params), words(&[GRID]), floats(&h), zeros(want.len())];
        if self.standardise {
            args.push(Arg::floats(&vectors));
        }
        let grid = dispatch(GRID.patches());
        Ok(Case { args, grid, expected: vec![Expected::new(3, want, 1e-4)] })
    }
}
