//! Launchers of `wgsl/attention/decode.wgsl` for several rows, whose keys and values are in the cache, and of
//! `wgsl/attention/merge.wgsl`, which merges their partial results.

use super::block::Block;
use super::decode::{Decode, Kv, Params};
use super::{KvType, block};
use crate::case::heads::{HEADS, kv_heads, stored, table};
use crate::case::{Arg, Case, CaseError, EPS, Expected, Reading, args, random};
use crate::rows::qkv_finish as finish;
use crate::rows::qkv_finish::{Cache, QkvFinish};
use crate::{Defines, Kernel, PreprocessError, Source};

/// Elements of a head that a workgroup merges.
pub(super) const MERGED: u32 = 64;
/// Maximum number of queries of a workgroup: with more, registers run out, and with large heads the 16 KiB of workgroup memory.
const MAX_QUERIES: u32 = 4;
/// Maximum number of splits that can be merged in a dispatch.
pub const MAX_SPLITS: u32 = 128;

/// Attention of up to [`crate::matmul::FewRows::MAX_ROWS`] rows over the cache, split over the keys. Its twin is
/// [`super::block::block`].
///
/// Bindings: params, part, state, queries, unless they are finished vectors and rope, k cache, v cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FewRows {
    /// Elements per head: see [`Decode::supports`].
    pub head_dim: u32,
    /// How the cache stores keys and values.
    pub kv_type: KvType,
    /// Whether [`crate::rows::qkv_finish`] has finished the queries; the kernel norms and rotates them otherwise.
    pub finished: bool,
    /// Most rows per workgroup ([`Self::block_rows`]), which read the keys once for all of them.
    pub rows: u32,
    /// Most query heads per workgroup ([`Decode::group`]). `rows · group` is at most 4.
    pub group: u32,
}

/// The merge of the partial results of [`FewRows`]. Bindings: params, state, part, out. A packed result is two buffers
/// instead of out: codes and scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeRows {
    /// Elements per head.
    pub head_dim: u32,
    /// Whether the result is rounded to int8 ([`crate::matmul::pack_rows`]).
    pub packed: bool,
}

impl FewRows {
    /// Rows per workgroup for a dispatch of up to `rows` rows: as few as give the smallest number of blocks.
    pub const fn block_rows(rows: u32) -> u32 {
        match rows.div_ceil(MAX_QUERIES) {
            0 => 1,
            blocks => rows.div_ceil(blocks),
        }
    }

    /// Query heads per workgroup that also has `block_rows` rows, of a group that share a kv head: 1, 2 or 4.
    pub const fn group(block_rows: u32, group: u32) -> u32 {
        match MAX_QUERIES / block_rows {
            most if most >= group => group,
            most => most,
        }
    }

    /// Returns the maximum number of splits, where `max_splits` hold the window of a single row. The other rows of a block see
    /// further keys, which must not make all splits longer.
    pub const fn max_splits(block_rows: u32, window: u32, max_splits: u32) -> u32 {
        if block_rows > 1 && window > 0 { max_splits + 1 } else { max_splits }
    }

    /// Workgroups for `rows` rows.
    pub const fn dispatch(params: &Params, rows: u32) -> [u32; 3] {
        let block = if params.block_rows > 1 { params.block_rows } else { 1 };
        [params.max_splits, params.heads, rows.div_ceil(block)]
    }

    /// Returns the number of f32 elements of the partial results of `rows` rows.
    pub fn part_len(rows: u32, head_dim: u32, heads: u32, max_splits: u32) -> u32 {
        rows * Decode::part_len(head_dim, heads, max_splits)
    }
}

impl MergeRows {
    /// Workgroups for `rows` rows.
    pub const fn dispatch(self, params: &Params, rows: u32) -> [u32; 3] {
        [params.heads, rows, self.head_dim.div_ceil(MERGED)]
    }
}

impl Kernel for FewRows {
    fn source(&self) -> Result<Source, PreprocessError> {
        let stored = self.kv_type.name();
        let queries = self.rows * self.group;
        let defines = Defines::new()
            .set("HD", self.head_dim)
            .set("HALF", self.head_dim / 2)
            .set("SEVERAL", true)
            .set("FINISHED", self.finished)
            .set("OWN_KV", false)
            .set("V_IS_K", false)
            .set("KV_TYPE", self.kv_type.define())
            .set("SHARED_ROWS", self.rows > 1)
            .set("ROWS", self.rows)
            .set("GROUP", self.group)
            .set("QUERIES", queries)
            .set("PLACES", queries)
            .set("SETS", 1)
            .set("TWO_SETS", false)
            .set("OWN_LEN", Decode::own_len(self.head_dim, queries))
            .set("PARTIAL_OUT", false);
        let defines = Decode::loads(defines, self.head_dim);
        let suffix = if self.finished { "" } else { "_raw" };
        let group = if self.group > 1 { format!("_g{}", self.group) } else { String::new() };
        let rows = if self.rows > 1 { format!("_r{}", self.rows) } else { String::new() };
        let name = format!("attention_few_rows_h{}_{stored}{rows}{group}{suffix}", self.head_dim);
        Source::build::<Params>("attention/decode.wgsl", name, &defines)
    }

