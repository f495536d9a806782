//! Products of prefill with rows that are rounded: to halves where the device has matrix units, to int8 where products of integers
//! are faster than those in f32.

use shaders::matmul::{CooperativeTile, PackedTile};
use shaders::matrix_units::MIN_ROWS;

use super::product::{
    HalfRows, PackedRows, Weights, push_cooperative, push_floats, push_halves, push_packed, push_packed_rows,
    push_part, room,
};
use super::scratch::Scratch;
use crate::plan::{Limits, Plan, PlanError, Value};

/// Rows of a chunk, as they are rounded.
#[derive(Clone, Copy)]
enum Rounded<'a> {
    Halves(&'a HalfRows),
    Bytes(&'a PackedRows),
}

impl Rounded<'_> {
    /// Whether they can be multiplied by this matrix.
    fn suit(self, (dtype, layout, _): Weights<'_>) -> bool {
        match self {
            Self::Halves(_) => CooperativeTile::suits(dtype, layout.k),
            Self::Bytes(_) => PackedTile::suits(dtype, layout.k),
        }
    }
}

/// Appends products of the same rows x: for [`MIN_ROWS`] rows or more by those that are rounded once, where the device has rounded
/// rows and the matrix suits them; all others by f32.
pub fn push_all(
    steps: &mut Plan,
    limits: Limits,
    products: &[(Weights<'_>, &Value)],
    x: &Value,
    scratch: &Scratch,
) -> Result<(), PlanError> {
    let state = &scratch.state;
    let rounded = scratch.halves.as_ref().map(Rounded::Halves);
    let rounded = rounded.or(scratch.packed_rows.as_ref().map(Rounded::Bytes));
    let by_rounded = |weights: Weights<'_>| rounded.filter(|rounded| rounded.suit(weights));
    let first = products.iter().find_map(|&(weights, _)| by_rounded(weights).zip(Some(weights.1)));
    match first {
        Some((Rounded::Halves(halves), layout)) => push_halves(steps, layout.k, 1, [state, x], halves)?,
        Some((Rounded::Bytes(packed), layout)) => push_packed_rows(steps, layout.k, [state, x], packed)?,
        None => {}
    }
    for &(weights, y) in products {
        let Some(rounded) = by_rounded(weights) else {
            push_part(steps, limits, weights, None, [state, x, y])?;
            continue;
        };
        push_floats(steps, limits, weights, None, [state, x, y], MIN_ROWS - 1)?;
        let most = room(weights.1, x, y);
        match rounded {
            Rounded::Halves(halves) => push_cooperative(steps, weights, [state, y], halves, most)?,
            Rounded::Bytes(packed) => push_packed(steps, weights, [state, y], packed, most)?,
        }
    }
    Ok(())
}
