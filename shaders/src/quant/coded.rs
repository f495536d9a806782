//! A simple quantiser for the types of `blocks.rs`: scales from the extremes of a group, then the nearest codes or entries of
//! the grid.

use super::blocks::{exponent, minifloat, scale, value};
use super::{Grid, absolute_max, blocks};
use crate::DType;
use crate::forms::Scales;
use half::f16;

/// Appends one block.
pub(super) fn encode(dtype: DType, values: &[f32], bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.resize(start + dtype.block_bytes(), 0);
    let block = &mut bytes[start..];
    set_scales(dtype, block, values);
    if let Some(grid) = Grid::of(dtype) {
        set_entries(dtype, grid, block, values);
        return;
    }
    for (e, &x) in values.iter().enumerate() {
        let scale = scale(dtype, block, e / 16);
        let distance = |code: u8| (scale * f32::from(value(dtype, code)) - x).abs();
        let all: &[u8] = match dtype {
            DType::Q1_0 => &[0, 2],
            DType::TQ2_0 | DType::TQ1_0 => &[1, 0, 2],
            DType::Q2_0 => &[1, 0, 2, 3],
            _ => &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        };
        let code = all.iter().copied().min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap_or(0);
        set_code(dtype, block, e, code);
    }
    if dtype == DType::TQ1_0 {
        finish_digits(block);
    }
}

fn set_scales(dtype: DType, block: &mut [u8], values: &[f32]) {
    let size = match dtype.scales() {
        Scales::Bytes16 | Scales::Minifloats => 16,
        Scales::Bytes32 | Scales::Exponents => 32,
        _ => values.len(),
    };
    let largest =
        dtype.table().map_or(1, |table| table.iter().map(|value| value.unsigned_abs()).fold(0, u8::max));
    let wanted = |group: &[f32]| match dtype {
        // Without a zero, the mean is the best.
        DType::Q1_0 => group.iter().map(|x| x.abs()).sum::<f32>() / group.len() as f32,
        // Three equal parts around −d, 0 and d.
        DType::TQ2_0 | DType::TQ1_0 | DType::Q2_0 => absolute_max(group) * 2.0 / 3.0,
        _ => absolute_max(group) / f32::from(largest),
    };
    let wanted: Vec<f32> = values.chunks(size).map(wanted).collect();
    // The block's scale gives the largest small scale to the largest group.
    let (most, halves): (f32, usize) = match dtype {
        DType::IQ1_M | DType::IQ1_S => (15.0, 0),
        DType::TQ2_0 => (1.0, 64),
        DType::TQ1_0 => (1.0, 52),
        DType::Q2_0 | DType::Q1_0 => (1.0, 0),
        _ => (31.0, 0),
    };
    let unit = match dtype {
        DType::IQ3_XXS => 0.25,
        DType::IQ2_S | DType::IQ2_XS | DType::IQ2_XXS | DType::IQ1_M | DType::IQ1_S => 0.125,
        _ => 1.0,
    };
    let half = f16::from_f32(absolute_max(&wanted) / most / unit);
    match dtype {
        DType::MXFP4 | DType::NVFP4 => {}
        DType::IQ1_M => {
            for i in 0..4 {
                block[49 + 2 * i] |= ((half.to_bits() >> (4 * i) & 15) as u8) << 4;
            }
        }
        _ => block[halves..halves + 2].copy_from_slice(&half.to_le_bytes()),
    }
    let d = half.to_f32() * unit;
    for (s, &wanted) in wanted.iter().enumerate() {
        let ratio = if d == 0.0 { 0.0 } else { wanted / d };
        // Small scales are odd numbers 2·n + 1.
        let n = ((ratio - 1.0) / 2.0).round().clamp(0.0, (most - 1.0) / 2.0) as u8;
        match dtype {
            DType::IQ4_XS => {
                let n = ratio.round().clamp(-32.0, 31.0) as i8 as u8 + 32;
                block[4 + s / 2] |= (n & 15) << (4 * (s % 2));
                block[2 + s / 4] |= (n >> 4) << (2 * (s % 4));
            }
            DType::IQ3_S => block[106 + s / 2] |= n << (4 * (s % 2)),
            DType::IQ3_XXS => block[69 + 4 * s] |= n << 4,
            DType::IQ2_XXS => block[9 + 8 * s] |= n << 4,
            DType::IQ2_XS => block[66 + s / 2] |= n << (4 * (s % 2)),
            DType::IQ2_S => block[74 + s / 2] |= n << (4 * (s % 2)),
            DType::IQ1_S => block[35 + 2 * s] |= n << 4,
            DType::IQ1_M => {
                let bits = u16::from(n) << (3 * (s % 4));
                block[48 + 2 * (s / 4)] |= bits as u8;
                block[49 + 2 * (s / 4)] |= (bits >> 8) as u8;
            }
            DType::MXFP4 => block[0] = (0..254).find(|&x| exponent(x) >= wanted).unwrap_or(254),
            DType::NVFP4 => {
                let distance = |x: u8| (minifloat(x) - wanted).abs();
                let nearest = (0..0x7f).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
                block[s] = nearest.unwrap_or(0);
            }
            _ => {}
        }
    }
}

