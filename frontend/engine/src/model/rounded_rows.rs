//! Products of prefill with rows that are rounded for matrix units, where the device has any.

use shaders::matmul::{CooperativeTile, cooperative_int8};
use shaders::matrix_units::MIN_ROWS;

use super::int8_product::{self, Int8Rows};
use super::product::{HalfRows, Weights, push_cooperative, push_floats, push_halves, push_part, room};
use crate::plan::{Limits, Plan, PlanError, Value};

/// Rows rounded for matrix units.
#[derive(Debug)]
pub enum RoundedRows {
    /// To halves.
    Halves(HalfRows),
    /// To int8.
    Int8(Int8Rows),
}

impl RoundedRows {
    /// The halves, if they are.
    #[must_use]
    pub fn halves(&self) -> Option<&HalfRows> {
        match self {
            Self::Halves(halves) => Some(halves),
            Self::Int8(_) => None,
        }
    }

    fn suits(&self, &(dtype, layout, _): &Weights<'_>) -> bool {
        match self {
            Self::Halves(_) => CooperativeTile::suits(dtype, layout.k),
            Self::Int8(_) => cooperative_int8::suits(dtype, layout.k),
        }
    }

    /// Rounds x, rows of `k` elements, if there are enough for matrix units.
    fn push(&self, steps: &mut Plan, k: u32, buffers: [&Value; 2]) -> Result<(), PlanError> {
        match self {
            Self::Halves(halves) => push_halves(steps, k, 1, buffers, halves),
            Self::Int8(rows) => int8_product::push_rows(steps, k, buffers, rows),
        }
    }
}

/// Appends products of the same rows x: those that matrix units can compute by them, for [`MIN_ROWS`] rows or more,
/// with x rounded once; all others by f32. `rounded` is `None` if the device has no such units.
///
/// # Errors
/// [`PlanError`] when a tensor is missing, or a kernel cannot be generated.
pub fn push_all(
    steps: &mut Plan,
    limits: Limits,
    products: &[(Weights<'_>, &Value)],
    [state, x]: [&Value; 2],
    rounded: Option<&RoundedRows>,
) -> Result<(), PlanError> {
    let by_units = |weights: &Weights<'_>| rounded.filter(|rounded| rounded.suits(weights));
    let first = products.iter().find_map(|(weights, _)| by_units(weights).zip(Some(weights.1)));
    if let Some((rounded, layout)) = first {
        rounded.push(steps, layout.k, [state, x])?;
    }
    for &(weights, y) in products {
        let Some(rounded) = by_units(&weights) else {
            push_part(steps, limits, weights, None, [state, x, y])?;
            continue;
        };
        push_floats(steps, limits, weights, None, [state, x, y], MIN_ROWS - 1)?;
        let most = room(weights.1, x, y);
        match rounded {
            RoundedRows::Halves(halves) => push_cooperative(steps, weights, [state, y], halves, most)?,
            RoundedRows::Int8(rows) => int8_product::push(steps, limits, weights, [state, y], (rows, most))?,
        }
    }
    Ok(())
}
