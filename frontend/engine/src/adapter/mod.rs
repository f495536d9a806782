//! LoRA adapters: `y = W·x + s·B·(A·x)` for chosen projections of chosen layers (specification,
//! adapters). The experts of a mixture have factors of their own, in one stack for each projection of a layer.

mod error;
#[cfg(not(target_arch = "wasm32"))]
mod file;
pub mod flat;
pub mod gguf;
mod halves;
mod names;
mod pairs;
pub mod peft;
mod safetensors;
mod types;

pub use error::AdapterError;
#[cfg(not(target_arch = "wasm32"))]
pub use file::open;
pub use types::{Adapter, Factors, MAX_RANK, Projection, Ranks, Shape, Target};
