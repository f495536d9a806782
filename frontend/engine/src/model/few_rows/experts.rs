//! The experts of a few rows, a token or several that are verified together: a product for each pair of a row and an
//! expert that the router chose for it, so that the weights of an expert are read for its rows alone. If a layer's
//! experts exceed a binding, there is one dispatch for each range of experts.

use shaders::experts::{choose, down, gate_up, mix};
use shaders::matvec;

use super::{FewRows, Product, Rows};
use crate::adapter::Projection;
use crate::model::Parts;
use crate::model::corrections::Corrections;
use crate::model::experts::{Layer, correct_few, find_in_cache, ranges};
use crate::model::layer::{self, Site};
use crate::model::rows::{norm_add, packed_norm_add};
use crate::plan::{Plan, PlanError, Value};
use crate::weights::Matrix;

/// Returns whether the norms of router and experts can be computed with that of the dense part: if these experts take packed
/// rows, and a kernel may have as many buffers.
pub fn take_norms(parts: &Parts, of: &layer::Experts<'_>, few: FewRows) -> bool {
    parts.limits.storage_buffers >= 9 && few.packs(&of.halves.map(|half| half.matrix))
}

/// Adds the experts of layer `i`, applied to the stream in `h[0]`, to the dense part in `branch`; both are normed. Adapters
/// correct the router's logits and the experts. `normed` says that the input of router and experts is there already.
pub fn build(
    parts: &Parts,
    steps: &mut Plan,
    (i, of): (usize, layer::Experts<'_>),
    few: FewRows,
    (corrections, normed): (Option<&Corrections>, bool),
) -> Result<(), PlanError> {
    let mut builder = Builder { layer: Layer::new(parts, of)?, i, few, corrections, steps };
    builder.route(normed)?;
    let x = if normed { Rows::Packed(&builder.layer.scratch.packed) } else { builder.input()? };
    let first = builder.steps.len();
    builder.find()?;
    let act = builder.gate_up(x)?;
    builder.down(act)?;
    if builder.layer.scratch.cache.is_some() {
        builder.steps.mark_experts(first);
    }
    builder.mix()
}

struct Builder<'a> {
    layer: Layer<'a>,
    i: usize,
    few: FewRows,
    corrections: Option<&'a Corrections>,
    steps: &'a mut Plan,
}

impl<'a> Builder<'a> {
    /// The router's choice for every row.
    fn route(&mut self, normed: bool) -> Result<(), PlanError> {
        let (layer, parts) = (&self.layer, self.layer.parts);
        let (s, e) = (&parts.scratch, layer.scratch);
        if !normed {
            norm_add(parts, self.steps, &s.h[0], None, Some(layer.of.router_norm.at))?;
        }
        let router = &[layer.of.router];
        let x = Rows::Floats(&s.x);
        let product = Product::store(router, x, &e.logits);
        self.few.product_at(parts, self.steps, self.corrections, (self.i, Site::Router), product)?;
        let params =
            choose::Params { scale: layer.logit_scale(), scales: layer.of.scales.at, ..Default::default() };
        let buffers = [&s.state, &e.logits, &parts.weights.vectors, &e.choices];
        self.steps.push_rows(choose::Choose(layer.experts.mixture), &params, &buffers, choose::dispatch)
    }

