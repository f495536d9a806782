//! The experts of a prefill chunk.

use shaders::experts::mix;

use super::{Layer, Pairs};
use crate::adapter::Projection;
use crate::model::corrections::Corrections;
use crate::model::layer::{self, Site};
use crate::model::rows::{correct, norm_add};
use crate::model::{Parts, product};
use crate::plan::{Plan, PlanError};

/// Adds the experts of layer `i`, applied to the stream in `h[0]`, to the dense part in `branch`; both are normed. Adapters
/// correct the router's logits and the experts.
pub fn build(
    parts: &Parts,
    steps: &mut Plan,
    (i, of): (usize, layer::Experts<'_>),
    corrections: Option<&Corrections>,
) -> Result<(), PlanError> {
    let layer = Layer::new(parts, of)?;
    let s = &parts.scratch;
    let pairs = Pairs::new((&parts.config, &parts.weights), layer.scratch, &s.state, (i, of))?;
    let pairs = pairs.with_halves(s.halves.as_ref()).with_packed(s.packed_rows.as_ref());
    let mut builder = Builder { layer, steps };
    builder.route(i, corrections)?;
    pairs.choose(builder.steps)?;
    norm_add(parts, builder.steps, &s.h[0], None, Some(of.norm.at))?;
    let first = builder.steps.len();
    pairs.sort(builder.steps)?;
    pairs.gate_up(builder.steps, &s.x)?;
    let e = builder.layer.scratch;
    let gate_up = (Projection::ExpertGateUp, pairs.experts.mixture.used);
    pairs.correct(builder.steps, corrections, gate_up, [&s.x, &e.gate_up])?;
    pairs.activate(builder.steps)?;
    pairs.down(builder.steps)?;
    pairs.correct(builder.steps, corrections, (Projection::ExpertDown, 1), [&e.act, &e.down])?;
    if builder.layer.scratch.cache.is_some() {
        builder.steps.mark_experts(first);
    }
    builder.mix()
}

struct Builder<'a> {
    layer: Layer<'a>,
    steps: &'a mut Plan,
}

impl Builder<'_> {
    /// The logits of the router.
    fn route(&mut self, i: usize, corrections: Option<&Corrections>) -> Result<(), PlanError> {
        let (layer, parts) = (&self.layer, self.layer.parts);
        let s = &parts.scratch;
        norm_add(parts, self.steps, &s.h[0], None, Some(layer.of.router_norm.at))?;
        let logits = &layer.scratch.logits;
        product::push(self.steps, parts.limits, layer.of.router, None, [&s.state, &s.x, logits])?;
        correct(parts, self.steps, corrections, (i, Site::Router), &s.x, &[logits])
    }

    /// Norms and adds both parts of the branch.
    fn mix(&mut self) -> Result<(), PlanError> {
        let (layer, parts) = (&self.layer, self.layer.parts);
        let (s, e) = (&parts.scratch, layer.scratch);
        let params = mix::Params {
            dense_norm: layer.of.dense_norm.at,
            experts_norm: layer.of.result_norm.at,
            eps: parts.config.eps,
            pad: 0,
        };
        let kernel = mix::Mix { mixture: Some(layer.experts.mixture), width: parts.config.width };
        let buffers = [&s.state, &parts.weights.vectors, &e.choices, &e.down, &s.branch];
        self.steps.push_rows(kernel, &params, &buffers, mix::dispatch)
    }
}