    /// Five tokens after 70 others, in one split. Blocks of rows see up to three keys more than a window, which is almost a
    /// tile, and the last block has fewer rows.
    fn case(&self) -> Result<Case, CaseError> {
        let (pos, len, window, hd) = (70, 5, 63, self.head_dim as usize);
        let kv_heads = kv_heads(self.group);
        let slots = (pos + len) as usize * kv_heads as usize * hd;
        let mut q: Vec<f32> = random(5, (len * HEADS) as usize * hd).into_iter().map(|v| 0.3 * v).collect();
        let (k_words, k) = stored(&random(6, slots), (self.kv_type, self.head_dim));
        let (v_words, v) = stored(&random(7, slots), (self.kv_type, self.head_dim));
        let queries = Arg::floats(&q);
        // Small weights of the norm keep scores small.
        let vectors: Vec<f32> = random(2, hd).into_iter().map(|v| 0.3 * v).collect();
        let (rope_arg, rope, rope_hi_rows) = table(self.head_dim);
        if !self.finished {
            let (kv, kv_type) = (Kv::Shared, self.kv_type);
            let like = QkvFinish { head_dim: self.head_dim, kv, kv_type, joined: false };
            let inputs = finish::Inputs { vectors: &vectors, rope: &rope, pos };
            let mut cache = Cache { k: Vec::new(), v: Vec::new() };
            let params = finish::Params { kv_heads, ..finish::case_params(self.head_dim, rope_hi_rows) };
            finish::qkv_finish(&like, &params, inputs, &mut q, (&[], &[]), &mut cache);
        }
        let twin = Block { head_dim: self.head_dim, kv_type: self.kv_type, until: false };
        let like = block::Params { heads: HEADS, kv_heads, window, ..block::Params::default() };
        let inputs = block::Inputs { pos, q: &q, k: &k, v: &v, visible_until: &[] };
        let want = block::block(&twin, &like, inputs);
        let params = Params {
            heads: HEADS,
            kv_heads,
            window,
            min_split_keys: 64,
            max_splits: 1,
            grouped_from: 1,
            block_rows: self.rows,
            rope_hi_rows,
            eps: EPS,
            ..Params::default()
        };
        let mut args = vec![
            Arg::uniform(&params),
            Arg::zeros(Self::part_len(len, self.head_dim, HEADS, 1) as usize),
            Arg::state(pos, len),
            queries,
        ];
        if !self.finished {
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
        Ok(Case { args, grid: Self::dispatch(&params, len), expected })
    }
}

impl Kernel for MergeRows {
    fn source(&self) -> Result<Source, PreprocessError> {
        let Self { head_dim, packed } = *self;
        let suffix = if packed { "_packed" } else { "" };
        let defines = Defines::new()
            .set("CHUNK", false)
            .set("HD", head_dim)
            .set("MERGED", head_dim.min(MERGED))
            .set("MAX_SPLITS", MAX_SPLITS)
            .set("PACKED", packed);
        let name = format!("attention_merge_h{head_dim}{suffix}");
        Source::build::<Params>("attention/merge.wgsl", name, &defines)
    }

    /// Partial results of three rows in two splits. The first two share theirs, and the first one sees no key of the second
    /// split.
    fn case(&self) -> Result<Case, CaseError> {
        let (rows, splits, hd) = (3, 2, self.head_dim as usize);
        let params = Params {
            heads: HEADS,
            min_split_keys: 64,
            max_splits: splits,
            block_rows: 2,
            ..Params::default()
        };
        let mut part = Vec::new();
        let mut want = Vec::new();
        for row in 0..u64::from(rows) {
            let mut accs = random(20 + row, (HEADS * splits) as usize * hd);
            let mut pairs: Vec<[f32; 2]> = random(30 + row, (HEADS * splits) as usize)
                .into_iter()
                .map(|v| [3.0 * v, 1.0 + v * v])
                .collect();
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
        let mut args = args![uniform(&params), state(63, rows), floats(&part)];
        let expected = Expected::rows(&mut args, want, 1e-4, self.packed);
        let grid = self.dispatch(&params, rows);
        Ok(Case { args, grid, expected })
    }

    fn is_packed(&self) -> bool {
        self.packed
    }
}
