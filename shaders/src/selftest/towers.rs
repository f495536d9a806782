//! Test cases of the vision and audio towers.

use super::{Arg, Case, CaseError, Expected, as_f32, products, random};
use crate::DType;
use crate::audio::attention::{self, KEYS};
use crate::audio::conv2d::{self, Conv2d};
use crate::audio::{light_conv, silu, unit_norm};
use crate::vision::layer_norm::{self, LayerNorm};
use crate::vision::{PatchGrid, heads, patches, pool, position};

const EPS: f32 = 1e-6;
/// A grid of 3×3 squares.
const GRID: PatchGrid = PatchGrid { columns: 6, rows: 3 };
/// Audio rows before a step, and rows of the step.
const PAST: u32 = 15;
const STEP: u32 = 6;

/// Pixels to patches with sides of `side` pixels.
pub fn patches(side: u32) -> Result<Case, CaseError> {
    let picture = PatchGrid { columns: 2, rows: 3 };
    let rgb: Vec<u8> = (0..picture.patches() * 3 * side * side).map(|i| (i * 37 % 251) as u8).collect();
    let params = patches::Params::SIGNED;
    let want = patches::patches(side, &params, picture, &rgb);
    let args = vec![Arg::uniform(&params), Arg::words(&[picture]), Arg::words(&rgb), Arg::zeros(want.len())];
    let (source, grid) = (patches::source(side)?, patches::dispatch(side, picture.patches()));
    Ok(Case { source, args, grid, expected: vec![Expected::new(3, want, 1e-5)] })
}

/// Position embeddings.
pub fn positions(dtype: DType) -> Result<Case, CaseError> {
    let k = 256;
    let (x, y) = (products::matrix(dtype, k, 7, 71)?, products::matrix(dtype, k, 7, 72)?);
    let h = random(73, (GRID.patches() * k) as usize);
    let mut want = h.clone();
    position::position(GRID, (&x.layout, &x.words), (&y.layout, &y.words), &mut want);
    let params = position::Params::new(&x.layout, &y.layout);
    let args = vec![
        Arg::uniform(&params),
        Arg::words(&[GRID]),
        Arg::Words(x.words),
        Arg::Words(y.words),
        Arg::floats(&h),
    ];
    let (source, grid) = (position::source(dtype)?, params.dispatch(GRID.patches()));
    Ok(Case { source, args, grid, expected: vec![Expected::new(4, want, 1e-4)] })
}

/// Head norms and 2D RoPE.
pub fn turned_heads(head_dim: u32) -> Result<Case, CaseError> {
    let hd = head_dim as usize;
    let params = heads::Params { heads: 3, q_norm: 0, k_norm: head_dim, eps: EPS };
    let vectors = random(74, 2 * hd);
    let rope = heads::table(100.0, head_dim, GRID.columns);
    let mut args = vec![
        Arg::uniform(&params),
        Arg::words(&[GRID]),
        Arg::floats(&vectors),
        Arg::floats(rope.as_flattened()),
    ];
    let inputs = heads::Inputs { grid: GRID, vectors: &vectors, rope: &rope };
    let mut expected = Vec::new();
    for (seed, norm) in (75..).zip([Some(params.q_norm), Some(params.k_norm), None]) {
        let rows = random(seed, GRID.patches() as usize * 3 * hd);
        let mut want = rows.clone();
        heads::heads(head_dim, &params, inputs, norm, &mut want);
        expected.push(Expected::new(args.len(), want, 1e-4));
        args.push(Arg::floats(&rows));
    }
    let grid = params.dispatch(GRID.patches());
    Ok(Case { source: heads::source(head_dim)?, args, grid, expected })
}

/// Average pooling.
pub fn pool(standardise: bool) -> Result<Case, CaseError> {
    let width = 144;
    let h = random(78, (GRID.patches() * width) as usize);
    let vectors = random(79, 2 * width as usize);
    let params = pool::Params { width4: width / 4, std_bias: 0, std_scale: width, eps: EPS };
    let want = pool::pool(&params, GRID, &h, standardise.then_some(&vectors[..]));
    let mut args = vec![Arg::uniform(&params), Arg::words(&[GRID]), Arg::floats(&h), Arg::zeros(want.len())];
    if standardise {
        args.push(Arg::floats(&vectors));
    }
    let (source, grid) = (pool::source(standardise)?, pool::dispatch(GRID.patches()));
    Ok(Case { source, args, grid, expected: vec![Expected::new(3, want, 1e-4)] })
}

/// Layer norm.
pub fn layer_norm(form: LayerNorm) -> Result<Case, CaseError> {
    let (width, rows) = (256_u32, 3);
    // An offset that a norm without a mean would not remove.
    let x: Vec<f32> = random(80, (width * rows) as usize).into_iter().map(|v| v + 3.0).collect();
    let vectors = random(81, 3 * width as usize);
    let params = layer_norm::Params {
        width4: width / 4,
        weight: 0,
        bias: width,
        before: 2 * width,
        eps: 1e-5,
        rms_eps: EPS,
        ..layer_norm::Params::default()
    };
    let want = layer_norm::layer_norm(form, &params, &vectors, &x);
    let args = vec![
        Arg::uniform(&params),
        Arg::state(0, rows),
        Arg::floats(&vectors),
        Arg::floats(&x),
        Arg::zeros(want.len()),
    ];
    let (source, grid) = (form.source()?, layer_norm::dispatch(rows));
    Ok(Case { source, args, grid, expected: vec![Expected::new(4, want, 1e-3)] })
}

