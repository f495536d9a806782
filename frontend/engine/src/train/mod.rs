//! Learning a LoRA adapter from examples, on the device, with the base weights as they were loaded (specification §9).

mod example;
pub mod examples;

pub use example::{Example, MASKED};
