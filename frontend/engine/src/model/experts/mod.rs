//! The plans of a mixture of experts (specification §2.7), for one token and for a chunk. The router's choice stays
//! on the device.

pub mod chunk;
pub mod one;
mod ranges;

use super::expert_scratch::ExpertScratch;
use super::{Experts, Parts};
use crate::plan::{PlanError, Traffic};
use crate::weights::Matrix;

/// The experts of a layer.
struct Layer<'a> {
    parts: &'a Parts,
    experts: Experts,
    scratch: &'a ExpertScratch,
    blk: String,
}

/// Gate or up rows of each expert, in a matrix that may contain both.
struct Half<'a> {
    matrix: &'a Matrix,
    /// Rows per expert in the matrix.
    stride: u32,
    /// First row within an expert.
    at: u32,
}

impl<'a> Layer<'a> {
    fn new(parts: &'a Parts, i: usize) -> Result<Self, PlanError> {
        let both = parts.config.experts.zip(parts.scratch.experts.as_ref());
        let (experts, scratch) =
            both.ok_or_else(|| PlanError::Missing { name: format!("experts of layer {i}") })?;
        Ok(Self { parts, experts, scratch, blk: format!("blk.{i}") })
    }

    fn vector(&self, name: &str) -> u32 {
        self.parts.weights.vector(&format!("{}.{name}", self.blk))
    }

    fn matrix(&self, name: &str) -> Result<&'a Matrix, PlanError> {
        self.parts.matrix(&format!("{}.{name}", self.blk))
    }

    /// Factor of the router's products: 1/√width.
    fn logit_scale(&self) -> f32 {
        (self.parts.config.width as f32).sqrt().recip()
    }

    /// Expected traffic of one token, given the bytes of all experts and uniform choices.
    fn chosen_of(&self, bytes: u64) -> Traffic {
        let mixture = self.experts.mixture;
        Traffic::Fixed(bytes * u64::from(mixture.used) / u64::from(mixture.experts))
    }

    /// Gate and up, which are one tensor or two in files.
    fn halves(&self) -> Result<[Half<'a>; 2], PlanError> {
        let rows = self.experts.feed_forward;
        if let Some(both) = self.parts.weights.matrix(&format!("{}.ffn_gate_up_exps", self.blk)) {
            return Ok([0, rows].map(|at| Half { matrix: both, stride: 2 * rows, at }));
        }
        let [gate, up] = [self.matrix("ffn_gate_exps")?, self.matrix("ffn_up_exps")?];
        Ok([gate, up].map(|matrix| Half { matrix, stride: rows, at: 0 }))
    }
}
