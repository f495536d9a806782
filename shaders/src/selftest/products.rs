//! Test cases of products and of the embedding lookup.

use super::prologue::{self, EPS, HEAD_DIM, MAX_SPLITS};
use super::{Arg, Case, CaseError, Expected, Reading, as_f32, low_rank, packed_zeros, random};
use crate::backward::input;
use crate::draft::{input as draft, ordered_head};
use crate::embed::gather as embed;
use crate::math::gelu_tanh;
use crate::matmul::{
    self, Clamps, CooperativeTile, FewRows, Tile, cooperative, few_rows, half_rows, pack_rows,
};
use crate::matvec::{Correction, Epilogue, HandoffForm, Matvec, Prologue, twin};
use crate::quant::{dequantize, quantize, repack};
use crate::repack as kernel;
use crate::repack::requantize::TARGET;
use crate::rows::group_sum;
use crate::state::State;
use crate::{DType, PlanarLayout, Source};

/// Rows of the matrices: odd, so that workgroups are only partly used.
const ROWS: [u32; 3] = [19, 7, 5];

/// A quantised matrix.
pub(super) struct Matrix {
    /// Where its planes lie.
    pub(super) layout: PlanarLayout,
    /// Its planes.
    pub(super) words: Vec<u32>,
    /// Their values.
    pub(super) values: Vec<f32>,
}

/// A factor for every third row that makes its block scales subnormal halves, like most super-block scales of
/// published models.
fn small(dtype: DType) -> f32 {
    match dtype {
        DType::F32 | DType::F16 | DType::BF16 => 1.0,
        DType::Q4_0 | DType::Q4_1 => 3e-4,
        DType::Q5_0 | DType::Q5_1 | DType::Q2_K => 6e-4,
        DType::Q4_K | DType::Q5_K => 3e-3,
        DType::Q8_0 | DType::IQ4_NL | DType::Q3_K => 5e-3,
        DType::Q6_K => 0.1,
    }
}

fn values(dtype: DType, k: u32, rows: u32, seed: u64) -> Vec<f32> {
    let mut values = random(seed, k as usize * rows as usize);
    for row in values.chunks_exact_mut(k as usize).skip(1).step_by(3) {
        row.iter_mut().for_each(|value| *value *= small(dtype));
    }
    values
}

/// A matrix of random values.
pub(super) fn matrix(dtype: DType, k: u32, rows: u32, seed: u64) -> Result<Matrix, CaseError> {
    let source = values(dtype, k, rows, seed);
    let bytes = quantize(dtype, &source)?;
    let mut values = vec![0.0; source.len()];
    dequantize(dtype, &bytes, &mut values)?;
    let (k, rows) = (u64::from(k), u64::from(rows));
    Ok(Matrix { layout: PlanarLayout::new(dtype, k, rows)?, words: repack(dtype, k, rows, &bytes)?, values })
}

/// Tolerance of a product of `k` terms: f32 sums in another order.
fn tolerance(k: u32) -> f32 {
    1e-3 + 2e-6 * k as f32
}

/// Additional tolerance of a packed product: two elements of x that are rounded to the other integer.
const OF_BYTES: f32 = 2.0 / 127.0;

