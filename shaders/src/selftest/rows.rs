//! Test cases of row kernels.

use super::{Arg, Case, CaseError, Expected, as_f32, packed_zeros, random};
use crate::adapter::expand as adapters;
use crate::bandwidth::copy as plain;
use crate::matvec::Correction;
use crate::ple::combine::{self as ple, Table};
use crate::ple::locate as cache;
use crate::quant::{planar_values, quantize, repack};
use crate::rows::gelu_mul::{self as gelu, Rows};
use crate::rows::norm_add::{self as norms, NormAdd};
use crate::{DType, PlanarLayout};

const EPS: f32 = 1e-6;
/// Rows.
const LEN: u32 = 3;

/// Norms and residual additions.
pub fn norm_add(form: NormAdd, width: u32) -> Result<Case, CaseError> {
    let count = (LEN * width) as usize;
    let (h, branch) = (random(51, count), random(52, count));
    let mut vectors = random(53, 4 * width as usize);
    // The scalar, in a vec4 of its own.
    vectors.extend([0.75, 0.0, 0.0, 0.0]);
    let mut params = norms::Params::new(width, EPS);
    (params.norm, params.scale_at) = (width, 4 * width);
    (params.router_norm, params.expert_norm) = (2 * width, 3 * width);
    let (new_h, x) = norms::norm_add(form, &params, &vectors, &h, &branch);
    let mut args = vec![Arg::uniform(&params), Arg::state(0, LEN), Arg::floats(&vectors), Arg::floats(&h)];
    let mut expected = Vec::new();
    if form.adds() {
        args.push(Arg::floats(&branch));
        expected.push(Expected::new(3, as_f32(&new_h), 1e-4));
    }
    if form.is_packed() {
        let result = as_f32(if form.norms() { &x } else { &new_h });
        expected.extend(Expected::packed(args.len(), &result, 1e-4));
        args.extend(packed_zeros(count));
    } else if form.norms() {
        expected.push(Expected::new(args.len(), as_f32(&x), 1e-4));
        args.push(Arg::zeros(count));
    }
    if form == NormAdd::MixtureNorms {
        let normed = |norm: u32| {
            let params = norms::Params { norm, ..params };
            as_f32(&norms::norm_add(form, &params, &vectors, &h, &branch).1)
        };
        expected.push(Expected::new(args.len(), normed(params.router_norm), 1e-4));
        args.push(Arg::zeros(count));
        expected.extend(Expected::packed(args.len(), &normed(params.expert_norm), 1e-4));
        args.extend(packed_zeros(count));
    }
    Ok(Case { source: form.source(width)?, args, grid: NormAdd::dispatch(&params, LEN), expected })
}

/// The gated activation.
pub fn gelu_mul() -> Result<Case, CaseError> {
    let width = 388_u32;
    let rows = Rows { stride: width, at: 0 };
    let params = gelu::Params::new(width, rows, rows, rows);
    let count = (LEN * width) as usize;
    let gate: Vec<f32> = random(54, count).into_iter().map(|v| 6.0 * v).collect();
    let up = random(55, count);
    let mut out = vec![0.0; count];
    gelu::gelu_mul(&params, LEN as usize, &gate, &up, &mut out);
    let args = vec![
        Arg::uniform(&params),
        Arg::state(0, LEN),
        Arg::floats(&gate),
        Arg::floats(&up),
        Arg::zeros(count),
    ];
    let grid = gelu::dispatch(&params, LEN);
    Ok(Case { source: gelu::source()?, args, grid, expected: vec![Expected::new(4, out, 1e-4)] })
}

/// The per-layer inputs of two layers.
pub fn combine(table: Table) -> Result<Case, CaseError> {
    const LAYERS: u32 = 2;
    let p = 256_u32;
    let tokens: [u32; LEN as usize] = [4, 0, 2];
    let count = (LEN * LAYERS * p) as usize;
    let proj = random(56, count);
    let norm = random(57, p as usize);
    let mut params = ple::Params::new(512, LAYERS, p, EPS);
    let (words, rows) = match table {
        Table::Host => {
            let rows = random(58, count);
            (rows.iter().map(|v| v.to_bits()).collect(), rows)
        }
        Table::Planar(dtype) => {
            let (words, layout) = planar(dtype, LAYERS * p, 5)?;
            params = params.with_table(&layout, 0);
            let rows = tokens.iter().flat_map(|&token| planar_values(&layout, &words, token)).collect();
            (words, rows)
        }
    };
    let each = proj.chunks(p as usize).zip(rows.chunks(p as usize));
    let want: Vec<f32> = each.flat_map(|(proj, row)| ple::combine(&params, proj, &norm, row)).collect();
    let mut args = vec![
        Arg::uniform(&params),
        Arg::floats(&proj),
        Arg::floats(&norm),
        Arg::state(0, LEN),
        Arg::Words(words),
        Arg::zeros(count),
    ];
    if table != Table::Host {
        args.push(Arg::Words(tokens.to_vec()));
    }
    let grid = params.dispatch(LEN);
    Ok(Case { source: ple::source(table)?, args, grid, expected: vec![Expected::new(5, want, 1e-3)] })
}

