//! Working buffers of the decoder.

use shaders::attention::few_rows;
use shaders::attention::split::{self, MergeChunk};
use shaders::matmul::FewRows;
use shaders::matvec::Matvec;
use shaders::state::State;

use super::Config;
use super::expert_scratch::ExpertScratch;
use super::product::{HalfRows, PackedRows};
use super::row_cache::RowCacheValues;
use super::tuning::MAX_FUSED_RANK;
use crate::plan::{Limits, Value};

/// Maximum number of splits that a product merges: each of its workgroups reads all of them.
const MAX_SPLITS: u32 = 32;
/// Workgroups of attention that occupy a large device.
pub const WORKGROUPS: u32 = 256;
/// Minimum number of keys per split.
const MIN_SPLIT_KEYS: u32 = 64;

/// Returns the minimum number of keys per split on this device. On a software device, each workgroup repeats the work before
/// the keys, and only a few cores need to be occupied.
pub fn min_split_keys(limits: Limits) -> u32 {
    if limits.software { 16 * MIN_SPLIT_KEYS } else { MIN_SPLIT_KEYS }
}

/// Returns the number of workgroups among which the keys of a short chunk are split; 0: they are not, as on a software device, whose
/// few cores are occupied.
pub fn split_workgroups(limits: Limits, head_dim: u32) -> u32 {
    if limits.software || !MergeChunk::supports(head_dim) { 0 } else { WORKGROUPS }
}

/// Maximum number of splits on a software device, which spends much time on workgroups that have no keys.
const MAX_SOFTWARE_SPLITS: u32 = 2;

/// Returns the number of splits from which on query heads share a workgroup of attention: with fewer, that would leave a device
/// idle. Behind a window, all splits that there can be.
pub fn grouped_from(limits: Limits, heads: u32, window: u32) -> u32 {
    match window {
        _ if limits.software => 1,
        0 => MAX_SPLITS,
        _ => max_splits(limits, heads, window),
    }
}

/// Returns whether rows that are verified together share workgroups of attention, with so many splits at most: fewer than half of
/// [`WORKGROUPS`] would leave a large device idle.
pub fn share_rows(limits: Limits, heads: u32, max_splits: u32) -> bool {
    limits.software || 2 * heads * max_splits >= WORKGROUPS
}

/// Returns the maximum number of splits on this device for a layer with this attention window; 0: unlimited, where as many query
/// heads as possible share a workgroup, and a dispatch merges.
pub fn max_splits(limits: Limits, heads: u32, window: u32) -> u32 {
    let most = if limits.software { MAX_SOFTWARE_SPLITS } else { most_splits(heads, window) };
    if window == 0 { most } else { window.div_ceil(min_split_keys(limits)).min(most) }
}

/// Returns the maximum number of splits on any device.
fn most_splits(heads: u32, window: u32) -> u32 {
    match window {
        0 => (4 * WORKGROUPS / heads).clamp(MAX_SPLITS, few_rows::MAX_SPLITS),
        _ => MAX_SPLITS.min(Matvec::max_splits(heads)),
    }
}