/// A decode product.
pub fn matvec(kernel: &Matvec) -> Result<Case, CaseError> {
    let pair = kernel.epilogue == Epilogue::Geglu;
    let rows = |i: usize| if pair { ROWS[0] } else { ROWS[i.min(ROWS.len() - 1)] };
    let matrices =
        kernel.dtypes.iter().enumerate().map(|(i, &dtype)| matrix(dtype, kernel.k, rows(i), i as u64 + 5));
    let matrices = matrices.collect::<Result<Vec<_>, _>>()?;
    let places = kernel.k as usize / HEAD_DIM * MAX_SPLITS;
    let behind = low_rank::behind(kernel, places as u32);
    let front = prologue::of(kernel, &behind);
    let multiplied = if kernel.form.packed { &twin::rounded_to_bytes(&front.x) } else { &front.x };
    let mut products: Vec<_> = matrices.iter().map(|m| twin::product(&m.values, multiplied)).collect();
    let mut counts: Vec<u32> = matrices.iter().map(|m| m.layout.n).collect();
    let input_at = match kernel.prologue {
        Prologue::Merge => places * (HEAD_DIM + 2),
        _ => kernel.k as usize,
    };
    let low_rank = kernel.low_rank.is_bound();
    let low_rank = low_rank.then(|| low_rank::of(kernel, &front, &behind, &counts, input_at as u32));
    if matches!(kernel.low_rank.handoff, HandoffForm::Ahead { .. }) {
        counts.extend(counts.last().copied());
    }
    let (mut params, grid) = kernel.dispatch(&counts);
    params.eps = EPS;
    if let Some(norms) = front.norms {
        params = params.with_norms(norms);
    }
    if let Some(merge) = front.merge {
        params = params.with_merge(merge);
    }
    if let Some(low_rank) = &low_rank {
        params = params.with_correction(&low_rank.correction);
        params = params.with_handoff(kernel.low_rank.z_source, low_rank.handoff_at);
        for (products, added) in products.iter_mut().zip(&low_rank.added) {
            products.iter_mut().zip(added).for_each(|(product, added)| *product += added);
        }
    }
    let ple = random(19, 20 + ROWS[0] as usize);
    let scales = [0.5, -2.0, 1.0, 3.0];
    let mut want: Vec<f64> = match kernel.epilogue {
        Epilogue::Store => products.concat(),
        Epilogue::Geglu => products[0].iter().zip(&products[1]).map(|(&g, u)| gelu_tanh(g) * u).collect(),
        Epilogue::Ple => {
            products[0].iter().zip(&ple[20..]).map(|(&g, &p)| gelu_tanh(g) * f64::from(p)).collect()
        }
        Epilogue::Shrink { .. } => {
            let correction = Correction { rank: scales.len() as u32, places: [None; 3] };
            params = params.with_correction(&correction);
            products[0]
                .iter()
                .zip(scales.iter().cycle())
                .map(|(dot, &scale)| dot * f64::from(scale))
                .collect()
        }
    };
    let mut next = 0;
    for ((planes, out), m) in params.planes.iter_mut().zip(&mut params.out).zip(&matrices) {
        (*planes, *out) = (m.layout.planes, next);
        next += m.layout.n;
    }
    if let Some(low_rank) = &low_rank {
        if !low_rank.ahead.is_empty() {
            params.out[matrices.len()] = next;
        }
        want.extend(low_rank.left(kernel, &want));
    }
    params.ple = 20;

    // A gated product multiplies two sums, each with its own error.
    let largest = products.iter().flatten().fold(1.0_f64, |most, v| most.max(v.abs()));
    let factor = if kernel.epilogue == Epilogue::Store { 1.0 } else { 2.0 * largest as f32 };
    let mut args =
        vec![Arg::uniform(&params), Arg::zeros(want.len().max(next as usize)), Arg::floats(&front.input)];
    args.extend(matrices.into_iter().map(|m| Arg::Words(m.words)));
    args.extend(front.tail);
    let allowed = tolerance(kernel.k) + if kernel.form.packed { OF_BYTES } else { 0.0 };
    let mut expected = vec![Expected::new(1, as_f32(&want), factor * allowed)];
    if let Some(stream) = front.stream {
        expected.push(Expected::new(args.len() - 1, as_f32(&stream), 1e-4));
    }
    match kernel.epilogue {
        Epilogue::Ple => args.push(Arg::floats(&ple)),
        Epilogue::Shrink { keep } => {
            args.push(Arg::floats(&scales));
            if keep {
                expected.push(Expected::new(args.len(), as_f32(&front.x), 1e-3));
                args.push(Arg::zeros(kernel.k as usize));
            }
        }
        Epilogue::Store | Epilogue::Geglu => {}
    }
    args.extend(low_rank.into_iter().flat_map(|low_rank| low_rank.args));
    Ok(Case { source: kernel.source()?, args, grid, expected })
}

