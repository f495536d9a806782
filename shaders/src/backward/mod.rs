//! The backward pass of the decoder with frozen weights: gradients with respect to the inputs of every operation
//! (specification §12). Rows are those of one sequence, `state.len` of them, from position 0. Twins are in f64, forward
//! and backward, so that a test can hold the one against differences of the other.

pub mod attention;
pub mod cross_entropy;
pub mod geglu;
pub mod heads;
pub mod input;
pub mod norm;
