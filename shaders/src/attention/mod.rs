//! Attention over the KV cache: of one token (decode), of a few, and of a chunk (prefill).

pub mod block;
pub mod cooperative;
pub mod decode;
pub mod few_rows;
pub mod split;

pub use crate::kv_type::KvType;