/// A prefill product with more tokens than a tile.
pub fn matmul(tile: Tile, dtype: DType) -> Result<Case, CaseError> {
    prefill(tile, dtype, None)
}

/// A product of one row fewer than the kernel has space for. A single stored matrix gives columns 5.. of rows that
/// are 9 longer than it has rows.
pub fn of_few_rows(kernel: &FewRows) -> Result<Case, CaseError> {
    let (k, rows) = (1280, (kernel.rows - 1).max(1));
    let n = |i: usize| match kernel.epilogue {
        few_rows::Epilogue::Store => [75, 19, 37][i.min(2)],
        _ => {
            if kernel.packs {
                80
            } else {
                75
            }
        }
    };
    let matrices = kernel.dtypes.iter().enumerate().map(|(i, &dtype)| matrix(dtype, k, n(i), 31 + i as u64));
    let matrices = matrices.collect::<Result<Vec<_>, _>>()?;
    let x = random(42, (k * rows) as usize);
    let (codes, scales) = pack_rows::pack_rows(&x);
    let (correction, z_stride, z_and_adapter, updates) = low_rank::of_few_rows(kernel, &n, rows);
    let (multiplied, inputs) = if kernel.form.packed {
        let x: Vec<f64> = x.iter().map(|&x| x.into()).collect();
        (as_f32(&twin::rounded_to_bytes(&x)), vec![Arg::Words(codes), Arg::floats(&scales)])
    } else {
        (x.clone(), vec![Arg::floats(&x)])
    };
    let mut products: Vec<_> =
        matrices.iter().map(|w| matmul::matmul(&w.layout, &w.words, &multiplied)).collect();
    for (product, update) in products.iter_mut().zip(&updates) {
        product.iter_mut().zip(update).for_each(|(y, update)| *y += update);
    }
    let layouts: Vec<_> = matrices.iter().map(|w| &w.layout).collect();
    let (mut params, grid) = kernel.dispatch(&layouts);
    params = params.with_correction(&correction, z_stride, 0);
    let gated = |gate: f32, up: f32| (gelu_tanh(gate.into()) * f64::from(up)) as f32;
    let width = n(0) as usize;
    let ple = random(43, rows as usize * (width + 9));
    let y: Vec<f32> = match kernel.epilogue {
        few_rows::Epilogue::Store if matrices.len() == 1 => {
            params = params.part(5, n(0) + 9);
            let row = |row: &[f32]| [&[0.0; 5], row, &[0.0; 4]].concat();
            products[0].chunks_exact(width).flat_map(row).collect()
        }
        few_rows::Epilogue::Store => {
            let room = |(y, w): (&Vec<f32>, &Matrix)| {
                let mut y = y.clone();
                y.resize((FewRows::MAX_ROWS * w.layout.n) as usize, 0.0);
                y
            };
            products.iter().zip(&matrices).flat_map(room).collect()
        }
        few_rows::Epilogue::Geglu => {
            products[0].iter().zip(&products[1]).map(|(&gate, &up)| gated(gate, up)).collect()
        }
        few_rows::Epilogue::Ple => {
            params = params.with_ple(n(0) + 9, 4);
            let inputs = ple.chunks_exact(width + 9).flat_map(|row| &row[4..4 + width]);
            products[0].iter().zip(inputs).map(|(&gate, &input)| gated(gate, input)).collect()
        }
    };
    let mut args = vec![Arg::uniform(&params)];
    args.extend(matrices.into_iter().map(|w| Arg::Words(w.words)));
    args.push(Arg::state(0, rows));
    args.extend(inputs);
    args.extend((kernel.epilogue == few_rows::Epilogue::Ple).then(|| Arg::floats(&ple)));
    // A gated product multiplies two sums, each with its own error.
    let largest = products.iter().flatten().fold(1.0_f32, |most, v| most.max(v.abs()));
    let factor = if kernel.epilogue == few_rows::Epilogue::Store { 1.0 } else { 2.0 * largest };
    let allowed = factor * tolerance(k);
    let expected = if kernel.packs {
        Expected::packed(args.len(), &y, allowed)
    } else {
        vec![Expected::new(args.len(), y.clone(), allowed)]
    };
    args.extend(if kernel.packs { packed_zeros(y.len()).to_vec() } else { vec![Arg::zeros(y.len())] });
    args.extend(z_and_adapter);
    Ok(Case { source: kernel.source()?, args, grid, expected })
}

