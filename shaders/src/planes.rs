//! The planar device layout of a weight matrix.
//!
//! A matrix `W[n rows, k]` is one buffer of `u32` words, split into planes, so that neighbouring threads read
//! neighbouring words for every block format. A *unit* is 16 consecutive elements of a row. A row has `U = k / 16` units;
//! unit `u` of row `r` has the number `g = r·U + u`. The value of an element is `s·code − m`, where `(s, m)` is constant
//! within a unit.
//!
//! | plane | types | words |
//! |---|---|---|
//! | `lo` | F32 | 16 a unit |
//! | | F16, BF16 | 8 a unit, two elements a word |
//! | | Q8_0 | 4 a unit, four signed bytes a word |
//! | | codes of 4 to 6 bits | 2 a unit: word `i`, byte `b` holds element `8i+b` (low nibble) and `8i+4+b` (high) |
//! | | codes of 2 and 3 bits | 1 a unit: `(l >> 2k) & 0x03030303` = bits 0, 1 of elements `4k..4k+4` |
//! | `hi` | codes of 6 bits | 1 a unit: `(h >> 2k) & 0x03030303` = bits 4, 5 of the same |
//! | | codes of 3 and 5 bits | 1 for two units: `(h >> (4p+k)) & 0x01010101` = the last bit of the same, `p = g & 1` |
//! | `sc` | halves | f16 scale for each 32 elements, two a word |
//! | | half pairs | `(f16 d, f16 m)` for each 32 elements |
//! | | byte pairs | `scale \| min << 8` for each 32 elements, two a word |
//! | | nibble pairs | `scale \| min << 4` for each unit, four a word |
//! | | bytes | i8 scale for each 16 or 32 elements, four a word |
//! | | exponents | x of 2^(x − 128) for each 32 elements, four a word |
//! | | minifloats | for each unit the seven bits below the sign bits of scale / 128 as a half, four a word |
//! | `d` | byte pairs, nibble pairs | `(f16 d, f16 dmin)` for each 256 elements |
//! | | bytes, blocks | f32 `d` for each 256 elements |
//!
//! [`DType::bits`] and [`DType::scales`] say which planes a type has. Codes are unsigned (Q3_K: `low2 | hbit << 2`), except
//! for Q8_0 (signed) and the indices into [`DType::table`]. Types with a grid have a level and a sign as their code, in place of
//! the grid's index. The conversion is exact. `wgsl/shared/planes.wgsl` reads this layout by units, and
//! `wgsl/shared/blocks.wgsl` by blocks of 32 elements; `wgsl/repack/repack.wgsl` and [`crate::quant::repack`] write it.
//!
//! Bytes of 256 elements in the file and here, where they are not the same:
//!
//! | Type | File | Planes | | Type | File | Planes |
//! |---|---|---|---|---|---|---|
//! | IQ4_XS | 136 | 140 | | IQ2_XXS | 66 | 108 |
//! | Q3_K | 110 | 116 | | IQ1_M | 56 | 116 |
//! | IQ3_S | 110 | 140 | | IQ1_S | 50 | 108 |
//! | IQ3_XXS | 98 | 140 | | TQ2_0 | 66 | 68 |
//! | IQ2_S | 82 | 116 | | TQ1_0 | 54 | 68 |
//! | IQ2_XS | 74 | 116 | | Q2_0, Q1_0 | 72, 36 | 80 |
//! | Q6_K | 210 | 212 | | | | |

use crate::DType;
use crate::forms::Scales;
use thiserror::Error;

/// Elements per unit.
pub const UNIT: u32 = 16;

/// Each plane starts at a multiple of this many words (256 bytes, the strictest binding offset of WebGPU).
pub const PLANE_ALIGN_WORDS: u32 = 64;

/// Word offsets of the planes in their buffer, passed to kernels as `vec4<u32>`. An absent plane has offset 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Planes {
    /// Codes, or the low two or four bits of codes.
    pub lo: u32,
    /// Upper bits of codes of three, five and six bits.
    pub hi: u32,
    /// Scales of small groups.
    pub sc: u32,
    /// Scales of 256-element blocks.
    pub d: u32,
}

