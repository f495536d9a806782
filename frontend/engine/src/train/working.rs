//! Working buffers of training.

use shaders::backward::attention::Span;
use shaders::backward::cross_entropy::Stat;
use shaders::state::State;
use shaders::train::optimiser::PARTIAL_SUMS;

use super::{Base, Settings};
use crate::adapter::Projection;
use crate::model::{Config, ExpertScratch};
use crate::plan::Value;

/// Size of the tile of logits in bytes.
const LOGITS_BYTES: u64 = 32 << 20;

/// Offset of the spans in the state buffer, in bytes.
pub(super) const SPANS_AT: u64 = size_of::<State>() as u64;

/// Keys and values of a layer, and their gradients, `[T, kv_heads·head_dim]`.
pub(super) struct Kv {
    pub k: Value,
    pub v: Value,
    pub dk: Value,
    pub dv: Value,
}

/// The buffers of a mixture of experts beside the feed-forward layer; f32 and with a row for each of `T` tokens.
pub(super) struct MixtureBuffers {
    /// The buffers of prefill. In the backward pass `gate_up` becomes its gradient, and `down` the gradient of each
    /// expert's input.
    pub scratch: ExpertScratch,
    /// The dense part of the branch before its norm. `[width]`.
    pub dense: Value,
    /// The weighted sum of the experts before its norm. `[width]`.
    pub sum: Value,
    /// The gradient of each chosen expert's activations. `[used·width of an expert]`.
    pub dact: Value,
    /// The gradient of the router's logits. `[experts]`.
    pub dlogits: Value,
}

impl MixtureBuffers {
    fn describe(config: &Config, rows: u32) -> Option<Self> {
        let scratch = ExpertScratch::describe(config, rows, 0)?;
        let value = |name: &'static str, bytes| Value::temporary(name, bytes);
        let width = 4 * u64::from(rows) * u64::from(config.width);
        Some(Self {
            dense: value("dense part", width),
            sum: value("sum of experts", width),
            dact: value("gradient of experts' activations", scratch.act.bytes()),
            dlogits: value("gradient of the router", scratch.logits.bytes()),
            scratch,
        })
    }
}

/// All buffers; f32 and with a row for each of `T` tokens unless stated otherwise.
pub(super) struct Working {
    /// `shaders::state::State` of the sequence, followed by a [`Span`] per row if images have bidirectional
    /// attention.
    pub state: Value,
    /// The same for the rows with targets.
    pub head_state: Value,
    /// With bidirectional attention in images: for each row, one past the last row that it attends to, if that is a
    /// later one, otherwise 0. u32.
    pub visible_until: Value,
    /// Token ids, u32.
    pub tokens: Value,
    /// For each row with a target: its index in the sequence. u32.
    pub picked: Value,
    /// For each row of the sequence: its index among those, or none. u32.
    pub places: Value,
    /// Targets of the picked rows, u32.
    pub targets: Value,
    /// Weights of the picked rows in the loss.
    pub weights: Value,
    /// Statistics of the picked rows: [`Stat`].
    pub stats: Value,
    /// Logits of a tile of the vocabulary, or their gradients.
    pub logits: Value,
    /// The input of each layer, and the output of the last one. `[width]`.
    pub inputs: Vec<Value>,
    /// Keys and values of layers whose KV cache is shared, by layer.
    pub donors: Vec<Option<Kv>>,
    /// Keys and values of any other layer.
    pub kv: Kv,
    /// The stream after attention. `[width]`.
    pub h1: Value,
    /// The stream after the feed-forward part, before the per-layer input. `[width]`.
    pub h2: Value,
    /// The normed input of attention, and of the feed-forward part. `[width]`.
    pub x1: Value,
    pub x2: Value,
    /// The branches before their norms: attention, feed-forward, per-layer input. `[width]`.
    pub b1: Value,
    pub b2: Value,
    pub b3: Value,
    /// Queries before, and after norm and RoPE. `[heads·head_dim]`.
    pub q_raw: Value,
    pub q: Value,
    /// Keys and values before norm and RoPE. `[kv_heads·head_dim]`.
    pub k_raw: Value,
    pub v_raw: Value,
    /// The result of attention. `[heads·head_dim]`.
    pub attention: Value,
    /// `[feed_forward]`, or all per-layer inputs before layer 0.
    pub gate: Value,
    pub up: Value,
    /// The activations, later their gradient. `[feed_forward]`.
    pub act: Value,
    /// The mixture of experts, if the model has one.
    pub mixture: Option<MixtureBuffers>,
    /// Per-layer inputs. `[layers·P]`.
    pub ple: Value,
    /// The per-layer gate, activated, and its gradient. `[P]`.
    pub ple_gate: Value,
    pub ple_act: Value,
    pub ple_dact: Value,
    /// The gradient of the stream, twice: a layer reads one and writes the other. `[width]`.
    pub dh: [Value; 2],
    /// Gradients of a branch, and of a normed input. `[width]`.
    pub db: Value,
    pub dx: Value,
    /// Gradients of attention's result and of the rotated queries. `[heads·head_dim]`.
    pub dattention: Value,
    pub dq: Value,
    /// Gradients of keys and values for each query head. `[heads·head_dim]`. The first one later holds those of
    /// `q_raw`.
    pub part_k: Value,
    pub part_v: Value,
    /// Gradients of `k_raw` and `v_raw`.
    pub dk_raw: Value,
    pub dv_raw: Value,
    /// Statistics of attention. `[heads·2]`.
    pub attention_stats: Value,
    /// A·x of each projection. `[rank]`; of experts for each pair, `[used·rank]`.
    pub z: Vec<Value>,
    /// s·Bᵀ·dy. `[rank]`.
    pub dz: Value,
    /// The same of experts. `[used·rank]`.
    pub expert_dz: Value,
    /// Partial sums of squares of every layer's gradients.
    pub squares: Value,
}

