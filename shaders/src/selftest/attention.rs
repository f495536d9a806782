//! Test cases of attention.

use super::{Arg, Case, CaseError, Expected, Reading, halves, random};
use crate::attention::block::{self, Block};
use crate::attention::decode::{self, Decode, Kv};
use crate::rope;
use crate::rows::qkv_finish::{self as finish, Cache, QkvFinish};

const EPS: f32 = 1e-6;
const HEADS: u32 = 4;
const KV_HEADS: u32 = 2;

/// The words of a cache, and their values.
fn stored(values: Vec<f32>, f16: bool) -> (Vec<u32>, Vec<f32>) {
    if f16 { halves(&values) } else { (values.iter().map(|v| v.to_bits()).collect(), values) }
}

fn table(head_dim: u32) -> (Arg, Vec<[f32; 2]>, u32) {
    let table = rope::table(10_000.0, head_dim, None, 1024);
    (Arg::floats(table.as_flattened()), table, rope::hi_rows(1024))
}

/// Weights of the query norm, then of the key norm, and a cache without a ring.
fn finish_params(head_dim: u32, rope_hi_rows: u32) -> finish::Params {
    finish::Params {
        heads: HEADS,
        kv_heads: KV_HEADS,
        ring: 0,
        q_norm: 0,
        k_norm: head_dim,
        rope_hi_rows,
        eps: EPS,
        pad: 0,
    }
}

/// The expected content of a cache.
fn cached(binding: usize, values: Vec<f32>, f16: bool) -> Expected {
    let reading = if f16 { Reading::F16 } else { Reading::F32 };
    Expected { reading, ..Expected::new(binding, values, if f16 { 5e-3 } else { 1e-4 }) }
}

/// One token after 70 others, in one split.
pub fn decode(form: &Decode) -> Result<Case, CaseError> {
    let (pos, hd) = (70, form.head_dim as usize);
    let len = (pos + 1) as usize * KV_HEADS as usize * hd;
    let (k_words, k) = stored(random(3, len), form.kv_f16);
    let (v_words, v) = stored(random(4, len), form.kv_f16);
    let (rope_arg, rope, rope_hi_rows) = table(form.head_dim);
    let vectors = random(2, 2 * hd);
    let all = match form.kv {
        Kv::Own => HEADS + 2 * KV_HEADS,
        Kv::OwnVIsK => HEADS + KV_HEADS,
        Kv::Shared => HEADS,
    };
    let qkv = random(1, all as usize * hd);

    let like = QkvFinish { head_dim: form.head_dim, kv: form.kv, kv_f16: form.kv_f16 };
    let params = finish_params(form.head_dim, rope_hi_rows);
    let (q_end, k_end) = (HEADS as usize * hd, (HEADS + KV_HEADS) as usize * hd);
    let mut q = qkv[..q_end].to_vec();
    let raw_k = qkv.get(q_end..k_end).unwrap_or_default();
    let raw_v = qkv.get(k_end..).unwrap_or_default();
    let mut cache = Cache { k, v };
    let inputs = finish::Inputs { vectors: &vectors, rope: &rope, pos };
    finish::qkv_finish(&like, &params, inputs, &mut q, (raw_k, raw_v), &mut cache);
    let seen = Block { head_dim: form.head_dim, kv_f16: form.kv_f16, until: false };
    let block_params =
        block::Params { heads: HEADS, kv_heads: KV_HEADS, window: 0, ring: 0, ..block::Params::default() };
    let inputs = block::Inputs { pos, q: &q, k: &cache.k, v: &cache.v, visible_until: &[] };
    let want = block::block(&seen, &block_params, inputs);

    let params = decode::Params {
        heads: HEADS,
        kv_heads: KV_HEADS,
        q_norm: 0,
        k_norm: form.head_dim,
        min_split_keys: 128,
        max_splits: 1,
        rope_hi_rows,
        eps: EPS,
        ..decode::Params::default()
    };
    let rank = 4 * form.quads;
    let pairs = (HEADS * form.head_dim) as usize;
    let partial_at = Decode::partial_at(form.head_dim, HEADS, 1) as usize;
    let mut args = vec![
        Arg::uniform(&params),
        Arg::zeros(partial_at + (HEADS * rank) as usize),
        Arg::state(pos, 1),
        Arg::floats(&qkv),
        Arg::floats(&vectors),
        rope_arg,
        Arg::Words(k_words),
        Arg::Words(v_words),
    ];
    let accumulated = |at, len, want| {
        let reading = Reading::Accumulated { at, len, pairs };
        Expected { reading, ..Expected::new(1, want, 2e-3) }
    };
    let mut expected = Vec::new();
    if form.quads > 0 {
        let columns = random(9, want.len() * rank as usize);
        let partial =
            columns.chunks_exact(hd * rank as usize).zip(want.chunks_exact(hd)).flat_map(|(a, x)| {
                let z = |q: usize| -> f64 {
                    let terms = a.iter().skip(q).step_by(rank as usize).zip(x);
                    terms.map(|(&a, &x)| f64::from(a) * f64::from(x)).sum()
                };
                (0..rank as usize).map(|q| z(q) as f32).collect::<Vec<_>>()
            });
        expected.push(accumulated(partial_at, rank as usize, partial.collect()));
        args.push(Arg::floats(&columns));
    }
    expected.push(accumulated(0, hd, want));
    if form.kv != Kv::Shared {
        expected.push(cached(6, cache.k, form.kv_f16));
        expected.push(cached(7, cache.v, form.kv_f16));
    }
    Ok(Case { source: form.source()?, args, grid: Decode::dispatch(&params), expected })
}

