//! The plan that verifies drafted tokens: the last token and the drafts behind it go through the model as a few rows,
//! and every row gets its logits, which are sampled up to the first wrong draft (`shaders/wgsl/sampling/sample.wgsl`).
//! The drafts come from a drafter or from a look-up in the sequence.
//!
//! Keys and values of rejected rows stay in the cache behind the position and are overwritten. Rings have room for them.

use shaders::sampling::look_up as kernel;

use super::corrections::Corrections;
use super::drafter::{self, DraftParts};
use super::few_rows::{FewRows, layers};
use super::{Parts, Tuning, embed};
use crate::plan::{Grid, Plan, PlanError};

/// Minimum length of a match, in tokens, from which tokens are drafted.
pub const SHORTEST_MATCH: u32 = 3;

/// Returns a round for up to `rows` rows, from the last token to the logits behind it and behind every draft.
pub fn plan(
    parts: &Parts,
    rows: u32,
    tuning: Tuning,
    corrections: Option<&Corrections>,
    drafter: Option<&DraftParts>,
) -> Result<Plan, PlanError> {
    let mut plan = match drafter {
        Some(drafter) => drafter::draft(parts, drafter, tuning, rows - 1)?,
        None => look_up(parts)?,
    };
    let rows = FewRows::new(&parts.config, rows, tuning);
    plan.extend(&embed::tokens(parts)?);
    plan.extend(&embed::per_layer_of_few(parts, rows)?);
    plan.extend(&layers::plan(parts, rows, corrections, 0)?);
    Ok(plan)
}

/// Drafts as many tokens as the step has rows, less one, by n-gram look-up in [`Parts::history`].
fn look_up(parts: &Parts) -> Result<Plan, PlanError> {
    let s = &parts.scratch;
    let mut plan = Plan::default();
    let params = kernel::Params::new(SHORTEST_MATCH);
    plan.push(kernel::LookUp, &params, &[&s.state, &parts.history, &s.tokens], Grid::Fixed([1, 1, 1]))?;
    Ok(plan)
}
