//! Models with random weights, for tests and measurements. The program `probe` writes them, and runs the engine from a terminal.

pub mod constraint;
pub mod synth;
