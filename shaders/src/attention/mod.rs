//! Attention over the KV cache: of one token (decode) and of a chunk of tokens (prefill).

pub mod block;
pub mod decode;