impl Planes {
    /// The planes of a matrix that starts `words` later in its buffer; `words` is a multiple of
    /// [`PLANE_ALIGN_WORDS`].
    #[must_use]
    pub const fn shifted(self, words: u32) -> Self {
        Self { lo: self.lo + words, hi: self.hi + words, sc: self.sc + words, d: self.d + words }
    }
}

/// An error in the shape of a matrix.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LayoutError {
    /// The row length is not a multiple of the unit or block length.
    #[error("a {dtype} row of {k} elements is no whole number of {multiple}-element blocks")]
    RowLength {
        /// Type of the matrix.
        dtype: DType,
        /// Elements per row.
        k: u64,
        /// `k` must be a positive multiple of this.
        multiple: u32,
    },
    /// The matrix needs more words than a `u32` can count. It must be split by rows.
    #[error("a {dtype} matrix of {n} rows of {k} elements does not fit one buffer")]
    TooLarge {
        /// Type of the matrix.
        dtype: DType,
        /// Elements per row.
        k: u64,
        /// Rows.
        n: u64,
    },
}

/// The planar layout of one matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanarLayout {
    /// Storage type.
    pub dtype: DType,
    /// Elements per row.
    pub k: u32,
    /// Rows.
    pub n: u32,
    /// Word offsets of the planes.
    pub planes: Planes,
    /// `k / 16`.
    pub units_per_row: u32,
    /// Words of the matrix, a multiple of [`PLANE_ALIGN_WORDS`].
    pub words: u32,
}

impl PlanarLayout {
    /// Lays out `n` rows of `k` elements.
    ///
    /// # Errors
    /// [`LayoutError::RowLength`] when `k` is not a positive multiple of 16 (floats), 32 or 256 (K-quants);
    /// [`LayoutError::TooLarge`] when word or unit numbers overflow `u32`.
    pub fn new(dtype: DType, k: u64, n: u64) -> Result<Self, LayoutError> {
        let multiple = (dtype.block_elements() as u32).max(UNIT);
        if k == 0 || !k.is_multiple_of(u64::from(multiple)) {
            return Err(LayoutError::RowLength { dtype, k, multiple });
        }
        let too_large = LayoutError::TooLarge { dtype, k, n };
        let (Ok(k32), Ok(n32)) = (u32::try_from(k), u32::try_from(n)) else { return Err(too_large) };
        let units = u64::from(n32) * u64::from(k32 / UNIT);
        let size = PlaneSizes::of(dtype, units);

        let mut next = 0u64;
        let mut place = |words: u64| {
            let offset = if words == 0 { 0 } else { next };
            next += words.next_multiple_of(u64::from(PLANE_ALIGN_WORDS));
            offset
        };
        let offsets = [size.lo, size.hi, size.sc, size.d].map(&mut place);
        // The last word's number and all offsets fit when the end does.
        let Ok(words) = u32::try_from(next) else { return Err(too_large) };
        let [lo, hi, sc, d] = offsets.map(|offset| offset as u32);
        Ok(Self { dtype, k: k32, n: n32, planes: Planes { lo, hi, sc, d }, units_per_row: k32 / UNIT, words })
    }

    /// Rows `row0..row0 + n` as a matrix of its own in the same buffer. `row0` is a multiple of 32, so that the
    /// rows start at a word in every plane. `words` remains that of the whole matrix.
    #[must_use]
    pub fn rows(&self, row0: u32, n: u32) -> Self {
        debug_assert!(row0.is_multiple_of(32) && row0 + n <= self.n);
        let before = PlaneSizes::of(self.dtype, u64::from(row0) * u64::from(self.units_per_row));
        // Each offset is at most the number of words, so it fits into a u32.
        let planes = Planes {
            lo: self.planes.lo + before.lo as u32,
            hi: self.planes.hi + before.hi as u32,
            sc: self.planes.sc + before.sc as u32,
            d: self.planes.d + before.d as u32,
        };
        Self { n, planes, ..*self }
    }

