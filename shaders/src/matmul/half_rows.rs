//! Launcher and CPU twin of `wgsl/matmul/half_rows.wgsl`: rows rounded to halves.

use crate::case::{Arg, Case, CaseError, Expected, Reading, args, random};
use crate::{Defines, Kernel, PreprocessError, Source, grid};
use half::f16;

/// The kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfRows;

params! {
    /// The uniform at binding 0. Then: the state (its `len` is T), x f32 `[rows, K]`, halves `[rows, K/2]` (two a word),
    /// factors f32 `[rows]`.
    #[derive(Eq)]
    pub struct Params {
        /// Width of a row in vec4s: K / 4.
        pub width4: u32,
        /// Rows per position of the step: 1, or the number of experts used per token.
        pub rows_per_position: u32,
        /// Unused.
        pub pad: [u32; 2],
    }
}

impl Params {
    /// Parameters for rows of `k` elements, a multiple of 8.
    pub const fn new(k: u32, rows_per_position: u32) -> Self {
        Self { width4: k / 4, rows_per_position, pad: [0; 2] }
    }

    /// Workgroups for `positions` positions.
    pub const fn dispatch(&self, positions: u32) -> [u32; 3] {
        grid(positions * self.rows_per_position)
    }
}

/// CPU twin: a row, and its factor.
pub fn half_row(x: &[f32]) -> (Vec<f16>, f32) {
    let largest = x.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    let exponent = (largest.to_bits() >> 23).clamp(20, 250);
    let factor = f32::from_bits((exponent - 10) << 23);
    (x.iter().map(|&x| f16::from_f32(x / factor)).collect(), factor)
}

/// Halves and factors of rows, as the products by matrix units read them.
pub(super) fn args(x: &[f32], k: u32) -> [Arg; 2] {
    let (halves, factors): (Vec<_>, Vec<_>) = x.chunks_exact(k as usize).map(half_row).unzip();
    let bits: Vec<u16> = halves.concat().into_iter().map(f16::to_bits).collect();
    [Arg::words(&bits), Arg::floats(&factors)]
}

impl Kernel for HalfRows {
    fn source(&self) -> Result<Source, PreprocessError> {
        Source::build::<Params>("matmul/half_rows.wgsl", "matmul_half_rows", &Defines::new())
    }

    /// Rows rounded to halves, of magnitudes that halves do not reach.
    fn case(&self) -> Result<Case, CaseError> {
        let (k, rows_per_position) = (520, 2);
        let mut x = random(35, k * 6);
        for (row, magnitude) in x.chunks_exact_mut(k).zip([1.0, 1e-9, 3e6, 0.03, 1e20, 0.0]) {
            row.iter_mut().for_each(|x| *x *= magnitude);
        }
        let (halves, factors): (Vec<_>, Vec<_>) = x.chunks_exact(k).map(half_row).unzip();
        let params = Params::new(k as u32, rows_per_position);
        let args = args![uniform(&params), state(0, 3), floats(&x), zeros(x.len() / 2), zeros(factors.len())];
        let halves = halves.concat().into_iter().map(f16::to_f32).collect();
        let halves = Expected { reading: Reading::F16, ..Expected::new(3, halves, 1e-3) };
        let factors = Expected { absolute: 0.0, relative: 0.0, ..Expected::new(4, factors, 0.0) };
        Ok(Case { args, grid: params.dispatch(3), expected: vec![halves, factors] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_element_is_in_the_middle_of_the_range() {
        for largest in [1e-30_f32, 1e-5, 0.03, 1.0, 700.0, 1e6, 1e30] {
            let (halves, factor) = half_row(&[0.0, largest, -largest / 3.0]);
            let half = halves[1].to_f32();
            assert!((1024.0..=2048.0).contains(&half), "{largest}: {half}");
            let error = (half * factor - largest).abs() / largest;
            assert!(error <= 1.0 / 2048.0, "{largest}: {error}");
        }
        assert_eq!(half_row(&[0.0; 8]).0, [f16::ZERO; 8]);
    }
}
