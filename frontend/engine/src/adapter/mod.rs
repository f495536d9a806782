//! LoRA adapters: `y = W·x + s·B·(A·x)` for chosen projections of chosen layers (specification, adapters).

mod error;
mod types;

pub use error::AdapterError;
pub use types::{Adapter, Factors, MAX_RANK, Projection, Target};