/// 21 tokens after 50 others, with a window.
pub fn block(form: &Block) -> Result<Case, CaseError> {
    let (pos, len, hd) = (50, 21, form.head_dim as usize);
    let slots = (pos + len) as usize * KV_HEADS as usize * hd;
    // Scores of long heads are large, so that one key dominates; smaller queries make a better test.
    let q: Vec<f32> = random(5, (len * HEADS) as usize * hd).into_iter().map(|v| 0.3 * v).collect();
    let (k_words, k) = stored(random(6, slots), form.kv_f16);
    let (v_words, v) = stored(random(7, slots), form.kv_f16);
    let params =
        block::Params { heads: HEADS, kv_heads: KV_HEADS, window: 30, ring: 0, ..block::Params::default() };
    let until = if form.until { vec![pos + len; len as usize] } else { Vec::new() };
    let inputs = block::Inputs { pos, q: &q, k: &k, v: &v, visible_until: &until };
    let want = block::block(form, &params, inputs);
    let mut args = vec![
        Arg::uniform(&params),
        Arg::state(pos, len),
        Arg::floats(&q),
        Arg::Words(k_words),
        Arg::Words(v_words),
        Arg::zeros(want.len()),
    ];
    if form.until {
        args.push(Arg::Words(until));
    }
    let grid = form.dispatch(&params, len);
    Ok(Case { source: form.source()?, args, grid, expected: vec![Expected::new(5, want, 2e-3)] })
}

/// Three tokens after 300 others.
pub fn qkv_finish(form: &QkvFinish) -> Result<Case, CaseError> {
    let (pos, len, hd) = (300, 3, form.head_dim as usize);
    let slots = (pos + len) as usize * KV_HEADS as usize * hd;
    let (k_words, k) = stored(random(3, slots), form.kv_f16);
    let (v_words, v) = stored(random(4, slots), form.kv_f16);
    let (rope_arg, rope, rope_hi_rows) = table(form.head_dim);
    let vectors = random(2, 2 * hd);
    let params = finish_params(form.head_dim, rope_hi_rows);
    let rows = |heads: u32| (len * heads) as usize * hd;
    let raw_q = random(1, rows(HEADS));
    let raw_k = if form.kv == Kv::Shared { Vec::new() } else { random(8, rows(KV_HEADS)) };
    let raw_v = if form.kv == Kv::Own { random(9, rows(KV_HEADS)) } else { Vec::new() };
    let (mut q, mut cache) = (raw_q.clone(), Cache { k, v });
    let inputs = finish::Inputs { vectors: &vectors, rope: &rope, pos };
    finish::qkv_finish(form, &params, inputs, &mut q, (&raw_k, &raw_v), &mut cache);

    let mut args = vec![
        Arg::uniform(&params),
        Arg::state(pos, len),
        Arg::floats(&vectors),
        rope_arg,
        Arg::floats(&raw_q),
    ];
    let mut expected = vec![Expected::new(4, q, 1e-4)];
    if form.kv != Kv::Shared {
        args.extend([Arg::Words(k_words), Arg::Words(v_words), Arg::floats(&raw_k)]);
        expected.push(cached(5, cache.k, form.kv_f16));
        expected.push(cached(6, cache.v, form.kv_f16));
    }
    if form.kv == Kv::Own {
        args.push(Arg::floats(&raw_v));
    }
    Ok(Case { source: form.source()?, args, grid: form.dispatch(&params, len), expected })
}
