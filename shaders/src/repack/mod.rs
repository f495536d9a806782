//! Conversion of file blocks to the planar layout on the GPU. The CPU twin is [`crate::quant::repack`].

mod launcher;

pub use launcher::{Params, PieceError, dispatch, rows_alignment, source};
