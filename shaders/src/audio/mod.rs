//! Kernels of the audio tower between its matrix products. A row is a position of the clip, 40 ms long. `state.pos`
//! is the position of the first row of a step, `state.len` the number of rows. Rings keep what later steps need of
//! earlier positions, so a clip can be encoded while it is being recorded.

pub mod attention;
pub mod conv2d;
pub mod light_conv;
pub mod silu;
pub mod unit_norm;

/// Rows before the step of a test case, and rows of the step.
const PAST: u32 = 15;
const STEP: u32 = 6;

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
