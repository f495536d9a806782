//! Products of prefill with rows that are rounded for matrix units, where the device has any.

use shaders::matmul::CooperativeTile;
use shaders::matrix_units::MIN_ROWS;

use super::product::{HalfRows, Weights, push_cooperative, push_floats, push_halves, push_part, room};
use crate::plan::{Limits, Plan, PlanError, Value};

/// Appends products of the same rows x: those that matrix units can compute by them, for [`MIN_ROWS`] rows or more,
/// with x rounded once to `halves`; all others by f32. `halves` is `None` if the device has no such units.
pub fn push_all(
    steps: &mut Plan,
    limits: Limits,
    products: &[(Weights<'_>, &Value)],
    [state, x]: [&Value; 2],
    halves: Option<&HalfRows>,
) -> Result<(), PlanError> {
    let by_units =
        |&(dtype, layout, _): &Weights<'_>| halves.filter(|_| CooperativeTile::suits(dtype, layout.k));
    let first = products.iter().find_map(|(weights, _)| by_units(weights).zip(Some(weights.1)));
    if let Some((halves, layout)) = first {
        push_halves(steps, layout.k, 1, [state, x], halves)?;
    }
    for &(weights, y) in products {
        let Some(halves) = by_units(&weights) else {
            push_part(steps, limits, weights, None, [state, x, y])?;
            continue;
        };
        push_floats(steps, limits, weights, None, [state, x, y], MIN_ROWS - 1)?;
        push_cooperative(steps, weights, [state, y], halves, room(weights.1, x, y))?;
    }
    Ok(())
}
