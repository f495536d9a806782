//! Launcher and CPU twin of `wgsl/matmul/int8_blocks.wgsl`: rows rounded to two terms of int8, in blocks of 1024 elements.

use crate::planes::UNIT;
use crate::{DType, Defines, PlanarLayout, Planes, PreprocessError, Source, grid};

/// Elements of a block.
pub const BLOCK: u32 = 1024;
/// 128·q + r of the largest element of a block.
const LARGEST: f32 = 127.0 * 128.0;

params! {
    /// The uniform at binding 0. Then: the weights, or the state (its `len` is T) and x f32 `[T, K]`; codes `[rows, 2, K/16, 4]`,
    /// scales `[rows, ⌈K/1024⌉]`.
    #[derive(Eq)]
    pub struct Params {
        /// The planes of the weights.
        pub planes: Planes,
        /// Units per row: K / 16.
        pub units_per_row: u32,
        /// Blocks per row: ⌈K / 1024⌉.
        pub blocks_per_row: u32,
        /// The first row of the weights.
        pub first_row: u32,
        /// Rows of the weights.
        pub rows: u32,
    }
}

impl Params {
    /// Parameters for `rows` rows of a matrix, from `first_row` on.
    #[must_use]
    pub const fn of_weights(layout: &PlanarLayout, first_row: u32, rows: u32) -> Self {
        let Self { units_per_row, blocks_per_row, .. } = Self::of_rows(layout.k);
        Self { planes: layout.planes, units_per_row, blocks_per_row, first_row, rows }
    }

    /// Parameters for the rows of a chunk, of `k` elements each.
    #[must_use]
    pub const fn of_rows(k: u32) -> Self {
        let planes = Planes { lo: 0, hi: 0, sc: 0, d: 0 };
        Self { planes, units_per_row: k / UNIT, blocks_per_row: k.div_ceil(BLOCK), first_row: 0, rows: 0 }
    }

    /// Workgroups for `rows` rows.
    #[must_use]
    pub const fn dispatch(&self, rows: u32) -> [u32; 3] {
        grid((rows * self.blocks_per_row).div_ceil(4))
    }
}

/// The kernel for rows of a chunk.
///
/// # Errors
/// When the template cannot be expanded.
pub fn rows_source() -> Result<Source, PreprocessError> {
    let defines = Defines::new().set("WEIGHTS", false);
    Source::build::<Params>("matmul/int8_blocks.wgsl", "matmul_int8_rows", &defines)
}

/// The kernel for weights of this type.
///
/// # Errors
/// When the template cannot be expanded.
pub fn weights_source(dtype: DType) -> Result<Source, PreprocessError> {
    let defines = Defines::new().set("WEIGHTS", true).set("DTYPE", dtype);
    Source::build::<Params>("matmul/int8_blocks.wgsl", format!("matmul_int8_weights_{dtype}"), &defines)
}

/// CPU twin: the codes of both terms of a row, and the scales of its blocks.
#[must_use]
pub fn round(row: &[f32]) -> ([Vec<i8>; 2], Vec<f32>) {
    let (mut terms, mut scales) = ([const { Vec::new() }; 2], Vec::new());
    for block in row.chunks(BLOCK as usize) {
        let most = block.iter().fold(0.0_f32, |most, v| most.max(v.abs()));
        let inverse = if most > 0.0 { LARGEST / most } else { 0.0 };
        for value in block {
            let code = (value * inverse).round_ties_even() as i32;
            let first = (code + 64) >> 7;
            terms[0].push(first as i8);
            terms[1].push((code - 128 * first) as i8);
        }
        scales.push(most / LARGEST);
    }
    (terms, scales)
}
