//! `wgsl/rows/qkv_finish.wgsl`: head norms, RoPE and the append to the KV cache.

use crate::case::heads::{HEADS, KV_HEADS, cached, stored, table};
use crate::case::{Arg, Case, CaseError, EPS, Expected, random};
use crate::kv_type::{Kv, KvType};
use crate::math::rms;
use crate::{Defines, Kernel, PreprocessError, Source, rope};

/// One permutation of the kernel.
///
/// Bindings: params, state, vectors, rope, q; unless shared also k cache, v cache, k; for [`Kv::Own`] also v. Joined ones
/// are all in the buffer of q.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QkvFinish {
    /// Elements per head, such that the cache can hold them ([`KvType::supports`]).
    pub head_dim: u32,
    /// Where keys and values come from. Nothing is appended for [`Kv::Shared`].
    pub kv: Kv,
    /// How the cache stores keys and values.
    pub kv_type: KvType,
    /// Whether q, k and v lie in one buffer.
    pub joined: bool,
}

params! {
    /// The uniform at binding 0.
    #[derive(Default)]
    pub struct Params {
        /// Query heads.
        pub heads: u32,
        /// Key–value heads.
        pub kv_heads: u32,
        /// Slots of the ring, at least window + chunk − 1; 0: the cache has a slot for every position.
        pub ring: u32,
        /// Offset of the weights of the query norm in `vectors`.
        pub q_norm: u32,
        /// Offset of the key norm's weights.
        pub k_norm: u32,
        /// Rows of the first part of the RoPE table.
        pub rope_hi_rows: u32,
        /// ε of the norms.
        pub eps: f32,
        /// Offset of k in vec2s, if joined.
        pub k_at: u32,
        /// Offset of v in vec2s, if joined.
        pub v_at: u32,
        /// If not 0, v is cached as it is, without a norm.
        pub raw_v: u32,
        /// Unused.
        pub pad: [u32; 2],
    }
}

impl QkvFinish {
    /// Workgroups for a chunk of `positions`, at most 65 535.
    pub fn dispatch(&self, params: &Params, positions: u32) -> [u32; 3] {
        let kv_heads = if self.kv == Kv::Shared { 0 } else { params.kv_heads };
        [params.heads + kv_heads, positions, 1]
    }
}

/// Inputs of the CPU twin in addition to q, k and v.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Norm weights.
    pub vectors: &'a [f32],
    /// The table of [`rope::table`].
    pub rope: &'a [[f32; 2]],
    /// Position of the first row.
    pub pos: u32,
}

/// A KV cache for CPU twins: f32 elements, rounded as in the cache.
#[derive(Clone, Debug, PartialEq)]
pub struct Cache {
    /// Keys, `[slots, kv_heads, head_dim]`.
    pub k: Vec<f32>,
    /// Values, `[slots, kv_heads, head_dim]`.
    pub v: Vec<f32>,
}

/// CPU twin: changes `q` in place and appends to the cache. `k` is empty for [`Kv::Shared`], `v` unless
/// [`Kv::Own`].
pub fn qkv_finish(
    form: &QkvFinish,
    params: &Params,
    inputs: Inputs<'_>,
    q: &mut [f32],
    (k, v): (&[f32], &[f32]),
    cache: &mut Cache,
) {
    let hd = form.head_dim as usize;
    let eps = f64::from(params.eps);
    let normed = |x: &[f32], norm: Option<u32>| {
        let x: Vec<f64> = x.iter().map(|&v| f64::from(v)).collect();
        rms(&x, norm.map(|at| &inputs.vectors[at as usize..at as usize + hd]), eps)
    };
    let rotate = |x: &mut [f64], pos: u32| {
        for j in 0..hd / 2 {
            let [cos, sin] =
                rope::cos_sin(inputs.rope, form.head_dim, params.rope_hi_rows, pos, j as u32).map(f64::from);
            let (a, b) = (x[j], x[j + hd / 2]);
            x[j] = a * cos - b * sin;
            x[j + hd / 2] = b * cos + a * sin;
        }
    };
    let single = |head: &[f64]| head.iter().map(|&v| v as f32).collect::<Vec<_>>();
    let cached = |head: &[f64]| form.kv_type.rounded(&single(head), form.head_dim);

    for (index, head) in q.chunks_mut(hd).enumerate() {
        let pos = inputs.pos + index as u32 / params.heads;
        let mut turned = normed(head, Some(params.q_norm));
        rotate(&mut turned, pos);
        head.copy_from_slice(&single(&turned));
    }
    if form.kv == Kv::Shared {
        return;
    }
    for (index, raw_k) in k.chunks(hd).enumerate() {
        let pos = inputs.pos + index as u32 / params.kv_heads;
        let slot = if params.ring == 0 { pos } else { pos % params.ring };
        let place = (slot * params.kv_heads + index as u32 % params.kv_heads) as usize * hd;
        let mut key = normed(raw_k, Some(params.k_norm));
        rotate(&mut key, pos);
        cache.k[place..place + hd].copy_from_slice(&cached(&key));
        let raw_v = if form.kv == Kv::Own { &v[index * hd..(index + 1) * hd] } else { raw_k };
        let value = if params.raw_v == 0 {
            normed(raw_v, None)
        } else {
            raw_v.iter().map(|&v| f64::from(v)).collect()
        };
        cache.v[place..place + hd].copy_from_slice(&cached(&value));
    }
}

