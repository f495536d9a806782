//! Training LoRA adapters on the device, with frozen base weights (specification §12).
//!
//! A [`Trainer`] works on a [`Base`], the weights of a loaded session. All dispatches are built once: a forward
//! pass that stores each layer's input, the head with the loss in tiles of the vocabulary, and for each layer, from
//! last to first, the recomputed forward pass and the backward pass.
//!
//! An [`Example`] may contain media. Their soft tokens replace embeddings as in a prompt and are constant: the
//! towers are not trained.

mod backward;
mod base;
mod builder;
mod checkpoint;
mod error;
mod example;
pub mod examples;
mod expert_factors;
mod experts;
mod factors;
mod forward;
mod head;
mod lists;
mod order;
mod programs;
mod report;
mod setting;
mod settings;
mod soft_tokens;
mod trainer;
mod working;

pub use base::Base;
pub use error::TrainError;
pub use example::{Example, MASKED};
pub use order::order;
pub use report::{MemoryPlan, StepReport};
pub use setting::Setting;
pub use settings::{Schedule, Settings};
pub use soft_tokens::SoftTokenStore;
pub use trainer::Trainer;
