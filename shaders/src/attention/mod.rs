//! Attention over the KV cache: of one token (decode), of a few, and of a chunk (prefill).

pub mod block;
pub(crate) mod case;
pub mod cooperative;
pub mod decode;
pub mod few_rows;
mod kv_type;

pub use kv_type::KvType;