    /// Returns the experts' input, rounded if their products take it so.
    fn input(&mut self) -> Result<Rows<'a>, PlanError> {
        let parts = self.layer.parts;
        let (s, norm) = (&parts.scratch, Some(self.layer.of.norm.at));
        let [gate, up] = self.layer.of.halves;
        if self.packs(&[gate.matrix, up.matrix]) {
            packed_norm_add(parts, self.steps, &s.h[0], None, norm)?;
            return Ok(Rows::Packed(&s.packed));
        }
        norm_add(parts, self.steps, &s.h[0], None, norm)?;
        Ok(Rows::Floats(&s.x))
    }

    /// The chosen experts in the cache, if there is one.
    fn find(&mut self) -> Result<(), PlanError> {
        let Layer { parts, experts, scratch, .. } = self.layer;
        find_in_cache(self.steps, experts, (scratch, &parts.scratch.state), self.i, true)
    }

    fn gate_up_corrected(&self) -> bool {
        self.corrections.is_some_and(|all| all.at_experts(self.i, Projection::ExpertGateUp).is_some())
    }

    /// Returns whether gate and up read or leave packed rows for these matrices.
    fn packs(&self, matrices: &[&Matrix]) -> bool {
        self.few.packs_at(self.layer.parts.limits, matrices, self.gate_up_corrected())
    }

    /// Adds the corrections of adapters to a projection, if they have any there.
    fn correct(&mut self, projection: Projection, x: Rows<'_>, y: &Value) -> Result<(), PlanError> {
        let Layer { parts, experts, scratch, .. } = self.layer;
        let of = (experts.mixture, self.i, projection);
        correct_few(parts, self.steps, self.corrections, of, x.values(), [&scratch.choices, y])
    }

    /// Returns the gated activation of every pair, with the weight of its expert.
    fn gate_up(&mut self, x: Rows<'_>) -> Result<Rows<'a>, PlanError> {
        let corrected = self.gate_up_corrected();
        let deltas = &self.layer.scratch.gate_up;
        self.correct(Projection::ExpertGateUp, x, deltas)?;
        let layer = &self.layer;
        let (e, rows) = (layer.scratch, layer.experts.feed_forward);
        let [gate, up] = layer.of.halves;
        let packs = self.packs(&[layer.of.down]);
        let act = if packs { Rows::Packed(&e.packed_act) } else { Rows::Floats(&e.act) };
        let form = matvec::Form::new(2, 8, 1);
        // Faster with three or four rows, but slower with two or eight.
        let form = if matches!(self.few.rows, 3..=4) { form.with_lanes(16) } else { form };
        let kernel = gate_up::GateUp {
            mixture: layer.experts.mixture,
            gate: gate.matrix.dtype,
            up: up.matrix.dtype,
            packs,
            corrected,
            form: if x.is_packed() { form.packed() } else { form },
        };
        for range in ranges([(gate.matrix, gate.stride), (up.matrix, up.stride)]) {
            let [(gate_part, gate_first), (up_part, up_first)] = range.parts;
            let params = gate_up::Params {
                planes: [gate_part.layout.planes, up_part.layout.planes, Default::default()],
                rows,
                units_per_row: gate_part.layout.units_per_row,
                begin: range.begin,
                end: range.end,
                gate_first,
                up_first,
                gate_stride: gate.stride,
                up_stride: up.stride,
                up_at: up.at,
                pad: [0; 3],
            };
            let mut operands =
                vec![&gate_part.value, &up_part.value, &layer.parts.scratch.state, e.located()];
            operands.extend(x.values());
            operands.extend(corrected.then_some(deltas));
            operands.extend(act.values());
            let grid = move |positions| kernel.dispatch(rows, positions);
            self.steps.push_rows(kernel, &params, &operands, grid)?;
            let apart = if up.at == 0 { up_part.layout.bytes() } else { 0 };
            self.steps.reading(layer.chosen_of(gate_part.layout.bytes() + apart));
        }
        Ok(act)
    }

    /// The sum of the chosen experts.
    fn down(&mut self, act: Rows<'_>) -> Result<(), PlanError> {
        let layer = &self.layer;
        let (e, width) = (layer.scratch, layer.parts.config.width);
        let matrix = layer.of.down;
        let form = matvec::Form::new(2, 4, 1);
        let kernel = down::Down {
            mixture: layer.experts.mixture,
            dtype: matrix.dtype,
            form: if act.is_packed() { form.packed() } else { form },
        };
        for range in ranges([(matrix, width)]) {
            let [(part, _)] = range.parts;
            let params = down::Params {
                planes: [part.layout.planes, Default::default(), Default::default()],
                rows: width,
                units_per_row: part.layout.units_per_row,
                begin: range.begin,
                end: range.end,
                more: u32::from(range.begin > 0),
                pad: [0; 3],
            };
            let mut operands = vec![&part.value, &layer.parts.scratch.state, e.located()];
            operands.extend(act.values());
            operands.push(&e.down);
            let grid = move |positions| kernel.dispatch(width, positions);
            self.steps.push_rows(kernel, &params, &operands, grid)?;
            self.steps.reading(layer.chosen_of(part.layout.bytes()));
        }
        self.correct(Projection::ExpertDown, act, &e.down)
    }

    /// Norms and adds both parts of the branch.
    fn mix(&mut self) -> Result<(), PlanError> {
        let (layer, parts) = (&self.layer, self.layer.parts);
        let params = mix::Params {
            dense_norm: layer.of.dense_norm.at,
            experts_norm: layer.of.result_norm.at,
            eps: parts.config.eps,
            pad: 0,
        };
        let kernel = mix::Mix { mixture: None, width: parts.config.width };
        let s = &parts.scratch;
        let buffers = [&s.state, &parts.weights.vectors, &layer.scratch.down, &s.branch];
        self.steps.push_rows(kernel, &params, &buffers, mix::dispatch)
    }
}
