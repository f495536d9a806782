//! Test cases of mixtures of experts.

use super::products::{Matrix, cooperative_tolerance, half_row_args, matrix};
use super::{Arg, Case, CaseError, Expected, Reading, as_f32, packed_zeros, random};
use crate::experts::{
    Choice, Mixture, buckets, choice, choose as router, down as downs, gate_up as gates, locate as cache,
    low_rank, mix as mixes,
};
use crate::matmul::{CooperativeTile, Tile, cooperative, experts as products, pack_rows::pack_rows};
use crate::matvec::twin;
use crate::{DType, Planes};

const EPS: f32 = 1e-6;
/// Rows of the chunk.
const LEN: u32 = 21;

/// Choices as [`Reading::Pairs`] reads them.
fn pairs(chosen: &[(u32, f64)]) -> Vec<f32> {
    chosen.iter().flat_map(|&(expert, weight)| [expert as f32, weight as f32]).collect()
}

/// Choices where each row uses consecutive experts, so that some are chosen often and some never.
fn made_up(mixture: Mixture, rows: u32) -> Vec<Choice> {
    let weights = random(61, (rows * mixture.used) as usize);
    let choice = |p: u32| {
        let start = (p / mixture.used) * (p / mixture.used) % mixture.experts;
        Choice { expert: (start + p % mixture.used) % mixture.experts, weight: weights[p as usize] }
    };
    (0..rows * mixture.used).map(choice).collect()
}

/// The router's choice.
pub fn choose(mixture: Mixture) -> Result<Case, CaseError> {
    let experts = mixture.experts as usize;
    let logits: Vec<f32> = random(62, LEN as usize * experts).into_iter().map(|v| 40.0 * v).collect();
    let scales = random(63, experts);
    let params = router::Params { scale: 0.25, ..Default::default() };
    let chosen =
        logits.chunks_exact(experts).flat_map(|row| choice(mixture.used, row, params.scale, &scales));
    let want = pairs(&chosen.collect::<Vec<_>>());
    let args = vec![
        Arg::uniform(&params),
        Arg::state(0, LEN),
        Arg::floats(&logits),
        Arg::floats(&scales),
        Arg::zeros(want.len()),
    ];
    let expected = vec![Expected { reading: Reading::Pairs, ..Expected::new(4, want, 1e-5) }];
    Ok(Case { source: router::source(mixture)?, args, grid: router::dispatch(LEN), expected })
}

/// Chosen experts in the cache: every other one is there. A few rows have only such experts, whose uses are counted.
pub fn locate(mixture: Mixture, few_rows: bool) -> Result<Case, CaseError> {
    let rows = if few_rows { LEN.min(cache::MAX_ROWS) } else { LEN };
    let layer = 1;
    let slots: Vec<u32> = (0..2 * mixture.experts)
        .map(|i| if few_rows || i % 2 == 0 { (i * 7) % mixture.experts } else { cache::NONE })
        .collect();
    let chosen = made_up(mixture, rows);
    let located = cache::locate(&slots[mixture.experts as usize..], &chosen);
    let params = cache::Params { layer, ..Default::default() };
    let mut args = vec![
        Arg::uniform(&params),
        Arg::state(0, rows),
        Arg::words(&slots),
        Arg::words(&chosen),
        Arg::zeros(2 * chosen.len()),
    ];
    let mut expected = vec![Expected::words(4, bytemuck::cast_slice(&located))];
    if few_rows {
        let mut record = vec![0];
        record.extend(chosen.iter().map(|choice| choice.expert));
        record.resize(cache::record_header(mixture) as usize, 0);
        let counts = record.len() + (layer * mixture.experts) as usize;
        record.resize(counts + mixture.experts as usize, 0);
        chosen.iter().for_each(|choice| record[counts + choice.expert as usize] += 1);
        args.push(Arg::zeros(record.len()));
        expected.push(Expected::words(5, &record));
    }
    let grid = cache::dispatch(mixture, few_rows, rows);
    Ok(Case { source: cache::source(mixture, few_rows)?, args, grid, expected })
}

/// Sorting choices into tiles.
pub fn sort(mixture: Mixture, bm: u32) -> Result<Case, CaseError> {
    let chosen = made_up(mixture, LEN);
    let capacity = buckets::most_tiles(mixture, LEN, bm);
    let params = buckets::Params { capacity, ..Default::default() };
    let (order, tiles) = buckets::buckets(mixture, bm, capacity, &chosen);
    let args = vec![
        Arg::uniform(&params),
        Arg::state(0, LEN),
        Arg::words(&chosen),
        Arg::zeros(order.len()),
        Arg::zeros(4 * tiles.len()),
    ];
    let expected = vec![Expected::words(3, &order), Expected::words(4, tiles.as_flattened())];
    Ok(Case { source: buckets::source(mixture, bm)?, args, grid: buckets::dispatch(mixture), expected })
}

