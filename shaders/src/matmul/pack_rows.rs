//! Launcher and CPU twin of `wgsl/matmul/pack_rows.wgsl`: rows rounded to int8.

use crate::case::{Case, CaseError, Expected, args, random};
use crate::math::pack_rows;
use crate::planes::UNIT;
use crate::{Defines, Kernel, PreprocessError, Source};

/// The kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackRows;

params! {
    /// The uniform at binding 0. Then: the state (its `len` is T), x f32 `[T, K]`, codes `[T, K/16, 4]`, scales
    /// `[T, K/16, 2]`.
    #[derive(Eq)]
    pub struct Params {
        /// Units per row: K / 16.
        pub units_per_row: u32,
        /// Unused.
        pub pad: [u32; 3],
    }
}

impl Params {
    /// Parameters for rows of `k` elements.
    pub const fn new(k: u32) -> Self {
        Self { units_per_row: k / UNIT, pad: [0; 3] }
    }

    /// Workgroups for `rows` rows.
    pub const fn dispatch(&self, rows: u32) -> [u32; 3] {
        [(rows * self.units_per_row).div_ceil(64), 1, 1]
    }
}

impl Kernel for PackRows {
    fn source(&self) -> Result<Source, PreprocessError> {
        Source::build::<Params>("matmul/pack_rows.wgsl", "matmul_pack_rows".to_owned(), &Defines::new())
    }

    /// Rows rounded to int8. A code may differ by one where an element lies between two.
    fn case(&self) -> Result<Case, CaseError> {
        let (k, rows) = (1280, 3);
        // On a grid of 1/64 below 127/64, so that every code is exact.
        let mut x: Vec<f32> = random(33, k * rows).iter().map(|v| (v * 126.0).round() / 64.0).collect();
        x.chunks_exact_mut(16).for_each(|unit| unit[3] = 127.0 / 64.0);
        let (codes, scales) = pack_rows(&x);
        let params = Params::new(k as u32);
        let args = args![
            uniform(&params),
            state(0, rows as u32),
            floats(&x),
            zeros(codes.len()),
            zeros(scales.len())
        ];
        let expected = vec![Expected::words(3, &codes), Expected::new(4, scales, 1e-4)];
        Ok(Case { args, grid: params.dispatch(rows as u32), expected })
    }

    fn is_packed(&self) -> bool {
        true
    }
}