/// Rows rounded to int8. A code may differ by one where an element lies between two.
pub fn packed_rows() -> Result<Case, CaseError> {
    let (k, rows) = (1280, 3);
    // On a grid of 1/64 below 127/64, so that every code is exact.
    let mut x: Vec<f32> = random(33, k * rows).iter().map(|v| (v * 126.0).round() / 64.0).collect();
    x.chunks_exact_mut(16).for_each(|unit| unit[3] = 127.0 / 64.0);
    let (codes, scales) = pack_rows::pack_rows(&x);
    let params = pack_rows::Params::new(k as u32);
    let args = vec![
        Arg::uniform(&params),
        Arg::state(0, rows as u32),
        Arg::floats(&x),
        Arg::zeros(codes.len()),
        Arg::zeros(scales.len()),
    ];
    let expected = vec![Expected::words(3, &codes), Expected::new(4, scales, 1e-4)];
    Ok(Case { source: pack_rows::source()?, args, grid: params.dispatch(rows as u32), expected })
}

/// Rows rounded to halves, of magnitudes that halves do not reach.
pub fn half_rows() -> Result<Case, CaseError> {
    let (k, rows_per_position) = (520, 2);
    let mut x = random(35, k * 6);
    for (row, magnitude) in x.chunks_exact_mut(k).zip([1.0, 1e-9, 3e6, 0.03, 1e20, 0.0]) {
        row.iter_mut().for_each(|x| *x *= magnitude);
    }
    let (halves, factors): (Vec<_>, Vec<_>) = x.chunks_exact(k).map(half_rows::half_row).unzip();
    let params = half_rows::Params::new(k as u32, rows_per_position);
    let args = vec![
        Arg::uniform(&params),
        Arg::state(0, 3),
        Arg::floats(&x),
        Arg::zeros(x.len() / 2),
        Arg::zeros(factors.len()),
    ];
    let halves = halves.concat().into_iter().map(half::f16::to_f32).collect();
    let halves = Expected { reading: Reading::F16, ..Expected::new(3, halves, 1e-3) };
    let factors = Expected { absolute: 0.0, relative: 0.0, ..Expected::new(4, factors, 0.0) };
    Ok(Case { source: half_rows::source()?, args, grid: params.dispatch(3), expected: vec![halves, factors] })
}

/// Halves and factors of rows, as the products by matrix units read them.
pub(super) fn half_row_args(x: &[f32], k: u32) -> [Arg; 2] {
    let (halves, factors): (Vec<_>, Vec<_>) = x.chunks_exact(k as usize).map(half_rows::half_row).unzip();
    let bits: Vec<u16> = halves.concat().into_iter().map(half::f16::to_bits).collect();
    [Arg::words(&bits), Arg::floats(&factors)]
}

/// Tolerance of a product by matrix units of `k` terms: a decoded weight that is rounded to the other half.
pub(super) fn cooperative_tolerance(k: u32) -> f32 {
    tolerance(k) + 1.0 / 1024.0
}

