//! Kernels of a drafter's steps (multi-token prediction) that other models have no use for.

pub mod clusters;
pub mod input;
pub mod ordered_head;
