//! Products by matrix units that multiply int8, and the rounding before them.

use super::products::matrix;
use super::{Arg, Case, CaseError, Expected, Reading, random};
use crate::DType;
use crate::matmul::{cooperative_int8, int8_blocks};

/// A row has two blocks and a shorter one.
const K: u32 = 2112;

/// Codes and scales of rows, as kernels bind them.
fn rounded(values: &[f32], k: u32) -> (Vec<i8>, Vec<f32>) {
    let rows = values.chunks_exact(k as usize).map(int8_blocks::round);
    let (codes, scales): (Vec<_>, Vec<_>) = rows.map(|(terms, scales)| (terms.concat(), scales)).unzip();
    (codes.concat(), scales.concat())
}

fn expected(codes: &[i8], scales: Vec<f32>, (first, k): (usize, u32)) -> Vec<Expected> {
    let reading = Reading::Terms(k);
    let codes = reading.read(&bytemuck::pod_collect_to_vec(codes), codes.len() / 2);
    // A value in the middle between two codes may be rounded to either.
    let codes = Expected { reading, relative: 0.0, ..Expected::new(first, codes, 1.01) };
    vec![codes, Expected { absolute: 0.0, relative: 1e-6, ..Expected::new(first + 1, scales, 0.0) }]
}

/// Rows of a chunk, of magnitudes from 1e-9 to 3e6; one is zero.
pub fn rows() -> Result<Case, CaseError> {
    let mut x = random(37, K as usize * 5);
    for (row, magnitude) in x.chunks_exact_mut(K as usize).zip([1.0, 1e-9, 3e6, 0.03, 0.0]) {
        row.iter_mut().for_each(|x| *x *= magnitude);
    }
    let (codes, scales) = rounded(&x, K);
    let params = int8_blocks::Params::of_rows(K);
    let args = vec![
        Arg::uniform(&params),
        Arg::state(0, 5),
        Arg::floats(&x),
        Arg::zeros(codes.len() / 4),
        Arg::zeros(scales.len()),
    ];
    let (source, grid) = (int8_blocks::rows_source()?, params.dispatch(5));
    Ok(Case { source, args, grid, expected: expected(&codes, scales, (3, K)) })
}

/// Some rows of a matrix.
pub fn weights(dtype: DType) -> Result<Case, CaseError> {
    let (k, first, rows) = (1280, 3, 7);
    let w = matrix(dtype, k, first + rows + 2, 38)?;
    let of_rows = (k * first) as usize..(k * (first + rows)) as usize;
    let (codes, scales) = rounded(&w.values[of_rows], k);
    let params = int8_blocks::Params::of_weights(&w.layout, first, rows);
    let args = vec![
        Arg::uniform(&params),
        Arg::Words(w.words),
        Arg::zeros(codes.len() / 4),
        Arg::zeros(scales.len()),
    ];
    let (source, grid) = (int8_blocks::weights_source(dtype)?, params.dispatch(rows));
    Ok(Case { source, args, grid, expected: expected(&codes, scales, (2, k)) })
}

/// A product of more rows than a tile has, written beside others, with K in two parts.
pub fn product() -> Result<Case, CaseError> {
    let (n, tokens, splits) = (cooperative_int8::BN + 11, cooperative_int8::BM + 3, 2);
    let [width, y_at] = [n + 5, 5];
    let (w, x) = (random(39, (K * n) as usize), random(40, (K * tokens) as usize));
    let product = cooperative_int8::matmul(&w, &x, K, splits);
    let y = product.chunks_exact(n as usize).flat_map(|row| [&[0.0; 5], row].concat()).collect();
    let params = cooperative_int8::Params::new([n, K], [width, y_at]);
    let mut args = vec![Arg::uniform(&params), Arg::state(0, tokens)];
    for (codes, scales) in [rounded(&w, K), rounded(&x, K)] {
        args.extend([Arg::words(&codes), Arg::floats(&scales)]);
    }
    args.push(Arg::zeros((width * tokens * splits) as usize));
    let (source, grid) = (cooperative_int8::source()?, params.dispatch(tokens, splits));
    // Sums of integers are exact; scales are multiplied and added in f32.
    Ok(Case { source, args, grid, expected: vec![Expected::new(6, y, 1e-4)] })
}
