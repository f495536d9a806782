//! Quantised matrices for test cases.

use super::{CaseError, random};
use crate::quant::{dequantize, quantize, repack};
use crate::{DType, PlanarLayout};

/// A quantised matrix.
pub(crate) struct Matrix {
    /// Where its planes lie.
    pub(crate) layout: PlanarLayout,
    /// Its planes.
    pub(crate) words: Vec<u32>,
    /// Their values.
    pub(crate) values: Vec<f32>,
}

/// A factor for every third row that makes its block scales subnormal halves, like most super-block scales of
/// published models.
fn small(dtype: DType) -> f32 {
    match dtype {
        DType::F32 | DType::F16 | DType::BF16 => 1.0,
        DType::Q4_0 | DType::Q4_1 => 3e-4,
        DType::Q5_0 | DType::Q5_1 | DType::Q2_K => 6e-4,
        DType::Q4_K | DType::Q5_K => 3e-3,
        DType::Q8_0 | DType::IQ4_NL | DType::Q3_K => 5e-3,
        DType::Q6_K | DType::IQ4_XS => 0.1,
        DType::IQ1_M | DType::IQ1_S => 5e-4,
        DType::IQ3_S | DType::IQ3_XXS | DType::IQ2_S | DType::IQ2_XS | DType::IQ2_XXS => 0.01,
        DType::TQ2_0 | DType::TQ1_0 | DType::Q2_0 | DType::Q1_0 => 4e-5,
        // Subnormal minifloats, and exponents that are none.
        DType::NVFP4 => 0.02,
        DType::MXFP4 => 1e-3,
    }
}

/// Random values, those of every third row small.
pub(crate) fn values(dtype: DType, k: u32, rows: u32, seed: u64) -> Vec<f32> {
    let mut values = random(seed, k as usize * rows as usize);
    for row in values.chunks_exact_mut(k as usize).skip(1).step_by(3) {
        row.iter_mut().for_each(|value| *value *= small(dtype));
    }
    values
}

/// A matrix of random values.
pub(crate) fn matrix(dtype: DType, k: u32, rows: u32, seed: u64) -> Result<Matrix, CaseError> {
    let source = values(dtype, k, rows, seed);
    let bytes = quantize(dtype, &source)?;
    let mut values = vec![0.0; source.len()];
    dequantize(dtype, &bytes, &mut values)?;
    let (k, rows) = (u64::from(k), u64::from(rows));
    Ok(Matrix { layout: PlanarLayout::new(dtype, k, rows)?, words: repack(dtype, k, rows, &bytes)?, values })
}

/// Tolerance of a product of `k` terms: f32 sums in another order.
pub(crate) fn tolerance(k: u32) -> f32 {
    1e-3 + 2e-6 * k as f32
}

#[cfg(test)]
mod tests {
    use half::f16;

    use super::*;

    #[test]
    fn every_quantised_matrix_has_subnormal_scales_and_others() {
        for dtype in DType::ALL.into_iter().filter(|dtype| !dtype.is_float()) {
            let at = match dtype {
                DType::Q2_K => 80,
                DType::Q3_K => 108,
                DType::Q6_K => 208,
                DType::TQ1_0 => 52,
                DType::TQ2_0 => 64,
                // Their scales are no halves, or not in one place.
                DType::MXFP4 | DType::NVFP4 | DType::IQ1_M => continue,
                _ => 0,
            };
            let bytes = quantize(dtype, &values(dtype, 512, 6, 1)).expect("whole blocks");
            let scale = |block: &[u8]| f16::from_le_bytes([block[at], block[at + 1]]);
            let scales: Vec<f16> = bytes.chunks_exact(dtype.block_bytes()).map(scale).collect();
            let subnormal = |scale: &f16| !scale.is_normal() && *scale != f16::ZERO;
            let count = scales.iter().filter(|scale| subnormal(scale)).count();
            assert!(0 < count && count < scales.len(), "{dtype}: {count} of {}", scales.len());
        }
    }
}
