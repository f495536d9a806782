//! What the self-test cases of attention have in common.

use super::KvType;
use super::block::{self, Block};
use super::cooperative::KEYS;
use crate::rope;
use crate::rows::qkv_finish as finish;
use crate::selftest::{Arg, EPS, Expected, Reading, args, random};

pub(crate) const HEADS: u32 = 4;
pub(crate) const KV_HEADS: u32 = 2;

/// Key–value heads such that groups of so many query heads share one.
pub(crate) const fn kv_heads(group: u32) -> u32 {
    if group > HEADS / KV_HEADS { HEADS / group } else { KV_HEADS }
}

/// The words of a cache, and their values.
pub(crate) fn stored(heads: &[f32], (kv_type, head_dim): (KvType, u32)) -> (Vec<u32>, Vec<f32>) {
    let words = kv_type.words(heads, head_dim);
    let values = kv_type.values(&words, head_dim);
    (words, values)
}

pub(crate) fn table(head_dim: u32) -> (Arg, Vec<[f32; 2]>, u32) {
    let table = rope::table(10_000.0, head_dim, None, 1024);
    (Arg::floats(table.as_flattened()), table, rope::hi_rows(1024))
}

/// Weights of the query norm, then of the key norm, and a cache without a ring.
pub(crate) fn finish_params(head_dim: u32, rope_hi_rows: u32) -> finish::Params {
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
pub(crate) fn cached(binding: usize, values: Vec<f32>, (kv_type, head_dim): (KvType, u32)) -> Expected {
    let absolute = match kv_type {
        KvType::F16 => 5e-3,
        KvType::F32 => 1e-4,
        KvType::Q8_0 => KvType::step(&values),
    };
    Expected { reading: Reading::Cache(kv_type, head_dim), ..Expected::new(binding, values, absolute) }
}

/// A chunk of `len` tokens from `pos` on.
pub(crate) struct Chunk {
    pub(crate) pos: u32,
    pub(crate) len: u32,
    pub(crate) window: u32,
    pub(crate) ring: u32,
}

impl Chunk {
    pub(crate) fn params(&self) -> block::Params {
        let (window, ring) = (self.window, self.ring);
        block::Params { heads: HEADS, kv_heads: KV_HEADS, window, ring, ..block::Params::default() }
    }

    /// Scores of long heads are large, so that one key dominates; smaller queries make a better test.
    pub(crate) fn queries(&self, head_dim: u32) -> Vec<f32> {
        let len = (self.len * HEADS * head_dim) as usize;
        random(5, len).into_iter().map(|v| 0.3 * v).collect()
    }

    /// The bindings, and what `out` should be if keys and values are rounded so.
    pub(crate) fn of(&self, form: &Block, q: &[f32], rounded: fn(f32) -> f32) -> (Vec<Arg>, Vec<f32>) {
        let slots = if self.ring == 0 { (self.pos + self.len).next_multiple_of(KEYS) } else { self.ring };
        let slots = (slots * KV_HEADS * form.head_dim) as usize;
        let (k_words, k) = stored(&random(6, slots), (form.kv_type, form.head_dim));
        let (v_words, v) = stored(&random(7, slots), (form.kv_type, form.head_dim));
        let [k, v] = [k, v].map(|values| values.into_iter().map(rounded).collect::<Vec<_>>());
        let until = if form.until { vec![self.pos + self.len; self.len as usize] } else { Vec::new() };
        let inputs = block::Inputs { pos: self.pos, q, k: &k, v: &v, visible_until: &until };
        let want = block::block(form, &self.params(), inputs);
        let mut args = args![
            uniform(&self.params()),
            state(self.pos, self.len),
            floats(q),
            Words(k_words),
            Words(v_words),
            zeros(want.len())
        ];
        if form.until {
            args.push(Arg::Words(until));
        }
        (args, want)
    }
}