/// A product of the rows that chose an expert.
pub fn matmul(tile: Tile, dtype: DType) -> Result<Case, CaseError> {
    let Prefill { mixture, params, w, tiles, order, x, mut y } = prefill(dtype, tile.bm)?;
    products::matmul(&params, &w.layout, &w.words, (&tiles, &order), &x, &mut y);
    let args = vec![
        Arg::uniform(&params),
        Arg::Words(w.words),
        Arg::Words(tiles.as_flattened().to_vec()),
        Arg::Words(order),
        Arg::floats(&x),
        Arg::zeros(y.len()),
    ];
    let grid = products::dispatch(tile, &params, mixture, LEN);
    let expected = vec![Expected::new(5, y, 1e-3 + 2e-6 * w.layout.k as f32)];
    Ok(Case { source: products::source(tile, dtype)?, args, grid, expected })
}

/// The same by matrix units.
pub fn cooperative(tile: CooperativeTile, dtype: DType) -> Result<Case, CaseError> {
    let Prefill { mixture, params, w, tiles, order, x, mut y } = prefill(dtype, tile.bm)?;
    let k = w.layout.k;
    let weights = |row| cooperative::rounded_weights(&w.layout, &w.words, row);
    let rounded = cooperative::rounded_rows(&x, k);
    products::matmul_of(&params, k, &weights, (&tiles, &order), &rounded, &mut y);
    let [halves, factors] = half_row_args(&x, k);
    let args = vec![
        Arg::uniform(&params),
        Arg::Words(w.words),
        Arg::Words(tiles.as_flattened().to_vec()),
        Arg::Words(order),
        halves,
        factors,
        Arg::zeros(y.len()),
    ];
    let grid = tile.dispatch_experts(&params, mixture, LEN);
    let expected = vec![Expected::new(6, y, cooperative_tolerance(k))];
    Ok(Case { source: tile.expert_source(dtype)?, args, grid, expected })
}

/// Operands of a prefill product with the experts `1..5` of six.
struct Prefill {
    mixture: Mixture,
    params: products::Params,
    w: Matrix,
    tiles: Vec<buckets::Tile>,
    order: Vec<u32>,
    x: Vec<f32>,
    /// Zeros.
    y: Vec<f32>,
}

/// For tiles of `bm` pairs.
fn prefill(dtype: DType, bm: u32) -> Result<Prefill, CaseError> {
    let mixture = Mixture { experts: 6, used: 3 };
    let (k, n, begin, end) = (512, 45, 1, 5);
    let chosen = made_up(mixture, LEN);
    let (order, tiles) = buckets::buckets(mixture, bm, buckets::most_tiles(mixture, LEN, bm), &chosen);
    let w = matrix(dtype, k, (end - begin) * n, 64)?;
    let params = products::Params {
        planes: w.layout.planes,
        n,
        units_per_row: w.layout.units_per_row,
        begin,
        end,
        pairs_per_row: mixture.used,
        y_stride: n,
        y_at: 0,
        pad: 0,
    };
    let x = random(65, (LEN * k) as usize);
    let y = vec![0.0; chosen.len() * n as usize];
    Ok(Prefill { mixture, params, w, tiles, order, x, y })
}

/// The sum of both parts of the branch.
pub fn mix(mixture: Option<Mixture>, width: u32) -> Result<Case, CaseError> {
    // Sums are those of a single expert with the weight 1.
    let (used, row) = (mixture.map_or(1, |mixture| mixture.used as usize), width as usize);
    let one = Choice { weight: 1.0, ..Choice::default() };
    let chosen = mixture.map_or(vec![one; LEN as usize], |mixture| made_up(mixture, LEN));
    let y = random(66, chosen.len() * row);
    let branch = random(67, LEN as usize * row);
    let vectors = random(68, 2 * row);
    let params = mixes::Params { experts_norm: width, eps: EPS, ..Default::default() };
    let rows = chosen.chunks_exact(used).zip(y.chunks_exact(used * row)).zip(branch.chunks_exact(row));
    let want: Vec<f64> =
        rows.flat_map(|((chosen, y), branch)| mixes::mix(&params, &vectors, chosen, y, branch)).collect();
    let mut args = vec![Arg::uniform(&params), Arg::state(0, LEN), Arg::floats(&vectors)];
    args.extend(mixture.map(|_| Arg::words(&chosen)));
    args.extend([Arg::floats(&y), Arg::floats(&branch)]);
    let expected = vec![Expected::new(args.len() - 1, as_f32(&want), 1e-4)];
    Ok(Case { source: mixes::source(mixture, width)?, args, grid: mixes::dispatch(LEN), expected })
}

