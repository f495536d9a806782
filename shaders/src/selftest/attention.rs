//! Test cases of attention.

use super::{Arg, Case, CaseError, Expected, Reading, packed_zeros, random};
use crate::attention::KvType;
use crate::attention::block::{self, Block};
use crate::attention::cooperative::{Cooperative, KEYS};
use crate::attention::decode::{self, Decode, Kv};
use crate::attention::few_rows::FewRows;
use crate::rope;
use crate::rows::qkv_finish::{self as finish, Cache, QkvFinish};

const EPS: f32 = 1e-6;
const HEADS: u32 = 4;
const KV_HEADS: u32 = 2;

/// Key–value heads such that groups of so many query heads share one.
const fn kv_heads(group: u32) -> u32 {
    if group > HEADS / KV_HEADS { HEADS / group } else { KV_HEADS }
}

/// The words of a cache, and their values.
fn stored(heads: &[f32], (kv_type, head_dim): (KvType, u32)) -> (Vec<u32>, Vec<f32>) {
    let words = kv_type.words(heads, head_dim);
    let values = kv_type.values(&words, head_dim);
    (words, values)
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
        ..finish::Params::default()
    }
}

/// The expected content of a cache. A value between two codes of Q8_0 may have either.
fn cached(binding: usize, values: Vec<f32>, (kv_type, head_dim): (KvType, u32)) -> Expected {
    let absolute = match kv_type {
        KvType::F16 => 5e-3,
        KvType::F32 => 1e-4,
        KvType::Q8_0 => KvType::step(&values),
    };
    Expected { reading: Reading::Cache(kv_type, head_dim), ..Expected::new(binding, values, absolute) }
}

