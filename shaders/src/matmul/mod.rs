//! Matrix products of prefill, and of a few rows.

pub mod experts;
pub mod few_rows;
mod launcher;
pub mod pack_rows;

pub use few_rows::FewRows;
pub use launcher::{Clamps, Params, Tile, matmul, matmul_clamped};
