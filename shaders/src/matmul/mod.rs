//! Matrix products of prefill.

mod launcher;

pub use launcher::{Clamps, Params, Tile, matmul, matmul_clamped, permutations};
