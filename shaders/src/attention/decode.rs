//! Launcher of `wgsl/attention/decode.wgsl`: attention of one token, split over the keys (flash decoding).

pub use crate::kv_type::Kv;

use super::block::Block;
use super::{KvType, block};
use crate::case::heads::{HEADS, cached, kv_heads, stored, table};
use crate::case::{Arg, Case, CaseError, EPS, Expected, Reading, random};
use crate::rows::qkv_finish as finish;
use crate::rows::qkv_finish::{Cache, QkvFinish};
use crate::{Defines, Kernel, PreprocessError, Source};

/// Threads of a workgroup.
const THREADS: u32 = 256;
/// Keys that are scored at a time.
const TILE: u32 = 64;

/// One permutation of the kernel.
///
/// Bindings: params, part, state, qkv, vectors, rope, k cache, v cache; with `quads > 0` also the adapter buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decode {
    /// Elements per head: a power of two from 16 to 512.
    pub head_dim: u32,
    /// Where keys and values come from.
    pub kv: Kv,
    /// How the cache stores keys and values.
    pub kv_type: KvType,
    /// Most query heads per workgroup, which share a kv head ([`Self::group`]).
    pub group: u32,
    /// Total rank of the adapters on the output projection, in vec4s, if the kernel writes partial sums of z for
    /// them ([`crate::matvec::ZSource::PartialSums`]); otherwise 0. Needs groups of 1.
    pub quads: u32,
}

params! {
    /// The uniform at binding 0.
    #[derive(Default)]
    pub struct Params {
        /// Query heads.
        pub heads: u32,
        /// Key–value heads, a divisor of `heads`.
        pub kv_heads: u32,
        /// Attention window in keys, including the token's own; 0: unlimited.
        pub window: u32,
        /// Slots of the ring; 0: the cache has a slot for every position.
        pub ring: u32,
        /// Offset of the weights of the query norm in `vectors`.
        pub q_norm: u32,
        /// Offset of the key norm's weights.
        pub k_norm: u32,
        /// Minimum number of keys per split, a multiple of 64.
        pub min_split_keys: u32,
        /// Maximum number of splits.
        pub max_splits: u32,
        /// Rows of the first part of the rotation table.
        pub rope_hi_rows: u32,
        /// ε of the norms.
        pub eps: f32,
        /// Positions from the last key to the token: 0, or 1 in a drafter, whose token is not in the cache. Its window
        /// must not count the token then.
        pub ahead: u32,
        /// Offset of the columns of A in the adapter buffer, in vec4s.
        pub columns: u32,
        /// Number of splits from which on query heads share a workgroup.
        pub grouped_from: u32,
        /// Rows that share a workgroup, and how their keys are split ([`super::few_rows::FewRows::rows`]); 0 or 1: none do.
        pub block_rows: u32,
        /// If not 0, v is cached as it is, without a norm.
        pub raw_v: u32,
        /// Unused.
        pub pad: u32,
    }
}

impl Decode {
    /// Returns whether the kernel supports this head size.
    pub fn supports(head_dim: u32) -> bool {
        head_dim.is_power_of_two() && (16..=512).contains(&head_dim)
    }

    /// Returns the most query heads that a workgroup can have in the workgroup memory of every device, of those that share a kv
    /// head. `own` says whether it also holds the token's key and value, as the cache holds them. Heads smaller than any
    /// published one have nothing to gain, and compile slowly.
    pub const fn group(head_dim: u32, sharing: u32, own: bool, kv_type: KvType) -> u32 {
        match sharing {
            _ if head_dim < 64 => 1,
            _ if sharing.is_multiple_of(4) && !(own && matches!(kv_type, KvType::F32) && head_dim > 256) => 4,
            _ if sharing.is_multiple_of(2) => 2,
            _ => 1,
        }
    }

    /// Length of the workgroup's array of queries, in vec4s: the queries, later two for each of 256 threads.
    pub(super) const fn own_len(head_dim: u32, queries: u32) -> u32 {
        let len = queries * head_dim / 4;
        if len > 512 { len } else { 512 }
    }

