//! Per-layer embeddings.

pub mod combine;
