//! LoRA adapters: `y = W·x + s·B·(A·x)` for chosen projections of chosen layers (specification, adapters).

mod error;
#[cfg(not(target_arch = "wasm32"))]
mod file;
pub mod flat;
pub mod gguf;
mod names;
mod pairs;
pub mod peft;
mod safetensors;
mod types;

pub use error::AdapterError;
#[cfg(not(target_arch = "wasm32"))]
pub use file::open;
pub use types::{Adapter, Factors, MAX_RANK, Projection, Target};
