//! How the KV cache stores keys and values, and its CPU twin.

use half::f16;

/// Elements of a head that share a scale in [`KvType::Q8_0`].
const BLOCK: usize = 32;

/// How the KV cache stores keys and values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KvType {
    /// Half precision.
    #[default]
    F16,
    /// Full precision; for tests that compare with an f32 reference.
    F32,
    /// Signed bytes, and an f16 scale for every 32 of them.
    Q8_0,
}

impl KvType {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::F16, Self::F32, Self::Q8_0];

    /// In names of kernels.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::Q8_0 => "q8_0",
        }
    }

    /// In templates, where it stands for a number.
    pub(crate) const fn define(self) -> &'static str {
        match self {
            Self::F16 => "F16",
            Self::F32 => "F32",
            Self::Q8_0 => "Q8_0",
        }
    }

    /// Returns whether heads of this size can be stored so.
    pub const fn supports(self, head_dim: u32) -> bool {
        head_dim.is_multiple_of(if matches!(self, Self::Q8_0) { 16 } else { 4 })
    }

    /// Bytes of one head of one slot.
    pub const fn head_bytes(self, head_dim: u32) -> u64 {
        let elements = head_dim as u64;
        match self {
            Self::F16 => 2 * elements,
            Self::F32 => 4 * elements,
            // Four scales fill what is read at once.
            Self::Q8_0 => elements + 8 * elements.div_ceil(4 * BLOCK as u64),
        }
    }

    /// CPU twin: the words of a cache that holds these heads, `[.., head_dim]`.
    pub fn words(self, heads: &[f32], head_dim: u32) -> Vec<u32> {
        let bytes: Vec<u8> = match self {
            Self::F16 => heads.iter().flat_map(|&v| f16::from_f32(v).to_le_bytes()).collect(),
            Self::F32 => return heads.iter().map(|v| v.to_bits()).collect(),
            Self::Q8_0 => {
                heads.chunks(head_dim as usize).flat_map(|head| self.quantised(head, head_dim)).collect()
            }
        };
        bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    }

    /// Returns the bytes of a head: its codes, then a scale for each block. A scale is a normal half, since a device may read a
    /// subnormal one as zero.
    fn quantised(self, head: &[f32], head_dim: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut scales = Vec::new();
        for block in head.chunks(BLOCK) {
            let most = block.iter().fold(0.0_f32, |most, v| most.max(v.abs()));
            let scale = f16::from_f32(most / 127.0).max(f16::MIN_POSITIVE);
            let code = |v: &f32| (v / scale.to_f32()).round_ties_even().clamp(-127.0, 127.0) as i8;
            bytes.extend(block.iter().map(|v| code(v).cast_unsigned()));
            scales.extend(scale.to_le_bytes());
        }
        bytes.extend(scales);
        bytes.resize(self.head_bytes(head_dim) as usize, 0);
        bytes
    }

    /// CPU twin: the values of all heads in the words of a cache.
    pub fn values(self, words: &[u32], head_dim: u32) -> Vec<f32> {
        let half = |bytes: &[u8]| f16::from_le_bytes([bytes[0], bytes[1]]).to_f32();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        match self {
            Self::F16 => bytes.chunks_exact(2).map(half).collect(),
            Self::F32 => words.iter().map(|word| f32::from_bits(*word)).collect(),
            Self::Q8_0 => {
                let heads = bytes.chunks_exact(self.head_bytes(head_dim) as usize);
                let of_head = |head: &[u8]| -> Vec<f32> {
                    let (codes, scales) = head.split_at(head_dim as usize);
                    let of_block = |(codes, scale): (&[u8], &[u8])| {
                        let scale = half(scale);
                        let value = move |code: &u8| scale * f32::from(code.cast_signed());
                        codes.iter().map(value).collect::<Vec<_>>()
                    };
                    codes.chunks(BLOCK).zip(scales.chunks(2)).flat_map(of_block).collect()
                };
                heads.flat_map(of_head).collect()
            }
        }
    }

    /// CPU twin: heads as the cache holds them.
    pub fn rounded(self, heads: &[f32], head_dim: u32) -> Vec<f32> {
        self.values(&self.words(heads, head_dim), head_dim)
    }

    /// Returns the most by which two roundings of nearly the same heads differ with [`KvType::Q8_0`], where a value may lie
    /// between two codes.
    pub fn step(heads: &[f32]) -> f32 {
        // And a little for the scale, which may be rounded to another half.
        1.1 * heads.iter().fold(0.0_f32, |most, v| most.max(v.abs())) / 127.0
    }
}

/// Where a layer's keys and values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kv {
    /// From this layer's q, k and v; they are appended to the cache.
    Own,
    /// The same, but the layer has no v projection: v is k before its norm and rotation.
    OwnVIsK,
    /// From the cache of another layer.
    Shared,
}

impl Kv {
    /// Returns the variant for a layer that does or does not own a cache and a v projection.
    pub const fn of_layer(owns: bool, has_v: bool) -> Self {
        match (owns, has_v) {
            (false, _) => Self::Shared,
            (true, true) => Self::Own,
            (true, false) => Self::OwnVIsK,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_of_published_models_is_as_long_as_blocks_of_ggml() {
        assert_eq!(KvType::Q8_0.head_bytes(512), 512 / 32 * 34);
        assert_eq!(KvType::Q8_0.head_bytes(256), 256 / 32 * 34);
        assert_eq!(KvType::Q8_0.head_bytes(16), 24);
    }

    #[test]
    fn codes_and_scales_lie_where_kernels_look() {
        let head: Vec<f32> = (0..256_i16).map(|i| f32::from(i % 32 - 16) * f32::from(1 + i / 32)).collect();
        let words = KvType::Q8_0.words(&head, 256);
        assert_eq!(words.len(), 68);
        for (block, values) in head.chunks(32).enumerate() {
            let scale = f16::from_bits((words[64 + block / 2] >> (16 * (block % 2))) as u16);
            assert_eq!(scale, f16::from_f32(16.0 * (block + 1) as f32 / 127.0));
            assert_eq!(words[8 * block].to_le_bytes()[0].cast_signed(), -127, "{values:?}");
        }
    }

    #[test]
    fn what_is_read_is_within_half_a_step() {
        let heads: Vec<f32> = (0..192_i16).map(|i| f32::from(i * 37 % 101) / 7.0 - 7.0).collect();
        for head_dim in [16, 32, 48, 64, 96, 192] {
            for kv_type in KvType::ALL {
                let words = kv_type.words(&heads, head_dim);
                let all = kv_type.head_bytes(head_dim) * u64::from(192 / head_dim);
                assert_eq!(4 * words.len() as u64, all);
                let read = kv_type.values(&words, head_dim);
                let most = KvType::step(&heads) / 2.0;
                assert!(heads.iter().zip(&read).all(|(a, b)| (a - b).abs() <= most), "{kv_type:?}");
                // Rounding once more changes nothing.
                assert_eq!(kv_type.rounded(&read, head_dim), read);
            }
        }
    }

    #[test]
    fn small_values_have_normal_scales() {
        let words = KvType::Q8_0.words(&[1e-3; 32], 32);
        assert_eq!(words[8], u32::from(f16::MIN_POSITIVE.to_bits()));
        assert!(KvType::Q8_0.rounded(&[0.0; 32], 32).iter().all(|&v| v == 0.0));
    }
}
