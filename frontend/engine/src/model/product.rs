//! Matrix products over rows, for prefill and for the towers. Towers and training multiply in f32 on every device.

use shaders::matmul::{
    Clamps, CooperativeMatmul, CooperativeTile, Matmul, PackedMatmul, PackedTile, Params, Product, Tile,
    half_rows, pack_rows,
};
use shaders::matrix_units::MIN_ROWS;
use shaders::rows::group_sum;
use shaders::{DType, Kernel, PlanarLayout};

use crate::plan::{Amount, Limits, Plan, PlanError, Value};
use crate::weights::Matrix;

/// Rows rounded to halves: two per word, and the factor of each row.
pub type HalfRows = [Value; 2];

/// Rows rounded to int8: four codes per word, and the scales of their units.
pub type PackedRows = [Value; 2];

/// Appends `y = x·Wᵀ` for the number of rows in `state`; `buffers` are state, x and y. With `clamps` it is a
/// clipped linear. There is one step for each tile size that may be used with up to as many rows as x has space
/// for; the grid is empty for those that do not suit the actual number.
pub fn push(
    steps: &mut Plan,
    limits: Limits,
    matrix: &Matrix,
    clamps: Option<Clamps>,
    buffers: [&Value; 3],
) -> Result<(), PlanError> {
    let part = matrix.whole();
    push_part(steps, limits, (matrix.dtype, &part.layout, &part.value), clamps, buffers)
}

/// The same for a part of a matrix: its storage type, layout and buffer.
pub fn push_part(
    steps: &mut Plan,
    limits: Limits,
    weights: Weights<'_>,
    clamps: Option<Clamps>,
    buffers: [&Value; 3],
) -> Result<(), PlanError> {
    push_floats(steps, limits, weights, clamps, buffers, u32::MAX)
}

/// The same for up to `most_rows` rows. With more, it computes nothing.
pub(crate) fn push_floats(
    steps: &mut Plan,
    limits: Limits,
    (dtype, layout, weights): Weights<'_>,
    clamps: Option<Clamps>,
    [state, x, y]: [&Value; 3],
    most_rows: u32,
) -> Result<(), PlanError> {
    let params = Params::new(layout).with_clamps(clamps.unwrap_or(Clamps::NONE));
    let software = limits.software;
    for tile in Tile::within_reach(room(layout, x, y).min(most_rows), params.n, software) {
        let grid = move |rows| {
            let is_chosen = rows <= most_rows && Tile::choose(rows, params.n, software) == tile;
            if is_chosen { tile.dispatch(&params, rows) } else { [0; 3] }
        };
        let kernel = Matmul { tile, dtype, clamped: clamps.is_some() };
        steps.push_rows(kernel, &params, &[weights, state, x, y], grid)?;
        steps.computing(multiply_adds(layout));
    }
    Ok(())
}

/// Multiply-adds of a product with a matrix, per row.
pub fn multiply_adds(layout: &PlanarLayout) -> Amount {
    Amount::Fixed(u64::from(layout.n) * u64::from(layout.k))
}

/// Rows that fit x and y. Buffers are shared, so one of them may be larger than needed.
pub(super) fn room(layout: &PlanarLayout, x: &Value, y: &Value) -> u32 {
    let rows = |value: &Value, width: u32| value.bytes() / (4 * u64::from(width.max(1)));
    u32::try_from(rows(x, layout.k).min(rows(y, layout.n))).unwrap_or(u32::MAX)
}

/// A matrix or a part of one: storage type, layout and buffer.
pub type Weights<'a> = (DType, &'a PlanarLayout, &'a Value);

/// Rounds x, rows of `k` elements, `rows_per_position` for each row of `state`, if there are enough for matrix units.
pub fn push_halves(
    steps: &mut Plan,
    k: u32,
    rows_per_position: u32,
    [state, x]: [&Value; 2],
    [halves, factors]: &HalfRows,
) -> Result<(), PlanError> {
    let params = half_rows::Params::new(k, rows_per_position);
    let grid = move |rows| if rows < MIN_ROWS { [0; 3] } else { params.dispatch(rows) };
    steps.push_rows(half_rows::HalfRows, &params, &[state, x, halves, factors], grid)
}

/// Rounds x, rows of `k` elements, to int8, if there are enough for packed tiles.
pub(crate) fn push_packed_rows(
    steps: &mut Plan,
    k: u32,
    [state, x]: [&Value; 2],
    [codes, scales]: &PackedRows,
) -> Result<(), PlanError> {
    let params = pack_rows::Params::new(k);
    let grid = move |rows| if rows < MIN_ROWS { [0; 3] } else { params.dispatch(rows) };
    steps.push_rows(pack_rows::PackRows, &params, &[state, x, codes, scales], grid)
}

