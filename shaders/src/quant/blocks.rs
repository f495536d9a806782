//! The blocks of the IQ, FP4, ternary and binary types: of an element its code, of a block its scales. The value is their
//! product; a code of a type with a table stands for the value in [`DType::table`].

use super::{Grid, half_at, word_at};
use crate::DType;
use half::f16;

/// The code of element `e` of a block.
pub(super) fn code(dtype: DType, block: &[u8], e: usize) -> u8 {
    let (group, half) = (e / 8, e % 32 / 16);
    match dtype {
        DType::IQ4_XS => (block[8 + 16 * (e / 32) + e % 16] >> (4 * half)) & 15,
        DType::MXFP4 => (block[1 + e % 16] >> (4 * half)) & 15,
        DType::NVFP4 => (block[4 + 8 * (e / 16) + e % 8] >> (4 * (e % 16 / 8))) & 15,
        DType::TQ2_0 => (block[32 * (e / 128) + e % 32] >> (2 * (e % 128 / 32))) & 3,
        DType::TQ1_0 => {
            let (byte, digit) = ternary(e);
            let fraction = block[byte].wrapping_mul([1, 3, 9, 27, 81][digit]);
            ((u16::from(fraction) * 3) >> 8) as u8
        }
        DType::Q2_0 => (block[2 + e / 4] >> (2 * (e % 4))) & 3,
        DType::Q1_0 => (block[2 + e / 8] >> (e % 8) & 1) << 1,
        _ => match Grid::of(dtype) {
            Some(grid) => {
                let level = grid.level(entry(dtype, block, e / grid.width()), e % grid.width());
                let sign = signs(dtype, block, group) >> (e % 8) & 1;
                level | sign << grid.sign_bit()
            }
            // The types of `dequantize.rs`.
            None => 0,
        },
    }
}

/// Where element `e` of TQ1_0 is: a byte, and which of its ternary digits.
pub(super) const fn ternary(e: usize) -> (usize, usize) {
    match e {
        0..160 => (e % 32, e / 32),
        160..240 => (32 + e % 16, (e - 160) / 16),
        _ => (48 + e % 4, (e - 240) / 4),
    }
}

/// The index of entry `i` of the block in the grid.
fn entry(dtype: DType, block: &[u8], i: usize) -> usize {
    // Some bits of a number, above those of a byte.
    let above = |bits: u32, shift: usize, count: u32| ((bits >> shift) & ((1 << count) - 1)) << 8;
    let byte = |at: usize| u32::from(block[at]);
    let pair = |at: usize| u32::from(u16::from_le_bytes([block[at], block[at + 1]]));
    let index = match dtype {
        DType::IQ3_XXS => byte(2 + i),
        DType::IQ3_S => byte(2 + i) | above(byte(66 + i / 8), i % 8, 1),
        DType::IQ2_XXS => byte(2 + 8 * (i / 4) + i % 4),
        DType::IQ2_XS => pair(2 + 2 * i) & 511,
        DType::IQ2_S => byte(2 + i) | above(byte(66 + i / 4), 2 * (i % 4), 2),
        DType::IQ1_S => byte(2 + i) | above(pair(34 + 2 * (i / 4)), 3 * (i % 4), 3),
        DType::IQ1_M => byte(i) | above(byte(32 + i / 2), 4 * (i % 2), 3),
        _ => 0,
    };
    index as usize
}

/// The sign bits of eight elements; of IQ1, whether they are an eighth less.
pub(super) fn signs(dtype: DType, block: &[u8], group: usize) -> u8 {
    let all = |set: bool| if set { 0xff } else { 0 };
    let seven = match dtype {
        DType::IQ3_S => return block[74 + group],
        DType::IQ2_S => return block[34 + group],
        DType::IQ1_S => return all(block[35 + 2 * (group / 4)] & 0x80 != 0),
        DType::IQ1_M => return all(block[32 + group / 2] >> (4 * (group % 2)) & 8 != 0),
        DType::IQ3_XXS => (word_at(block, 66 + 4 * (group / 4)) >> (7 * (group % 4))) as u8 & 127,
        DType::IQ2_XXS => (word_at(block, 6 + 8 * (group / 4)) >> (7 * (group % 4))) as u8 & 127,
        _ => block[3 + 2 * group] >> 1,
    };
    // The eighth makes their number even.
    seven | ((seven.count_ones() % 2) as u8) << 7
}

