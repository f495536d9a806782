//! Conversion of file blocks to the planar layout on the GPU. The CPU twin is [`crate::quant::repack`], for
//! [`requantize`] behind [`crate::quant::quantize`].

mod launcher;
pub mod requantize;

pub use crate::planes::PieceError;
pub use launcher::{Params, Repack, dispatch, rows_alignment};