/// Working buffers, f32 unless stated otherwise; with `T` rows if prefill uses them.
#[derive(Debug)]
pub struct Scratch {
    /// `shaders::state::State`.
    pub state: Value,
    /// Token ids of the step, u32 `[T]`.
    pub tokens: Value,
    /// For each row, the end of the image that it belongs to, u32 `[T]`; 0 for none. Used if images have
    /// bidirectional attention.
    pub visible_until: Value,
    /// The residual stream, twice: a dispatch reads one and writes the other. `[T, width]`.
    pub h: [Value; 2],
    /// The normed stream. `[T, width]`.
    pub x: Value,
    /// The branch before its norm. `[T, width]`. In decode, data for adapters follows.
    pub branch: Value,
    /// Queries, keys and values of one token, concatenated.
    pub qkv: Value,
    /// Queries, later the result of attention. `[T, heads·head_dim]`.
    pub q: Value,
    /// Keys of a chunk. `[T, kv_heads·head_dim]`.
    pub k: Value,
    /// Values of a chunk.
    pub v: Value,
    /// The result of attention. `[T, heads·head_dim]`.
    pub attention: Value,
    /// Partial results of decode attention, followed by those for adapters.
    pub part: Value,
    /// Gate; in decode the activations, followed by data for adapters. `[T, feed_forward]`.
    pub gate: Value,
    /// Up. `[T, feed_forward]`.
    pub up: Value,
    /// The activations. `[T, feed_forward]`, or `[T, P]`.
    pub act: Value,
    /// Per-layer inputs. `[T, layers·P]`.
    pub ple: Value,
    /// The projection part of the per-layer inputs. `[T, layers·P]`.
    pub ple_projected: Value,
    /// The row cache, if the table is on the host.
    pub row_cache: Option<RowCacheValues>,
    /// The gated per-layer input. `[T, P]`.
    pub ple_gate: Value,
    /// Logits of the last row, or of a few rows that are verified. `[FewRows::MAX_ROWS, vocabulary]`.
    pub logits: Value,
    /// A few rows rounded to int8: codes, and the scales of 16 elements each. `[FewRows::MAX_ROWS, K]`.
    pub packed: [Value; 2],
    /// Rows of a chunk rounded for matrix units, where the device has any.
    pub halves: Option<HalfRows>,
    /// Rows of a chunk rounded to int8, where products with them are faster than in f32.
    pub packed_rows: Option<PackedRows>,
    /// The activations of a few rows, rounded likewise.
    pub packed_act: [Value; 2],
    /// Partial results of attention of a few rows.
    pub parts_of_rows: Value,
    /// Partial results of attention of a chunk.
    pub parts_of_chunk: Value,
    /// Working buffers of experts, if the model has any.
    pub experts: Option<ExpertScratch>,
}

/// Tokens of a text chunk in prefill.
pub const TEXT_CHUNK: u32 = 512;

/// Tokens of the longest prefill chunk: enough for an image with bidirectional attention, and for a canvas.
pub fn chunk(config: &Config) -> u32 {
    let canvas = config.diffusion.map_or(0, |settings| settings.canvas);
    TEXT_CHUNK.max(config.whole_picture.next_multiple_of(32)).max(canvas)
}

fn describe_parts_of_chunk(config: &Config, limits: Limits) -> Value {
    let len = |head_dim| split::part_len(head_dim, split_workgroups(limits, head_dim));
    let most = config.layers.iter().map(|layer| len(layer.head_dim)).max().unwrap_or(0);
    Value::temporary("part of a chunk", 4 * u64::from(most.max(1)))
}

impl Scratch {
    /// Describes the values.
    pub fn describe(config: &Config, vocabulary: u32, limits: Limits) -> Self {
        let mut scratch = Self::with_rows(config, vocabulary, chunk(config), FewRows::MAX_ROWS);
        let rows = chunk(config);
        scratch.halves = limits.matrix_units.then(|| scratch.describe_halves(config, rows));
        scratch.packed_rows = limits.packed_tiles.then(|| scratch.describe_packed_rows());
        scratch.parts_of_chunk = describe_parts_of_chunk(config, limits);
        scratch
    }

    /// Bytes of the longest rows of a chunk that are multiplied.
    fn longest_rows(&self) -> u64 {
        let of_experts = self.experts.iter().map(|experts| experts.act.bytes());
        let others = [&self.x, &self.attention, &self.act].map(Value::bytes);
        of_experts.chain(others).max().unwrap_or(0)
    }

    /// Room for the longest rows of a chunk of `rows`.
    fn describe_halves(&self, config: &Config, rows: u32) -> HalfRows {
        let bytes = self.longest_rows();
        let rows = rows * config.experts.map_or(1, |experts| experts.mixture.used);
        let halves = Value::temporary("rows in halves", bytes / 2);
        [halves, Value::temporary("factors of rows in halves", 4 * u64::from(rows))]
    }

