//! Simple quantisers for tests and synthetic models. The scale of a group comes from its extremes, and codes are
//! rounded to nearest. Published files search for better scales.

use super::{QuantError, absolute_max, coded};
use crate::DType;
use crate::forms::IQ4_NL_VALUES;
use half::{bf16, f16};

/// Quantises whole blocks into the file format.
///
/// # Errors
/// [`QuantError::Length`] when the values are not a whole number of blocks.
pub fn quantize(dtype: DType, values: &[f32]) -> Result<Vec<u8>, QuantError> {
    let elements = dtype.block_elements();
    if !values.len().is_multiple_of(elements) {
        return Err(QuantError::Length { dtype, elements: values.len(), bytes: 0 });
    }
    let mut bytes = Vec::with_capacity(values.len() / elements * dtype.block_bytes());
    for block in values.chunks_exact(elements) {
        match dtype {
            DType::F32 => bytes.extend(block[0].to_le_bytes()),
            DType::F16 => bytes.extend(f16::from_f32(block[0]).to_le_bytes()),
            DType::BF16 => bytes.extend(bf16::from_f32(block[0]).to_le_bytes()),
            DType::Q4_0 => symmetric(block, 4, &mut bytes),
            DType::Q5_0 => symmetric(block, 5, &mut bytes),
            DType::Q4_1 => affine(block, 4, &mut bytes),
            DType::Q5_1 => affine(block, 5, &mut bytes),
            DType::Q8_0 => {
                let d = put_half(&mut bytes, absolute_max(block) / 127.0);
                bytes.extend(block.iter().map(|&x| code(x, d, -127.0, 127.0) as i8 as u8));
            }
            DType::IQ4_NL => {
                let d = put_half(&mut bytes, absolute_max(block) / 127.0);
                let codes: Vec<u8> = block.iter().map(|&x| nearest(x, d)).collect();
                put_nibbles(&mut bytes, &codes);
            }
            DType::Q2_K => q2_k(block, &mut bytes),
            DType::Q3_K => q3_k(block, &mut bytes),
            DType::Q4_K => q45_k(block, 4, &mut bytes),
            DType::Q5_K => q45_k(block, 5, &mut bytes),
            DType::Q6_K => q6_k(block, &mut bytes),
            _ => coded::encode(dtype, block, &mut bytes),
        }
    }
    Ok(bytes)
}

/// Appends `value` as a half, and returns the value of the half.
fn put_half(bytes: &mut Vec<u8>, value: f32) -> f32 {
    let half = f16::from_f32(value);
    bytes.extend(half.to_le_bytes());
    half.to_f32()
}

/// `x / d` rounded and clamped; 0 if the scale is 0.
fn code(x: f32, d: f32, low: f32, high: f32) -> i32 {
    if d == 0.0 { 0f32.clamp(low, high) as i32 } else { (x / d).round().clamp(low, high) as i32 }
}

/// The IQ4_NL code whose value is nearest.
fn nearest(x: f32, d: f32) -> u8 {
    let distance = |code: usize| (f32::from(IQ4_NL_VALUES[code]) * d - x).abs();
    (1..16).fold(0, |best, code| if distance(code) < distance(best) { code } else { best }) as u8
}

/// 32 codes: the low nibbles are the first 16, the high nibbles the others.
fn put_nibbles(bytes: &mut Vec<u8>, codes: &[u8]) {
    bytes.extend((0..16).map(|e| codes[e] & 15 | (codes[e + 16] & 15) << 4));
}

/// The fifth bits of 32 codes.
fn fifth_bits(codes: &[u8]) -> [u8; 4] {
    let bits = codes.iter().enumerate().map(|(e, code)| u32::from(code >> 4 & 1) << e);
    bits.fold(0, |all, bit| all | bit).to_le_bytes()
}

/// Q4_0 and Q5_0: the value with the largest magnitude gets the lowest code.
fn symmetric(block: &[f32], bits: u32, bytes: &mut Vec<u8>) {
    let zero = f32::from(1u8 << (bits - 1));
    let extreme = block.iter().fold(0.0f32, |best, &x| if x.abs() > best.abs() { x } else { best });
    let d = put_half(bytes, extreme / -zero);
    let codes: Vec<u8> = block.iter().map(|&x| (code(x, d, -zero, zero - 1.0) + zero as i32) as u8).collect();
    if bits == 5 {
        bytes.extend(fifth_bits(&codes));
    }
    put_nibbles(bytes, &codes);
}

/// Q4_1 and Q5_1: minimum and range.
fn affine(block: &[f32], bits: u32, bytes: &mut Vec<u8>) {
    let top = f32::from((1u8 << bits) - 1);
    let (min, max) = extremes(block);
    let d = put_half(bytes, (max - min) / top);
    let m = put_half(bytes, min);
    let codes: Vec<u8> = block.iter().map(|&x| code(x - m, d, 0.0, top) as u8).collect();
    if bits == 5 {
        bytes.extend(fifth_bits(&codes));
    }
    put_nibbles(bytes, &codes);
}

fn extremes(values: &[f32]) -> (f32, f32) {
    values.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(min, max), &x| (min.min(x), max.max(x)))
}

/// Scales and minima of groups with an offset: `(d, dmin)` as halves, and small integers up to `top`.
struct Groups {
    d: f16,
    dmin: f16,
    scale: Vec<u8>,
    min: Vec<u8>,
    /// Codes up to `levels`.
    codes: Vec<u8>,
}

