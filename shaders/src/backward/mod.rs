//! The backward pass of the decoder with frozen weights: the gradient with respect to the input of every operation
//! (specification §12). Rows are the `state.len` tokens of one sequence, from position 0. The CPU twins compute
//! forward and backward in f64, so that tests can check gradients against finite differences.

pub mod attention;
pub mod choices;
pub mod cross_entropy;
pub mod experts;
pub mod geglu;
pub mod heads;
pub mod input;
pub mod norm;
