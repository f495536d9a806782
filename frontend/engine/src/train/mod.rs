//! Learning a LoRA adapter from examples, on the device, with the base weights as they were loaded (specification §9).

mod error;
mod example;
pub mod examples;
mod report;
mod settings;

pub use error::TrainError;
pub use example::{Example, MASKED};
pub use report::{MemoryPlan, StepReport};
pub use settings::{Schedule, Settings, order};
