//! Matrix products of prefill.

pub mod experts;
mod launcher;

pub use launcher::{Clamps, Params, Tile, matmul, matmul_clamped};
