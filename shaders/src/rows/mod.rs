//! Row kernels of prefill between the matrix products: norms, residual additions, activations, RoPE, the append to
//! the KV cache. All matrices are row-major f32 with one row per position of the chunk; `state.len` is the number
//! of rows.

pub mod gelu_mul;
pub mod group_sum;
pub mod mean;
pub mod norm_add;
pub mod qkv_finish;
