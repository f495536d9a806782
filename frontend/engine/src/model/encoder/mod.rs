//! A model that makes embeddings: a batch of texts goes through all layers at once, without a cache.

mod plans;
mod text_encoder;

pub use plans::{BATCH_ROWS, EncoderPlans};
pub use text_encoder::TextEncoder;
