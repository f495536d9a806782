//! What stands between the matrix products of prefill: norms, residual additions, activations, rotation, the append to
//! the cache. Everything is row-major f32, a row for each position of the chunk; `state.len` says how many count.

pub mod gelu_mul;
pub mod norm_add;
pub mod qkv_finish;
