//! `wgsl/attention/block.wgsl`: attention of a chunk of queries over the KV cache.

use std::ops::Range;

use super::KvType;
use crate::case::heads::{HEADS, KV_HEADS, stored};
use crate::case::{Arg, Case, CaseError, Expected, args, random};
use crate::{Defines, Kernel, PreprocessError, Source};

/// Threads of a workgroup.
const THREADS: u32 = 256;

/// One permutation of the kernel.
///
/// Bindings: params, state, q, k cache, v cache, out, and with `until` visible_until.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// Elements per head: from 4 to 512, such that the cache can hold them ([`KvType::supports`]).
    pub head_dim: u32,
    /// How the cache stores keys and values.
    pub kv_type: KvType,
    /// Whether a query may attend to later keys (`visible_until`).
    pub until: bool,
}

params! {
    /// The uniform at binding 0.
    #[derive(Default, Eq)]
    pub struct Params {
        /// Query heads.
        pub heads: u32,
        /// Key–value heads, a divisor of `heads`.
        pub kv_heads: u32,
        /// Attention window in keys, including the query's own; 0: unlimited.
        pub window: u32,
        /// Slots of the ring, at least window + chunk − 1; 0: the cache has a slot for every position.
        pub ring: u32,
        /// The first key–value head of the dispatch. Earlier heads are left unchanged.
        pub first_head: u32,
        /// 1: the window of every query begins where that of the first one does, as on a canvas. It matters with `until`.
        pub together: u32,
        /// 1: the rows are of texts behind each other, which see all of themselves, within the window to both sides. Their ends
        /// and then their beginnings are in `visible_until`, and the first row has position 0. With `until` only.
        pub texts: u32,
        /// Workgroups among which the keys of a short chunk are split ([`super::split`]); 0: they are not split.
        pub workgroups: u32,
    }
}

impl Block {
    /// Returns whether the kernel supports this head size.
    pub const fn supports(head_dim: u32) -> bool {
        head_dim.is_multiple_of(4) && head_dim >= 4 && head_dim <= 512
    }

    /// Rows (queries × heads that share a key–value head) per workgroup. Large heads have fewer rows, so that the
    /// accumulators stay in registers: at most 8 vec4s per thread.
    const fn rows(&self) -> u32 {
        if self.head_dim > 256 { 16 } else { 32 }
    }

    /// Workgroups for a chunk of `positions`, for all key–value heads from `first_head` on.
    pub const fn dispatch(&self, params: &Params, positions: u32) -> [u32; 3] {
        self.dispatch_heads(params, positions, params.kv_heads - params.first_head)
    }

    /// Workgroups for `kv_heads` key–value heads from `first_head` on.
    pub const fn dispatch_heads(&self, params: &Params, positions: u32, kv_heads: u32) -> [u32; 3] {
        [(positions * (params.heads / params.kv_heads)).div_ceil(self.rows()), kv_heads, 1]
    }
}

/// Inputs of the CPU twin.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Position of the first query.
    pub pos: u32,
    /// `[positions, heads, head_dim]`.
    pub q: &'a [f32],
    /// Keys, `[slots, kv_heads, head_dim]`, rounded as in the cache.
    pub k: &'a [f32],
    /// Values, with the same shape.
    pub v: &'a [f32],
    /// For each query, one past the last position that it attends to, if that is later than its own; empty for
    /// causal attention. For texts, the ends and then the beginnings of those of all queries.
    pub visible_until: &'a [u32],
}

/// CPU twin in f64, with an ordinary softmax.
pub fn block(form: &Block, params: &Params, inputs: Inputs<'_>) -> Vec<f32> {
    attend(form, params, inputs, 0..u32::MAX)
}

