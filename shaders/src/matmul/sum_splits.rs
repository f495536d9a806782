//! Launcher and CPU twin of `wgsl/matmul/sum_splits.wgsl`: the sum of the parts of a product that was split along K.

use crate::{Defines, PreprocessError, Source, grid};

params! {
    /// The uniform at binding 0. Then: the state (its `len` is T), parts f32 `[T·splits, N]`, out f32 `[T, N]`.
    #[derive(Eq)]
    pub struct Params {
        /// Width of a row in vec4s: N / 4.
        pub width4: u32,
        /// Parts per row.
        pub splits: u32,
        /// Unused.
        pub pad: [u32; 2],
    }
}

impl Params {
    /// Parameters for rows of `n` elements, a multiple of 4.
    #[must_use]
    pub const fn new(n: u32, splits: u32) -> Self {
        Self { width4: n / 4, splits, pad: [0; 2] }
    }

    /// Workgroups for `rows` rows.
    #[must_use]
    pub const fn dispatch(&self, rows: u32) -> [u32; 3] {
        grid((rows * self.width4).div_ceil(256))
    }
}

/// The kernel.
///
/// # Errors
/// When the template cannot be expanded.
pub fn source() -> Result<Source, PreprocessError> {
    Source::build::<Params>("matmul/sum_splits.wgsl", "matmul_sum_splits", &Defines::new())
}

/// CPU twin: the sums of `parts`, `[T, splits, n]`.
#[must_use]
pub fn sum_splits(parts: &[f32], n: usize, splits: usize) -> Vec<f32> {
    let sum = |row: &[f32], column: usize| row.iter().skip(column).step_by(n).sum();
    parts.chunks_exact(n * splits).flat_map(|row| (0..n).map(move |column| sum(row, column))).collect()
}
