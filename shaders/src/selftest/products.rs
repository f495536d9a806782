//! Cases of products and of the look-up of embeddings.

use super::{Arg, Case, CaseError, Expected, random};
use crate::embed::gather as embed;
use crate::matmul::{self as prefill, Tile};
use crate::matvec::{Correction, Epilogue, Matvec, Merge, Norms, Prologue, twin};
use crate::quant::{dequantize, quantize, repack};
use crate::state::State;
use crate::{DType, PlanarLayout};

const EPS: f32 = 1e-6;
/// Rows of the matrices: odd, so that workgroups are left half empty.
const ROWS: [u32; 3] = [19, 7, 5];

struct Matrix {
    layout: PlanarLayout,
    words: Vec<u32>,
    values: Vec<f32>,
}

fn matrix(dtype: DType, k: u32, rows: u32, seed: u64) -> Result<Matrix, CaseError> {
    let source = random(seed, k as usize * rows as usize);
    let bytes = quantize(dtype, &source)?;
    let mut values = vec![0.0; source.len()];
    dequantize(dtype, &bytes, &mut values)?;
    let (k, rows) = (u64::from(k), u64::from(rows));
    Ok(Matrix { layout: PlanarLayout::new(dtype, k, rows)?, words: repack(dtype, k, rows, &bytes)?, values })
}

fn as_f64(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&value| value.into()).collect()
}

fn as_f32(values: Vec<f64>) -> Vec<f32> {
    values.into_iter().map(|value| value as f32).collect()
}

/// What a product of `k` terms may differ: sums in f32, in another order.
fn tolerance(k: u32) -> f32 {
    1e-3 + 2e-6 * k as f32
}

/// What more a packed product may differ: two elements of x that lie between two bytes, rounded the other way.
const OF_BYTES: f32 = 2.0 / 127.0;

/// What stands in front of a product.
struct Front {
    /// The input buffer.
    input: Vec<f32>,
    /// What is multiplied.
    x: Vec<f64>,
    /// What is bound behind the matrices.
    tail: Vec<Arg>,
    /// The stream that the prologue leaves, the last of `tail`.
    stream: Option<Vec<f64>>,
    norms: Option<Norms>,
    merge: Option<Merge>,
}

fn front(kernel: &Matvec) -> Front {
    let k = kernel.k as usize;
    let mut vectors = random(14, 4 * k);
    vectors.push(0.75);
    let norms = Norms { branch: 0, input: kernel.k, scale: Some(4 * kernel.k), eps: EPS };
    let plain = |input: Vec<f32>| {
        let x = as_f64(&input);
        Front { input, x, tail: Vec::new(), stream: None, norms: None, merge: None }
    };
    let input = random(12, k);
    match kernel.prologue {
        Prologue::Plain | Prologue::Correct => plain(input),
        Prologue::Norm => {
            let x = twin::rms(&as_f64(&input), Some(&vectors[k..2 * k]), EPS);
            Front { x, tail: vec![Arg::floats(&vectors)], norms: Some(norms), ..plain(input) }
        }
        Prologue::Add { norm, mix } => {
            let branch = random(13, if mix { 2 * k } else { k });
            // The branch of a mixture is the sum of two, each normed by weights of its own.
            let whole = if mix {
                let part = |i: usize| {
                    let weights = &vectors[(2 + i) * k..(3 + i) * k];
                    twin::rms(&as_f64(&branch[i * k..(i + 1) * k]), Some(weights), EPS)
                };
                as_f32(part(0).into_iter().zip(part(1)).map(|(a, b)| a + b).collect())
            } else {
                branch.clone()
            };
            let stream = twin::add(&input, &whole, &vectors[..k], 0.75, EPS);
            let x = if norm { twin::rms(&stream, Some(&vectors[k..2 * k]), EPS) } else { stream.clone() };
            let tail = vec![Arg::floats(&vectors), Arg::floats(&branch), Arg::zeros(k)];
            Front { x, tail, stream: Some(stream), norms: Some(norms), ..plain(input) }
        }
        Prologue::Merge => merged(k),
    }
}