/// A prefill product by matrix units, of more tokens than a tile, with K in two parts.
pub fn cooperative(tile: CooperativeTile, dtype: DType) -> Result<Case, CaseError> {
    let (k, n, tokens, splits) = (512, tile.bn + 11, tile.bm + 3, 2);
    let w = matrix(dtype, k, n, 31)?;
    let params = matmul::Params::new(&w.layout);
    let x = random(32, (k * tokens) as usize);
    let y = cooperative::matmul(&w.layout, &w.words, &x, splits);
    let kernel = (tile.source(dtype)?, tile.dispatch(&params, tokens, splits));
    Ok(by_matrix_units(kernel, w, (&x, k), y))
}

/// The product with columns, summed in two parts.
pub fn cooperative_columns(dtype: DType) -> Result<Case, CaseError> {
    let tile = CooperativeTile::COLUMNS;
    let (k, n, tokens, splits) = (256, 4 * tile.bk, tile.bm + 3, 2);
    let w = matrix(dtype, k, n, 31)?;
    let params = matmul::Params::new(&w.layout);
    let x = random(32, (n * tokens) as usize);
    let y = cooperative::column_product(&w.layout, &w.words, &x, splits);
    let kernel = (tile.column_source(dtype)?, tile.dispatch_columns(&params, tokens, splits));
    Ok(by_matrix_units(kernel, w, (&x, n), y))
}

/// A product of rows of `x` with `depth` elements each.
fn by_matrix_units(
    (source, grid): (Source, [u32; 3]),
    w: Matrix,
    (x, depth): (&[f32], u32),
    y: Vec<f32>,
) -> Case {
    let [halves, factors] = half_row_args(x, depth);
    let args = vec![
        Arg::uniform(&matmul::Params::new(&w.layout)),
        Arg::Words(w.words),
        Arg::state(0, x.len() as u32 / depth),
        halves,
        factors,
        Arg::zeros(y.len()),
    ];
    Case { source, args, grid, expected: vec![Expected::new(5, y, cooperative_tolerance(depth))] }
}

/// The sums of the parts of a product.
pub fn group_sum() -> Result<Case, CaseError> {
    let (width, group, tokens) = (516, 3, 5);
    let params = group_sum::Params { quads: width / 4, sums: 1, group, add: 0 };
    let part = random(33, (width * group * tokens) as usize);
    let y = group_sum::group_sum(&part, width as usize, group as usize);
    let args = vec![Arg::uniform(&params), Arg::state(0, tokens), Arg::floats(&part), Arg::zeros(y.len())];
    let expected = vec![Expected::new(3, y, 1e-6)];
    Ok(Case { source: group_sum::source()?, args, grid: params.dispatch(tokens), expected })
}

/// The same for a clipped linear: about a third of its inputs and outputs are out of bounds.
pub fn clamped_matmul(tile: Tile, dtype: DType) -> Result<Case, CaseError> {
    prefill(tile, dtype, Some(Clamps { input: [-0.6, 0.7], output: [-6.0, 5.0] }))
}

fn prefill(tile: Tile, dtype: DType, clamps: Option<Clamps>) -> Result<Case, CaseError> {
    let (k, n, tokens) = (512, 75, tile.bm + 3);
    let w = matrix(dtype, k, n, 31)?;
    let x = random(32, (k * tokens) as usize);
    let params = matmul::Params::new(&w.layout);
    let (source, params, y) = match clamps {
        None => (tile.source(dtype)?, params, matmul::matmul(&w.layout, &w.words, &x)),
        Some(clamps) => {
            let y = matmul::matmul_clamped(&w.layout, &w.words, &x, &clamps);
            (tile.clamped_source(dtype)?, params.with_clamps(clamps), y)
        }
    };
    let args = vec![
        Arg::uniform(&params),
        Arg::Words(w.words),
        Arg::state(0, tokens),
        Arg::floats(&x),
        Arg::zeros(y.len()),
    ];
    let grid = tile.dispatch(&params, tokens);
    Ok(Case { source, args, grid, expected: vec![Expected::new(4, y, tolerance(k))] })
}

