//! Matrix products of prefill.

mod launcher;

pub use launcher::{Params, Tile, matmul, permutations};
