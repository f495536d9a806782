//! The storage types of GGUF tensors that the kernels read.

use std::fmt;

/// A tensor storage type with its name in GGUF.
#[allow(non_camel_case_types, missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    F32,
    F16,
    BF16,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q2_K,
    Q3_K,
    Q4_K,
    Q5_K,
    Q6_K,
    IQ4_NL,
    IQ4_XS,
    IQ3_S,
    IQ3_XXS,
    IQ2_S,
    IQ2_XS,
    IQ2_XXS,
    IQ1_M,
    IQ1_S,
    MXFP4,
    NVFP4,
    TQ2_0,
    TQ1_0,
    Q2_0,
    Q1_0,
}

impl DType {
    /// Every type, in the order of the enum.
    pub const ALL: [Self; 28] = [
        Self::F32,
        Self::F16,
        Self::BF16,
        Self::Q4_0,
        Self::Q4_1,
        Self::Q5_0,
        Self::Q5_1,
        Self::Q8_0,
        Self::Q2_K,
        Self::Q3_K,
        Self::Q4_K,
        Self::Q5_K,
        Self::Q6_K,
        Self::IQ4_NL,
        Self::IQ4_XS,
        Self::IQ3_S,
        Self::IQ3_XXS,
        Self::IQ2_S,
        Self::IQ2_XS,
        Self::IQ2_XXS,
        Self::IQ1_M,
        Self::IQ1_S,
        Self::MXFP4,
        Self::NVFP4,
        Self::TQ2_0,
        Self::TQ1_0,
        Self::Q2_0,
        Self::Q1_0,
    ];

    /// The type with this number in a GGUF tensor table, if it is supported.
    pub fn from_ggml(id: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|dtype| dtype.ggml_id() == id)
    }

    /// The number in a GGUF tensor table. WGSL templates use it by name: `#if DTYPE == Q4_K`.
    pub const fn ggml_id(self) -> u32 {
        match self {
            Self::F32 => 0,
            Self::F16 => 1,
            Self::Q4_0 => 2,
            Self::Q4_1 => 3,
            Self::Q5_0 => 6,
            Self::Q5_1 => 7,
            Self::Q8_0 => 8,
            Self::Q2_K => 10,
            Self::Q3_K => 11,
            Self::Q4_K => 12,
            Self::Q5_K => 13,
            Self::Q6_K => 14,
            Self::IQ2_XXS => 16,
            Self::IQ2_XS => 17,
            Self::IQ3_XXS => 18,
            Self::IQ1_S => 19,
            Self::IQ4_NL => 20,
            Self::IQ3_S => 21,
            Self::IQ2_S => 22,
            Self::IQ4_XS => 23,
            Self::IQ1_M => 29,
            Self::BF16 => 30,
            Self::TQ1_0 => 34,
            Self::TQ2_0 => 35,
            Self::MXFP4 => 39,
            Self::NVFP4 => 40,
            Self::Q1_0 => 41,
            Self::Q2_0 => 42,
        }
    }

    /// The name in GGUF, also used in templates and labels.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "F32",
            Self::F16 => "F16",
            Self::BF16 => "BF16",
            Self::Q4_0 => "Q4_0",
            Self::Q4_1 => "Q4_1",
            Self::Q5_0 => "Q5_0",
            Self::Q5_1 => "Q5_1",
            Self::Q8_0 => "Q8_0",
            Self::Q2_K => "Q2_K",
            Self::Q3_K => "Q3_K",
            Self::Q4_K => "Q4_K",
            Self::Q5_K => "Q5_K",
            Self::Q6_K => "Q6_K",
            Self::IQ4_NL => "IQ4_NL",
            Self::IQ4_XS => "IQ4_XS",
            Self::IQ3_S => "IQ3_S",
            Self::IQ3_XXS => "IQ3_XXS",
            Self::IQ2_S => "IQ2_S",
            Self::IQ2_XS => "IQ2_XS",
            Self::IQ2_XXS => "IQ2_XXS",
            Self::IQ1_M => "IQ1_M",
            Self::IQ1_S => "IQ1_S",
            Self::MXFP4 => "MXFP4",
            Self::NVFP4 => "NVFP4",
            Self::TQ2_0 => "TQ2_0",
            Self::TQ1_0 => "TQ1_0",
            Self::Q2_0 => "Q2_0",
            Self::Q1_0 => "Q1_0",
        }
    }

    /// Elements per block in the file: 1, 32, 64, 128 or 256.
    pub const fn block_elements(self) -> usize {
        match self {
            Self::F32 | Self::F16 | Self::BF16 => 1,
            Self::Q4_0 | Self::Q4_1 | Self::Q5_0 | Self::Q5_1 | Self::Q8_0 | Self::IQ4_NL | Self::MXFP4 => 32,
            Self::NVFP4 | Self::Q2_0 => 64,
            Self::Q1_0 => 128,
            _ => 256,
        }
    }

    /// Bytes per block in the file.
    pub const fn block_bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::BF16 => 2,
            Self::MXFP4 => 17,
            Self::Q4_0 | Self::IQ4_NL | Self::Q2_0 | Self::Q1_0 => 18,
            Self::Q4_1 => 20,
            Self::Q5_0 => 22,
            Self::Q5_1 => 24,
            Self::Q8_0 => 34,
            Self::NVFP4 => 36,
            Self::IQ1_S => 50,
            Self::TQ1_0 => 54,
            Self::IQ1_M => 56,
            Self::IQ2_XXS | Self::TQ2_0 => 66,
            Self::IQ2_XS => 74,
            Self::IQ2_S => 82,
            Self::Q2_K => 84,
            Self::IQ3_XXS => 98,
            Self::Q3_K | Self::IQ3_S => 110,
            Self::IQ4_XS => 136,
            Self::Q4_K => 144,
            Self::Q5_K => 176,
            Self::Q6_K => 210,
        }
    }

    /// Bytes per row of `k` elements in the file; `None` if `k` is not a multiple of the block length or too large.
    pub const fn row_bytes(self, k: u64) -> Option<u64> {
        let elements = self.block_elements() as u64;
        if !k.is_multiple_of(elements) {
            return None;
        }
        (k / elements).checked_mul(self.block_bytes() as u64)
    }

    /// Whether elements are plain floats, without blocks and scales.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F16 | Self::BF16)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_distinct_and_invertible() {
        for dtype in DType::ALL {
            assert_eq!(DType::from_ggml(dtype.ggml_id()), Some(dtype));
            assert_eq!(DType::ALL.iter().filter(|other| other.name() == dtype.name()).count(), 1);
        }
        assert_eq!(DType::from_ggml(9), None);
    }

    #[test]
    fn rows_are_whole_blocks() {
        assert_eq!(DType::Q4_K.row_bytes(1536), Some(6 * 144));
        assert_eq!(DType::Q8_0.row_bytes(33), None);
        assert_eq!(DType::F32.row_bytes(u64::MAX), None);
    }
}
