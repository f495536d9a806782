//! Matrix products over rows, for prefill and for the towers.

use shaders::matmul::{Clamps, Params, Tile};
use shaders::selftest::Form;
use shaders::{DType, PlanarLayout};

use crate::plan::{Plan, PlanError, Value};
use crate::weights::Matrix;

/// Appends `y = x·Wᵀ` for the number of rows in `state`; `buffers` are state, x and y. With `clamps` it is a
/// clipped linear. There is one step for each tile size that may be used with up to as many rows as x has space
/// for; the grid is empty for those that do not suit the actual number.
///
/// # Errors
/// [`PlanError`].
pub fn push(
    steps: &mut Plan,
    matrix: &Matrix,
    clamps: Option<Clamps>,
    buffers: [&Value; 3],
) -> Result<(), PlanError> {
    let part = matrix.whole();
    push_part(steps, (matrix.dtype, &part.layout, &part.value), clamps, buffers)
}

/// The same for a part of a matrix: its storage type, layout and buffer.
///
/// # Errors
/// [`PlanError`].
pub fn push_part(
    steps: &mut Plan,
    (dtype, layout, weights): (DType, &PlanarLayout, &Value),
    clamps: Option<Clamps>,
    [state, x, y]: [&Value; 3],
) -> Result<(), PlanError> {
    let params = Params::new(layout).with_clamps(clamps.unwrap_or(Clamps::NONE));
    // Buffers are shared, so one of them may be larger than needed.
    let rows = |value: &Value, width: u32| value.bytes() / (4 * u64::from(width.max(1)));
    let room = rows(x, layout.k).min(rows(y, layout.n));
    for tile in Tile::within_reach(u32::try_from(room).unwrap_or(u32::MAX), params.n) {
        let grid = move |rows| {
            if Tile::choose(rows, params.n) == tile { tile.dispatch(&params, rows) } else { [0; 3] }
        };
        let (source, form) = match clamps {
            Some(_) => (tile.clamped_source(dtype), Form::ClampedMatmul(tile, dtype)),
            None => (tile.source(dtype), Form::Matmul(tile, dtype)),
        };
        steps.push_rows((source?, form), &params, &[weights, state, x, y], grid)?;
    }
    Ok(())
}
