//! Buffers that a step of the decoder works in.

use shaders::matvec::Matvec;
use shaders::state::State;

use super::corrections::MOST_FUSED_RANK;
use super::experts::ExpertScratch;
use super::{Config, KvType, kv_cache};
use crate::gpu::Gpu;
use crate::plan::{Limits, Value};

/// Splits of the keys in decode: enough workgroups for a large device, few enough to merge.
const MOST_SPLITS: u32 = 32;
/// Smallest run of keys of a split.
const SMALLEST_RUN: u32 = 64;

/// Smallest run of keys of a split on this device. In software each workgroup repeats what comes before the keys, and
/// there are a few cores to fill at most.
#[must_use]
pub fn smallest_run(limits: Limits) -> u32 {
    if limits.software { 16 * SMALLEST_RUN } else { SMALLEST_RUN }
}

/// Most splits of the keys of a layer that sees `window` of them, or all where that is 0.
#[must_use]
pub fn most_splits(heads: u32, window: u32) -> u32 {
    let most = MOST_SPLITS.min(Matvec::most_splits(heads));
    if window == 0 { most } else { window.div_ceil(SMALLEST_RUN).min(most) }
}

/// Working buffers, f32 unless said otherwise; `T` rows where prefill uses them.
#[derive(Debug)]
pub struct Scratch {
    /// `shaders::state::State`.
    pub state: Value,
    /// Token ids of the step, u32 `[T]`.
    pub tokens: Value,
    /// For each row the end of the picture that it is part of, u32 `[T]`; 0 for none. Read where pictures are seen
    /// whole.
    pub visible_until: Value,
    /// The residual stream, twice: a step reads one and writes the other. `[T, width]`.
    pub h: [Value; 2],
    /// The normed stream. `[T, width]`.
    pub x: Value,
    /// What a branch adds to the stream, before its norm. `[T, width]`; for one token with experts, the dense part and
    /// behind it theirs. Behind one token's, what is left for adapters.
    pub branch: Value,
    /// Queries, keys, values of one token, one after the other.
    pub qkv: Value,
    /// Queries, then the result of attention. `[T, heads·head_dim]`.
    pub q: Value,
    /// Keys of a chunk. `[T, kv_heads·head_dim]`.
    pub k: Value,
    /// Values of a chunk.
    pub v: Value,
    /// The result of attention. `[T, heads·head_dim]`.
    pub attention: Value,
    /// Partial results of decode's attention, and behind them those that are for adapters.
    pub part: Value,
    /// The gate, in decode the activated product, and behind it what is left for adapters. `[T, feed_forward]`.
    pub gate: Value,
    /// The other half. `[T, feed_forward]`.
    pub up: Value,
    /// The activated product. `[T, feed_forward]`, or `[T, P]`.
    pub act: Value,
    /// Per-layer inputs. `[T, layers·P]`.
    pub ple: Value,
    /// The projected half of the per-layer inputs. `[T, layers·P]`.
    pub ple_projected: Value,
    /// The looked-up half, where the table is on the host. `[T, layers·P]`.
    pub ple_rows: Value,
    /// The gated per-layer input. `[T, P]`.
    pub ple_gate: Value,
    /// Logits of one token. `[vocabulary]`.
    pub logits: Value,
    /// What experts work in, where the model has them.
    pub experts: Option<ExpertScratch>,
    /// Sizes in bytes, by buffer.
    pub bytes: u64,
}

/// Sizes of the buffers, f32 elements.
struct Sizes {
    width: u64,
    q: u64,
    kv: u64,
    ff: u64,
    ple: u64,
    part: u64,
}

impl Sizes {
    fn of(config: &Config) -> Self {
        let layers = || 0..config.layers.len();
        let most = |f: &dyn Fn(usize) -> u32| u64::from(layers().map(f).max().unwrap_or(0));
        let part = layers()
            .map(|i| {
                let splits = u64::from(most_splits(config.heads, 0));
                u64::from(config.heads) * splits * u64::from(config.layers[i].head_dim + 2 + MOST_FUSED_RANK)
                    + 4
            })
            .max();
        Self {
            width: config.width.into(),
            q: most(&|i| config.q_width(i)),
            kv: most(&|i| config.kv_width(i)),
            ff: most(&|i| config.layers[i].feed_forward),
            ple: u64::from(config.ple) * config.layers.len() as u64,
            part: part.unwrap_or(0),
        }
    }
}

