//! Heads and caches of cases.

use super::{Arg, Expected, Reading};
use crate::kv_type::KvType;
use crate::rope;

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

/// The expected content of a cache. A value between two codes of Q8_0 may have either.
pub(crate) fn cached(binding: usize, values: Vec<f32>, (kv_type, head_dim): (KvType, u32)) -> Expected {
    let absolute = match kv_type {
        KvType::F16 => 5e-3,
        KvType::F32 => 1e-4,
        KvType::Q8_0 => KvType::step(&values),
    };
    Expected { reading: Reading::Cache(kv_type, head_dim), ..Expected::new(binding, values, absolute) }
}
