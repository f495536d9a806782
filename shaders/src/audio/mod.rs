//! The audio tower: what stands between its matrix products. Rows are positions of a clip, 40 ms each; `state.pos` is the
//! position of the first row of a step and `state.len` the number of rows, so that a clip can be encoded while it is
//! still being spoken: what a step needs of the positions before it is in rings of the past.

pub mod attention;
pub mod conv2d;
pub mod light_conv;
pub mod silu;
pub mod unit_norm;

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