/// The scale of unit `j` of a block as the planes have it; 0 if a block has one scale.
pub(super) fn small_scale(dtype: DType, block: &[u8], j: usize) -> u8 {
    let nibble = |at: usize, i: usize| block[at + i / 2] >> (4 * (i % 2)) & 15;
    let s = j / 2;
    let odd = match dtype {
        DType::IQ4_XS => {
            let high = block[2 + s / 4] >> (2 * (s % 4)) & 3;
            return (nibble(4, s) | high << 4).wrapping_sub(32);
        }
        DType::MXFP4 => return block[0],
        // This byte, which would be no number, stands for zero.
        DType::NVFP4 => return if block[j] == 0x7f { 0 } else { block[j] & 0x7f },
        DType::IQ3_S => nibble(106, s),
        DType::IQ3_XXS => block[69 + 4 * s] >> 4,
        DType::IQ2_XXS => block[9 + 8 * s] >> 4,
        DType::IQ2_XS => nibble(66, j),
        DType::IQ2_S => nibble(74, j),
        DType::IQ1_S => block[35 + 2 * s] >> 4 & 7,
        DType::IQ1_M => {
            let scales = u16::from_le_bytes([block[48 + 2 * (j / 4)], block[49 + 2 * (j / 4)]]);
            (scales >> (3 * (j % 4)) & 7) as u8
        }
        _ => return 0,
    };
    2 * odd + 1
}

/// The scale of a whole block, with the fraction that the integers of codes and scales leave out.
pub(super) fn block_scale(dtype: DType, block: &[u8]) -> f32 {
    match dtype {
        DType::IQ3_XXS => 0.25 * half_at(block, 0),
        DType::IQ2_S | DType::IQ2_XS | DType::IQ2_XXS | DType::IQ1_S => 0.125 * half_at(block, 0),
        DType::IQ1_M => {
            let nibbles = (0..4).map(|i| u16::from(block[49 + 2 * i] >> 4) << (4 * i));
            0.125 * f16::from_bits(nibbles.fold(0, |bits, nibble| bits | nibble)).to_f32()
        }
        DType::TQ1_0 => half_at(block, 52),
        DType::TQ2_0 => half_at(block, 64),
        _ => half_at(block, 0),
    }
}

/// The number that an exponent of MXFP4 stands for.
pub(super) fn exponent(x: u8) -> f32 {
    // Below 2^-126, the numbers are subnormal.
    f32::from_bits(match x {
        0 => 1 << 21,
        1 => 1 << 22,
        x => u32::from(x - 1) << 23,
    })
}

/// Half of the number that a scale of NVFP4 stands for.
pub(super) fn minifloat(x: u8) -> f32 {
    128.0 * f16::from_bits(u16::from(x) << 7).to_f32()
}

/// What the integers of the codes of unit `j` are multiplied by.
pub(super) fn scale(dtype: DType, block: &[u8], j: usize) -> f32 {
    let small = small_scale(dtype, block, j);
    match dtype {
        DType::MXFP4 => exponent(small),
        DType::NVFP4 => minifloat(small),
        DType::TQ2_0 | DType::TQ1_0 | DType::Q2_0 | DType::Q1_0 => block_scale(dtype, block),
        _ => block_scale(dtype, block) * f32::from(small as i8),
    }
}

/// The integer that a code stands for.
pub(super) fn value(dtype: DType, code: u8) -> i8 {
    dtype.table().map_or(code as i8 - dtype.zero() as i8, |table| table[usize::from(code)])
}

/// Element `e` of a block.
pub(super) fn element(dtype: DType, block: &[u8], e: usize) -> f32 {
    scale(dtype, block, e / 16) * f32::from(value(dtype, code(dtype, block, e)))
}