    /// Returns the same for a batch of texts with this many tokens. The second stream keeps the embeddings.
    pub fn of_encoder(config: &Config, rows: u32, limits: Limits) -> Self {
        let mut scratch = Self::with_rows(config, 1, rows, 1);
        let (t, p) = (u64::from(rows), u64::from(config.ple));
        scratch.h[1] = Value::state("embeddings", scratch.h[0].bytes());
        scratch.visible_until = Value::state("bounds of texts", 8 * t);
        scratch.ple = Value::temporary("ple", 4 * t * p);
        scratch.ple_projected = Value::temporary("ple projected", 4 * t * p);
        scratch.halves = limits.matrix_units.then(|| scratch.describe_halves(config, rows));
        scratch.parts_of_chunk = describe_parts_of_chunk(config, limits);
        scratch
    }

    /// Room for the longest rows of a chunk.
    fn describe_packed_rows(&self) -> PackedRows {
        let bytes = self.longest_rows();
        [Value::temporary("rows in int8", bytes / 4), Value::temporary("scales of rows in int8", bytes / 8)]
    }

    /// Returns the same for single rows.
    pub fn of_one(config: &Config, vocabulary: u32) -> Self {
        Self::with_rows(config, vocabulary, 1, 1)
    }

    /// Returns the same for up to `rows` rows, of which up to `few` are verified together.
    fn with_rows(config: &Config, vocabulary: u32, rows: u32, few: u32) -> Self {
        let layers = || 0..config.layers.len();
        let most = |f: &dyn Fn(usize) -> u32| u64::from(layers().map(f).max().unwrap_or(0));
        let (width, ff) = (u64::from(config.width), most(&|i| config.layers[i].feed_forward));
        let (q, kv) = (most(&|i| config.q_width(i)), most(&|i| config.kv_width(i)));
        let ple = u64::from(config.ple) * config.layers.len() as u64;
        // The output of one head for one split, plus padding for the loop that reads four at a time.
        let of_split = most(&|i| config.layers[i].head_dim) + u64::from(2 + MAX_FUSED_RANK);
        let part = u64::from(config.heads) * u64::from(most_splits(config.heads, 0)) * of_split + 4;
        // Rows that share their splits may have one more, behind a window.
        let part_of_rows = part.max(u64::from(config.heads) * u64::from(MAX_SPLITS + 1) * of_split + 4);
        let (t, few) = (u64::from(rows), u64::from(few));
        let longest = q.max(width).max(ff).max(config.ple.into());
        let temporary = |name: &'static str, elements: u64| Value::temporary(name, 4 * t * elements);
        // Buffers that the host accesses, or that one plan leaves for the next.
        let kept = |name: &'static str, elements: u64| Value::state(name, 4 * t * elements);
        Self {
            state: Value::state("state", size_of::<State>() as u64),
            tokens: kept("tokens", 1),
            visible_until: kept("visible until", 1),
            h: [kept("h 0", width), temporary("h 1", width)],
            x: kept("x", width),
            branch: temporary("branch", width),
            qkv: Value::temporary("qkv", 4 * (q + 2 * kv)),
            q: temporary("q", q),
            k: temporary("k", kv),
            v: temporary("v", kv),
            attention: temporary("attention", q),
            part: Value::temporary("part", 4 * part),
            gate: temporary("gate", ff),
            up: temporary("up", ff),
            act: temporary("activated", ff.max(config.ple.into())),
            ple: kept("ple", ple),
            ple_projected: kept("ple projected", ple),
            row_cache: None,
            ple_gate: temporary("ple gate", config.ple.into()),
            logits: Value::state("logits", 4 * few * u64::from(vocabulary)),
            halves: None,
            packed_rows: None,
            packed: [("packed rows", 1), ("scales of packed rows", 2)]
                .map(|(name, divisor)| Value::temporary(name, few * longest / divisor)),
            packed_act: [("packed activations", 1), ("scales of packed activations", 2)]
                .map(|(name, divisor)| Value::temporary(name, few * ff.max(config.ple.into()) / divisor)),
            parts_of_rows: Value::temporary("part of a few rows", 4 * few * part_of_rows),
            parts_of_chunk: Value::temporary("part of a chunk", 4),
            experts: ExpertScratch::describe(config, rows, few as u32),
        }
    }
}
