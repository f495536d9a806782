//! The plan of a mixture of experts (specification §2.7) for a chunk, and what that for a few rows
//! ([`super::few_rows`]) and training share with it. The router's choice stays on the device.

pub mod chunk;
mod low_rank;
mod pairs;
mod ranges;

pub use low_rank::correct_few;
pub use pairs::Pairs;
pub use ranges::ranges;

use shaders::experts::locate;

use super::expert_scratch::ExpertScratch;
use super::{Experts, Parts};
use crate::plan::{Amount, Plan, PlanError, Value};
use crate::weights::{Matrix, Weights};

/// The experts of a layer.
pub struct Layer<'a> {
    /// The parts of the plan.
    pub parts: &'a Parts,
    /// The mixture.
    pub experts: Experts,
    /// Its working buffers.
    pub scratch: &'a ExpertScratch,
    blk: String,
}

/// Gate or up rows of each expert, in a matrix that may contain both.
pub struct Half<'a> {
    /// The matrix.
    pub matrix: &'a Matrix,
    /// Rows per expert in the matrix.
    pub stride: u32,
    /// First row within an expert.
    pub at: u32,
}

/// Gate and up of the experts of a layer, `rows` rows each, which are one tensor or two in files.
fn halves<'a>(weights: &'a Weights, blk: &str, rows: u32) -> Result<[Half<'a>; 2], PlanError> {
    if let Some(both) = weights.matrix(&format!("{blk}.ffn_gate_up_exps")) {
        return Ok([0, rows].map(|at| Half { matrix: both, stride: 2 * rows, at }));
    }
    let matrix = |name: &str| {
        let name = format!("{blk}.{name}");
        weights.matrix(&name).ok_or(PlanError::Missing { name })
    };
    let [gate, up] = [matrix("ffn_gate_exps")?, matrix("ffn_up_exps")?];
    Ok([gate, up].map(|matrix| Half { matrix, stride: rows, at: 0 }))
}

/// Finds the chosen experts of layer `i` in the expert cache, if there is one. A step of a few rows ends if one
/// is missing.
///
/// # Errors
/// [`PlanError`] when a tensor is missing, or a kernel cannot be generated.
pub fn find_in_cache(
    steps: &mut Plan,
    experts: Experts,
    (scratch, state): (&ExpertScratch, &Value),
    i: usize,
    few_rows: bool,
) -> Result<(), PlanError> {
    let (Some(cache), mixture) = (&scratch.cache, experts.mixture) else { return Ok(()) };
    let params = locate::Params { layer: i as u32, ..Default::default() };
    let kernel = locate::Locate { mixture, few_rows };
    let mut buffers = vec![state, &cache.table, &scratch.choices, &cache.located];
    buffers.extend(few_rows.then_some(&cache.record));
    steps.push_rows(kernel, &params, &buffers, move |rows| locate::dispatch(mixture, few_rows, rows))
}

/// Factor of the router's products: 1/√width.
fn logit_scale(width: u32) -> f32 {
    (width as f32).sqrt().recip()
}

impl<'a> Layer<'a> {
    /// The experts of layer `i`.
    ///
    /// # Errors
    /// [`PlanError::Missing`] for a model without experts.
    pub fn new(parts: &'a Parts, i: usize) -> Result<Self, PlanError> {
        let both = parts.config.experts.zip(parts.scratch.experts.as_ref());
        let (experts, scratch) =
            both.ok_or_else(|| PlanError::Missing { name: format!("experts of layer {i}") })?;
        Ok(Self { parts, experts, scratch, blk: format!("blk.{i}") })
    }

    /// Offset of a vector of the layer.
    ///
    /// # Errors
    /// As [`Weights::vector`](crate::weights::Weights::vector).
    pub fn vector(&self, name: &str) -> Result<u32, PlanError> {
        self.parts.weights.vector(&format!("{}.{name}", self.blk))
    }

    /// A matrix of the layer.
    ///
    /// # Errors
    /// [`PlanError::Missing`] when the layer has none of that name.
    pub fn matrix(&self, name: &str) -> Result<&'a Matrix, PlanError> {
        self.parts.matrix(&format!("{}.{name}", self.blk))
    }

    /// Factor of the router's products.
    pub fn logit_scale(&self) -> f32 {
        logit_scale(self.parts.config.width)
    }

    /// Expected traffic of one token, given the bytes of all experts on the device and uniform choices.
    pub fn chosen_of(&self, bytes: u64) -> Amount {
        let mixture = self.experts.mixture;
        let held = self.scratch.cache.as_ref().map_or(mixture.experts, |cache| cache.slots);
        Amount::Fixed(bytes * u64::from(mixture.used) / u64::from(held))
    }

    /// Gate and up.
    pub fn halves(&self) -> Result<[Half<'a>; 2], PlanError> {
        halves(&self.parts.weights, &self.blk, self.experts.feed_forward)
    }
}