/// RMS norm without weights.
pub fn unit_norm() -> Result<Case, CaseError> {
    let (width, rows) = (640, 3);
    let params = unit_norm::Params::new(width, Some(0), EPS);
    let (vectors, x) = (random(82, width as usize), random(83, (width * rows) as usize));
    let want = as_f32(&unit_norm::unit_norm(&params, &vectors, &x));
    let args = vec![
        Arg::uniform(&params),
        Arg::state(0, rows),
        Arg::floats(&vectors),
        Arg::floats(&x),
        Arg::zeros(want.len()),
    ];
    let (source, grid) = (unit_norm::source()?, unit_norm::dispatch(rows));
    Ok(Case { source, args, grid, expected: vec![Expected::new(4, want, 1e-4)] })
}

/// A subsampling convolution.
pub fn convolution(channels_in: u32, channels: u32) -> Result<Case, CaseError> {
    let (rows, freq_in, count) = (3, 5_u32, 9 * channels_in * channels);
    let kernel = Conv2d::new(channels_in, channels);
    let params = conv2d::Params {
        first: -1,
        end: 2,
        freq_in,
        freq_out: freq_in.div_ceil(2),
        channels_in,
        weights: 0,
        norm: count,
        eps: EPS,
    };
    let vectors = random(84, (count + channels) as usize);
    let x = random(85, ((2 * rows + 1) * freq_in * channels_in) as usize);
    let want = as_f32(&kernel.twin(&params, &vectors, &x, rows as usize));
    let args = vec![Arg::uniform(&params), Arg::floats(&vectors), Arg::floats(&x), Arg::zeros(want.len())];
    let grid = Conv2d::dispatch(&params, rows);
    Ok(Case { source: kernel.source()?, args, grid, expected: vec![Expected::new(3, want, 1e-3)] })
}

/// The gated convolution, for one step.
pub fn light_convolution() -> Result<Case, CaseError> {
    let (width, taps) = (64_u32, 5);
    let slots = light_conv::slots(STEP, taps);
    let params = light_conv::Params {
        width4: width / 4,
        taps,
        slots,
        weights: 0,
        norm: width * taps,
        eps: EPS,
        pad: [0; 2],
    };
    let vectors = random(86, (width * taps + width) as usize);
    let width = width as usize;
    let x: Vec<f32> = random(87, (PAST + STEP) as usize * 2 * width).into_iter().map(|v| 3.0 * v).collect();
    let all = as_f32(&light_conv::light_conv(&params, &vectors, &x));
    let mut past = vec![0.0; slots as usize * width];
    for (row, x) in x.chunks_exact(2 * width).enumerate().take(PAST as usize) {
        for c in 0..width {
            past[row % slots as usize * width + c] = x[c] / (1.0 + (-x[width + c]).exp());
        }
    }
    let begin = PAST as usize * width;
    let want = all[begin..].to_vec();
    let args = vec![
        Arg::uniform(&params),
        Arg::state(PAST, STEP),
        Arg::floats(&vectors),
        Arg::floats(&x[2 * begin..]),
        Arg::floats(&past),
        Arg::zeros(want.len()),
    ];
    let (source, grid) = (light_conv::source()?, light_conv::dispatch(STEP));
    Ok(Case { source, args, grid, expected: vec![Expected::new(5, want, 1e-3)] })
}

/// Local attention, for one step.
pub fn sound_attention(head_dim: u32) -> Result<Case, CaseError> {
    let heads = 2;
    let width = (heads * head_dim) as usize;
    let slots = attention::slots(STEP);
    let params = attention::Params::new(heads, head_dim, slots, 0);
    let rows = |seed| -> Vec<f32> {
        random(seed, (PAST + STEP) as usize * width).into_iter().map(|v| 2.0 * v).collect()
    };
    let (q, k, v) = (rows(88), rows(89), rows(90));
    let (vectors, relative) = (random(91, head_dim as usize), random(92, KEYS as usize * width));
    let inputs = attention::Inputs { q: &q, k: &k, v: &v, relative: &relative, scale: &vectors };
    let all = as_f32(&attention::attention(&params, &inputs));
    let values = slots as usize * width;
    let mut past = vec![0.0; 2 * values];
    for row in 0..PAST as usize {
        let (from, to) = (row * width, row % slots as usize * width);
        past[to..to + width].copy_from_slice(&k[from..from + width]);
        past[values + to..values + to + width].copy_from_slice(&v[from..from + width]);
    }
    let begin = PAST as usize * width;
    let want = all[begin..].to_vec();
    let mut args = vec![Arg::uniform(&params), Arg::state(PAST, STEP), Arg::floats(&vectors)];
    args.extend([&q, &k, &v].map(|rows| Arg::floats(&rows[begin..])));
    args.extend([Arg::floats(&relative), Arg::floats(&past), Arg::zeros(want.len())]);
    let (source, grid) = (attention::source(head_dim)?, attention::dispatch(&params, STEP));
    Ok(Case { source, args, grid, expected: vec![Expected::new(8, want, 1e-3)] })
}

/// SiLU.
pub fn silu() -> Result<Case, CaseError> {
    let (width, rows) = (100, 3);
    let params = silu::Params::new(width);
    let x: Vec<f32> = random(93, (width * rows) as usize).into_iter().map(|v| 9.0 * v).collect();
    let want = x.iter().map(|&v| silu::silu(v.into()) as f32).collect();
    let args = vec![Arg::uniform(&params), Arg::state(0, rows), Arg::floats(&x)];
    let (source, grid) = (silu::source()?, silu::dispatch(&params, rows));
    Ok(Case { source, args, grid, expected: vec![Expected::new(2, want, 1e-4)] })
}
