//! `wgsl/attention/split.wgsl`: the keys of a short chunk are split, so that its few rows occupy a large device
//! (split-KV, as in Flash-Decoding).

use std::ops::Range;

use super::block::{self, Block, Chunk, Inputs, Params};
use super::few_rows::{MAX_SPLITS, MERGED};
use crate::case::heads::{HEADS, KV_HEADS, stored};
use crate::case::{Arg, Case, CaseError, Expected, Reading, args, random};
use crate::{Defines, Kernel, PreprocessError, Source};

/// Rows that count as a workgroup.
const ROWS: u32 = 32;
/// Most splits.
const MOST: u32 = 64;
/// Keys from which on there is another split.
const KEYS: u32 = 128;

const _: () = assert!(MOST <= MAX_SPLITS, "more than a dispatch merges");

/// [`Block`], whose workgroups split the keys among them where [`Params::workgroups`] says so.
///
/// Bindings: params, state, q, k cache, v cache, out, part, and with `until` visible_until.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Split(pub Block);

/// The merge of the partial results of [`Split`] and of [`Cooperative`](super::cooperative::Cooperative).
///
/// Bindings: params, state, part, out, which is left as it is if there is one split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MergeChunk {
    /// Elements per head.
    pub head_dim: u32,
}

/// Returns the most splits of a chunk of `positions`. It has fewer if it sees few keys.
pub const fn splits(params: &Params, positions: u32) -> u32 {
    let blocks = (positions * (params.heads / params.kv_heads)).div_ceil(ROWS) * params.kv_heads;
    match params.workgroups.checked_div(blocks) {
        None | Some(0) => 1,
        Some(splits) if splits > MOST => MOST,
        Some(splits) => splits,
    }
}

/// Returns the number of f32 elements of the partial results of a chunk of any length.
pub const fn part_len(head_dim: u32, workgroups: u32) -> u32 {
    // Rows · splits is at most the number of workgroups.
    ROWS * workgroups * (head_dim + 2)
}

pub(super) fn define(defines: Defines, head_dim: u32) -> Defines {
    defines.set("HD", head_dim).set("SPLIT_MOST", MOST).set("SPLIT_KEYS", KEYS)
}

impl Split {
    /// Workgroups for a chunk of `positions`.
    pub const fn dispatch(&self, params: &Params, positions: u32) -> [u32; 3] {
        let [x, y, _] = self.0.dispatch(params, positions);
        [x, y, splits(params, positions)]
    }
}

impl MergeChunk {
    /// Returns whether the kernel supports this head size.
    pub const fn supports(head_dim: u32) -> bool {
        head_dim < MERGED || head_dim.is_multiple_of(MERGED)
    }

    /// Workgroups for a chunk of `positions`: none if it has one split.
    pub const fn dispatch(self, params: &Params, positions: u32) -> [u32; 3] {
        match splits(params, positions) {
            1 => [0; 3],
            _ => [params.heads, positions, self.head_dim.div_ceil(MERGED)],
        }
    }
}

impl Kernel for Split {
    fn source(&self) -> Result<Source, PreprocessError> {
        self.0.build(Some(define(Defines::new(), self.0.head_dim)))
    }

    /// Five tokens after 290 others, in two splits, of which every query sees a part.
    fn case(&self) -> Result<Case, CaseError> {
        let case = Chunk { pos: 290, len: 5, window: 0, ring: 0 };
        let params = Params { workgroups: 2 * KV_HEADS, ..case.params() };
        let q = case.queries(self.0.head_dim);
        let form = Block { until: false, ..self.0 };
        let hd = form.head_dim as usize;
        let slots = ((case.pos + case.len).next_multiple_of(32) * KV_HEADS) as usize * hd;
        let (k_words, k) = stored(&random(6, slots), (form.kv_type, form.head_dim));
        let (v_words, v) = stored(&random(7, slots), (form.kv_type, form.head_dim));
        let inputs = Inputs { pos: case.pos, q: &q, k: &k, v: &v, visible_until: &[] };
        // Whole tiles of 64 keys.
        let parts =
            [0..192, 192..u32::MAX].map(|keys: Range<u32>| block::attend(&form, &params, inputs, keys));
        let rows = case.len * HEADS;
        let [first, second] = &parts;
        let want: Vec<_> =
            first.chunks(hd).zip(second.chunks(hd)).flat_map(|(a, b)| [a, b].concat()).collect();
        let pairs = 2 * rows as usize * hd;
        let mut args = args![
            uniform(&params),
            state(case.pos, case.len),
            floats(&q),
            Words(k_words),
            Words(v_words),
            zeros(q.len()),
            zeros(pairs + 4 * rows as usize)
        ];
        if self.0.until {
            args.push(Arg::Words(vec![0; case.len as usize]));
        }
        let reading = Reading::Accumulated { at: 0, len: hd, pairs };
        let expected = vec![Expected { reading, ..Expected::new(6, want, 2e-3) }];
        Ok(Case { args, grid: self.dispatch(&params, case.len), expected })
    }
}

impl Kernel for MergeChunk {
    fn source(&self) -> Result<Source, PreprocessError> {
        let defines = Defines::new()
            .set("CHUNK", true)
            .set("MERGED", self.head_dim.min(MERGED))
            .set("MAX_SPLITS", MOST)
            .set("PACKED", false);
        let name = format!("attention_merge_chunk_h{}", self.head_dim);
        Source::build::<Params>("attention/merge.wgsl", name, &define(defines, self.head_dim))
    }

    /// Three rows in two splits, of which the first sees no key of the second one.
    fn case(&self) -> Result<Case, CaseError> {
        let (positions, hd) = (3, self.head_dim as usize);
        let chunk = Chunk { pos: 200, len: positions, window: 0, ring: 0 };
        let params = Params { workgroups: 2 * KV_HEADS, ..chunk.params() };
        let rows = (positions * HEADS) as usize;
        let mut accs = random(20, 2 * rows * hd);
        let mut pairs: Vec<[f32; 2]> =
            random(30, 2 * rows).into_iter().map(|v| [3.0 * v, 1.0 + v * v]).collect();
        accs[hd..2 * hd].fill(0.0);
        pairs[1] = [-1e30, 0.0];
        let mut want = Vec::with_capacity(rows * hd);
        for (accs, pairs) in accs.chunks_exact(2 * hd).zip(pairs.chunks_exact(2)) {
            let top = pairs[0][0].max(pairs[1][0]);
            let weights = [0, 1].map(|s| (pairs[s][0] - top).exp());
            let total = weights[0] * pairs[0][1] + weights[1] * pairs[1][1];
            want.extend((0..hd).map(|i| (weights[0] * accs[i] + weights[1] * accs[hd + i]) / total));
        }
        accs.extend(pairs.as_flattened());
        let args = args![uniform(&params), state(chunk.pos, positions), floats(&accs), zeros(want.len())];
        let grid = self.dispatch(&params, positions);
        Ok(Case { args, grid, expected: vec![Expected::new(3, want, 1e-4)] })
    }
}
