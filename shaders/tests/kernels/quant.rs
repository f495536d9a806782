//! Weights quantised, read and repacked, without a device.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use shaders::quant::{QuantError, dequantize, planar_values, quantize, repack};
use shaders::{DType, PlanarLayout};

/// Random bytes as blocks whose half scales are finite.
fn blocks(dtype: DType, raw: &[u8]) -> Vec<u8> {
    let mut bytes = raw[..raw.len() - raw.len() % dtype.block_bytes()].to_vec();
    for block in bytes.chunks_exact_mut(dtype.block_bytes()) {
        let halves: &[usize] = match dtype {
            DType::IQ1_M => &[54],
            DType::TQ1_0 => &[52],
            DType::TQ2_0 => &[64],
            DType::NVFP4 | DType::MXFP4 => &[],
            DType::Q4_1 | DType::Q5_1 | DType::Q4_K | DType::Q5_K => &[0, 2],
            DType::Q2_K => &[80, 82],
            DType::Q3_K => &[108],
            DType::Q6_K => &[208],
            DType::F32 | DType::BF16 => &[],
            _ => &[0],
        };
        for &offset in halves {
            block[offset + 1] &= 0xbf;
        }
        // Neither has the largest number of MXFP4 a place in f32.
        if dtype == DType::MXFP4 {
            block[0] &= 0x7f;
        }
        if matches!(dtype, DType::F32 | DType::BF16) {
            let last = block.len() - 1;
            block[last] &= 0xbf;
        }
    }
    bytes
}

proptest! {
    #[test]
    fn planes_hold_the_values_of_the_blocks(raw in proptest::collection::vec(any::<u8>(), 6 * 256 * 4)) {
        for dtype in DType::ALL {
            let bytes = blocks(dtype, &raw);
            let elements = bytes.len() / dtype.block_bytes() * dtype.block_elements();
            // Three rows, so that rows of 32-element blocks may share words.
            let multiple = dtype.block_elements().max(16);
            let k = (elements / 3 / multiple * multiple).min(768);
            let k = if multiple == 32 && (k / 32).is_multiple_of(2) { k - 32 } else { k };
            let bytes = &bytes[..3 * dtype.row_bytes(k as u64).unwrap() as usize];
            let mut want = vec![0.0; 3 * k];
            dequantize(dtype, bytes, &mut want).unwrap();
            let words = repack(dtype, k as u64, 3, bytes).unwrap();
            let layout = PlanarLayout::new(dtype, k as u64, 3).unwrap();
            prop_assert_eq!(words.len(), layout.words as usize);
            for row in 0..3 {
                let got = planar_values(&layout, &words, row);
                for (e, (got, exact)) in got.iter().zip(&want[row as usize * k..]).enumerate() {
                    // s·code − m is rounded otherwise than s·(code − offset): by one part in 2²³ of s·64.
                    let group = want_group(&want, row as usize * k + e);
                    let tolerance = if dtype.is_float() { 0.0 } else { group * 2e-6 };
                    prop_assert!((got - exact).abs() <= tolerance, "{} row {} element {}: {} {}", dtype, row, e, got, exact);
                }
            }
        }
    }
}

/// An upper bound for `s·code` and `m` around element `e`: both are at most a few times the largest value.
fn want_group(values: &[f32], e: usize) -> f32 {
    let start = e / 256 * 256;
    values[start..(start + 256).min(values.len())].iter().fold(f32::MIN_POSITIVE, |max, x| max.max(x.abs()))
        * 64.0
}

fn wave(count: usize) -> Vec<f32> {
    (0..count)
        .map(|i| ((i * 7919 % 1009) as f32 / 504.5 - 1.0) * (1.0 + (i / 16 % 5) as f32) * 0.02)
        .collect()
}

#[test]
fn quantising_stays_within_the_steps_of_the_type() {
    let values = wave(1024);
    for dtype in DType::ALL {
        let bytes = quantize(dtype, &values).unwrap();
        assert_eq!(Some(bytes.len() as u64), dtype.row_bytes(1024));
        let mut back = vec![0.0; 1024];
        dequantize(dtype, &bytes, &mut back).unwrap();
        let error = values.iter().zip(&back).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>();
        let energy = values.iter().map(|a| f64::from(*a).powi(2)).sum::<f64>();
        let relative = (error / energy).sqrt();
        // Values uniform over ±a, rounded to steps of 2a/L, have a relative error of 1/L; a third more is for scales
        // that are rounded too, and for the side of the range that has one level less.
        let levels = match dtype {
            DType::F32 => f64::INFINITY,
            DType::F16 => 4096.0,
            DType::BF16 => 512.0,
            DType::Q8_0 => 254.0,
            DType::Q6_K => 63.0,
            DType::Q5_0 | DType::Q5_1 | DType::Q5_K => 31.0,
            DType::Q4_0 | DType::Q4_1 | DType::Q4_K | DType::IQ4_NL | DType::IQ4_XS => 15.0,
            DType::IQ3_S | DType::IQ3_XXS | DType::NVFP4 => 7.0,
            DType::MXFP4 => 6.0,
            DType::Q3_K => 7.0,
            DType::Q2_K | DType::IQ2_S | DType::IQ2_XS | DType::IQ2_XXS => 3.0,
            DType::IQ1_M | DType::IQ1_S => 2.0,
            DType::TQ2_0 | DType::TQ1_0 | DType::Q2_0 | DType::Q1_0 => 2.0,
        };
        let bound = 4.0 / 3.0 / levels;
        assert!(relative <= bound, "{dtype}: {relative} > {bound}");
    }
}

#[test]
fn zeros_stay_zero() {
    for dtype in DType::ALL {
        let bytes = quantize(dtype, &[0.0; 256]).unwrap();
        let mut back = vec![1.0; 256];
        dequantize(dtype, &bytes, &mut back).unwrap();
        assert!(back.iter().all(|&x| x == 0.0), "{dtype}");
    }
}

#[test]
fn lengths_are_checked() {
    assert!(matches!(dequantize(DType::Q4_0, &[0; 18], &mut [0.0; 31]), Err(QuantError::Length { .. })));
    assert!(matches!(dequantize(DType::Q4_0, &[0; 17], &mut [0.0; 32]), Err(QuantError::Length { .. })));
    assert!(matches!(repack(DType::Q4_0, 32, 2, &[0; 18]), Err(QuantError::Length { .. })));
    assert!(matches!(repack(DType::Q4_K, 32, 2, &[0; 18]), Err(QuantError::Layout(_))));
    assert!(matches!(quantize(DType::Q6_K, &[0.0; 32]), Err(QuantError::Length { .. })));
}