/// Tokens of a prefill chunk of text: fewer for wide models, whose rows are long.
#[must_use]
pub fn text_chunk(config: &Config) -> u32 {
    if config.width > 3000 { 256 } else { 512 }
}

/// Tokens of the longest prefill chunk: enough for a picture that is seen whole.
#[must_use]
pub fn chunk(config: &Config) -> u32 {
    text_chunk(config).max(config.whole_picture.next_multiple_of(32))
}

/// Bytes of all working buffers.
#[must_use]
pub fn bytes(config: &Config, vocabulary: u32, ple_on_host: bool) -> u64 {
    let s = Sizes::of(config);
    let t = u64::from(chunk(config));
    let rows = 4 * s.width
        + 2 * s.q
        + 2 * s.kv
        + 3 * s.ff
        + (2 + u64::from(ple_on_host)) * s.ple
        + u64::from(config.ple);
    let dense = 4 * (t * rows + s.q + 2 * s.kv + s.part + u64::from(vocabulary) + 2 * t + 8);
    dense + ExpertScratch::bytes(config, chunk(config))
}

impl Scratch {
    /// Describes the values.
    #[must_use]
    pub fn describe(config: &Config, vocabulary: u32, ple_on_host: bool) -> Self {
        let s = Sizes::of(config);
        let t = u64::from(chunk(config));
        let rows = |name: &'static str, elements: u64| Value::temporary(name, 4 * t * elements);
        // What the host reads or writes, and what one plan leaves for the next.
        let kept = |name: &'static str, elements: u64| Value::state(name, 4 * t * elements);
        Self {
            state: Value::state("state", size_of::<State>() as u64),
            tokens: kept("tokens", 1),
            visible_until: kept("visible until", 1),
            h: [kept("h 0", s.width), rows("h 1", s.width)],
            x: kept("x", s.width),
            branch: rows("branch", s.width),
            qkv: Value::temporary("qkv", 4 * (s.q + 2 * s.kv)),
            q: rows("q", s.q),
            k: rows("k", s.kv),
            v: rows("v", s.kv),
            attention: rows("attention", s.q),
            part: Value::temporary("part", 4 * s.part),
            gate: rows("gate", s.ff),
            up: rows("up", s.ff),
            act: rows("activated", s.ff.max(config.ple.into())),
            ple: kept("ple", s.ple),
            ple_projected: kept("ple projected", s.ple),
            ple_rows: kept("ple rows", if ple_on_host { s.ple } else { 0 }),
            ple_gate: rows("ple gate", config.ple.into()),
            logits: Value::state("logits", 4 * u64::from(vocabulary)),
            experts: ExpertScratch::describe(config, chunk(config)),
            bytes: bytes(config, vocabulary, ple_on_host),
        }
    }
}

/// Bytes of cache and working buffers together, for a context length.
#[must_use]
pub fn working_bytes(config: &Config, vocabulary: u32, context: u32, kv: KvType, ple_on_host: bool) -> u64 {
    kv_cache::bytes(config, context, chunk(config), kv) + bytes(config, vocabulary, ple_on_host)
}

/// A buffer, and what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LargestBuffer {
    /// What it holds.
    pub label: &'static str,
    /// Its bytes.
    pub bytes: u64,
}

/// The largest buffer of cache and working memory, for a context length.
#[must_use]
pub fn largest_buffer(config: &Config, vocabulary: u32, context: u32, kv: KvType) -> LargestBuffer {
    let s = Sizes::of(config);
    let rows = |elements: u64| 4 * u64::from(chunk(config)) * elements;
    let all = [
        ("the cache of keys and values", kv_cache::largest(config, context, chunk(config), kv)),
        ("rows of a prompt", rows(s.width.max(s.q).max(s.kv).max(s.ff).max(s.ple).max(config.ple.into()))),
        ("partial results of attention", 4 * s.part),
        ("logits", 4 * u64::from(vocabulary)),
        ("rows of experts", ExpertScratch::largest(config, chunk(config))),
    ];
    let largest = all.into_iter().max_by_key(|&(_, bytes)| bytes);
    let (label, bytes) = largest.unwrap_or_default();
    LargestBuffer { label, bytes: Gpu::rounded(bytes) }
}

/// Bytes of the caches that are rings, which a checkpoint copies.
#[must_use]
pub fn ring_bytes(config: &Config, context: u32, kv: KvType) -> u64 {
    let chunk = chunk(config);
    if context <= kv_cache::ring(config, chunk) {
        0
    } else {
        kv_cache::sliding_bytes(config, context, chunk, kv)
    }
}
