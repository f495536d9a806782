//! CPU twins of the weight formats: the blocks of a GGUF file and the planar device layout.
//!
//! [`dequantize`] implements the published formulas and is the reference for every kernel that reads weights.
//! [`repack`] and [`planar_values`] write and read the planar layout of [`crate::planes`]. [`quantize`] makes
//! blocks for tests and synthetic models.

mod blocks;
mod coded;
mod dequantize;
mod grids;
mod planar;
mod quantize;

pub use dequantize::dequantize;
pub(crate) use grids::Grid;
pub use planar::{planar_values, repack};
pub use quantize::quantize;

use crate::{DType, LayoutError};
use half::f16;
use thiserror::Error;

/// An error when converting weights.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum QuantError {
    /// The number of bytes does not match the number of elements, or is not a multiple of the block size.
    #[error("{elements} {dtype} elements do not make {bytes} bytes")]
    Length {
        /// Storage type.
        dtype: DType,
        /// Number of elements.
        elements: usize,
        /// Number of bytes.
        bytes: usize,
    },
    /// The matrix has no planar layout.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

/// Checks that `bytes` is exactly `elements` elements of a type, in whole blocks.
fn check_length(dtype: DType, elements: usize, bytes: usize) -> Result<(), QuantError> {
    if dtype.row_bytes(elements as u64) == Some(bytes as u64) {
        Ok(())
    } else {
        Err(QuantError::Length { dtype, elements, bytes })
    }
}

fn absolute_max(values: &[f32]) -> f32 {
    values.iter().fold(0.0, |max, x| max.max(x.abs()))
}

fn half_at(block: &[u8], offset: usize) -> f32 {
    f16::from_le_bytes([block[offset], block[offset + 1]]).to_f32()
}

fn word_at(block: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes([block[offset], block[offset + 1], block[offset + 2], block[offset + 3]])
}

/// The 6-bit `(scale, min)` of 32-element group `s < 8` of a Q4_K or Q5_K block, from its twelve packed bytes.
fn scale_min(sc: &[u8], s: usize) -> (u8, u8) {
    if s < 4 {
        (sc[s] & 63, sc[s + 4] & 63)
    } else {
        ((sc[s + 4] & 15) | (sc[s - 4] >> 6) << 4, (sc[s + 4] >> 4) | (sc[s] >> 6) << 4)
    }
}

/// The 6-bit scale of 16-element group `j < 16` of a Q3_K block, from its twelve packed bytes; 32 means zero.
fn q3_scale(sc: &[u8], j: usize) -> u8 {
    let low = if j < 8 { sc[j] & 15 } else { sc[j - 8] >> 4 };
    low | ((sc[8 + j % 4] >> (2 * (j / 4))) & 3) << 4
}