/// Rows in lines of two in a cache: every other line is there. Of a few rows, the first one is; drafts that are not become
/// no token.
pub fn locate(few_rows: bool) -> Result<Case, CaseError> {
    let tokens: &[u32] = if few_rows { &[5, 1, 6] } else { &[4, 7, 1] };
    let slots = [cache::NONE, cache::NONE, 3, 0];
    let params = cache::Params::new(2);
    let located = cache::locate(&params, &slots, tokens);
    let rows = tokens.len() as u32;
    let args = vec![
        Arg::uniform(&params),
        Arg::state(0, rows),
        Arg::words(&slots),
        Arg::words(tokens),
        Arg::zeros(tokens.len()),
    ];
    let mut expected = vec![Expected::words(4, &located)];
    if few_rows {
        expected.push(Expected::words(3, &[5, cache::NONE, 6]));
    }
    Ok(Case { source: cache::source(few_rows)?, args, grid: cache::dispatch(rows), expected })
}

fn planar(dtype: DType, k: u32, rows: u32) -> Result<(Vec<u32>, PlanarLayout), CaseError> {
    let bytes = quantize(dtype, &random(59, (k * rows) as usize))?;
    let (k, rows) = (u64::from(k), u64::from(rows));
    Ok((repack(dtype, k, rows, &bytes)?, PlanarLayout::new(dtype, k, rows)?))
}

/// The copy that measures bandwidth.
pub fn copy() -> Result<Case, CaseError> {
    let params = plain::Params::new(1001);
    let (x, y) = (random(60, 4004), vec![0.0_f32; 4008]);
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let want = plain::copy(&params, &bits(&x), &bits(&y)).into_iter().map(f32::from_bits).collect();
    let args = vec![Arg::uniform(&params), Arg::floats(&x), Arg::zeros(4008)];
    Ok(Case {
        source: plain::source()?,
        args,
        grid: params.dispatch(),
        expected: vec![Expected::new(2, want, 0.0)],
    })
}

/// The low-rank update of products with the same input.
pub fn expand(products: usize) -> Result<Case, CaseError> {
    let (rank, widths) = (12_u32, [75_u32, 64, 130]);
    let widths = &widths[..products.min(widths.len())];
    let b_at = |i: usize| rank * widths[..i].iter().sum::<u32>();
    let z_at = |i: usize| rank * i as u32;
    let mut correction = Correction { rank, places: [None; 3] };
    for (i, place) in correction.places.iter_mut().enumerate().take(widths.len()) {
        *place = Some((z_at(i), b_at(i)));
    }
    let stride = rank * widths.len() as u32;
    let params = adapters::Params::new(widths, stride, &correction);
    let z = random(56, (LEN * stride) as usize);
    let b = random(57, b_at(widths.len()) as usize);
    let scales = random(58, rank as usize);
    let mut args = vec![
        Arg::uniform(&params),
        Arg::state(0, LEN),
        Arg::floats(&z),
        Arg::floats(&b),
        Arg::floats(&scales),
    ];
    let mut expected = Vec::new();
    for (i, &n) in widths.iter().enumerate() {
        let y = random(59 + i as u64, (LEN * n) as usize);
        let mine: Vec<f32> = z
            .chunks_exact(stride as usize)
            .flat_map(|row| row[z_at(i) as usize..][..rank as usize].to_vec())
            .collect();
        let rows = &b[b_at(i) as usize..][..(rank * n) as usize];
        expected.push(Expected::new(args.len(), adapters::expand(&y, &mine, rows, &scales), 1e-4));
        args.push(Arg::floats(&y));
    }
    Ok(Case { source: adapters::source(products)?, args, grid: params.dispatch(LEN), expected })
}