/// The same over some of the positions, of which every query has to see one.
pub(super) fn attend(form: &Block, params: &Params, inputs: Inputs<'_>, keys: Range<u32>) -> Vec<f32> {
    let hd = form.head_dim as usize;
    let heads = params.heads as usize;
    let positions = (inputs.q.len() / (heads * hd)) as u32;
    let dot =
        |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum() };
    let mut out = Vec::with_capacity(inputs.q.len());
    for (index, q) in inputs.q.chunks(hd).enumerate() {
        let (query, head) = ((index / heads) as u32, (index % heads) as u32);
        let position = inputs.pos + query;
        let ahead = inputs.visible_until.get(query as usize).copied().unwrap_or(0);
        let looks_from = if params.together == 0 { position } else { inputs.pos };
        let begin = if params.window == 0 { 0 } else { (looks_from + 1).saturating_sub(params.window) };
        let (begin, end) = if params.texts == 0 {
            (begin, (position + 1).max(ahead.min(inputs.pos + positions)))
        } else {
            let end = if params.window == 0 { ahead } else { ahead.min(position + params.window) };
            (begin.max(inputs.visible_until[(positions + query) as usize]), end)
        };
        let (begin, end) = (begin.max(keys.start), end.min(keys.end));
        let kv_head = head / (params.heads / params.kv_heads);
        let at = |key: u32| {
            let slot = if params.ring == 0 { key } else { key % params.ring };
            (slot * params.kv_heads + kv_head) as usize * hd
        };
        let scores: Vec<f64> = (begin..end).map(|key| dot(q, &inputs.k[at(key)..][..hd])).collect();
        let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|score| (score - top).exp()).collect();
        let total: f64 = weights.iter().sum();
        let mut sum = vec![0.0f64; hd];
        for (key, weight) in (begin..end).zip(&weights) {
            for (sum, &v) in sum.iter_mut().zip(&inputs.v[at(key)..][..hd]) {
                *sum += weight * f64::from(v);
            }
        }
        out.extend(sum.iter().map(|sum| (sum / total) as f32));
    }
    out
}

/// A case: a chunk of `len` tokens from `pos` on.
pub(super) struct Chunk {
    pub(super) pos: u32,
    pub(super) len: u32,
    pub(super) window: u32,
    pub(super) ring: u32,
}

impl Chunk {
    pub(super) fn params(&self) -> Params {
        let (window, ring) = (self.window, self.ring);
        Params { heads: HEADS, kv_heads: KV_HEADS, window, ring, ..Params::default() }
    }

    /// Scores of long heads are large, so that one key dominates; smaller queries make a better test.
    pub(super) fn queries(&self, head_dim: u32) -> Vec<f32> {
        let len = (self.len * HEADS * head_dim) as usize;
        random(5, len).into_iter().map(|v| 0.3 * v).collect()
    }

    /// Returns the bindings, and what `out` should be if keys and values are rounded so.
    pub(super) fn of(&self, form: &Block, q: &[f32], rounded: fn(f32) -> f32) -> (Vec<Arg>, Vec<f32>) {
        let slots = if self.ring == 0 { (self.pos + self.len).next_multiple_of(32) } else { self.ring };
        let slots = (slots * KV_HEADS * form.head_dim) as usize;
        let (k_words, k) = stored(&random(6, slots), (form.kv_type, form.head_dim));
        let (v_words, v) = stored(&random(7, slots), (form.kv_type, form.head_dim));
        let [k, v] = [k, v].map(|values| values.into_iter().map(rounded).collect::<Vec<_>>());
        let until = if form.until { vec![self.pos + self.len; self.len as usize] } else { Vec::new() };
        let inputs = Inputs { pos: self.pos, q, k: &k, v: &v, visible_until: &until };
        let want = block(form, &self.params(), inputs);
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

impl Block {
    /// The kernel, which may split the keys if there are definitions for that.
    pub(super) fn build(&self, split: Option<Defines>) -> Result<Source, PreprocessError> {
        let is_split = split.is_some();
        let quads = self.head_dim / 4;
        let groups = THREADS / quads;
        let defines = split
            .unwrap_or_default()
            .set("KV_TYPE", self.kv_type.define())
            .set("UNTIL", self.until)
            .set("SPLIT", is_split)
            .set("ROWS", self.rows())
            .set("SCORED", self.rows() / 16)
            .set("QUADS", quads)
            .set("GROUPS", groups)
            .set("OWNED", self.rows().div_ceil(groups));
        let name = format!(
            "attention_block_h{}_{}{}{}",
            self.head_dim,
            self.kv_type.name(),
            if self.until { "_until" } else { "" },
            if is_split { "_split" } else { "" },
        );
        Source::build::<Params>("attention/block.wgsl", name, &defines)
    }
}

impl Kernel for Block {
    fn source(&self) -> Result<Source, PreprocessError> {
        self.build(None)
    }

    /// 21 tokens after 50 others, with a window.
    fn case(&self) -> Result<Case, CaseError> {
        let case = Chunk { pos: 50, len: 21, window: 30, ring: 0 };
        let q = case.queries(self.head_dim);
        let (args, want) = case.of(self, &q, |v| v);
        let grid = self.dispatch(&case.params(), case.len);
        Ok(Case { args, grid, expected: vec![Expected::new(5, want, 2e-3)] })
    }
}
