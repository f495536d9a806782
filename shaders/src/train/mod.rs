//! Kernels of training in addition to the forward and the backward pass: LoRA factors and their gradients, the
//! optimiser, row copies, sums over experts.

pub mod dropout;
pub mod expert_gradient;
pub mod lora;
pub mod optimiser;
pub mod rows;
pub mod sum_pairs;
