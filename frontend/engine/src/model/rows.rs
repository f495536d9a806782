//! Row steps that decode, prefill, few rows and the experts share.

use shaders::adapter::expand;
use shaders::attention::decode::Kv;
use shaders::matmul::FewRows;
use shaders::matvec::{Epilogue, LowRank, Matvec, Prologue};
use shaders::rows::gelu_mul::{self, Rows};
use shaders::rows::norm_add::{NormAdd, NormAddRows, Params as NormParams};
use shaders::rows::qkv_finish::{Params as QkvParams, QkvFinish};

use super::corrections::Corrections;
use super::layer::{Heads, Site, Slot};
use super::tuning::{Tuning, matvec_form};
use super::{Config, Parts, product, rounded_rows};
use crate::plan::{Amount, Grid, Plan, PlanError, Value};
use crate::weights::Matrix;

/// Adds a normed branch to the stream in place (`add`: offsets of the norm's weights and of the scalar), then norms
/// the stream into `x` (`norm`: offset of the weights).
pub fn norm_add(
    parts: &Parts,
    steps: &mut Plan,
    h: &Value,
    add: Option<(u32, Option<u32>)>,
    norm: Option<u32>,
) -> Result<(), PlanError> {
    push_norm_add(parts, steps, h, (add, norm), false)
}

/// The same for a few rows, with the result (normed or, without `norm`, the stream) rounded to int8 instead of in `x`.
pub fn packed_norm_add(
    parts: &Parts,
    steps: &mut Plan,
    h: &Value,
    add: Option<(u32, Option<u32>)>,
    norm: Option<u32>,
) -> Result<(), PlanError> {
    push_norm_add(parts, steps, h, (add, norm), true)
}

fn push_norm_add(
    parts: &Parts,
    steps: &mut Plan,
    h: &Value,
    (add, norm): (Option<(u32, Option<u32>)>, Option<u32>),
    packed: bool,
) -> Result<(), PlanError> {
    let s = &parts.scratch;
    let mut params = NormParams::new(parts.config.width, parts.config.eps);
    params.norm = norm.unwrap_or(0);
    let mut buffers: Vec<&Value> = vec![&s.state, &parts.weights.vectors, h];
    if let Some((branch_norm, scale)) = add {
        params.branch_norm = branch_norm;
        params.scale_at = scale.unwrap_or(NormParams::NONE);
        buffers.push(&s.branch);
    }
    let form = match (add.is_some(), norm.is_some(), packed) {
        (true, true, false) => NormAdd::AddNorm,
        (true, false, false) => NormAdd::Add,
        (false, _, false) => NormAdd::Norm,
        (true, true, true) => NormAdd::PackedAddNorm,
        (true, false, true) => NormAdd::PackedAdd,
        (false, _, true) => NormAdd::PackedNorm,
    };
    if packed {
        buffers.extend(&s.packed);
    } else if norm.is_some() {
        buffers.push(&s.x);
    }
    let kernel = NormAddRows { form, width: parts.config.width };
    steps.push_rows(kernel, &params, &buffers, move |rows| NormAdd::dispatch(&params, rows))
}

/// Norms what attention of layer `i` leaves, all heads of a row together, into another value.
pub fn norm_heads(
    parts: &Parts,
    steps: &mut Plan,
    i: usize,
    norm: u32,
    [of, x]: [&Value; 2],
) -> Result<(), PlanError> {
    let width = parts.config.q_width(i);
    let params = NormParams { norm, ..NormParams::new(width, parts.config.eps) };
    let kernel = NormAddRows { form: NormAdd::Norm, width };
    let buffers = [&parts.scratch.state, &parts.weights.vectors, of, x];
    steps.push_rows(kernel, &params, &buffers, move |rows| NormAdd::dispatch(&params, rows))
}