    /// Defines the octets of keys and of values that a thread loads at a time: as many as divide what a tile has for it.
    pub(super) fn loads(defines: Defines, head_dim: u32) -> Defines {
        /// With eight, or with loads ahead of the loop, registers run out.
        const MAX_LOADS: u32 = 4;
        let keys = head_dim / 8 / (THREADS / TILE);
        let values = TILE * head_dim / 8 / THREADS;
        defines.set("KEY_LOADS", keys.clamp(1, MAX_LOADS)).set("VALUE_LOADS", values.clamp(1, MAX_LOADS))
    }

    /// Workgroups.
    pub fn dispatch(params: &Params) -> [u32; 3] {
        [params.max_splits, params.heads, 1]
    }

    /// Returns the number of f32 elements of the partial results: accumulators, then `(m, l)` pairs.
    pub fn part_len(head_dim: u32, heads: u32, max_splits: u32) -> u32 {
        heads * max_splits * (head_dim + 2)
    }

    /// Offset, in elements, of the partial sums of z that follow the partial results.
    pub fn partial_at(head_dim: u32, heads: u32, max_splits: u32) -> u32 {
        Self::part_len(head_dim, heads, max_splits).next_multiple_of(4)
    }
}

/// How `keys` positions are split, and one more for each of `rows` rows but the first: first visible key, keys per split, number
/// of splits (`wgsl/shared/splits.wgsl`).
pub fn splits(keys: u32, rows: u32, window: u32, min_split_keys: u32, max_splits: u32) -> (u32, u32, u32) {
    let of_first = if window == 0 { keys } else { keys.min(window) };
    let visible = of_first + rows - 1;
    let run = min_split_keys.max(visible.div_ceil(max_splits).next_multiple_of(64));
    (keys - of_first, run, visible.div_ceil(run).max(1))
}

impl Kernel for Decode {
    fn source(&self) -> Result<Source, PreprocessError> {
        let own = self.kv != Kv::Shared;
        let kv = match self.kv {
            Kv::Own => "own",
            Kv::OwnVIsK => "own_v_is_k",
            Kv::Shared => "shared",
        };
        let defines = Defines::new()
            .set("HD", self.head_dim)
            .set("HALF", self.head_dim / 2)
            .set("SEVERAL", false)
            .set("FINISHED", false)
            .set("OWN_KV", own)
            .set("V_IS_K", self.kv == Kv::OwnVIsK)
            .set("KV_TYPE", self.kv_type.define())
            .set("SHARED_ROWS", false)
            .set("ROWS", 1)
            .set("GROUP", self.group)
            .set("QUERIES", self.group)
            .set("PLACES", self.group + if own { 2 } else { 0 })
            .set("SETS", (self.group + if own { 2 } else { 0 }).div_ceil(4))
            .set("TWO_SETS", own && self.group > 2)
            .set("OWN_LEN", Self::own_len(self.head_dim, self.group))
            .set("PARTIAL_OUT", self.quads > 0)
            .set("QUADS", self.quads);
        let stored = self.kv_type.name();
        let output = if self.quads > 0 { format!("_partial_out_a{}", 4 * self.quads) } else { String::new() };
        let group = if self.group > 1 { format!("_g{}", self.group) } else { String::new() };
        let defines = Self::loads(defines, self.head_dim);
        Source::build::<Params>(
            "attention/decode.wgsl",
            format!("attention_decode_h{}_{kv}_{stored}{group}{output}", self.head_dim),
            &defines,
        )
    }

