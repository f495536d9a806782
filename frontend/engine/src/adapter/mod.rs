//! LoRA adapters: `y = W·x + s·B·(A·x)` for chosen projections of chosen layers (specification,
//! adapters). The experts of a mixture have factors of their own, in one stack for each projection of a layer.

mod error;
#[cfg(not(target_arch = "wasm32"))]
mod file;
pub mod flat;
pub mod gguf;
mod halves;
pub mod mlx;
mod names;
mod pairs;
pub mod peft;
mod safetensors;
mod types;

use crate::bytes::ByteSource;
pub use error::AdapterError;
#[cfg(not(target_arch = "wasm32"))]
pub use file::open;

pub use types::{Adapter, Factors, MAX_RANK, Projection, Ranks, Shape, Target};

/// Reads an adapter of two files, PEFT's or mlx-lm's: its weights, and the text of its `adapter_config.json`.
///
/// # Errors
/// When a file is broken, is not a LoRA adapter of Gemma 4, or uses an unsupported feature.
pub async fn read(weights: &dyn ByteSource, config: &[u8]) -> Result<Adapter, AdapterError> {
    if mlx::is_config(config) { mlx::read(weights, config).await } else { peft::read(weights, config).await }
}