/// One token after 70 others, in one split.
pub fn decode(form: &Decode) -> Result<Case, CaseError> {
    let (pos, hd) = (70, form.head_dim as usize);
    let kv_heads = kv_heads(form.group);
    let len = (pos + 1) as usize * kv_heads as usize * hd;
    let (k_words, k) = stored(&random(3, len), (form.kv_type, form.head_dim));
    let (v_words, v) = stored(&random(4, len), (form.kv_type, form.head_dim));
    let (rope_arg, rope, rope_hi_rows) = table(form.head_dim);
    let vectors = random(2, 2 * hd);
    let all = match form.kv {
        Kv::Own => HEADS + 2 * kv_heads,
        Kv::OwnVIsK => HEADS + kv_heads,
        Kv::Shared => HEADS,
    };
    let qkv = random(1, all as usize * hd);

    let like = QkvFinish { head_dim: form.head_dim, kv: form.kv, kv_type: form.kv_type, joined: false };
    let params = finish::Params { kv_heads, ..finish_params(form.head_dim, rope_hi_rows) };
    let (q_end, k_end) = (HEADS as usize * hd, (HEADS + kv_heads) as usize * hd);
    let mut q = qkv[..q_end].to_vec();
    let raw_k = qkv.get(q_end..k_end).unwrap_or_default();
    let raw_v = qkv.get(k_end..).unwrap_or_default();
    let mut cache = Cache { k, v };
    let inputs = finish::Inputs { vectors: &vectors, rope: &rope, pos };
    finish::qkv_finish(&like, &params, inputs, &mut q, (raw_k, raw_v), &mut cache);
    let seen = Block { head_dim: form.head_dim, kv_type: form.kv_type, until: false };
    let block_params =
        block::Params { heads: HEADS, kv_heads, window: 0, ring: 0, ..block::Params::default() };
    let inputs = block::Inputs { pos, q: &q, k: &cache.k, v: &cache.v, visible_until: &[] };
    let want = block::block(&seen, &block_params, inputs);

    let params = decode::Params {
        heads: HEADS,
        kv_heads,
        q_norm: 0,
        k_norm: form.head_dim,
        min_split_keys: 128,
        max_splits: 1,
        grouped_from: 1,
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
    // The token's own key and value may have other codes than the twin's.
    let own_codes = form.kv != Kv::Shared && form.kv_type == KvType::Q8_0;
    let tolerance = 2e-3 + if own_codes { KvType::step(&cache.v) } else { 0.0 };
    let accumulated = |at, len, want| {
        let reading = Reading::Accumulated { at, len, pairs };
        Expected { reading, ..Expected::new(1, want, tolerance) }
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
        expected.push(cached(6, cache.k, (form.kv_type, form.head_dim)));
        expected.push(cached(7, cache.v, (form.kv_type, form.head_dim)));
    }
    Ok(Case { source: form.source()?, args, grid: Decode::dispatch(&params), expected })
}

/// 21 tokens after 50 others, with a window.
pub fn block(form: &Block) -> Result<Case, CaseError> {
    let case = Chunk { pos: 50, len: 21, window: 30, ring: 0 };
    let q = case.queries(form.head_dim);
    let (args, want) = case.of(form, &q, |v| v);
    let grid = form.dispatch(&case.params(), case.len);
    Ok(Case { source: form.source()?, args, grid, expected: vec![Expected::new(5, want, 2e-3)] })
}

/// 77 tokens after 150 others, with a window, in a ring.
pub fn cooperative(form: Cooperative) -> Result<Case, CaseError> {
    let case = Chunk { pos: 150, len: 77, window: 90, ring: 192 };
    let rounded = |v: f32| half::f16::from_f32(v).to_f32();
    let q: Vec<f32> = case.queries(form.head_dim).into_iter().map(rounded).collect();
    let twin = Block { head_dim: form.head_dim, kv_type: form.kv_type, until: form.until };
    let (args, want) = case.of(&twin, &q, rounded);
    let grid = form.dispatch(&case.params(), case.len);
    Ok(Case { source: form.source()?, args, grid, expected: vec![Expected::new(5, want, 4e-3)] })
}

/// A chunk of `len` tokens from `pos` on.
struct Chunk {
    pos: u32,
    len: u32,
    window: u32,
    ring: u32,
}

impl Chunk {
    fn params(&self) -> block::Params {
        let (window, ring) = (self.window, self.ring);
        block::Params { heads: HEADS, kv_heads: KV_HEADS, window, ring, ..block::Params::default() }
    }

    /// Scores of long heads are large, so that one key dominates; smaller queries make a better test.
    fn queries(&self, head_dim: u32) -> Vec<f32> {
        let len = (self.len * HEADS * head_dim) as usize;
        random(5, len).into_iter().map(|v| 0.3 * v).collect()
    }

    /// The bindings, and what `out` should be if keys and values are rounded so.
    fn of(&self, form: &Block, q: &[f32], rounded: fn(f32) -> f32) -> (Vec<Arg>, Vec<f32>) {
        let slots = if self.ring == 0 { (self.pos + self.len).next_multiple_of(KEYS) } else { self.ring };
        let slots = (slots * KV_HEADS * form.head_dim) as usize;
        let (k_words, k) = stored(&random(6, slots), (form.kv_type, form.head_dim));
        let (v_words, v) = stored(&random(7, slots), (form.kv_type, form.head_dim));
        let [k, v] = [k, v].map(|values| values.into_iter().map(rounded).collect::<Vec<_>>());
        let until = if form.until { vec![self.pos + self.len; self.len as usize] } else { Vec::new() };
        let inputs = block::Inputs { pos: self.pos, q, k: &k, v: &v, visible_until: &until };
        let want = block::block(form, &self.params(), inputs);
        let mut args = vec![
            Arg::uniform(&self.params()),
            Arg::state(self.pos, self.len),
            Arg::floats(q),
            Arg::Words(k_words),
            Arg::Words(v_words),
            Arg::zeros(want.len()),
        ];
        if form.until {
            args.push(Arg::Words(until));
        }
        (args, want)
    }
}

/// Five tokens after 70 others, in one split. Blocks of rows see up to three keys more than a window, which is almost a tile, and the
/// last block has fewer rows.
pub fn few_rows(form: FewRows) -> Result<Case, CaseError> {
    let (pos, len, window, hd) = (70, 5, 63, form.head_dim as usize);
    let kv_heads = kv_heads(form.group);
    let slots = (pos + len) as usize * kv_heads as usize * hd;
    let mut q: Vec<f32> = random(5, (len * HEADS) as usize * hd).into_iter().map(|v| 0.3 * v).collect();
    let (k_words, k) = stored(&random(6, slots), (form.kv_type, form.head_dim));
    let (v_words, v) = stored(&random(7, slots), (form.kv_type, form.head_dim));
    let queries = Arg::floats(&q);
    // Small weights of the norm keep scores small.
    let vectors: Vec<f32> = random(2, hd).into_iter().map(|v| 0.3 * v).collect();
    let (rope_arg, rope, rope_hi_rows) = table(form.head_dim);
    if !form.finished {
        let (kv, kv_type) = (Kv::Shared, form.kv_type);
        let like = QkvFinish { head_dim: form.head_dim, kv, kv_type, joined: false };
        let inputs = finish::Inputs { vectors: &vectors, rope: &rope, pos };
        let mut cache = Cache { k: Vec::new(), v: Vec::new() };
        let params = finish::Params { kv_heads, ..finish_params(form.head_dim, rope_hi_rows) };
        finish::qkv_finish(&like, &params, inputs, &mut q, (&[], &[]), &mut cache);
    }
    let twin = Block { head_dim: form.head_dim, kv_type: form.kv_type, until: false };
    let like = block::Params { heads: HEADS, kv_heads, window, ..block::Params::default() };
    let inputs = block::Inputs { pos, q: &q, k: &k, v: &v, visible_until: &[] };
    let want = block::block(&twin, &like, inputs);
    let params = decode::Params {
        heads: HEADS,
        kv_heads,
        window,
        min_split_keys: 64,
        max_splits: 1,
        grouped_from: 1,
        block_rows: form.rows,
        rope_hi_rows,
        eps: EPS,
        ..decode::Params::default()
    };
    let mut args = vec![
        Arg::uniform(&params),
        Arg::zeros(FewRows::part_len(len, form.head_dim, HEADS, 1) as usize),
        Arg::state(pos, len),
        queries,
    ];
    if !form.finished {
        args.extend([Arg::floats(&vectors), rope_arg]);
    }
    args.extend([Arg::Words(k_words), Arg::Words(v_words)]);
    let of_row = HEADS as usize * hd;
    let row = |(row, want): (usize, &[f32])| {
        let at = row * (of_row + 2 * HEADS as usize);
        let reading = Reading::Accumulated { at, len: hd, pairs: at + of_row };
        Expected { reading, ..Expected::new(1, want.to_vec(), 2e-3) }
    };
    let expected = want.chunks_exact(of_row).enumerate().map(row).collect();
    Ok(Case { source: form.source()?, args, grid: FewRows::dispatch(&params, len), expected })
}

/// Partial results of three rows in two splits. The first two share theirs, and the first one sees no key of the second split.
pub fn merge(head_dim: u32, packed: bool) -> Result<Case, CaseError> {
    let (rows, splits, hd) = (3, 2, head_dim as usize);
    let params = decode::Params {
        heads: HEADS,
        min_split_keys: 64,
        max_splits: splits,
        block_rows: 2,
        ..decode::Params::default()
    };
    let mut part = Vec::new();
    let mut want = Vec::new();
    for row in 0..u64::from(rows) {
        let mut accs = random(20 + row, (HEADS * splits) as usize * hd);
        let mut pairs: Vec<[f32; 2]> =
            random(30 + row, (HEADS * splits) as usize).into_iter().map(|v| [3.0 * v, 1.0 + v * v]).collect();
        if row == 0 {
            accs.chunks_exact_mut(hd).skip(1).step_by(2).for_each(|acc| acc.fill(0.0));
            pairs.iter_mut().skip(1).step_by(2).for_each(|pair| *pair = [-3e38, 0.0]);
        }
        for (accs, pairs) in accs.chunks_exact(2 * hd).zip(pairs.chunks_exact(2)) {
            let top = pairs[0][0].max(pairs[1][0]);
            let weights = [0, 1].map(|s| (pairs[s][0] - top).exp());
            let total = weights[0] * pairs[0][1] + weights[1] * pairs[1][1];
            want.extend((0..hd).map(|i| (weights[0] * accs[i] + weights[1] * accs[hd + i]) / total));
        }
        part.extend(accs);
        part.extend(pairs.as_flattened());
    }
    // The first row has 64 keys, which would be one split.
    let mut args = vec![Arg::uniform(&params), Arg::state(63, rows), Arg::floats(&part)];
    args.extend(if packed { packed_zeros(want.len()).to_vec() } else { vec![Arg::zeros(want.len())] });
    let expected = if packed { Expected::packed(3, &want, 1e-4) } else { vec![Expected::new(3, want, 1e-4)] };
    let grid = FewRows::merge_dispatch(head_dim, &params, rows);
    Ok(Case { source: FewRows::merge(head_dim, packed)?, args, grid, expected })
}

/// Three tokens after 300 others.
pub fn qkv_finish(form: &QkvFinish) -> Result<Case, CaseError> {
    let (pos, len, hd) = (300, 3, form.head_dim as usize);
    let slots = (pos + len) as usize * KV_HEADS as usize * hd;
    let (k_words, k) = stored(&random(3, slots), (form.kv_type, form.head_dim));
    let (v_words, v) = stored(&random(4, slots), (form.kv_type, form.head_dim));
    let (rope_arg, rope, rope_hi_rows) = table(form.head_dim);
    let vectors = random(2, 2 * hd);
    let mut params = finish_params(form.head_dim, rope_hi_rows);
    let rows = |heads: u32| (len * heads) as usize * hd;
    let raw_q = random(1, rows(HEADS));
    let raw_k = if form.kv == Kv::Shared { Vec::new() } else { random(8, rows(KV_HEADS)) };
    let raw_v = if form.kv == Kv::Own { random(9, rows(KV_HEADS)) } else { Vec::new() };
    let (mut q, mut cache) = (raw_q.clone(), Cache { k, v });
    let inputs = finish::Inputs { vectors: &vectors, rope: &rope, pos };
    finish::qkv_finish(form, &params, inputs, &mut q, (&raw_k, &raw_v), &mut cache);

    // Joined keys and values follow the queries, with a gap.
    let gap = 2;
    params.k_at = raw_q.len() as u32 / 2 + gap;
    params.v_at = params.k_at + raw_k.len() as u32 / 2 + gap;
    let gap = vec![0.0; 2 * gap as usize];
    let joined = [&raw_q[..], &gap, &raw_k, &gap, &raw_v].concat();
    let mut args = vec![
        Arg::uniform(&params),
        Arg::state(pos, len),
        Arg::floats(&vectors),
        rope_arg,
        Arg::floats(if form.joined { &joined } else { &raw_q }),
    ];
    let mut expected = vec![Expected::new(4, q, 1e-4)];
    if form.kv != Kv::Shared {
        args.extend([Arg::Words(k_words), Arg::Words(v_words)]);
        args.extend((!form.joined).then(|| Arg::floats(&raw_k)));
        expected.push(cached(5, cache.k, (form.kv_type, form.head_dim)));
        expected.push(cached(6, cache.v, (form.kv_type, form.head_dim)));
    }
    if form.kv == Kv::Own && !form.joined {
        args.push(Arg::floats(&raw_v));
    }
    Ok(Case { source: form.source()?, args, grid: form.dispatch(&params, len), expected })
}
