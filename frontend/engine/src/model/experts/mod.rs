//! The dispatches of a mixture of experts (specification §2.7), for one token and for a chunk. Nothing about the router's
//! choice comes back to the CPU.

pub mod chunk;
pub mod one;
mod ranges;

use super::expert_scratch::ExpertScratch;
use super::{Experts, Parts};
use crate::plan::{PlanError, Traffic};
use crate::weights::Matrix;

/// What a layer's experts are made of.
struct Layer<'a> {
    parts: &'a Parts,
    experts: Experts,
    scratch: &'a ExpertScratch,
    blk: String,
}

/// Rows of an expert that are its gate, or its other factor, in a matrix that may hold both.
struct Half<'a> {
    matrix: &'a Matrix,
    /// Rows of an expert in the matrix.
    stride: u32,
    /// Rows of an expert that stand before these.
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

    /// What the router's products are multiplied with: the root of the width's inverse.
    fn logit_scale(&self) -> f32 {
        (self.parts.config.width as f32).sqrt().recip()
    }

    /// What a token reads of experts with so many bytes: those that are chosen, if all are as likely.
    fn chosen_of(&self, bytes: u64) -> Traffic {
        let mixture = self.experts.mixture;
        Traffic::Fixed(bytes * u64::from(mixture.used) / u64::from(mixture.experts))
    }

    /// Gate and up, which files hold in one tensor or in two.
    fn halves(&self) -> Result<[Half<'a>; 2], PlanError> {
        let rows = self.experts.feed_forward;
        if let Some(both) = self.parts.weights.matrix(&format!("{}.ffn_gate_up_exps", self.blk)) {
            return Ok([0, rows].map(|at| Half { matrix: both, stride: 2 * rows, at }));
        }
        let [gate, up] = [self.matrix("ffn_gate_exps")?, self.matrix("ffn_up_exps")?];
        Ok([gate, up].map(|matrix| Half { matrix, stride: rows, at: 0 }))
    }
}