/// Per-layer inputs of one layer into `ple`, from the embeddings in `h[1]`.
pub fn per_layer_input(parts: &Parts, steps: &mut Plan, matrix: &Matrix, norm: u32) -> Result<(), PlanError> {
    let (s, config) = (&parts.scratch, &parts.config);
    products(parts, steps, &[(matrix, &s.ple_projected)], &s.h[1])?;
    // rms(x / √width; ε) = rms(x; ε·width).
    let params = NormParams { norm, ..NormParams::new(config.ple, config.eps * config.width as f32) };
    let kernel = NormAddRows { form: NormAdd::Norm, width: config.ple };
    let buffers = [&s.state, &parts.weights.vectors, &s.ple_projected, &s.ple];
    steps.push_rows(kernel, &params, &buffers, move |rows| NormAdd::dispatch(&params, rows))
}

/// Adds `branch` to the stream of a few rows as in [`norm_add`], and leaves what the feed-forward of a mixture reads: the
/// normed stream rounded to int8 for its dense part, in `x` for its router, and rounded for its experts. The norms' weights
/// are in this order.
pub fn mixture_norms(
    parts: &Parts,
    steps: &mut Plan,
    (branch_norm, scale): (u32, Option<u32>),
    [norm, router_norm, expert_norm]: [u32; 3],
) -> Result<(), PlanError> {
    let s = &parts.scratch;
    let experts = s.experts.as_ref().ok_or_else(|| PlanError::Missing { name: "experts".into() })?;
    let params = NormParams {
        branch_norm,
        norm,
        router_norm,
        expert_norm,
        scale_at: scale.unwrap_or(NormParams::NONE),
        ..NormParams::new(parts.config.width, parts.config.eps)
    };
    let mut buffers: Vec<&Value> = vec![&s.state, &parts.weights.vectors, &s.h[0], &s.branch];
    buffers.extend(&s.packed);
    buffers.push(&s.x);
    buffers.extend(&experts.packed);
    let kernel = NormAddRows { form: NormAdd::MixtureNorms, width: parts.config.width };
    steps.push_rows(kernel, &params, &buffers, move |rows| NormAdd::dispatch(&params, rows))
}

/// Finishes the queries, keys and values of layer `i`. Joined ones are all in `q`, as the product of a few rows leaves
/// them.
pub fn qkv_finish(
    parts: &Parts,
    steps: &mut Plan,
    i: usize,
    &Heads { kv, q_norm, k_norm, normed_v }: &Heads,
    joined: bool,
) -> Result<(), PlanError> {
    let (s, w, config) = (&parts.scratch, &parts.weights, &parts.config);
    let layer = &config.layers[i];
    let cache = parts.cache(i)?;
    let rope = parts.rope(layer.attention);
    let finish = QkvFinish { head_dim: layer.head_dim, kv, kv_type: parts.kv_type, joined };
    let k_at = FewRows::MAX_ROWS * config.q_width(i) / 2;
    let params = QkvParams {
        heads: config.heads,
        kv_heads: layer.kv_heads,
        ring: cache.ring,
        q_norm: q_norm.at,
        k_norm: k_norm.map_or(0, |norm| norm.at),
        rope_hi_rows: rope.hi_rows,
        eps: config.eps,
        k_at,
        v_at: k_at + FewRows::MAX_ROWS * config.kv_width(i) / 2,
        raw_v: (!normed_v).into(),
        pad: [0; 2],
    };
    let mut buffers: Vec<&Value> = vec![&s.state, &w.vectors, &rope.table, &s.q];
    if kv != Kv::Shared {
        buffers.extend([&cache.k, &cache.v]);
        buffers.extend((!joined).then_some(&s.k));
    }
    buffers.extend((kv == Kv::Own && !joined).then_some(&s.v));
    steps.push_rows(finish, &params, &buffers, move |rows| finish.dispatch(&params, rows))
}

/// The gated activation of layer `i`: of the gate and `factor` into the last one.
pub fn activation(
    parts: &Parts,
    steps: &mut Plan,
    i: usize,
    factor: Slot,
    [gate, up, out]: [&Value; 3],
) -> Result<(), PlanError> {
    let params = activation_params(&parts.config, i, factor);
    let buffers = [&parts.scratch.state, gate, up, out];
    steps.push_rows(gelu_mul::GeluMul, &params, &buffers, move |rows| gelu_mul::dispatch(&params, rows))
}

