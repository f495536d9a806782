//! Matrix products over rows by matrix units that multiply int8. Weights are rounded just before their product, a
//! part of a matrix at a time: all of them would take four times the memory of a file in four bits.

use std::collections::BTreeMap;

use shaders::PlanarLayout;
use shaders::matmul::{cooperative_int8, int8_blocks};
use shaders::matrix_units::MIN_ROWS;
use shaders::selftest::Form;

use super::product::{Weights, parts, push_sum};
use crate::plan::{Amount, Limits, Plan, PlanError, Value};

/// Rows rounded to int8, in two terms: codes, four per word, and the scale of each block.
pub type Int8Rows = [Value; 2];

/// Maximum number of weights that are rounded at a time, where a binding can hold as many: enough for a product of many
/// workgroups.
const MAX_WEIGHTS: u32 = 64 << 20;

/// Appends the rounding of x, rows of `k` elements, if there are enough of them; `buffers` are state and x.
///
/// # Errors
/// [`PlanError`] when a tensor is missing, or a kernel cannot be generated.
pub fn push_rows(
    steps: &mut Plan,
    k: u32,
    [state, x]: [&Value; 2],
    [codes, scales]: &Int8Rows,
) -> Result<(), PlanError> {
    let params = int8_blocks::Params::of_rows(k);
    let grid = move |rows| if rows < MIN_ROWS { [0; 3] } else { params.dispatch(rows) };
    let kernel = (int8_blocks::rows_source()?, Form::Int8Rows);
    steps.push_rows(kernel, &params, &[state, x, codes, scales], grid)
}

/// Appends `y = x·Wᵀ` for [`MIN_ROWS`] and up to `most` rows, which were rounded to `x`.
///
/// # Errors
/// [`PlanError`] when a tensor is missing, or a kernel cannot be generated.
pub fn push(
    steps: &mut Plan,
    limits: Limits,
    (dtype, layout, weights): Weights<'_>,
    [state, y]: [&Value; 2],
    (x, most): (&Int8Rows, u32),
) -> Result<(), PlanError> {
    let &PlanarLayout { k, n, .. } = layout;
    let at_once = rows_at_once(limits, k).min(n);
    let blocks = u64::from(at_once) * u64::from(k.div_ceil(int8_blocks::BLOCK));
    let w = [
        Value::temporary("weights in int8", 2 * u64::from(at_once) * u64::from(k)),
        Value::temporary("scales of weights in int8", 4 * blocks),
    ];
    // Each number of parts of K, and the most rows that are multiplied in as many.
    let mut splits = BTreeMap::new();
    for rows in MIN_ROWS..=most {
        splits.insert(cooperative_int8::splits(rows, at_once, k), rows);
    }
    // Sums of the parts, which are added up behind the last rows of W.
    let sums: Vec<_> = splits
        .iter()
        .map(|(&splits, &rows)| (splits, (splits > 1).then(|| parts(rows, n, splits))))
        .collect();
    for first in (0..n).step_by(at_once as usize) {
        let count = at_once.min(n - first);
        let params = int8_blocks::Params::of_weights(layout, first, count);
        let grid = move |rows| if rows < MIN_ROWS { [0; 3] } else { params.dispatch(count) };
        let kernel = (int8_blocks::weights_source(dtype)?, Form::Int8Weights(dtype));
        steps.push_rows(kernel, &params, &[weights, &w[0], &w[1]], grid)?;
        for (splits, sum) in &sums {
            let splits = *splits;
            let params = cooperative_int8::Params::new([count, k], [n, first]);
            let chosen = chosen(splits, at_once, k);
            let grid = move |rows| if chosen(rows) { params.dispatch(rows, splits) } else { [0; 3] };
            let kernel = (cooperative_int8::source()?, Form::CooperativeInt8);
            let to = sum.as_ref().unwrap_or(y);
            steps.push_rows(kernel, &params, &[state, &w[0], &w[1], &x[0], &x[1], to], grid)?;
            steps.computing(Amount::Fixed(u64::from(count) * u64::from(k)));
        }
    }
    for (splits, sum) in &sums {
        if let Some(sum) = sum {
            push_sum(steps, [n, *splits], [state, sum, y], false, chosen(*splits, at_once, k))?;
        }
    }
    Ok(())
}

/// Whether a chunk of so many rows is multiplied in so many parts of K.
fn chosen(splits: u32, n: u32, k: u32) -> impl Fn(u32) -> bool + Copy {
    move |rows| rows >= MIN_ROWS && cooperative_int8::splits(rows, n, k) == splits
}

/// Rows of W that are rounded at a time: whole tiles.
fn rows_at_once(limits: Limits, k: u32) -> u32 {
    let most = MAX_WEIGHTS.min(u32::try_from(limits.largest_binding / 2).unwrap_or(u32::MAX));
    (most / k / cooperative_int8::BN).max(1) * cooperative_int8::BN
}
