//! What the planes of a storage type hold: codes of some bits, and scales of some form. Kernels that read planes depend on
//! these alone.

use crate::DType;

/// The values of the sixteen IQ4_NL codes.
pub const IQ4_NL_VALUES: [i8; 16] =
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

/// Twice the values of the sixteen codes of a four-bit float (E2M1).
const FP4_VALUES: [i8; 16] = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

/// How the planes hold the scales of a type. Templates use them by name: `#if scales(DTYPE) == HALVES`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scales {
    /// None: the elements are floats.
    None,
    /// An f16 for each 32 elements.
    Halves,
    /// f16 scale and offset for each 32 elements.
    HalfPairs,
    /// Bytes for scale and offset for each 32 elements, times a pair of f16 for each 256.
    BytePairs,
    /// Four bits each for scale and offset for each 16 elements, times a pair of f16 for each 256.
    NibblePairs,
    /// A signed byte for each 16 elements, times an f32 for each 256.
    Bytes16,
    /// A signed byte for each 32 elements, times an f32 for each 256.
    Bytes32,
    /// An f32 for each 256 elements.
    Blocks,
    /// A byte for each 32 elements, x for 2^(x − 128).
    Exponents,
    /// A byte for each 16 elements, a number with four bits of exponent and three of mantissa.
    Minifloats,
}

impl Scales {
    const ALL: [(Self, &str); 10] = [
        (Self::None, "NONE"),
        (Self::Halves, "HALVES"),
        (Self::HalfPairs, "HALF_PAIRS"),
        (Self::BytePairs, "BYTE_PAIRS"),
        (Self::NibblePairs, "NIBBLE_PAIRS"),
        (Self::Bytes16, "BYTES_16"),
        (Self::Bytes32, "BYTES_32"),
        (Self::Blocks, "BLOCKS_256"),
        (Self::Exponents, "EXPONENTS"),
        (Self::Minifloats, "MINIFLOATS"),
    ];

    /// The number of the scales that templates call so.
    pub(crate) fn named(name: &str) -> Option<i64> {
        Self::ALL.into_iter().find(|(_, other)| *other == name).map(|(scales, _)| scales as i64)
    }
}

impl DType {
    /// Bits of a code, or of an element that is a float.
    pub const fn bits(self) -> u32 {
        match self {
            Self::F32 => 32,
            Self::F16 | Self::BF16 => 16,
            Self::Q8_0 => 8,
            Self::Q6_K => 6,
            Self::Q5_0 | Self::Q5_1 | Self::Q5_K => 5,
            Self::Q4_0 | Self::Q4_1 | Self::Q4_K => 4,
            Self::IQ4_NL | Self::IQ4_XS | Self::IQ3_S | Self::IQ3_XXS | Self::MXFP4 | Self::NVFP4 => 4,
            Self::Q3_K | Self::IQ2_S | Self::IQ2_XS | Self::IQ2_XXS | Self::IQ1_M | Self::IQ1_S => 3,
            Self::Q2_K | Self::TQ2_0 | Self::TQ1_0 | Self::Q2_0 | Self::Q1_0 => 2,
        }
    }

    /// The form of its scales.
    pub const fn scales(self) -> Scales {
        match self {
            Self::F32 | Self::F16 | Self::BF16 => Scales::None,
            Self::Q4_0 | Self::Q5_0 | Self::Q8_0 | Self::IQ4_NL | Self::Q2_0 | Self::Q1_0 => Scales::Halves,
            Self::Q4_1 | Self::Q5_1 => Scales::HalfPairs,
            Self::Q4_K | Self::Q5_K => Scales::BytePairs,
            Self::Q2_K => Scales::NibblePairs,
            Self::Q3_K | Self::Q6_K | Self::IQ2_S | Self::IQ2_XS | Self::IQ1_M => Scales::Bytes16,
            Self::IQ4_XS | Self::IQ3_S | Self::IQ3_XXS | Self::IQ2_XXS | Self::IQ1_S => Scales::Bytes32,
            Self::TQ2_0 | Self::TQ1_0 => Scales::Blocks,
            Self::MXFP4 => Scales::Exponents,
            Self::NVFP4 => Scales::Minifloats,
        }
    }

    /// The code of zero, where zeros lie so in every unit.
    pub const fn zero(self) -> u8 {
        match self {
            Self::Q6_K => 32,
            Self::Q5_0 => 16,
            Self::Q4_0 => 8,
            Self::Q3_K => 4,
            Self::TQ2_0 | Self::TQ1_0 | Self::Q2_0 | Self::Q1_0 => 1,
            _ => 0,
        }
    }

    /// The values of its codes, where these are indices.
    ///
    /// A code of an IQ3 type is a level and a sign, one of an IQ2 type too. The codes of IQ1 are −1, 0 and 1, all an
    /// eighth more or, with the third bit, less; in eighths.
    pub const fn table(self) -> Option<[i8; 16]> {
        Some(match self {
            Self::IQ4_NL | Self::IQ4_XS => IQ4_NL_VALUES,
            Self::MXFP4 | Self::NVFP4 => FP4_VALUES,
            Self::IQ3_S => [1, 3, 5, 7, 9, 11, 13, 15, -1, -3, -5, -7, -9, -11, -13, -15],
            Self::IQ3_XXS => [4, 12, 20, 28, 36, 44, 52, 62, -4, -12, -20, -28, -36, -44, -52, -62],
            Self::IQ2_S | Self::IQ2_XS | Self::IQ2_XXS => {
                [8, 25, 43, 0, -8, -25, -43, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            }
            Self::IQ1_M | Self::IQ1_S => [-7, 1, 9, 0, -9, -1, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            _ => return None,
        })
    }

    /// The first type whose planes are read in the same way: kernels that read planes are the same for both.
    pub fn read_as(self) -> Self {
        let form =
            |dtype: Self| (dtype.bits(), dtype.scales(), dtype.zero(), dtype.table(), dtype == Self::BF16);
        Self::ALL.into_iter().find(|other| form(*other) == form(self)).unwrap_or(self)
    }

    /// One type for each way in which planes are read.
    pub fn readers() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|dtype| dtype.read_as() == *dtype)
    }

    /// Units that share words of the scales: a piece of a matrix begins with a multiple of so many.
    pub(crate) const fn units_per_word(self) -> u32 {
        match self.scales() {
            Scales::None => 1,
            Scales::Bytes32 | Scales::Exponents => 8,
            _ => 4,
        }
    }

    /// What templates may ask of a type, such as `bits(DTYPE)`; `table0` to `table3` are the words of its table.
    pub(crate) fn property(self, name: &str) -> Option<i64> {
        let word = |i: usize| {
            let table = self.table().unwrap_or_default();
            i64::from(u32::from_le_bytes(std::array::from_fn(|byte| table[4 * i + byte] as u8)))
        };
        Some(match name {
            "bits" => self.bits().into(),
            "block_scales" => (self.block_elements() == 256).into(),
            "scales" => self.scales() as i64,
            "zero" => self.zero().into(),
            "table" => self.table().is_some().into(),
            "table0" => word(0),
            "table1" => word(1),
            "table2" => word(2),
            "table3" => word(3),
            _ => return None,
        })
    }
}
