//! Random blocks of the types in synthetic models.
//!
//! A block is random bits with a suitable scale: all quantised values are equally likely, so their standard
//! deviation is known, and the scale adjusts it. Layouts: specification of the text decoder, section 8.

use half::{bf16, f16};
use shaders::{DType, quant};

use super::random::Random;

/// Sub-block scales in Q4_K and Q6_K are random from 4 to 7. Small ones keep the super-block scale a normal f16,
/// which some devices would otherwise flush to zero.
const MIN_SUB_SCALE: u8 = 4;
/// Root mean square of 4, 5, 6 and 7.
const SUB_SCALE: f32 = 5.612_486;
/// Number of variants of a block's scales.
const VARIANTS: usize = 64;
/// Number of variants of a plain float.
const FLOATS: usize = 4096;

/// Draws blocks of one type.
pub(super) struct Blocks {
    block_bytes: usize,
    /// Byte strings of equal length, one of which overwrites a random block at `at`.
    stamps: Vec<Vec<u8>>,
    at: usize,
    /// For types without blocks: the possible values.
    floats: Vec<[u8; 4]>,
}

/// Standard deviation of the integers 0 to `levels − 1`, all equally likely.
fn deviation_of(levels: f32) -> f32 {
    ((levels * levels - 1.0) / 12.0).sqrt()
}

/// Four sub-block scales in a word, one per byte.
fn sub_scales(random: &mut Random) -> [u8; 4] {
    let bytes = random.next().to_le_bytes();
    std::array::from_fn(|i| MIN_SUB_SCALE + (bytes[i] & 3))
}

/// The deviation of random blocks of a type that begin with this scale.
fn measured(dtype: DType, scale: &[u8]) -> f32 {
    let mut random = Random::new(0x5ca1e);
    let mut bytes = vec![0; VARIANTS * dtype.block_bytes()];
    random.fill(&mut bytes);
    bytes.chunks_exact_mut(dtype.block_bytes()).for_each(|block| block[..scale.len()].copy_from_slice(scale));
    let mut values = vec![0.0; VARIANTS * dtype.block_elements()];
    // The bytes are whole blocks.
    quant::dequantize(dtype, &bytes, &mut values).ok();
    (values.iter().map(|value| value * value).sum::<f32>() / values.len() as f32).sqrt()
}

impl Blocks {
    /// Blocks of `dtype` whose values have a mean of about zero and this standard deviation.
    ///
    /// Types that no synthetic model has are zeros.
    pub(super) fn new(dtype: DType, deviation: f32) -> Self {
        // A fixed seed: the variants do not depend on the model's seed.
        let mut random = Random::new(0x5eed);
        let mut stamps = Vec::new();
        let mut floats = Vec::new();
        let mut at = 0;
        let half = |value: f32| f16::from_f32(value).to_le_bytes();
        let of_one = match dtype {
            DType::IQ4_NL | DType::IQ4_XS | DType::IQ3_S | DType::IQ2_S => measured(dtype, &half(1.0)),
            DType::MXFP4 => measured(dtype, &[128]),
            _ => 1.0,
        };
        for i in 0..VARIANTS {
            let jitter = 1.0 + 0.25 * random.signed();
            let deviation = deviation * jitter;
            match dtype {
                DType::Q4_0 => stamps.push(half(deviation / deviation_of(16.0)).to_vec()),
                DType::Q5_0 => stamps.push(half(deviation / deviation_of(32.0)).to_vec()),
                DType::Q8_0 => stamps.push(half(deviation / deviation_of(256.0)).to_vec()),
                DType::Q4_K => {
                    let d = deviation / (SUB_SCALE * deviation_of(16.0));
                    // d·s·q − dmin·m with m = s and dmin = 7.5 d is d·s·(q − 7.5): mean zero.
                    let (low, high) = (sub_scales(&mut random), sub_scales(&mut random));
                    let mut stamp = [half(d), half(7.5 * d)].concat();
                    // Scales and minima 0 to 3, then both of 4 to 7 in one byte. Below 16, their upper bits are zero.
                    stamp.extend(low);
                    stamp.extend(low);
                    stamp.extend(high.map(|scale| scale | scale << 4));
                    stamps.push(stamp);
                }
                DType::Q6_K => {
                    at = 192;
                    let d = deviation / (SUB_SCALE * deviation_of(64.0));
                    let mut stamp: Vec<u8> = (0..4).flat_map(|_| sub_scales(&mut random)).collect();
                    stamp.extend(half(d));
                    stamps.push(stamp);
                }
                DType::IQ4_NL | DType::IQ4_XS | DType::IQ3_S | DType::IQ2_S => {
                    stamps.push(half(deviation / of_one).to_vec());
                }
                // A power of two, or the one above it, as often as makes the mean square right.
                DType::MXFP4 => {
                    let exponent = (deviation / of_one).log2();
                    let share = (4f32.powf(exponent - exponent.floor()) - 1.0) / 3.0;
                    let is_upper = (i as f32 + 0.5) / (VARIANTS as f32) < share;
                    stamps.push(vec![(128.0 + exponent.floor()) as u8 + u8::from(is_upper)]);
                }
                _ => {}
            }
        }
        if dtype.is_float() {
            // Uniform with this deviation reaches √3 times as far.
            let reach = deviation * 3.0_f32.sqrt();
            let mut encode = || {
                let value = reach * random.signed();
                let mut bytes = [0; 4];
                match dtype {
                    DType::F16 => bytes[..2].copy_from_slice(&f16::from_f32(value).to_le_bytes()),
                    DType::BF16 => bytes[..2].copy_from_slice(&bf16::from_f32(value).to_le_bytes()),
                    _ => bytes = value.to_le_bytes(),
                }
                bytes
            };
            floats = (0..FLOATS).map(|_| encode()).collect();
        }
        Self { block_bytes: dtype.block_bytes(), stamps, at, floats }
    }

    /// Fills `bytes`, a whole number of blocks.
    pub(super) fn draw(&self, random: &mut Random, bytes: &mut [u8]) {
        if !self.floats.is_empty() {
            for value in bytes.chunks_exact_mut(self.block_bytes) {
                let choice = random.next() as usize % FLOATS;
                value.copy_from_slice(&self.floats[choice][..value.len()]);
            }
            return;
        }
        random.fill(bytes);
        if self.stamps.is_empty() {
            bytes.fill(0);
            return;
        }
        for block in bytes.chunks_exact_mut(self.block_bytes) {
            let stamp = &self.stamps[random.next() as usize % VARIANTS];
            block[self.at..self.at + stamp.len()].copy_from_slice(stamp);
        }
    }
}
