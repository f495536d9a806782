//! Dequantisation of GGUF blocks. The layouts are those of ggml.

use super::{QuantError, blocks, check_length, half_at, q3_scale, scale_min, word_at};
use crate::DType;
use crate::forms::IQ4_NL_VALUES;
use half::bf16;

/// Dequantises whole blocks.
///
/// # Errors
/// [`QuantError::Length`] when `bytes` is not exactly `out.len()` elements in whole blocks.
pub fn dequantize(dtype: DType, bytes: &[u8], out: &mut [f32]) -> Result<(), QuantError> {
    check_length(dtype, out.len(), bytes.len())?;
    let element = element_of(dtype);
    let blocks = bytes.chunks_exact(dtype.block_bytes());
    for (block, values) in blocks.zip(out.chunks_exact_mut(dtype.block_elements())) {
        for (e, value) in values.iter_mut().enumerate() {
            *value = element(dtype, block, e);
        }
    }
    Ok(())
}

/// The function that dequantises element `e` of a block.
fn element_of(dtype: DType) -> fn(DType, &[u8], usize) -> f32 {
    match dtype {
        DType::F32 => |_, block, _| f32::from_bits(word_at(block, 0)),
        DType::F16 => |_, block, _| half_at(block, 0),
        DType::BF16 => |_, block, _| bf16::from_le_bytes([block[0], block[1]]).to_f32(),
        DType::Q4_0 => |_, block, e| half_at(block, 0) * f32::from(nibble(&block[2..], e) as i8 - 8),
        DType::Q4_1 => {
            |_, block, e| half_at(block, 0) * f32::from(nibble(&block[4..], e)) + half_at(block, 2)
        }
        DType::Q5_0 => |_, block, e| {
            let code = nibble(&block[6..], e) | fifth_bit(word_at(block, 2), e);
            half_at(block, 0) * f32::from(code as i8 - 16)
        },
        DType::Q5_1 => |_, block, e| {
            let code = nibble(&block[8..], e) | fifth_bit(word_at(block, 4), e);
            half_at(block, 0) * f32::from(code) + half_at(block, 2)
        },
        DType::Q8_0 => |_, block, e| half_at(block, 0) * f32::from(block[2 + e] as i8),
        DType::IQ4_NL => {
            |_, block, e| half_at(block, 0) * f32::from(IQ4_NL_VALUES[usize::from(nibble(&block[2..], e))])
        }
        DType::Q2_K => |_, block, e| {
            let scale = block[e / 16];
            let (d, dmin) = (half_at(block, 80), half_at(block, 82));
            let code = two_bits(&block[16..], e);
            d * f32::from(scale & 15) * f32::from(code) - dmin * f32::from(scale >> 4)
        },
        DType::Q3_K => |_, block, e| {
            let scale = q3_scale(&block[96..108], e / 16) as i8 - 32;
            let offset = if (block[e % 32] >> (e / 32)) & 1 == 1 { 0 } else { 4 };
            let code = two_bits(&block[32..], e) as i8 - offset;
            half_at(block, 108) * f32::from(scale) * f32::from(code)
        },
        DType::Q4_K => |_, block, e| {
            let (scale, min) = scale_min(&block[4..16], e / 32);
            let code = grouped_nibble(&block[16..], e);
            half_at(block, 0) * f32::from(scale) * f32::from(code) - half_at(block, 2) * f32::from(min)
        },
        DType::Q5_K => |_, block, e| {
            let (scale, min) = scale_min(&block[4..16], e / 32);
            let code = grouped_nibble(&block[48..], e) | ((block[16 + e % 32] >> (e / 32)) & 1) << 4;
            half_at(block, 0) * f32::from(scale) * f32::from(code) - half_at(block, 2) * f32::from(min)
        },
        DType::Q6_K => |_, block, e| {
            let (n, r) = (e / 128, e % 128);
            let low = if r < 64 { block[64 * n + r] & 15 } else { block[64 * n + r - 64] >> 4 };
            let high = (block[128 + 32 * n + r % 32] >> (2 * (r / 32))) & 3;
            let code = (low | high << 4) as i8 - 32;
            half_at(block, 208) * f32::from(block[192 + e / 16] as i8) * f32::from(code)
        },
        _ => blocks::element,
    }
}

/// Element `e < 32`: the low nibbles of 16 bytes, then the high nibbles of the same bytes.
fn nibble(qs: &[u8], e: usize) -> u8 {
    if e < 16 { qs[e] & 15 } else { qs[e - 16] >> 4 }
}

fn fifth_bit(bits: u32, e: usize) -> u8 {
    ((bits >> e & 1) << 4) as u8
}

/// Element `e < 256` of Q2_K and Q3_K: four 2-bit planes per 32 bytes.
fn two_bits(qs: &[u8], e: usize) -> u8 {
    (qs[32 * (e / 128) + e % 32] >> (2 * ((e % 128) / 32))) & 3
}

/// Element `e < 256` of Q4_K and Q5_K: 32 low nibbles, then the 32 high nibbles of the same bytes.
fn grouped_nibble(qs: &[u8], e: usize) -> u8 {
    let byte = qs[32 * (e / 64) + e % 32];
    if (e / 32).is_multiple_of(2) { byte & 15 } else { byte >> 4 }
}
