//! Launcher of `wgsl/attention/decode.wgsl`: attention of one token, cut along the keys.

use crate::{Defines, PreprocessError, Source};

/// Where a layer's keys and values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kv {
    /// From q, k and v of this layer; they are appended to the cache.
    Own,
    /// Likewise, but the layer has no v: v is k before its norm and rotation.
    OwnVIsK,
    /// From the cache of another layer.
    Shared,
}

impl Kv {
    /// Of a layer that has keys of its own or not, and values.
    #[must_use]
    pub const fn of_layer(owns: bool, has_v: bool) -> Self {
        match (owns, has_v) {
            (false, _) => Self::Shared,
            (true, true) => Self::Own,
            (true, false) => Self::OwnVIsK,
        }
    }
}

/// One permutation of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decode {
    /// Elements of a head: a power of two from 16 to 512.
    pub head_dim: u32,
    /// Where keys and values come from.
    pub kv: Kv,
    /// Whether the cache holds f16 (else f32).
    pub kv_f16: bool,
    /// Ranks of the adapters that correct the product behind it, in vec4s, for which it leaves partial z
    /// ([`crate::matvec::ZSource::PartialSums`]); 0 for none.
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
        /// Keys visible, the token's own included; 0 for all.
        pub window: u32,
        /// Slots of the cache; 0: as many as positions.
        pub ring: u32,
        /// Where the weights of the query norm begin in `vectors`.
        pub q_norm: u32,
        /// Where those of the key norm begin.
        pub k_norm: u32,
        /// Smallest run of keys of a split, a multiple of 64.
        pub smallest: u32,
        /// Most splits.
        pub most: u32,
        /// Rows of the first part of the rotation table.
        pub rope_hi_rows: u32,
        /// ε of the norms.
        pub eps: f32,
        /// Unused.
        pub pad: u32,
        /// Where the columns of A begin in the buffer of adapters, in vec4s.
        pub columns: u32,
    }
}

impl Decode {
    /// Whether the kernel can be built for heads of this size.
    #[must_use]
    pub fn supports(head_dim: u32) -> bool {
        head_dim.is_power_of_two() && (16..=512).contains(&head_dim)
    }

    /// The shader. Bindings: params, part, state, qkv, vectors, rope, k cache, v cache, and where it leaves
    /// partial z the buffer of adapters.
    ///
    /// # Errors
    /// A fault of the template.
    pub fn source(&self) -> Result<Source, PreprocessError> {
        let own = self.kv != Kv::Shared;
        let kv = match self.kv {
            Kv::Own => "own",
            Kv::OwnVIsK => "own_v_is_k",
            Kv::Shared => "shared",
        };
        let defines = Defines::new()
            .set("HD", self.head_dim)
            .set("HALF", self.head_dim / 2)
            .set("OWN_KV", own)
            .set("V_IS_K", self.kv == Kv::OwnVIsK)
            .set("KV_F16", self.kv_f16)
            .set("LEAVES", self.quads > 0)
            .set("QUADS", self.quads);
        let stored = if self.kv_f16 { "f16" } else { "f32" };
        let leaves = if self.quads > 0 { format!("_for_partial_a{}", 4 * self.quads) } else { String::new() };
        Source::build::<Params>(
            "attention/decode.wgsl",
            format!("attention_decode_h{}_{kv}_{stored}{leaves}", self.head_dim),
            &defines,
        )
    }

    /// Workgroups.
    #[must_use]
    pub fn dispatch(params: &Params) -> [u32; 3] {
        [params.most, params.heads, 1]
    }

    /// f32 elements of the partial results: accumulators, then `(m, l)` pairs.
    #[must_use]
    pub fn part_len(head_dim: u32, heads: u32, most: u32) -> u32 {
        heads * most * (head_dim + 2)
    }

    /// Where partial z begins behind them, in elements.
    #[must_use]
    pub fn partial_at(head_dim: u32, heads: u32, most: u32) -> u32 {
        Self::part_len(head_dim, heads, most).next_multiple_of(4)
    }
}

/// The cut of `keys` positions: first visible key, keys a split, splits; `wgsl/shared/splits.wgsl`.
#[must_use]
pub fn splits(keys: u32, window: u32, smallest: u32, most: u32) -> (u32, u32, u32) {
    let visible = if window == 0 { keys } else { keys.min(window) };
    let run = smallest.max(visible.div_ceil(most).next_multiple_of(64));
    (keys - visible, run, visible.div_ceil(run).max(1))
}