/// Heads of 64 elements whose keys were read in three runs.
fn merged(k: usize) -> Front {
    const HEAD_DIM: usize = 64;
    const MOST: usize = 4;
    const SPLITS: usize = 3;
    let heads = k.div_ceil(HEAD_DIM);
    let state = State { pos: 64 * SPLITS as u32 - 2, len: 1, ..State::default() };
    let sums = random(21, heads * MOST * HEAD_DIM);
    let pairs: Vec<f32> = random(22, heads * MOST).into_iter().flat_map(|v| [3.0 * v, 1.5 + v]).collect();
    let x = (0..k).map(|element| {
        let head = element / HEAD_DIM;
        let pair = |s: usize| {
            let at = 2 * (head * MOST + s);
            (f64::from(pairs[at]), f64::from(pairs[at + 1]))
        };
        let top = (0..SPLITS).map(|s| pair(s).0).fold(f64::MIN, f64::max);
        let weight = |s: usize| (pair(s).0 - top).exp();
        let total: f64 = (0..SPLITS).map(|s| weight(s) * pair(s).1).sum();
        let sum = |s: usize| f64::from(sums[(head * MOST + s) * HEAD_DIM + element % HEAD_DIM]);
        (0..SPLITS).map(|s| weight(s) * sum(s)).sum::<f64>() / total
    });
    let merge = Merge { head_dim: HEAD_DIM as u32, most: MOST as u32, smallest: 64, window: 0 };
    let state = bytemuck::cast_slice(bytemuck::bytes_of(&state)).to_vec();
    Front {
        x: x.collect(),
        tail: vec![Arg::Words(state)],
        input: [sums, pairs].concat(),
        stream: None,
        norms: None,
        merge: Some(merge),
    }
}

/// The correction of an adapter of rank 8 for matrices of these rows, with its z and B, added to their products.
fn correct(rows: &[u32], products: &mut [Vec<f64>]) -> (Correction, [Arg; 2]) {
    const RANK: u32 = 8;
    let mut correction = Correction { rank: RANK, places: [None; 3] };
    let z = random(51, RANK as usize * products.len());
    let b = random(52, (RANK * rows.iter().sum::<u32>()) as usize);
    let mut next = 0;
    for (i, (products, &rows)) in (0..).zip(products.iter_mut().zip(rows)) {
        correction.places[i as usize] = Some((i * RANK, next));
        let of_matrix = &b[next as usize..][..(rows * RANK) as usize];
        let z = as_f64(&z[(i * RANK) as usize..][..RANK as usize]);
        for (product, add) in products.iter_mut().zip(twin::product(of_matrix, &z)) {
            *product += add;
        }
        next += rows * RANK;
    }
    (correction, [Arg::floats(&z), Arg::floats(&b)])
}