/// Tokens of the vocabulary per tile: a multiple of 32, as required for parts of planar matrices.
pub(super) fn tile(settings: &Settings, vocabulary: u32) -> u32 {
    let fitting = LOGITS_BYTES / 4 / u64::from(settings.max_tokens) / 32 * 32;
    (fitting.clamp(32, 1 << 16) as u32).min(vocabulary.next_multiple_of(32))
}

impl Working {
    /// Describes every value.
    pub fn describe(base: &Base, settings: &Settings) -> Self {
        let config = &base.config;
        let t = u64::from(settings.max_tokens);
        let layers = config.layers.len();
        let most = |f: &dyn Fn(usize) -> u32| u64::from((0..layers).map(f).max().unwrap_or(0));
        let width = u64::from(config.width);
        let q = most(&|i| config.q_width(i));
        let kv = most(&|i| config.kv_width(i));
        let ple = u64::from(config.ple);
        let ple_all = ple * layers as u64;
        let ff = most(&|i| config.layers[i].feed_forward);
        let rank = u64::from(settings.rank);
        let used = config.experts.map_or(0, |experts| u64::from(experts.mixture.used));
        let stat = size_of::<Stat>() as u64;
        let whole = config.sees_pictures_whole();

        // Buffers that the host accesses.
        let kept = |name: &'static str, elements: u64| Value::state(name, 4 * t * elements);
        let rows = |name: &'static str, elements: u64| Value::temporary(name, 4 * t * elements);
        let donor = |i| {
            let one = || Value::state("donor's keys", 4 * t * u64::from(config.kv_width(i)));
            base.is_donor(i).then(|| Kv { k: one(), v: one(), dk: one(), dv: one() })
        };
        Self {
            visible_until: kept("visible until", whole.into()),
            tokens: kept("tokens", 1),
            picked: kept("picked rows", 1),
            places: kept("places of rows", 1),
            targets: kept("targets", 1),
            weights: kept("weights of rows", 1),
            stats: kept("statistics", stat / 4),
            logits: rows("tile of logits", tile(settings, base.vocabulary).into()),
            inputs: (0..=layers).map(|_| Value::state("layer input", 4 * t * width)).collect(),
            donors: (0..layers).map(donor).collect(),
            kv: Kv { k: rows("k", kv), v: rows("v", kv), dk: rows("dk", kv), dv: rows("dv", kv) },
            h1: rows("stream 1", width),
            h2: rows("stream 2", if ple > 0 { width } else { 0 }),
            x1: rows("input of attention", width),
            x2: rows("input of feed-forward", width),
            b1: rows("branch 1", width),
            b2: rows("branch 2", width),
            b3: rows("branch 3", width),
            q_raw: rows("raw queries", q),
            q: rows("queries", q),
            k_raw: rows("raw keys", kv),
            v_raw: rows("raw values", kv),
            attention: rows("attention", q),
            gate: rows("gate", ff.max(ple_all)),
            // The host writes rows of the per-layer table here, if it has the table.
            up: if base.table.is_some() { kept("up", ff.max(ple_all)) } else { rows("up", ff.max(ple_all)) },
            act: rows("activated", ff),
            mixture: MixtureBuffers::describe(config, settings.max_tokens),
            ple: rows("per-layer inputs", ple_all),
            ple_gate: rows("per-layer gate", ple),
            ple_act: rows("per-layer activated", ple),
            ple_dact: rows("per-layer gradient", ple),
            dh: [rows("gradient of the stream", width), rows("gradient of the stream", width)],
            db: rows("gradient of a branch", width),
            dx: rows("gradient of an input", width),
            dattention: rows("gradient of attention", q),
            dq: rows("gradient of queries", q),
            part_k: rows("gradient of keys by head", q),
            part_v: rows("gradient of values by head", q),
            dk_raw: rows("gradient of raw keys", kv),
            dv_raw: rows("gradient of raw values", kv),
            attention_stats: rows("statistics of attention", 2 * u64::from(config.heads)),
            z: Projection::ALL
                .iter()
                .map(|p| rows("A·x", if p.is_of_experts() { used * rank } else { rank }))
                .collect(),
            dz: rows("gradient of A·x", rank),
            expert_dz: rows("gradient of experts' A·x", used * rank),
            state: Value::state("state", SPANS_AT + if whole { t * size_of::<Span>() as u64 } else { 0 }),
            head_state: Value::state("state of the head", size_of::<State>() as u64),
            squares: Value::state("sums of squares", 4 * layers as u64 * u64::from(PARTIAL_SUMS)),
        }
    }
}
