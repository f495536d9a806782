//! Launcher and CPU twin of `wgsl/matmul/pack_rows.wgsl`: rows rounded to int8.

use crate::case::{Case, CaseError, Expected, args, random};
use crate::math::pack_rows;
use crate::planes::UNIT;
use crate::{Defines, Kernel, PreprocessError, Source, grid};

/// The kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackRows;

/// The same with a scale for each block of 32 elements, for [`PackedMatmul`](super::PackedMatmul).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackBlocks;

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

    /// Workgroups of [`PackRows`] for `rows` rows.
    pub const fn dispatch(&self, rows: u32) -> [u32; 3] {
        [(rows * self.units_per_row).div_ceil(64), 1, 1]
    }

    /// Workgroups of [`PackBlocks`] for `rows` rows.
    pub const fn dispatch_blocks(&self, rows: u32) -> [u32; 3] {
        grid((rows * self.units_per_row / 2).div_ceil(64))
    }
}

/// CPU twin of [`PackBlocks`]: codes, and scales.
pub fn pack_blocks(x: &[f32]) -> (Vec<u32>, Vec<f32>) {
    let (mut codes, mut scales) = (Vec::new(), Vec::new());
    for block in x.chunks(2 * UNIT as usize) {
        let d = block.iter().fold(0.0_f32, |most, x| most.max(x.abs())) / 127.0;
        for unit in block.chunks(UNIT as usize) {
            let q: Vec<i8> =
                unit.iter().map(|x| if d > 0.0 { (x / d).round_ties_even() as i8 } else { 0 }).collect();
            codes.extend(
                q.chunks_exact(4).map(|four| u32::from_le_bytes([0, 1, 2, 3].map(|i| four[i] as u8))),
            );
            scales.extend([d, d * q.iter().map(|&q| f32::from(q)).sum::<f32>()]);
        }
    }
    (codes, scales)
}

impl Kernel for PackRows {
    fn source(&self) -> Result<Source, PreprocessError> {
        source("matmul_pack_rows", false)
    }

    /// Rows rounded to int8.
    fn case(&self) -> Result<Case, CaseError> {
        Ok(case(pack_rows, Params::dispatch))
    }

    fn is_packed(&self) -> bool {
        true
    }
}

impl Kernel for PackBlocks {
    fn source(&self) -> Result<Source, PreprocessError> {
        source("matmul_pack_blocks", true)
    }

    /// Rows rounded to int8.
    fn case(&self) -> Result<Case, CaseError> {
        Ok(case(pack_blocks, Params::dispatch_blocks))
    }
}

fn source(name: &str, blocks: bool) -> Result<Source, PreprocessError> {
    let defines = Defines::new().set("BLOCKS", blocks);
    Source::build::<Params>("matmul/pack_rows.wgsl", name.to_owned(), &defines)
}

/// Rounds rows to codes and scales.
type Rounding = fn(&[f32]) -> (Vec<u32>, Vec<f32>);

/// Rows on a grid of 1/64 below 127/64, so that every code is exact. Elsewhere one may differ where an element lies between two.
fn case(pack: Rounding, dispatch: fn(&Params, u32) -> [u32; 3]) -> Case {
    let (k, rows) = (1280, 3);
    let mut x: Vec<f32> = random(33, k * rows).iter().map(|v| (v * 126.0).round() / 64.0).collect();
    x.chunks_exact_mut(16).for_each(|unit| unit[3] = 127.0 / 64.0);
    let (codes, scales) = pack(&x);
    let params = Params::new(k as u32);
    let args =
        args![uniform(&params), state(0, rows as u32), floats(&x), zeros(codes.len()), zeros(scales.len())];
    let expected = vec![Expected::words(3, &codes), Expected::new(4, scales, 1e-4)];
    Case { args, grid: dispatch(&params, rows as u32), expected }
}
