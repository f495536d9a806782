//! Launcher and CPU twin of `wgsl/matmul/pack_rows.wgsl`: rows rounded to int8.

use crate::math::pack_unit;
use crate::planes::UNIT;
use crate::{Defines, PreprocessError, Source};

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
    #[must_use]
    pub const fn new(k: u32) -> Self {
        Self { units_per_row: k / UNIT, pad: [0; 3] }
    }

    /// Workgroups for `rows` rows.
    #[must_use]
    pub const fn dispatch(&self, rows: u32) -> [u32; 3] {
        [(rows * self.units_per_row).div_ceil(64), 1, 1]
    }
}

/// The kernel.
///
/// # Errors
/// When the template cannot be expanded.
pub fn source() -> Result<Source, PreprocessError> {
    Source::build::<Params>("matmul/pack_rows.wgsl", "matmul_pack_rows".to_owned(), &Defines::new())
}

/// CPU twin: codes and scales of rows.
#[must_use]
pub fn pack_rows(x: &[f32]) -> (Vec<u32>, Vec<f32>) {
    let (mut codes, mut scales) = (Vec::new(), Vec::new());
    for unit in x.chunks_exact(UNIT as usize) {
        let (d, q) = pack_unit(unit);
        let word =
            |four: &[i8]| u32::from_le_bytes([four[0] as u8, four[1] as u8, four[2] as u8, four[3] as u8]);
        codes.extend(q.chunks_exact(4).map(word));
        scales.extend([d, d * q.iter().map(|&q| f32::from(q)).sum::<f32>()]);
    }
    (codes, scales)
}