/// Returns the widths and strides of the gated activation of layer `i` with this factor: all packed but the per-layer inputs, of
/// which a row has those of all layers where they come from a table.
pub fn activation_params(config: &Config, i: usize, factor: Slot) -> gelu_mul::Params {
    let packed = |width| Rows { stride: width, at: 0 };
    if factor == Slot::PerLayerInput {
        let p = config.ple;
        let of_table = Rows { stride: p * config.layers.len() as u32, at: i as u32 * p };
        let own = if config.encoder.is_some() { packed(p) } else { of_table };
        return gelu_mul::Params::new(p, packed(p), own, packed(p));
    }
    let width = config.layers[i].feed_forward;
    gelu_mul::Params::new(width, packed(width), packed(width), packed(width))
}

/// Adds the corrections of adapters, if they have any at this site, to its products of `x`: two dispatches for any
/// number of products and adapters.
pub fn correct(
    parts: &Parts,
    steps: &mut Plan,
    corrections: Option<&Corrections>,
    (layer, site): (usize, Site),
    x: &Value,
    products: &[&Value],
) -> Result<(), PlanError> {
    let corrected = corrections.and_then(|all| Some((all, all.at(layer, site)?)));
    let Some((all, corrections)) = corrected else { return Ok(()) };
    product::push(steps, parts.limits, &corrections.a, None, [&parts.scratch.state, x, &all.z])?;
    let n = site.rows(&parts.weights, layer);
    let params = expand::Params::new(&n, corrections.a.n, &corrections.correction);
    let mut buffers: Vec<&Value> = vec![&parts.scratch.state, &all.z, &all.layers[layer].buffer, &all.scales];
    buffers.extend(products);
    let kernel = expand::Expand(products.len());
    steps.push_rows(kernel, &params, &buffers, move |rows| params.dispatch(rows))
}

/// A product with the rows of `x`.
pub fn product(parts: &Parts, steps: &mut Plan, name: &str, x: &Value, y: &Value) -> Result<(), PlanError> {
    products(parts, steps, &[(parts.matrix(name)?, y)], x)
}

/// Several products with the rows of `x`.
pub fn products(
    parts: &Parts,
    steps: &mut Plan,
    products: &[(&Matrix, &Value)],
    x: &Value,
) -> Result<(), PlanError> {
    let s = &parts.scratch;
    let parts_of = products.iter().map(|&(matrix, y)| {
        let part = matrix.whole();
        ((matrix.dtype, &part.layout, &part.value), y)
    });
    let products: Vec<_> = parts_of.collect();
    rounded_rows::push_all(steps, parts.limits, &products, x, s)
}

/// The product with a single row `x`, by the kernel of decode: a dispatch for each part of the matrix.
pub fn product_of_one(
    parts: &Parts,
    steps: &mut Plan,
    tuning: Tuning,
    name: &str,
    [x, y]: [&Value; 2],
) -> Result<(), PlanError> {
    let matrix = parts.matrix(name)?;
    let mut kernel = Matvec {
        k: matrix.k,
        dtypes: vec![matrix.dtype],
        prologue: Prologue::Plain,
        epilogue: Epilogue::Store,
        low_rank: LowRank::NONE,
        form: shaders::matvec::Form::default(),
    };
    for part in &matrix.parts {
        let rows = part.layout.n;
        kernel.form = matvec_form(parts.limits, tuning, &kernel, rows);
        let (mut params, grid) = kernel.dispatch(&[rows]);
        (params.planes[0], params.out) = (part.layout.planes, [part.row0, 0, 0]);
        steps.push(kernel.clone(), &params, &[y, x, &part.value], Grid::Fixed(grid))?;
        steps.reading(Amount::Fixed(part.layout.bytes()));
    }
    Ok(())
}