/// A product of decode.
pub fn matvec(kernel: &Matvec) -> Result<Case, CaseError> {
    let pair = kernel.epilogue == Epilogue::Geglu;
    let rows = |i: usize| if pair { ROWS[0] } else { ROWS[i.min(ROWS.len() - 1)] };
    let matrices =
        kernel.dtypes.iter().enumerate().map(|(i, &dtype)| matrix(dtype, kernel.k, rows(i), i as u64 + 5));
    let matrices = matrices.collect::<Result<Vec<_>, _>>()?;
    let front = front(kernel);
    let multiplied = if kernel.form.packed { &twin::rounded_to_bytes(&front.x) } else { &front.x };
    let mut products: Vec<_> = matrices.iter().map(|m| twin::product(&m.values, multiplied)).collect();
    let counts: Vec<u32> = matrices.iter().map(|m| m.layout.n).collect();
    let (mut params, grid) = kernel.dispatch(&counts);
    params.eps = EPS;
    if let Some(norms) = front.norms {
        params = params.with_norms(norms);
    }
    if let Some(merge) = front.merge {
        params = params.with_merge(merge);
    }
    let mut tail = front.tail;
    if kernel.prologue == Prologue::Correct {
        let (correction, buffers) = correct(&counts, &mut products);
        params = params.with_correction(&correction);
        tail.extend(buffers);
    }
    let ple = random(19, 20 + ROWS[0] as usize);
    let scales = [0.5, -2.0, 1.0, 3.0];
    let want: Vec<f64> = match kernel.epilogue {
        Epilogue::Store => products.concat(),
        Epilogue::Geglu => {
            products[0].iter().zip(&products[1]).map(|(&g, u)| twin::gelu_tanh(g) * u).collect()
        }
        Epilogue::Ple => {
            products[0].iter().zip(&ple[20..]).map(|(&g, &p)| twin::gelu_tanh(g) * f64::from(p)).collect()
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
    params.ple = 20;
    params.mix = [2 * kernel.k, 3 * kernel.k];

    // A gated product multiplies two sums of which each may differ.
    let largest = products.iter().flatten().fold(1.0_f64, |most, v| most.max(v.abs()));
    let factor = if kernel.epilogue == Epilogue::Store { 1.0 } else { 2.0 * largest as f32 };
    let mut args = vec![Arg::uniform(&params), Arg::zeros(next as usize), Arg::floats(&front.input)];
    args.extend(matrices.into_iter().map(|m| Arg::Words(m.words)));
    args.extend(tail);
    let allowed = tolerance(kernel.k) + if kernel.form.packed { OF_BYTES } else { 0.0 };
    let mut expected = vec![Expected::new(1, as_f32(want), factor * allowed)];
    if let Some(stream) = front.stream {
        expected.push(Expected::new(args.len() - 1, as_f32(stream), 1e-4));
    }
    match kernel.epilogue {
        Epilogue::Ple => args.push(Arg::floats(&ple)),
        Epilogue::Shrink { keep } => {
            args.push(Arg::floats(&scales));
            if keep {
                expected.push(Expected::new(args.len(), as_f32(front.x), 1e-3));
                args.push(Arg::zeros(kernel.k as usize));
            }
        }
        Epilogue::Store | Epilogue::Geglu => {}
    }
    Ok(Case { source: kernel.source()?, args, grid, expected })
}

/// A product of prefill: more tokens than a tile takes.
pub fn matmul(tile: Tile, dtype: DType) -> Result<Case, CaseError> {
    let (k, n, tokens) = (512, 75, tile.bm + 3);
    let w = matrix(dtype, k, n, 31)?;
    let x = random(32, (k * tokens) as usize);
    let state = State { len: tokens, ..State::default() };
    let params = prefill::Params::new(&w.layout);
    let y = prefill::matmul(&w.layout, &w.words, &x);
    let args = vec![
        Arg::uniform(&params),
        Arg::Words(w.words),
        Arg::Words(bytemuck::cast_slice(bytemuck::bytes_of(&state)).to_vec()),
        Arg::floats(&x),
        Arg::zeros(y.len()),
    ];
    let grid = tile.dispatch(&params, tokens);
    Ok(Case { source: tile.source(dtype)?, args, grid, expected: vec![Expected::new(4, y, tolerance(k))] })
}

/// The embeddings of some tokens.
pub fn gather(dtype: DType) -> Result<Case, CaseError> {
    let (k, tokens) = (512, [3, 0, 10, 3]);
    let table = matrix(dtype, k, 11, 41)?;
    let params = embed::Params::new(&table.layout, 0, 1.5);
    let mut y = vec![0.0; k as usize * tokens.len()];
    embed::gather(&table.layout, &table.words, 0, 1.5, &tokens, &mut y);
    let len = tokens.len() as u32;
    let state = State { len, ..State::default() };
    let args = vec![
        Arg::uniform(&params),
        Arg::Words(table.words),
        Arg::Words(tokens.to_vec()),
        Arg::Words(bytemuck::cast_slice(bytemuck::bytes_of(&state)).to_vec()),
        Arg::zeros(y.len()),
    ];
    let grid = params.dispatch(len);
    Ok(Case { source: embed::source(dtype)?, args, grid, expected: vec![Expected::new(4, y, 1e-5)] })
}
