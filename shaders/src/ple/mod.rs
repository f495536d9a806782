//! Per-layer embeddings.

pub mod combine;
pub mod locate;