/// Repacked rows of a matrix.
pub fn repacked(dtype: DType) -> Result<Case, CaseError> {
    let (k, rows) = (512, 8);
    let mut bytes = quantize(dtype, &values(dtype, k, rows, 42))?;
    let words = repack(dtype, k.into(), rows.into(), &bytes)?;
    let layout = PlanarLayout::new(dtype, k.into(), rows.into())?;
    let params = kernel::Params::new(&layout, 0, rows, 0)?;
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let source = bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let args = vec![Arg::uniform(&params), Arg::Words(source), Arg::zeros(words.len())];
    let grid = kernel::dispatch(dtype, &params);
    Ok(Case { source: kernel::source(dtype)?, args, grid, expected: vec![Expected::words(2, &words)] })
}

/// Rows of floats that are codes times the scale of their block, which Q8_0 holds exactly: one block is zero, and the scales
/// of some are subnormal halves.
pub fn requantized(from: DType) -> Result<Case, CaseError> {
    const BLOCK: usize = 32;
    let (k, rows) = (96, 6);
    let mut floats: Vec<f32> = random(44, k * rows).into_iter().map(|x| (x * 126.0).round()).collect();
    for (number, block) in floats.chunks_exact_mut(BLOCK).enumerate() {
        block[number % BLOCK] = if number % 2 == 0 { 127.0 } else { -127.0 };
        let scale = if number == 4 { 0.0 } else { (-2.0 - number as f32).exp2() };
        block.iter_mut().for_each(|value| *value *= scale);
    }
    let words = repack(TARGET, k as u64, rows as u64, &quantize(TARGET, &floats)?)?;
    let layout = PlanarLayout::new(TARGET, k as u64, rows as u64)?;
    let params = kernel::Params::new(&layout, 0, rows as u32, 0)?;
    let bytes = quantize(from, &floats)?;
    let source = bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let args = vec![Arg::uniform(&params), Arg::Words(source), Arg::zeros(words.len())];
    let grid = kernel::requantize::dispatch(&params);
    let source = kernel::requantize::source(from)?;
    Ok(Case { source, args, grid, expected: vec![Expected::words(2, &words)] })
}

/// Embeddings of a few tokens.
pub fn gather(dtype: DType) -> Result<Case, CaseError> {
    let (k, tokens) = (512, [3, 0, 10, 3]);
    let table = matrix(dtype, k, 11, 41)?;
    let params = embed::Params::new(&table.layout, 0, 1.5);
    let mut y = vec![0.0; k as usize * tokens.len()];
    embed::gather(&table.layout, &table.words, 0, 1.5, &tokens, &mut y);
    let len = tokens.len() as u32;
    let args = vec![
        Arg::uniform(&params),
        Arg::Words(table.words),
        Arg::Words(tokens.to_vec()),
        Arg::state(0, len),
        Arg::zeros(y.len()),
    ];
    let grid = params.dispatch(len);
    Ok(Case { source: embed::source(dtype)?, args, grid, expected: vec![Expected::new(4, y, 1e-5)] })
}

/// The input of the first step of a drafter, behind a step of three rows.
pub fn draft_input(dtype: DType) -> Result<Case, CaseError> {
    let (k, tokens) = (512, [7, 0]);
    let table = matrix(dtype, k, 11, 43)?;
    let state = State { pos: 9, len: 3, history_len: 12, hidden_row: 2, ..State::default() };
    let params = draft::Params::new(&table.layout, 0, 1.5, 0);
    let hidden = random(44, 3 * k as usize);
    let mut u = vec![0.0; 2 * k as usize];
    let drafter = draft::input(&table.layout, &table.words, &params, &tokens, &state, &hidden, &mut u);
    let args = vec![
        Arg::uniform(&params),
        Arg::Words(table.words),
        Arg::Words(tokens.to_vec()),
        Arg::words(&[state]),
        Arg::floats(&hidden),
        Arg::zeros(u.len()),
        Arg::words(&[State::default()]),
    ];
    let expected = vec![Expected::new(5, u, 1e-5), Expected::words(6, bytemuck::cast_slice(&[drafter]))];
    Ok(Case { source: draft::source(dtype)?, args, grid: params.dispatch(), expected })
}

