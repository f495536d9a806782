//! The plans that sample tokens from the logits of a step's rows.

use std::rc::Rc;

use shaders::matmul::FewRows;
use shaders::sampling::{Candidates, MergeLists, Params, Sample, Sampling, TopK};

use super::Parts;
use crate::plan::{Grid, Origin, Plan, PlanError, Value};

/// Length of the output ring: more ids than can be pending.
pub const OUT_LEN: u32 = 256;
/// Maximum number of submits whose ids are not read back yet.
pub const MAX_PENDING: usize = 8;
/// Bytes of the ring, and of the number of ids behind it.
pub(super) const DRAWN_BYTES: u64 = 4 * (OUT_LEN as u64 + 1);

/// The sampling plans, one for each variant.
pub struct SamplingPlans {
    /// See [`Parts::history`].
    pub(super) history: Value,
    /// Ring of sampled ids, and their number.
    pub(super) drawn: Value,
    /// Readback buffers, used in turn.
    pub(super) readbacks: [Value; MAX_PENDING],
    pub(super) variants: Vec<SamplingPlan>,
}

pub(super) struct SamplingPlan {
    pub plan: Plan,
    pub params: Value,
    pub sampling: Sampling,
}

impl SamplingPlans {
    /// Describes all variants, so that a change of settings needs no compilation.
    pub fn new(parts: &Parts) -> Result<Self, PlanError> {
        let ring = DRAWN_BYTES;
        let drawn = Value::state("drawn tokens", ring);
        let readbacks = [(); MAX_PENDING].map(|()| Value::new("drawn tokens", ring, Origin::Readback));
        let variant = |candidates| SamplingPlan::new(parts, candidates, &parts.history, &drawn);
        let variants = Candidates::ALL.into_iter().map(variant).collect::<Result<_, _>>()?;
        Ok(Self { history: parts.history.clone(), drawn, readbacks, variants })
    }

    /// Returns the readback buffers.
    pub fn readbacks(&self) -> impl Iterator<Item = &Value> {
        self.readbacks.iter()
    }

    /// Returns the plans of all variants.
    pub fn all(&self) -> impl Iterator<Item = &Plan> {
        self.variants.iter().map(|variant| &variant.plan)
    }
}

impl SamplingPlan {
    fn new(parts: &Parts, candidates: Candidates, history: &Value, drawn: &Value) -> Result<Self, PlanError> {
        let s = &parts.scratch;
        let sampling = Sampling { vocab: parts.vocabulary, candidates };
        let many = candidates == Candidates::Many;
        let rows = FewRows::MAX_ROWS;
        let lists = Value::temporary("candidates", sampling.slice_list_bytes(rows));
        let merged = Value::temporary("merged candidates", sampling.merged_list_bytes(rows));
        let sums = Value::temporary("sums", sampling.sum_bytes(rows));
        let params = Value::new("sampling", size_of::<Params>() as u64, Origin::Params);
        let mut plan = Plan::default();
        let mut operands = vec![&s.state, history, &s.tokens, &s.logits, &lists];
        if many {
            operands.push(&sums);
        }
        let grid = Grid::Rows(Rc::new(move |rows| sampling.top_k_grid(rows)));
        plan.push_shared(TopK(candidates), &params, &operands, grid)?;
        let mut last = &lists;
        if sampling.merges() {
            let grid = Grid::Rows(Rc::new(move |rows| sampling.merge_lists_grid(rows)));
            plan.push_shared(MergeLists(candidates), &params, &[&lists, &merged], grid)?;
            last = &merged;
        }
        let mut operands = vec![&s.state, history, &s.tokens, drawn, last];
        if many {
            operands.push(&sums);
        }
        plan.push_shared(Sample(candidates), &params, &operands, Grid::Fixed([1, 1, 1]))?;
        Ok(Self { plan, params, sampling })
    }
}
