//! Token embeddings.

pub mod gather;