    /// Bytes of the matrix.
    pub const fn bytes(&self) -> u64 {
        self.words as u64 * 4
    }
}

/// Words of each plane before alignment.
pub(crate) struct PlaneSizes {
    pub lo: u64,
    pub hi: u64,
    pub sc: u64,
    pub d: u64,
}

impl PlaneSizes {
    fn of(dtype: DType, units: u64) -> Self {
        let lo = units * u64::from(lo_words(dtype));
        let hi = match dtype.bits() {
            6 => units,
            3 | 5 => units.div_ceil(2),
            _ => 0,
        };
        let sc = match dtype.scales() {
            Scales::None | Scales::Blocks => 0,
            Scales::HalfPairs => units / 2,
            Scales::Bytes32 | Scales::Exponents => units.div_ceil(8),
            _ => units.div_ceil(4),
        };
        let d = if dtype.block_elements() == 256 { units / 16 } else { 0 };
        Self { lo, hi, sc, d }
    }
}

/// Words per unit in the `lo` plane.
pub const fn lo_words(dtype: DType) -> u32 {
    match dtype.bits() {
        bits @ (8 | 16 | 32) => bits / 2,
        2 | 3 => 1,
        _ => 2,
    }
}

/// Rows that cannot be repacked as one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PieceError {
    /// The piece starts in the middle of a word of some plane, or at an odd byte.
    #[error("a piece at row {row}, byte {byte_offset}: rows must be multiples of {alignment}, bytes even")]
    Alignment {
        /// First row of the piece.
        row: u32,
        /// Byte offset in the source.
        byte_offset: u32,
        /// See [`crate::repack::rows_alignment`].
        alignment: u32,
    },
    /// The piece ends after the matrix.
    #[error("rows {row}..{end} of a matrix of {rows} rows")]
    Range {
        /// First row of the piece.
        row: u32,
        /// One past the last row.
        end: u64,
        /// Rows of the matrix.
        rows: u32,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_aligned_and_do_not_overlap() {
        for dtype in DType::ALL {
            let layout = PlanarLayout::new(dtype, 768, 5).expect("a layout");
            let size = PlaneSizes::of(dtype, u64::from(5 * layout.units_per_row));
            let mut end = 0u64;
            let planes = layout.planes;
            for (offset, words) in
                [(planes.lo, size.lo), (planes.hi, size.hi), (planes.sc, size.sc), (planes.d, size.d)]
            {
                if words > 0 {
                    assert_eq!(offset % PLANE_ALIGN_WORDS, 0);
                    assert!(u64::from(offset) >= end, "{dtype}");
                    end = u64::from(offset) + words;
                }
            }
            assert!(u64::from(layout.words) >= end);
            assert!(u64::from(layout.words) < end + u64::from(PLANE_ALIGN_WORDS));
        }
    }

    #[test]
    fn a_plane_costs_what_the_file_costs() {
        // Q4_K: 144 bytes per 256 elements in the file; 2·16 + 4 + … words here.
        let layout = PlanarLayout::new(DType::Q4_K, 1024, 64).expect("a layout");
        assert_eq!(layout.bytes(), 1024 * 64 / 256 * (128 + 16 + 4));
    }

    #[test]
    fn refuses_what_does_not_fit() {
        assert!(matches!(PlanarLayout::new(DType::Q4_K, 128, 1), Err(LayoutError::RowLength { .. })));
        assert!(matches!(PlanarLayout::new(DType::F32, 0, 1), Err(LayoutError::RowLength { .. })));
        assert!(matches!(PlanarLayout::new(DType::F32, 1 << 20, 1 << 20), Err(LayoutError::TooLarge { .. })));
        assert!(matches!(PlanarLayout::new(DType::F32, 16, 1 << 40), Err(LayoutError::TooLarge { .. })));
    }
}
