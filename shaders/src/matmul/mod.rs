//! Matrix products of prefill, and of a few rows.

pub mod cooperative;
pub mod experts;
pub mod few_rows;
pub mod half_rows;
mod launcher;
pub mod pack_rows;
mod packed;

pub use cooperative::{CooperativeMatmul, CooperativeTile, Product};
pub use few_rows::FewRows;
pub use launcher::{Clamps, Matmul, Params, Tile, matmul, matmul_clamped};
pub use packed::{PackedMatmul, PackedTile};