/// Weights of the query norm, then of the key norm, and a cache without a ring.
pub(crate) fn case_params(head_dim: u32, rope_hi_rows: u32) -> Params {
    Params {
        heads: HEADS,
        kv_heads: KV_HEADS,
        ring: 0,
        q_norm: 0,
        k_norm: head_dim,
        rope_hi_rows,
        eps: EPS,
        ..Params::default()
    }
}

impl Kernel for QkvFinish {
    fn source(&self) -> Result<Source, PreprocessError> {
        let name = match self.kv {
            Kv::Shared => "shared",
            Kv::Own => "own",
            Kv::OwnVIsK => "own_v_is_k",
        };
        let defines = Defines::new()
            .set("HALF", self.head_dim / 2)
            .set("OWN_KV", self.kv != Kv::Shared)
            .set("V_IS_K", self.kv == Kv::OwnVIsK)
            .set("KV_TYPE", self.kv_type.define())
            .set("JOINED", self.joined);
        let element = self.kv_type.name();
        let suffix = if self.joined { "_joined" } else { "" };
        let name = format!("rows_qkv_finish_h{}_{name}_{element}{suffix}", self.head_dim);
        Source::build::<Params>("rows/qkv_finish.wgsl", name, &defines)
    }

    /// Three tokens after 300 others.
    fn case(&self) -> Result<Case, CaseError> {
        let (pos, len, hd) = (300, 3, self.head_dim as usize);
        let slots = (pos + len) as usize * KV_HEADS as usize * hd;
        let (k_words, k) = stored(&random(3, slots), (self.kv_type, self.head_dim));
        let (v_words, v) = stored(&random(4, slots), (self.kv_type, self.head_dim));
        let (rope_arg, rope, rope_hi_rows) = table(self.head_dim);
        let vectors = random(2, 2 * hd);
        let mut params = case_params(self.head_dim, rope_hi_rows);
        let rows = |heads: u32| (len * heads) as usize * hd;
        let raw_q = random(1, rows(HEADS));
        let raw_k = if self.kv == Kv::Shared { Vec::new() } else { random(8, rows(KV_HEADS)) };
        let raw_v = if self.kv == Kv::Own { random(9, rows(KV_HEADS)) } else { Vec::new() };
        let (mut q, mut cache) = (raw_q.clone(), Cache { k, v });
        let inputs = Inputs { vectors: &vectors, rope: &rope, pos };
        qkv_finish(self, &params, inputs, &mut q, (&raw_k, &raw_v), &mut cache);

        // Joined keys and values follow the queries, with a gap.
        let gap = 2;
        params.k_at = raw_q.len() as u32 / 2 + gap;
        params.v_at = params.k_at + raw_k.len() as u32 / 2 + gap;
        let gap = vec![0.0; 2 * gap as usize];
        let joined = [&raw_q[..], &gap, &raw_k, &gap, &raw_v].concat();
        let mut args = vec![
            Arg::uniform(&params),
            Arg::state(pos, len),
            Arg::floats(&vectors),
            rope_arg,
            Arg::floats(if self.joined { &joined } else { &raw_q }),
        ];
        let mut expected = vec![Expected::new(4, q, 1e-4)];
        if self.kv != Kv::Shared {
            args.extend([Arg::Words(k_words), Arg::Words(v_words)]);
            args.extend((!self.joined).then(|| Arg::floats(&raw_k)));
            expected.push(cached(5, cache.k, (self.kv_type, self.head_dim)));
            expected.push(cached(6, cache.v, (self.kv_type, self.head_dim)));
        }
        if self.kv == Kv::Own && !self.joined {
            args.push(Arg::floats(&raw_v));
        }
        Ok(Case { args, grid: self.dispatch(&params, len), expected })
    }
}
