//! Launchers of `wgsl/attention/decode.wgsl` for several rows, whose keys and values are in the cache, and of
//! `wgsl/attention/merge.wgsl`, which merges their partial results.

use super::KvType;
use super::decode::{Decode, Params};
use crate::{Defines, PreprocessError, Source};

/// Elements of a head that a workgroup merges.
const MERGED: u32 = 64;
/// Maximum number of queries of a workgroup: with more, registers run out, and with large heads the 16 KiB of workgroup memory.
const MAX_QUERIES: u32 = 4;
/// Maximum number of splits that can be merged in a dispatch.
pub const MAX_SPLITS: u32 = 128;

/// Attention of up to [`crate::matmul::FewRows::MAX_ROWS`] rows over the cache, split over the keys. Its twin is
/// [`super::block::block`].
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

impl FewRows {
    /// Rows per workgroup for a dispatch of up to `rows` rows: as few as give the smallest number of blocks.
    #[must_use]
    pub const fn block_rows(rows: u32) -> u32 {
        match rows.div_ceil(MAX_QUERIES) {
            0 => 1,
            blocks => rows.div_ceil(blocks),
        }
    }

    /// Query heads per workgroup that also has `block_rows` rows, of a group that share a kv head: 1, 2 or 4.
    #[must_use]
    pub const fn group(block_rows: u32, group: u32) -> u32 {
        match MAX_QUERIES / block_rows {
            most if most >= group => group,
            most => most,
        }
    }

    /// Maximum number of splits, where `max_splits` hold the window of a single row. The other rows of a block see further keys,
    /// which must not make all splits longer.
    #[must_use]
    pub const fn max_splits(block_rows: u32, window: u32, max_splits: u32) -> u32 {
        if block_rows > 1 && window > 0 { max_splits + 1 } else { max_splits }
    }

    /// The shader. Bindings: params, part, state, queries, unless they are finished vectors and rope, k cache, v cache.
    ///
    /// # Errors
    /// When the template cannot be expanded.
    pub fn source(self) -> Result<Source, PreprocessError> {
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

    /// Workgroups for `rows` rows.
    #[must_use]
    pub const fn dispatch(params: &Params, rows: u32) -> [u32; 3] {
        let block = if params.block_rows > 1 { params.block_rows } else { 1 };
        [params.max_splits, params.heads, rows.div_ceil(block)]
    }

    /// Number of f32 elements of the partial results of `rows` rows.
    #[must_use]
    pub fn part_len(rows: u32, head_dim: u32, heads: u32, max_splits: u32) -> u32 {
        rows * Decode::part_len(head_dim, heads, max_splits)
    }

    /// The shader that merges, for heads of this size. Bindings: params, state, part, out. With `packed`, the result is
    /// rounded to int8 ([`crate::matmul::pack_rows`]): codes and scales instead of out.
    ///
    /// # Errors
    /// When the template cannot be expanded.
    pub fn merge(head_dim: u32, packed: bool) -> Result<Source, PreprocessError> {
        let suffix = if packed { "_packed" } else { "" };
        let defines = Defines::new()
            .set("HD", head_dim)
            .set("MERGED", head_dim.min(MERGED))
            .set("MAX_SPLITS", MAX_SPLITS)
            .set("PACKED", packed);
        let name = format!("attention_merge_h{head_dim}{suffix}");
        Source::build::<Params>("attention/merge.wgsl", name, &defines)
    }

    /// Workgroups of the merge for `rows` rows.
    #[must_use]
    pub const fn merge_dispatch(head_dim: u32, params: &Params, rows: u32) -> [u32; 3] {
        [params.heads, rows, head_dim.div_ceil(MERGED)]
    }
}
