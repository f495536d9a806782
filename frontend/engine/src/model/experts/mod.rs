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
use super::{Experts, Parts, layer};
use crate::plan::{Amount, Plan, PlanError, Value};

/// The experts of a layer.
pub struct Layer<'a> {
    /// The parts of the plan.
    pub parts: &'a Parts,
    /// The mixture.
    pub experts: Experts,
    /// Its working buffers.
    pub scratch: &'a ExpertScratch,
    /// Its tensors.
    pub of: layer::Experts<'a>,
}

/// Finds the chosen experts of layer `i` in the expert cache, if there is one. A step of a few rows ends if one
/// is missing.
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
    /// Returns the experts with these tensors.
    ///
    /// # Errors
    /// [`PlanError::Missing`] for a model without experts.
    pub fn new(parts: &'a Parts, of: layer::Experts<'a>) -> Result<Self, PlanError> {
        let both = parts.config.experts.zip(parts.scratch.experts.as_ref());
        let (experts, scratch) =
            both.ok_or_else(|| PlanError::Missing { name: "scratch of experts".to_owned() })?;
        Ok(Self { parts, experts, scratch, of })
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
}