/// Rows of X or of activations as a kernel reads them: as they are or rounded to int8; the values that it multiplies.
fn rows_of(values: Vec<f32>, packed: bool) -> (Vec<f32>, Vec<Arg>) {
    if !packed {
        let args = vec![Arg::floats(&values)];
        return (values, args);
    }
    let (codes, scales) = pack_rows(&values);
    let exact: Vec<f64> = values.iter().map(|&v| v.into()).collect();
    (as_f32(&twin::rounded_to_bytes(&exact)), vec![Arg::Words(codes), Arg::floats(&scales)])
}

/// Gate, up and activation for a few rows. Only the experts that may be chosen have weights.
pub fn gate_up(kernel: &gates::GateUp) -> Result<Case, CaseError> {
    let (k, positions, experts) = (512, 3, kernel.mixture.used + 1);
    let mixture = Mixture { experts, used: kernel.mixture.used };
    let rows = 48;
    let chosen = made_up(mixture, positions);
    let (x, inputs) = rows_of(random(71, (positions * k) as usize), kernel.form.packed);
    let gate = matrix(kernel.gate, k, experts * rows, 74)?;
    let up = matrix(kernel.up, k, experts * rows, 75)?;
    let params = gates::Params {
        planes: [gate.layout.planes, up.layout.planes, Planes::default()],
        rows,
        units_per_row: gate.layout.units_per_row,
        end: experts,
        gate_stride: rows,
        up_stride: rows,
        ..Default::default()
    };
    let added = kernel.corrected.then(|| random(76, chosen.len() * 2 * rows as usize));
    let matrices = (gate.values.as_slice(), up.values.as_slice());
    let act = gates::gate_up(kernel, &params, &chosen, &x, matrices, added.as_deref());
    let act = as_f32(&act.into_iter().flatten().flatten().collect::<Vec<_>>());
    let largest = act.iter().fold(1.0_f32, |most, v| most.max(v.abs()));
    let mut args = vec![
        Arg::uniform(&params),
        Arg::Words(gate.words),
        Arg::Words(up.words),
        Arg::state(0, positions),
        Arg::words(&chosen),
    ];
    args.extend(inputs);
    args.extend(added.as_deref().map(Arg::floats));
    let (at, allowed) = (args.len(), 2.0 * largest * (1e-3 + 2e-6 * k as f32));
    let expected = if kernel.packs {
        args.extend(packed_zeros(act.len()));
        Expected::packed(at, &act, allowed)
    } else {
        args.push(Arg::zeros(act.len()));
        vec![Expected::new(at, act, allowed)]
    };
    Ok(Case { source: kernel.source()?, args, grid: kernel.dispatch(rows, positions), expected })
}

/// The sum of the chosen experts for a few rows.
pub fn down(kernel: &downs::Down) -> Result<Case, CaseError> {
    let (k, positions, used, rows) = (256, 3, kernel.mixture.used, 19);
    let mixture = Mixture { experts: used + 1, used };
    let chosen = made_up(mixture, positions);
    let (act, inputs) = rows_of(random(77, (positions * used * k) as usize), kernel.form.packed);
    let w = matrix(kernel.dtype, k, mixture.experts * rows, 78)?;
    let params = downs::Params {
        planes: [w.layout.planes, Planes::default(), Planes::default()],
        rows,
        units_per_row: w.layout.units_per_row,
        end: mixture.experts,
        ..Default::default()
    };
    let want = as_f32(&downs::down(kernel, &params, &chosen, &act, &w.values));
    let mut args =
        vec![Arg::uniform(&params), Arg::Words(w.words), Arg::state(0, positions), Arg::words(&chosen)];
    args.extend(inputs);
    args.push(Arg::zeros(want.len()));
    let expected = vec![Expected::new(args.len() - 1, want, 1e-3 + 2e-6 * (k * used) as f32)];
    Ok(Case { source: kernel.source()?, args, grid: kernel.dispatch(rows, positions), expected })
}

/// What an adapter adds to experts: rows, the operands in front of them, and those of the pairs that have factors.
struct LowRank {
    params: low_rank::Params,
    chosen: Vec<Choice>,
    /// Tiles and pairs, or the state.
    leading: Vec<Arg>,
    /// For experts `1..end`.
    factors: Vec<f32>,
}