fn set_code(dtype: DType, block: &mut [u8], e: usize, code: u8) {
    let half = e % 32 / 16;
    match dtype {
        DType::IQ4_XS => block[8 + 16 * (e / 32) + e % 16] |= code << (4 * half),
        DType::MXFP4 => block[1 + e % 16] |= code << (4 * half),
        DType::NVFP4 => block[4 + 8 * (e / 16) + e % 8] |= code << (4 * (e % 16 / 8)),
        DType::TQ2_0 => block[32 * (e / 128) + e % 32] |= code << (2 * (e % 128 / 32)),
        DType::TQ1_0 => {
            let (byte, digit) = blocks::ternary(e);
            block[byte] += code * [81, 27, 9, 3, 1][digit];
        }
        DType::Q2_0 => block[2 + e / 4] |= code << (2 * (e % 4)),
        _ => block[2 + e / 8] |= (code >> 1) << (e % 8),
    }
}

/// Turns numbers of five ternary digits into fractions of 256, rounded up, whose digits are the same.
fn finish_digits(block: &mut [u8]) {
    for byte in &mut block[..52] {
        *byte = (u16::from(*byte) * 256).div_ceil(243) as u8;
    }
}

fn set_entries(dtype: DType, grid: Grid, block: &mut [u8], values: &[f32]) {
    let (width, bits) = (grid.width(), grid.sign_bit());
    for (i, group) in values.chunks(width).enumerate() {
        let scale = scale(dtype, block, i * width / 16);
        let inverse = if scale == 0.0 { 0.0 } else { 1.0 / scale };
        let byte = i * width / 8;
        // All signs of a byte are set with its first entry.
        if i * width % 8 == 0 {
            let eight = &values[8 * byte..8 * byte + 8];
            set_signs(dtype, block, byte, eight, &values[32 * (byte / 4)..32 * (byte / 4) + 32]);
        }
        let signs = blocks::signs(dtype, block, byte) >> (i * width % 8);
        let costs: Vec<[f32; 8]> = group
            .iter()
            .enumerate()
            .map(|(e, x)| {
                let cost = |level: usize| {
                    let code = level as u8 | (signs >> e & 1) << bits;
                    (f32::from(value(dtype, code)) - x * inverse).powi(2)
                };
                std::array::from_fn(cost)
            })
            .collect();
        let (mut best, mut least) = (0, f32::INFINITY);
        for entry in 0..grid.len() {
            let mut cost = 0.0;
            for (e, costs) in costs.iter().enumerate() {
                cost += costs[usize::from(grid.level(entry, e))];
                if cost >= least {
                    break;
                }
            }
            if cost < least {
                (best, least) = (entry, cost);
            }
        }
        set_entry(dtype, block, i, best);
    }
}

fn set_signs(dtype: DType, block: &mut [u8], byte: usize, eight: &[f32], all: &[f32]) {
    let mut signs = eight.iter().enumerate().fold(0, |signs, (e, x)| signs | u8::from(*x < 0.0) << e);
    let less = |values: &[f32]| values.iter().sum::<f32>() < 0.0;
    match dtype {
        DType::IQ3_S => block[74 + byte] = signs,
        DType::IQ2_S => block[34 + byte] = signs,
        DType::IQ1_S => block[35 + 2 * (byte / 4)] |= u8::from(less(all)) << 7,
        DType::IQ1_M => block[32 + byte / 2] |= u8::from(less(eight)) << (3 + 4 * (byte % 2)),
        _ => {
            if signs.count_ones() % 2 == 1 {
                // The smallest value gets the wrong sign.
                let smallest = (0..8).min_by(|&a, &b| eight[a].abs().total_cmp(&eight[b].abs()));
                signs ^= 1 << smallest.unwrap_or(0);
            }
            let seven = u32::from(signs & 127);
            let at = match dtype {
                DType::IQ3_XXS => 66 + 4 * (byte / 4),
                DType::IQ2_XXS => 6 + 8 * (byte / 4),
                _ => {
                    block[3 + 2 * byte] |= (signs & 127) << 1;
                    return;
                }
            };
            let bits = (seven << (7 * (byte % 4))).to_le_bytes();
            block[at..at + 4].iter_mut().zip(bits).for_each(|(byte, bits)| *byte |= bits);
        }
    }
}

fn set_entry(dtype: DType, block: &mut [u8], i: usize, entry: usize) {
    let (low, high) = (entry as u8, (entry >> 8) as u8);
    match dtype {
        DType::IQ2_XXS => block[2 + 8 * (i / 4) + i % 4] = low,
        DType::IQ2_XS => {
            block[2 + 2 * i] = low;
            block[3 + 2 * i] |= high;
        }
        DType::IQ1_M => {
            block[i] = low;
            block[32 + i / 2] |= high << (4 * (i % 2));
        }
        _ => block[2 + i] = low,
    }
    match dtype {
        DType::IQ3_S => block[66 + i / 8] |= high << (i % 8),
        DType::IQ2_S => block[66 + i / 4] |= high << (2 * (i % 4)),
        DType::IQ1_S => {
            let bits = u16::from(high) << (3 * (i % 4));
            block[34 + 2 * (i / 4)] |= bits as u8;
            block[35 + 2 * (i / 4)] |= (bits >> 8) as u8;
        }
        _ => {}
    }
}
