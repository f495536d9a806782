//! Adapters of Hugging Face PEFT: `adapter_model.safetensors` and `adapter_config.json`.

mod config;
mod read;
mod write;

pub use config::AdapterConfig;
pub use read::read;
pub use write::{Files, write};

/// The file of the weights.
pub const WEIGHTS: &str = "adapter_model.safetensors";
/// The file that says how to use them.
pub const CONFIG: &str = "adapter_config.json";
