//! Adapters of Hugging Face PEFT: `adapter_model.safetensors` and `adapter_config.json`.

mod config;
mod experts;
mod read;
mod write;

pub use config::AdapterConfig;
pub use read::read;
pub use write::{Files, write};

/// The file with the weights.
pub const WEIGHTS: &str = "adapter_model.safetensors";
/// The file with the configuration.
pub const CONFIG: &str = "adapter_config.json";