/// The best tokens of three of five clusters, whose tokens are far apart.
pub fn ordered_head(dtype: DType) -> Result<Case, CaseError> {
    let (k, clusters, size) = (256, 5, 23);
    let head = matrix(dtype, k, clusters * size, 45)?;
    let ordering: Vec<u32> = (0..clusters * size).map(|i| i * 37 % (clusters * size)).collect();
    let chosen = [4, 0, 2];
    let params = ordered_head::Params::new(&head.layout, size, chosen.len() as u32);
    let x = random(46, k as usize);
    let tokens = ordered_head::candidates(&head.layout, &head.words, &params, &ordering, &chosen, &x);
    let best = tokens.chunks(32).filter_map(|tokens| tokens.iter().max_by(|a, b| a.1.total_cmp(&b.1)));
    let best: Vec<f32> = best.flat_map(|&(id, z)| [z, id as f32]).collect();
    let args = vec![
        Arg::uniform(&params),
        Arg::Words(head.words),
        Arg::Words(ordering),
        Arg::Words(chosen.to_vec()),
        Arg::floats(&x),
        Arg::zeros(best.len()),
    ];
    let expected = Expected { reading: Reading::Candidates, ..Expected::new(5, best, tolerance(k)) };
    let expected = vec![expected];
    Ok(Case { source: ordered_head::source(dtype)?, args, grid: params.dispatch(), expected })
}

/// A product with the columns of a matrix, added to what is there.
pub fn column_product(tile: input::Tile, dtype: DType) -> Result<Case, CaseError> {
    let (k, n, rows) = (256, 37, 5);
    let w = matrix(dtype, k, n, 31)?;
    let params = input::Params::new(&w.layout, true);
    let (dy, before) = (random(32, (rows * n) as usize), random(33, (rows * k) as usize));
    let added = input::input(&w.layout, &w.words, &dy);
    let want = before.iter().zip(&added).map(|(&before, added)| before + *added as f32).collect();
    let args = vec![
        Arg::uniform(&params),
        Arg::Words(w.words),
        Arg::state(0, rows),
        Arg::floats(&dy),
        Arg::floats(&before),
    ];
    let expected = vec![Expected::new(4, want, tolerance(n))];
    Ok(Case { source: tile.source(dtype)?, args, grid: tile.dispatch(&params, rows), expected })
}

#[cfg(test)]
mod tests {
    use half::f16;

    use super::*;

    #[test]
    fn every_quantised_matrix_has_subnormal_scales_and_others() {
        for dtype in DType::ALL.into_iter().filter(|dtype| !dtype.is_float()) {
            let at = match dtype {
                DType::Q2_K => 80,
                DType::Q3_K => 108,
                DType::Q6_K => 208,
                _ => 0,
            };
            let bytes = quantize(dtype, &values(dtype, 512, 6, 1)).expect("whole blocks");
            let scale = |block: &[u8]| f16::from_le_bytes([block[at], block[at + 1]]);
            let scales: Vec<f16> = bytes.chunks_exact(dtype.block_bytes()).map(scale).collect();
            let subnormal = |scale: &f16| !scale.is_normal() && *scale != f16::ZERO;
            let count = scales.iter().filter(|scale| subnormal(scale)).count();
            assert!(0 < count && count < scales.len(), "{dtype}: {count} of {}", scales.len());
        }
    }
}