/// Factors of all experts but the first, between other numbers.
fn low_rank_of(mixture: Mixture, sorted: bool, (of_a, width): (bool, u32)) -> LowRank {
    let (rank, at) = (12, 5);
    let range = [1, mixture.experts.max(2)];
    let params = if of_a {
        low_rank::Params::a(width, rank, at, range)
    } else {
        low_rank::Params::b(width, rank, at, range)
    };
    let rows = if sorted { LEN } else { 3 };
    let chosen = made_up(mixture, rows);
    let leading = if sorted {
        let bm = Tile::SMALL.bm;
        let capacity = buckets::most_tiles(mixture, rows, bm);
        let (order, tiles) = buckets::buckets(mixture, bm, capacity, &chosen);
        vec![Arg::Words(tiles.into_flattened()), Arg::Words(order)]
    } else {
        vec![Arg::state(0, rows)]
    };
    let factors = random(81, (at + (range[1] - range[0]) * params.by_expert) as usize);
    LowRank { params, chosen, leading, factors }
}

/// From rows to the rank.
pub fn reduce(kernel: low_rank::Reduce) -> Result<Case, CaseError> {
    let mixture = kernel.mixture;
    // Rows are rounded 16 elements at a time.
    let width = if kernel.packed { 80 } else { 75 };
    let LowRank { params, chosen, leading, factors } = low_rank_of(mixture, kernel.sorted, (true, width));
    let params = params.shared_by(mixture.used).scaled(0.75);
    let rows = chosen.len() as u32 / mixture.used;
    let mut x = random(82, (rows * params.stride) as usize);
    let rounded = kernel.packed.then(|| pack_rows(&x));
    let inputs = match &rounded {
        Some((codes, scales)) => {
            let values: Vec<f64> = x.iter().map(|&x| x.into()).collect();
            x = as_f32(&twin::rounded_to_bytes(&values));
            vec![Arg::words(codes), Arg::floats(scales)]
        }
        None => vec![Arg::floats(&x)],
    };
    let scales = kernel.scaled.then(|| random(83, params.rank as usize));
    let pairs: Vec<u32> = (0..chosen.len() as u32).collect();
    let mut want = vec![0.0; chosen.len() * params.rank as usize];
    for (pair, z) in low_rank::reduce(&params, &chosen, &pairs, [&x, &factors], scales.as_deref()) {
        want[pair as usize * z.len()..][..z.len()].copy_from_slice(&as_f32(&z));
    }
    let mut args = vec![Arg::uniform(&params)];
    args.extend(leading);
    args.push(Arg::words(&chosen));
    args.extend(inputs);
    args.push(Arg::floats(&factors));
    args.extend(scales.as_deref().map(Arg::floats));
    args.push(Arg::zeros(want.len()));
    let expected = vec![Expected::new(args.len() - 1, want, 1e-4)];
    Ok(Case { source: kernel.source()?, args, grid: kernel.dispatch(&params, rows), expected })
}

/// From the rank to rows.
pub fn expand(kernel: low_rank::Expand) -> Result<Case, CaseError> {
    let mixture = kernel.mixture();
    let is_sorted = matches!(kernel, low_rank::Expand::Sorted(_));
    let LowRank { params, chosen, leading, factors } = low_rank_of(mixture, is_sorted, (false, 75));
    // Beside other columns.
    let params = low_rank::Params { stride: params.width + 9, offset: 4, ..params }.scaled(1.25);
    let rows = chosen.len() as u32 / mixture.used;
    let z = random(84, chosen.len() * params.rank as usize);
    let summed = matches!(kernel, low_rank::Expand::FewSummed(_));
    let places = if summed { mixture.used } else { 1 };
    let y = random(85, chosen.len() * params.stride as usize / places as usize);
    let mut want: Vec<f64> = y.iter().map(|&v| v.into()).collect();
    let pairs: Vec<u32> = (0..chosen.len() as u32).collect();
    for (pair, row) in low_rank::expand(&params, &chosen, &pairs, [&z, &factors]) {
        let to = &mut want[(pair / places * params.stride + params.offset) as usize..][..row.len()];
        let stores = matches!(kernel, low_rank::Expand::Few(_));
        to.iter_mut().zip(row).for_each(|(to, v)| *to = if stores { v } else { *to + v });
    }
    let mut args = vec![Arg::uniform(&params)];
    args.extend(leading);
    args.extend([Arg::words(&chosen), Arg::floats(&z), Arg::floats(&factors), Arg::floats(&y)]);
    let expected = vec![Expected::new(args.len() - 1, as_f32(&want), 1e-4)];
    Ok(Case { source: kernel.source()?, args, grid: kernel.dispatch(&params, rows), expected })
}
