//! The planar layout of [`crate::planes`] on the CPU: the twin of `repack/repack.wgsl` and of `shared/planes.wgsl`.

use super::{QuantError, blocks, half_at, q3_scale, scale_min, word_at};
use crate::forms::Scales;
use crate::planes::{UNIT, lo_words};
use crate::{DType, PlanarLayout};
use half::{bf16, f16};

/// Elements per unit, as `usize`.
const ELEMENTS: usize = UNIT as usize;

/// Repacks `n` rows of `k` elements from file blocks to the words of [`PlanarLayout::new`].
///
/// # Errors
/// [`QuantError::Layout`] when the matrix has no layout, [`QuantError::Length`] when `bytes` is not `n` rows.
pub fn repack(dtype: DType, k: u64, n: u64, bytes: &[u8]) -> Result<Vec<u32>, QuantError> {
    let layout = PlanarLayout::new(dtype, k, n)?;
    // In u64: the number of elements may exceed a 32-bit usize even if the number of bytes does not.
    if dtype.row_bytes(k).and_then(|row| row.checked_mul(n)) != Some(bytes.len() as u64) {
        let elements = usize::try_from(k * n).unwrap_or(usize::MAX);
        return Err(QuantError::Length { dtype, elements, bytes: bytes.len() });
    }
    let mut words = vec![0u32; layout.words as usize];
    let units_per_block = (dtype.block_elements() / ELEMENTS).max(1);
    let unit_bytes = dtype.block_bytes() * ELEMENTS.max(dtype.block_elements()) / dtype.block_elements();
    let [lo, hi, sc, d] =
        [layout.planes.lo, layout.planes.hi, layout.planes.sc, layout.planes.d].map(|offset| offset as usize);

    for (number, block) in bytes.chunks_exact(unit_bytes).enumerate() {
        for j in 0..units_per_block {
            let g = number * units_per_block + j;
            let per_unit = lo_words(dtype) as usize;
            let bits = dtype.bits();
            match bits {
                8 | 16 | 32 => {
                    let at = if bits == 8 { 2 + 16 * j } else { 0 };
                    for i in 0..per_unit {
                        words[lo + g * per_unit + i] = word_at(block, at + 4 * i);
                    }
                }
                _ => {
                    for e in 0..ELEMENTS {
                        let code = u32::from(code_of(dtype, block, ELEMENTS * j + e));
                        let (quad, byte) = (e / 4, e % 4);
                        if bits < 4 {
                            words[lo + g] |= (code & 3) << (8 * byte + 2 * quad);
                        } else {
                            words[lo + g * 2 + e / 8] |= (code & 15) << (8 * byte + 4 * (quad % 2));
                        }
                        match bits {
                            6 => words[hi + g] |= (code >> 4) << (8 * byte + 2 * quad),
                            3 | 5 => {
                                words[hi + g / 2] |= (code >> (bits - 1)) << (8 * byte + 4 * (g % 2) + quad);
                            }
                            _ => {}
                        }
                    }
                }
            }
            let group = g / 2;
            match dtype.scales() {
                Scales::None | Scales::Blocks => {}
                Scales::Halves => {
                    if j.is_multiple_of(2) {
                        words[sc + group / 2] |= (word_at(block, 0) & 0xffff) << (16 * (group % 2));
                    }
                }
                Scales::HalfPairs => words[sc + group] = word_at(block, 0),
                Scales::BytePairs => {
                    if j.is_multiple_of(2) {
                        let (scale, min) = scale_min(&block[4..16], j / 2);
                        let pair = u32::from(scale) | u32::from(min) << 8;
                        words[sc + group / 2] |= pair << (16 * (group % 2));
                    }
                }
                Scales::NibblePairs | Scales::Bytes16 | Scales::Minifloats => {
                    words[sc + g / 4] |= u32::from(small_scale_of(dtype, block, j)) << (8 * (g % 4));
                }
                Scales::Bytes32 | Scales::Exponents => {
                    if j.is_multiple_of(2) {
                        let scale = u32::from(small_scale_of(dtype, block, j));
                        words[sc + group / 4] |= scale << (8 * (group % 4));
                    }
                }
            }
            if dtype.block_elements() == 256 {
                words[d + g / 16] = match dtype {
                    DType::Q4_K | DType::Q5_K => word_at(block, 0),
                    DType::Q2_K => word_at(block, 80),
                    DType::Q3_K => half_at(block, 108).to_bits(),
                    DType::Q6_K => half_at(block, 208).to_bits(),
                    _ => blocks::block_scale(dtype, block).to_bits(),
                };
            }
        }
    }
    Ok(words)
}

/// The scale of unit `j` of a block, as its byte in the planes.
fn small_scale_of(dtype: DType, block: &[u8], j: usize) -> u8 {
    match dtype {
        DType::Q2_K => block[j],
        DType::Q3_K => q3_scale(&block[96..108], j).wrapping_sub(32),
        DType::Q6_K => block[192 + j],
        _ => blocks::small_scale(dtype, block, j),
    }
}

