//! Row steps that decode, prefill and the experts share.

use shaders::rows::norm_add::{NormAdd, Params as NormParams};
use shaders::selftest::Form;

use super::{Parts, product};
use crate::plan::{Plan, PlanError, Value};

/// Adds a normed branch to the stream in place (`add`: offsets of the norm's weights and of the scalar), then norms
/// the stream into `x` (`norm`: offset of the weights).
///
/// # Errors
/// [`PlanError`].
pub fn norm_add(
    parts: &Parts,
    steps: &mut Plan,
    h: &Value,
    add: Option<(u32, Option<u32>)>,
    norm: Option<u32>,
) -> Result<(), PlanError> {
    let s = &parts.scratch;
    let mut params = NormParams::new(parts.config.width, parts.config.eps);
    params.norm = norm.unwrap_or(0);
    let mut buffers: Vec<&Value> = vec![&s.state, &parts.weights.vectors, h];
    if let Some((branch_norm, scale)) = add {
        params.branch_norm = branch_norm;
        params.scale_at = scale.unwrap_or(NormParams::NONE);
        buffers.push(&s.branch);
    }
    let form = match (add.is_some(), norm.is_some()) {
        (true, true) => NormAdd::AddNorm,
        (true, false) => NormAdd::Add,
        (false, _) => NormAdd::Norm,
    };
    if norm.is_some() {
        buffers.push(&s.x);
    }
    let kernel = (form.source()?, Form::NormAdd(form));
    steps.push_rows(kernel, &params, &buffers, move |rows| NormAdd::dispatch(&params, rows))
}

/// A product with the rows of `x`.
///
/// # Errors
/// [`PlanError`].
pub fn product(parts: &Parts, steps: &mut Plan, name: &str, x: &Value, y: &Value) -> Result<(), PlanError> {
    product::push(steps, parts.matrix(name)?, None, [&parts.scratch.state, x, y])
}