/// Appends `y = x·Wᵀ` by packed tiles, for [`MIN_ROWS`] and up to `most` rows, which are rounded already.
pub(crate) fn push_packed(
    steps: &mut Plan,
    (dtype, layout, weights): Weights<'_>,
    [state, y]: [&Value; 2],
    [codes, scales]: &PackedRows,
    most: u32,
) -> Result<(), PlanError> {
    let (params, k) = (Params::new(layout), layout.k);
    for (tile, splits) in PackedTile::within_reach(most, params.n, k) {
        let chosen = move |rows| rows >= MIN_ROWS && PackedTile::choose(rows, params.n, k) == (tile, splits);
        let grid = move |rows| if chosen(rows) { tile.dispatch(&params, rows, splits) } else { [0; 3] };
        let kernel = PackedMatmul { tile, dtype, experts: false };
        let operands = [weights, state, codes, scales];
        push_split(steps, kernel, (layout, splits, most), (&operands, state, y), grid, chosen)?;
    }
    Ok(())
}

/// Appends `y = x·Wᵀ` by matrix units, for [`MIN_ROWS`] and up to `most` rows, whose halves are given.
pub(super) fn push_cooperative(
    steps: &mut Plan,
    (dtype, layout, weights): Weights<'_>,
    [state, y]: [&Value; 2],
    [halves, factors]: &HalfRows,
    most: u32,
) -> Result<(), PlanError> {
    let (params, k) = (Params::new(layout), layout.k);
    for (tile, splits) in CooperativeTile::within_reach(most, params.n, k) {
        let chosen =
            move |rows| rows >= MIN_ROWS && CooperativeTile::choose(rows, params.n, k) == (tile, splits);
        let grid = move |rows| if chosen(rows) { tile.dispatch(&params, rows, splits) } else { [0; 3] };
        let kernel = CooperativeMatmul { tile, dtype, product: Product::Rows };
        let operands = [weights, state, halves, factors];
        push_split(steps, kernel, (layout, splits, most), (&operands, state, y), grid, chosen)?;
    }
    Ok(())
}

/// Appends a product whose workgroups take one of `splits` parts of K each, and the sum of the parts, for those of up to `most` rows that
/// are `chosen`. `operands` are all but y.
fn push_split(
    steps: &mut Plan,
    kernel: impl Kernel,
    (layout, splits, most): (&PlanarLayout, u32, u32),
    (operands, state, y): (&[&Value], &Value, &Value),
    grid: impl Fn(u32) -> [u32; 3] + 'static,
    chosen: impl Fn(u32) -> bool + 'static,
) -> Result<(), PlanError> {
    let params = Params::new(layout);
    let most = (MIN_ROWS..=most).rev().find(|&rows| chosen(rows)).unwrap_or(0);
    let parts = (splits > 1).then(|| parts(most, params.n, splits));
    let mut operands = operands.to_vec();
    operands.push(parts.as_ref().unwrap_or(y));
    steps.push_rows(kernel, &params, &operands, grid)?;
    steps.computing(multiply_adds(layout));
    match &parts {
        Some(parts) => push_sum(steps, [params.n, splits], [state, parts, y], false, chosen),
        None => Ok(()),
    }
}

/// Appends `y[T, K] = x[T, N]·W[N, K]`, or adds it to y, by matrix units, for at least [`MIN_ROWS`] and up to `most` rows,
/// usually `usual`. N must suit them ([`CooperativeTile::suits_columns`]).
pub fn push_columns(
    steps: &mut Plan,
    (dtype, layout, weights): Weights<'_>,
    [state, x, y]: [&Value; 3],
    [usual, most]: [u32; 2],
    add: bool,
) -> Result<(), PlanError> {
    let (params, n, k) = (Params::new(layout), layout.n, layout.k);
    let halves = [
        Value::temporary("rows in halves", 2 * u64::from(most) * u64::from(n)),
        Value::temporary("factors of rows in halves", 4 * u64::from(most)),
    ];
    push_halves(steps, n, 1, [state, x], &halves)?;
    let [halves, factors] = &halves;
    let tile = CooperativeTile::COLUMNS;
    let splits = CooperativeTile::column_splits(usual, n, k);
    let parts = parts(most, k, splits);
    let enough = |rows: u32| rows >= MIN_ROWS;
    let grid = move |rows| if enough(rows) { tile.dispatch_columns(&params, rows, splits) } else { [0; 3] };
    let kernel = CooperativeMatmul { tile, dtype, product: Product::Columns };
    steps.push_rows(kernel, &params, &[weights, state, halves, factors, &parts], grid)?;
    steps.computing(multiply_adds(layout));
    push_sum(steps, [k, splits], [state, &parts, y], add, enough)
}

/// Partial sums of a product, f32 `[most, splits, width]`.
pub(super) fn parts(most: u32, width: u32, splits: u32) -> Value {
    let bytes = 4 * u64::from(most) * u64::from(width) * u64::from(splits);
    Value::temporary("parts of a product", bytes)
}

/// Appends `y[T, width] = Σ parts[T, splits, width]`, or adds that to y, for the numbers of rows that are `chosen`; `buffers`
/// are state, parts and y.
pub(super) fn push_sum(
    steps: &mut Plan,
    [width, splits]: [u32; 2],
    buffers: [&Value; 3],
    add: bool,
    chosen: impl Fn(u32) -> bool + 'static,
) -> Result<(), PlanError> {
    let sum = group_sum::Params { quads: width / 4, sums: 1, group: splits, add: add.into() };
    let grid = move |rows| if chosen(rows) { sum.dispatch(rows) } else { [0; 3] };
    steps.push_rows(group_sum::GroupSum, &sum, &buffers, grid)
}
