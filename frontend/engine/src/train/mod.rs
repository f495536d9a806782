//! Learning a LoRA adapter from examples, on the device, with the base weights as they were loaded (specification §12).
//!
//! A [`Trainer`] works on a [`Base`], the weights of a loaded session. Every dispatch is built once: a forward pass that
//! keeps each layer's input, the head with its loss in tiles of the vocabulary, and for each layer, from the last to the
//! first, the forward pass again and the backward pass behind it.
//!
//! An [`Example`] may hold pictures and sound. Their soft tokens stand in the stream as they do in a prompt, and are as
//! fixed as the embeddings are: no gradient goes to the towers.

mod backward;
mod base;
mod builder;
mod checkpoint;
mod error;
mod example;
pub mod examples;
mod factors;
mod forward;
mod head;
mod lists;
mod order;
mod pace;
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
