//! Buffers that a step of the decoder works in.

use shaders::matvec::Matvec;
use shaders::state::State;

use super::Config;
use super::expert_scratch::ExpertScratch;
use super::forms::MOST_FUSED_RANK;
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

impl Scratch {
    /// Describes the values.
    #[must_use]
    pub fn describe(config: &Config, vocabulary: u32, ple_on_host: bool) -> Self {
        let layers = || 0..config.layers.len();
        let most = |f: &dyn Fn(usize) -> u32| u64::from(layers().map(f).max().unwrap_or(0));
        let (width, ff) = (u64::from(config.width), most(&|i| config.layers[i].feed_forward));
        let (q, kv) = (most(&|i| config.q_width(i)), most(&|i| config.kv_width(i)));
        let ple = u64::from(config.ple) * config.layers.len() as u64;
        // What one head leaves of one split, and the loop that reads four at a time.
        let of_split = most(&|i| config.layers[i].head_dim) + u64::from(2 + MOST_FUSED_RANK);
        let part = u64::from(config.heads) * u64::from(most_splits(config.heads, 0)) * of_split + 4;
        let t = u64::from(chunk(config));
        let rows = |name: &'static str, elements: u64| Value::temporary(name, 4 * t * elements);
        // What the host reads or writes, and what one plan leaves for the next.
        let kept = |name: &'static str, elements: u64| Value::state(name, 4 * t * elements);
        Self {
            state: Value::state("state", size_of::<State>() as u64),
            tokens: kept("tokens", 1),
            visible_until: kept("visible until", 1),
            h: [kept("h 0", width), rows("h 1", width)],
            x: kept("x", width),
            branch: rows("branch", width),
            qkv: Value::temporary("qkv", 4 * (q + 2 * kv)),
            q: rows("q", q),
            k: rows("k", kv),
            v: rows("v", kv),
            attention: rows("attention", q),
            part: Value::temporary("part", 4 * part),
            gate: rows("gate", ff),
            up: rows("up", ff),
            act: rows("activated", ff.max(config.ple.into())),
            ple: kept("ple", ple),
            ple_projected: kept("ple projected", ple),
            ple_rows: kept("ple rows", if ple_on_host { ple } else { 0 }),
            ple_gate: rows("ple gate", config.ple.into()),
            logits: Value::state("logits", 4 * u64::from(vocabulary)),
            experts: ExpertScratch::describe(config, chunk(config)),
        }
    }
}