/// The unsigned code of element `e` of a block (2 to 6 bits).
fn code_of(dtype: DType, block: &[u8], e: usize) -> u8 {
    let nibble = |qs: usize| if e < 16 { block[qs + e] & 15 } else { block[qs + e - 16] >> 4 };
    let bit = |qh: usize| ((word_at(block, qh) >> (e % 32) & 1) << 4) as u8;
    let grouped = |qs: usize| (block[qs + 32 * (e / 64) + e % 32] >> (4 * (e / 32 % 2))) & 15;
    let two = |qs: usize| (block[qs + 32 * (e / 128) + e % 32] >> (2 * (e % 128 / 32))) & 3;
    match dtype {
        DType::Q4_0 | DType::IQ4_NL => nibble(2),
        DType::Q4_1 => nibble(4),
        DType::Q5_0 => nibble(6) | bit(2),
        DType::Q5_1 => nibble(8) | bit(4),
        DType::Q2_K => two(16),
        DType::Q3_K => two(32) | ((block[e % 32] >> (e / 32)) & 1) << 2,
        DType::Q4_K => grouped(16),
        DType::Q5_K => grouped(48) | ((block[16 + e % 32] >> (e / 32)) & 1) << 4,
        DType::Q6_K => {
            let low = (block[64 * (e / 128) + e % 64] >> (4 * (e % 128 / 64))) & 15;
            low | ((block[128 + 32 * (e / 128) + e % 32] >> (2 * (e % 128 / 32))) & 3) << 4
        }
        // Floats and Q8_0 are copied.
        _ => blocks::code(dtype, block, e),
    }
}

/// The values of one row, read from the planes. CPU twin of `P_values` in `shared/planes.wgsl`.
///
/// `words` must contain the planes of the layout, and `row` must be below `layout.n`. Missing words read as zero.
pub fn planar_values(layout: &PlanarLayout, words: &[u32], row: u32) -> Vec<f32> {
    let planes = layout.planes;
    let word = |plane: u32, index: u32| words.get(plane as usize + index as usize).copied().unwrap_or(0);
    let mut values = Vec::with_capacity(layout.k as usize);
    for unit in 0..layout.units_per_row {
        let g = row * layout.units_per_row + unit;
        let (scale, offset) = scale_of(layout, g, &word);
        for e in 0..UNIT {
            let (quad, byte) = (e / 4, e % 4);
            let low = || match layout.dtype.bits() {
                2 | 3 => word(planes.lo, g) >> (8 * byte + 2 * quad) & 3,
                _ => word(planes.lo, g * 2 + e / 8) >> (8 * byte + 4 * (quad % 2)) & 15,
            };
            let last = || word(planes.hi, g / 2) >> (8 * byte + 4 * (g % 2) + quad) & 1;
            let index = || match layout.dtype.bits() {
                6 => low() | (word(planes.hi, g) >> (8 * byte + 2 * quad) & 3) << 4,
                5 => low() | last() << 4,
                3 => low() | last() << 2,
                _ => low(),
            };
            let code = match (layout.dtype, layout.dtype.table()) {
                (DType::F32, _) => f32::from_bits(word(planes.lo, g * 16 + e)),
                (DType::F16, _) => pair(word(planes.lo, g * 8 + e / 2))[e as usize % 2],
                (DType::BF16, _) => {
                    let bits = word(planes.lo, g * 8 + e / 2) >> (16 * (e % 2));
                    bf16::from_bits(bits as u16).to_f32()
                }
                (DType::Q8_0, _) => f32::from((word(planes.lo, g * 4 + quad) >> (8 * byte)) as u8 as i8),
                (_, Some(table)) => f32::from(table[index() as usize]),
                (_, None) => index() as f32,
            };
            values.push(scale * code - offset);
        }
    }
    values
}

/// `(s, m)` of a unit. CPU twin of `P_scale`.
fn scale_of(layout: &PlanarLayout, g: u32, word: &impl Fn(u32, u32) -> u32) -> (f32, f32) {
    let planes = layout.planes;
    let byte16 = || (word(planes.sc, g / 4) >> (8 * (g % 4))) as u8;
    let byte32 = || (word(planes.sc, g / 8) >> (8 * (g / 2 % 4))) as u8;
    let block_pair = || pair(word(planes.d, g / 16));
    let block = || f32::from_bits(word(planes.d, g / 16));
    let scale = match layout.dtype.scales() {
        Scales::None => 1.0,
        Scales::Halves => pair(word(planes.sc, g / 4))[g as usize / 2 % 2],
        Scales::HalfPairs => {
            let [d, m] = pair(word(planes.sc, g / 2));
            return (d, -m);
        }
        Scales::BytePairs => {
            let bits = word(planes.sc, g / 4) >> (16 * (g / 2 % 2));
            let [d, dmin] = block_pair();
            return (d * (bits & 0xff) as f32, dmin * (bits >> 8 & 0xff) as f32);
        }
        Scales::NibblePairs => {
            let [d, dmin] = block_pair();
            return (d * f32::from(byte16() & 15), dmin * f32::from(byte16() >> 4));
        }
        Scales::Bytes16 => block() * f32::from(byte16() as i8),
        Scales::Bytes32 => block() * f32::from(byte32() as i8),
        Scales::Blocks => block(),
        Scales::Exponents => blocks::exponent(byte32()),
        Scales::Minifloats => blocks::minifloat(byte16()),
    };
    (scale, scale * f32::from(layout.dtype.zero()))
}

/// The two halves of a word, the low one first.
fn pair(word: u32) -> [f32; 2] {
    [f16::from_bits(word as u16).to_f32(), f16::from_bits((word >> 16) as u16).to_f32()]
}
