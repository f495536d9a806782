//! The experts of one token: one dispatch for gate, up and activation, one for the weighted sum. If a layer's
//! experts exceed a binding, there is one dispatch for each range of experts.

use shaders::experts::{down, gate_up};
use shaders::selftest::Form;

use super::Layer;
use super::ranges::ranges;
use crate::model::Parts;
use crate::plan::{Grid, Plan, PlanError, Value};

/// Chooses by the router's logits, and computes the activations of the chosen experts of layer `i` from the stream
/// `h`.
///
/// # Errors
/// [`PlanError`].
pub fn gate_up(parts: &Parts, steps: &mut Plan, i: usize, h: &Value) -> Result<(), PlanError> {
    let layer = Layer::new(parts, i)?;
    let (s, rows) = (layer.scratch, layer.experts.feed_forward);
    let [gate, up] = layer.halves()?;
    let kernel = gate_up::GateUp {
        mixture: layer.experts.mixture,
        k: parts.config.width,
        gate: gate.matrix.dtype,
        up: up.matrix.dtype,
    };
    let source = kernel.source()?;
    for range in ranges([(gate.matrix, gate.stride), (up.matrix, up.stride)]) {
        let [(gate_part, gate_first), (up_part, up_first)] = range.parts;
        let params = gate_up::Params {
            gate_planes: gate_part.layout.planes,
            up_planes: up_part.layout.planes,
            rows,
            begin: range.begin,
            end: range.end,
            norm: layer.vector("pre_ffw_norm_2"),
            gate_first,
            up_first,
            gate_stride: gate.stride,
            up_stride: up.stride,
            up_at: up.at,
            scales: layer.vector("expert_scale"),
            scale: layer.logit_scale(),
            eps: parts.config.eps,
        };
        let buffers =
            [&s.act, &s.choices, h, &s.logits, &parts.weights.vectors, &gate_part.value, &up_part.value];
        steps.push(&source, &params, &buffers, Grid::Fixed(kernel.dispatch(rows)))?;
        steps.tested_as(Form::ExpertGateUp(kernel));
        let apart = if up.at == 0 { up_part.layout.bytes() } else { 0 };
        steps.reading(layer.chosen_of(gate_part.layout.bytes() + apart));
    }
    Ok(())
}

/// Writes the weighted sum of the chosen experts after the dense part of the branch.
///
/// # Errors
/// [`PlanError`].
pub fn down(parts: &Parts, steps: &mut Plan, i: usize) -> Result<(), PlanError> {
    let layer = Layer::new(parts, i)?;
    let (s, width) = (layer.scratch, parts.config.width);
    let matrix = layer.matrix("ffn_down_exps")?;
    let kernel =
        down::Down { mixture: layer.experts.mixture, k: layer.experts.feed_forward, dtype: matrix.dtype };
    let source = kernel.source()?;
    for range in ranges([(matrix, width)]) {
        let [(part, _)] = range.parts;
        let params = down::Params {
            planes: part.layout.planes,
            rows: width,
            begin: range.begin,
            end: range.end,
            more: u32::from(range.begin > 0),
            y_at: width,
            ..Default::default()
        };
        let buffers = [&parts.scratch.branch, &s.choices, &s.act, &part.value];
        steps.push(&source, &params, &buffers, Grid::Fixed(kernel.dispatch(width)))?;
        steps.tested_as(Form::ExpertDown(kernel));
        steps.reading(layer.chosen_of(part.layout.bytes()));
    }
    Ok(())
}