impl Groups {
    fn new(block: &[f32], size: usize, levels: f32, top: f32) -> Self {
        let bounds: Vec<(f32, f32)> = block
            .chunks(size)
            .map(|group| {
                let (min, max) = extremes(group);
                let min = min.min(0.0);
                ((max - min).max(0.0) / levels, -min)
            })
            .collect();
        let largest = |values: &dyn Fn(&(f32, f32)) -> f32| bounds.iter().map(values).fold(0.0, f32::max);
        let d = f16::from_f32(largest(&|bound| bound.0) / top);
        let dmin = f16::from_f32(largest(&|bound| bound.1) / top);
        let scale: Vec<u8> = bounds.iter().map(|bound| code(bound.0, d.to_f32(), 0.0, top) as u8).collect();
        let min: Vec<u8> = bounds.iter().map(|bound| code(bound.1, dmin.to_f32(), 0.0, top) as u8).collect();
        let codes = block
            .iter()
            .enumerate()
            .map(|(e, &x)| {
                let s = d.to_f32() * f32::from(scale[e / size]);
                let m = dmin.to_f32() * f32::from(min[e / size]);
                code(x + m, s, 0.0, levels) as u8
            })
            .collect();
        Self { d, dmin, scale, min, codes }
    }
}

/// 256 two-bit codes in 64 bytes.
fn put_two_bits(bytes: &mut Vec<u8>, codes: &[u8]) {
    for half in codes.chunks_exact(128) {
        bytes.extend((0..32).map(|i| (0..4).fold(0, |byte, j| byte | (half[32 * j + i] & 3) << (2 * j))));
    }
}

fn q2_k(block: &[f32], bytes: &mut Vec<u8>) {
    let groups = Groups::new(block, 16, 3.0, 15.0);
    bytes.extend(groups.scale.iter().zip(&groups.min).map(|(scale, min)| scale | min << 4));
    put_two_bits(bytes, &groups.codes);
    bytes.extend(groups.d.to_le_bytes());
    bytes.extend(groups.dmin.to_le_bytes());
}

fn q45_k(block: &[f32], bits: u32, bytes: &mut Vec<u8>) {
    let groups = Groups::new(block, 32, f32::from((1u8 << bits) - 1), 63.0);
    bytes.extend(groups.d.to_le_bytes());
    bytes.extend(groups.dmin.to_le_bytes());
    let (scale, min) = (&groups.scale, &groups.min);
    bytes.extend((0..4).map(|s| scale[s] | (scale[s + 4] >> 4) << 6));
    bytes.extend((0..4).map(|s| min[s] | (min[s + 4] >> 4) << 6));
    bytes.extend((4..8).map(|s| scale[s] & 15 | (min[s] & 15) << 4));
    if bits == 5 {
        let high = |i: usize| (0..8).fold(0, |byte, s| byte | (groups.codes[32 * s + i] >> 4 & 1) << s);
        bytes.extend((0..32).map(high));
    }
    for pair in groups.codes.chunks_exact(64) {
        bytes.extend((0..32).map(|i| pair[i] & 15 | (pair[i + 32] & 15) << 4));
    }
}

/// Scales of 16-element groups without an offset: the half `d` and small signed scales.
fn signed_groups(block: &[f32], levels: f32, top: f32) -> (f16, Vec<i8>) {
    let wanted: Vec<f32> = block
        .chunks(16)
        .map(|group| {
            let extreme = group.iter().fold(0.0f32, |best, &x| if x.abs() > best.abs() { x } else { best });
            extreme / -levels
        })
        .collect();
    let d = f16::from_f32(absolute_max(&wanted) / top);
    let scales = wanted.iter().map(|&scale| code(scale, d.to_f32(), -top, top) as i8).collect();
    (d, scales)
}

fn q3_k(block: &[f32], bytes: &mut Vec<u8>) {
    let (d, scales) = signed_groups(block, 4.0, 31.0);
    let codes: Vec<u8> = block
        .iter()
        .enumerate()
        .map(|(e, &x)| (code(x, d.to_f32() * f32::from(scales[e / 16]), -4.0, 3.0) + 4) as u8)
        .collect();
    bytes.extend((0..32).map(|i| (0..8).fold(0, |byte, s| byte | (codes[32 * s + i] >> 2 & 1) << s)));
    put_two_bits(bytes, &codes);
    let packed: Vec<u8> = scales.iter().map(|scale| (scale + 32) as u8).collect();
    bytes.extend((0..8).map(|j| packed[j] & 15 | (packed[j + 8] & 15) << 4));
    bytes.extend((0..4).map(|i| (0..4).fold(0, |byte, j| byte | (packed[4 * j + i] >> 4) << (2 * j))));
    bytes.extend(d.to_le_bytes());
}

fn q6_k(block: &[f32], bytes: &mut Vec<u8>) {
    let (d, scales) = signed_groups(block, 32.0, 127.0);
    let codes: Vec<u8> = block
        .iter()
        .enumerate()
        .map(|(e, &x)| (code(x, d.to_f32() * f32::from(scales[e / 16]), -32.0, 31.0) + 32) as u8)
        .collect();
    for half in codes.chunks_exact(128) {
        bytes.extend((0..64).map(|i| half[i] & 15 | (half[i + 64] & 15) << 4));
    }
    for half in codes.chunks_exact(128) {
        bytes.extend((0..32).map(|i| (0..4).fold(0, |byte, j| byte | (half[32 * j + i] >> 4) << (2 * j))));
    }
    bytes.extend(scales.iter().map(|&scale| scale as u8));
    bytes.extend(d.to_le_bytes());
}
