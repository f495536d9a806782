//! Attention: of one token over the cache (decode), of a block of tokens (prefill).

pub mod block;
pub mod decode;