    /// One token after 70 others, in one split.
    fn case(&self) -> Result<Case, CaseError> {
        let (pos, hd) = (70, self.head_dim as usize);
        let kv_heads = kv_heads(self.group);
        let len = (pos + 1) as usize * kv_heads as usize * hd;
        let (k_words, k) = stored(&random(3, len), (self.kv_type, self.head_dim));
        let (v_words, v) = stored(&random(4, len), (self.kv_type, self.head_dim));
        let (rope_arg, rope, rope_hi_rows) = table(self.head_dim);
        let vectors = random(2, 2 * hd);
        let all = match self.kv {
            Kv::Own => HEADS + 2 * kv_heads,
            Kv::OwnVIsK => HEADS + kv_heads,
            Kv::Shared => HEADS,
        };
        let qkv = random(1, all as usize * hd);

        let like = QkvFinish { head_dim: self.head_dim, kv: self.kv, kv_type: self.kv_type, joined: false };
        let params = finish::Params { kv_heads, ..finish::case_params(self.head_dim, rope_hi_rows) };
        let (q_end, k_end) = (HEADS as usize * hd, (HEADS + kv_heads) as usize * hd);
        let mut q = qkv[..q_end].to_vec();
        let raw_k = qkv.get(q_end..k_end).unwrap_or_default();
        let raw_v = qkv.get(k_end..).unwrap_or_default();
        let mut cache = Cache { k, v };
        let inputs = finish::Inputs { vectors: &vectors, rope: &rope, pos };
        finish::qkv_finish(&like, &params, inputs, &mut q, (raw_k, raw_v), &mut cache);
        let seen = Block { head_dim: self.head_dim, kv_type: self.kv_type, until: false };
        let block_params =
            block::Params { heads: HEADS, kv_heads, window: 0, ring: 0, ..block::Params::default() };
        let inputs = block::Inputs { pos, q: &q, k: &cache.k, v: &cache.v, visible_until: &[] };
        let want = block::block(&seen, &block_params, inputs);

        let params = Params {
            heads: HEADS,
            kv_heads,
            q_norm: 0,
            k_norm: self.head_dim,
            min_split_keys: 128,
            max_splits: 1,
            grouped_from: 1,
            rope_hi_rows,
            eps: EPS,
            ..Params::default()
        };
        let rank = 4 * self.quads;
        let pairs = (HEADS * self.head_dim) as usize;
        let partial_at = Decode::partial_at(self.head_dim, HEADS, 1) as usize;
        let mut args = vec![
            Arg::uniform(&params),
            Arg::zeros(partial_at + (HEADS * rank) as usize),
            Arg::state(pos, 1),
            Arg::floats(&qkv),
            Arg::floats(&vectors),
            rope_arg,
            Arg::Words(k_words),
            Arg::Words(v_words),
        ];
        // The token's own key and value may have other codes than the twin's.
        let own_codes = self.kv != Kv::Shared && self.kv_type == KvType::Q8_0;
        let tolerance = 2e-3 + if own_codes { KvType::step(&cache.v) } else { 0.0 };
        let accumulated = |at, len, want| {
            let reading = Reading::Accumulated { at, len, pairs };
            Expected { reading, ..Expected::new(1, want, tolerance) }
        };
        let mut expected = Vec::new();
        if self.quads > 0 {
            let columns = random(9, want.len() * rank as usize);
            let partial =
                columns.chunks_exact(hd * rank as usize).zip(want.chunks_exact(hd)).flat_map(|(a, x)| {
                    let z = |q: usize| -> f64 {
                        let terms = a.iter().skip(q).step_by(rank as usize).zip(x);
                        terms.map(|(&a, &x)| f64::from(a) * f64::from(x)).sum()
                    };
                    (0..rank as usize).map(|q| z(q) as f32).collect::<Vec<_>>()
                });
            expected.push(accumulated(partial_at, rank as usize, partial.collect()));
            args.push(Arg::floats(&columns));
        }
        expected.push(accumulated(0, hd, want));
        if self.kv != Kv::Shared {
            expected.push(cached(6, cache.k, (self.kv_type, self.head_dim)));
            expected.push(cached(7, cache.v, (self.kv_type, self.head_dim)));
        }
        Ok(Case { args, grid: Decode::dispatch(&params), expected })
    }
}
