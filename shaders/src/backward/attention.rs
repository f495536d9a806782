//! Launchers and CPU twin of `wgsl/backward/attention_q.wgsl` and `attention_kv.wgsl`.

use crate::{Defines, PreprocessError, Source, params};

/// Queries or keys per workgroup.
const TILE: u32 = 16;

params! {
    /// The uniform at binding 0 of both kernels.
    ///
    /// Both: then state, q, k, v, dout. Queries: then out, dq, stats. Keys and values: then stats, dk, dv, the last two
    /// for each query head. With spans, the state is followed by a [`Span`] per row, since a separate binding would
    /// exceed the number that every device has.
    #[derive(Default, Eq)]
    pub struct Params {
        /// Query heads.
        pub heads: u32,
        /// Key–value heads, a divisor of `heads`.
        pub kv_heads: u32,
        /// Attention window in keys, including the query's own; 0: unlimited.
        pub window: u32,
        /// Unused.
        pub pad: u32,
    }
}

impl Params {
    /// Workgroups of either kernel for `rows` rows.
    pub const fn dispatch(&self, rows: u32) -> [u32; 3] {
        [rows.div_ceil(TILE), self.heads, 1]
    }
}

params! {
    /// The rows that attend to one another in both directions: those of one image. A row `t` outside of any image has
    /// `since = t` and `until = t + 1`.
    #[derive(Default, Eq)]
    pub struct Span {
        /// The first row that attends to this one.
        pub since: u32,
        /// One past the last row that this one attends to.
        pub until: u32,
    }
}

fn defines(head_dim: u32, spans: bool) -> Defines {
    let quads = head_dim / 4;
    let groups = 256 / quads;
    let span = params::wgsl::<Span>("Span");
    let defines = Defines::new().set("TILE", TILE).set("QUADS", quads).set("GROUPS", groups);
    defines.set("OWNED", TILE.div_ceil(groups)).set("SPANS", spans).set("SPAN", span)
}

/// Returns the kernel for queries. Heads have up to 512 elements, a multiple of 4. With `spans`, the rows of an image
/// attend to each other in both directions.
pub fn queries(head_dim: u32, spans: bool) -> Result<Source, PreprocessError> {
    let name = format!("backward_attention_q_h{head_dim}{}", if spans { "_spans" } else { "" });
    Source::build::<Params>("backward/attention_q.wgsl", name, &defines(head_dim, spans))
}

/// Returns the kernel for keys and values; the same head sizes.
pub fn keys_values(head_dim: u32, spans: bool) -> Result<Source, PreprocessError> {
    let name = format!("backward_attention_kv_h{head_dim}{}", if spans { "_spans" } else { "" });
    Source::build::<Params>("backward/attention_kv.wgsl", name, &defines(head_dim, spans))
}

/// Queries, keys and values of a sequence, row-major.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// `[T, heads, head_dim]`
    pub q: Vec<f64>,
    /// `[T, kv_heads, head_dim]`
    pub k: Vec<f64>,
    /// `[T, kv_heads, head_dim]`
    pub v: Vec<f64>,
}

/// Returns the first key that query `i` attends to.
fn first_key(params: &Params, i: usize) -> usize {
    if params.window == 0 { 0 } else { (i + 1).saturating_sub(params.window as usize) }
}

/// Returns the softmax weights of query `i` of a head, from its first visible key on. `spans` is empty for causal
/// attention.
fn weights(params: &Params, hd: usize, x: &Inputs, spans: &[Span], i: usize, head: usize) -> Vec<f64> {
    let (heads, kv_heads) = (params.heads as usize, params.kv_heads as usize);
    let kv = head / (heads / kv_heads);
    let q = &x.q[(i * heads + head) * hd..][..hd];
    let until = spans.get(i).map_or(i + 1, |span| span.until as usize);
    let scores: Vec<f64> = (first_key(params, i)..until)
        .map(|j| q.iter().zip(&x.k[(j * kv_heads + kv) * hd..][..hd]).map(|(q, k)| q * k).sum())
        .collect();
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = scores.iter().map(|s| (s - top).exp()).sum();
    scores.iter().map(|s| (s - top).exp() / sum).collect()
}

/// CPU twin of the forward pass: `[T, heads, head_dim]`.
pub fn forward(params: &Params, hd: usize, x: &Inputs, spans: &[Span]) -> Vec<f64> {
    let (heads, kv_heads) = (params.heads as usize, params.kv_heads as usize);
    let mut out = vec![0.0; x.q.len()];
    for (index, out) in out.chunks_mut(hd).enumerate() {
        let (i, head) = (index / heads, index % heads);
        let kv = head / (heads / kv_heads);
        for (j, p) in (first_key(params, i)..).zip(weights(params, hd, x, spans, i, head)) {
            let v = &x.v[(j * kv_heads + kv) * hd..][..hd];
            out.iter_mut().zip(v).for_each(|(out, v)| *out += p * v);
        }
    }
    out
}

/// CPU twin of the backward pass: dq, dk and dv in the shapes of q, k and v.
pub fn backward(params: &Params, hd: usize, x: &Inputs, spans: &[Span], dout: &[f64]) -> Inputs {
    let (heads, kv_heads) = (params.heads as usize, params.kv_heads as usize);
    let mut d = Inputs { q: vec![0.0; x.q.len()], k: vec![0.0; x.k.len()], v: vec![0.0; x.v.len()] };
    for (index, dout) in dout.chunks(hd).enumerate() {
        let (i, head) = (index / heads, index % heads);
        let kv = head / (heads / kv_heads);
        let p = weights(params, hd, x, spans, i, head);
        let first = first_key(params, i);
        let row = |j: usize| (j * kv_heads + kv) * hd;
        let dp: Vec<f64> = (0..p.len())
            .map(|n| dout.iter().zip(&x.v[row(first + n)..][..hd]).map(|(d, v)| d * v).sum())
            .collect();
        let delta: f64 = p.iter().zip(&dp).map(|(p, dp)| p * dp).sum();
        for n in 0..p.len() {
            let at = row(first + n);
            let ds = p[n] * (dp[n] - delta);
            for (e, dout) in dout.iter().enumerate() {
                d.q[index * hd + e] += ds * x.k[at + e];
                d.k[at + e] += ds * x.q[index * hd + e];
                d.v[at + e] += p[n] * dout;
            }
        }
    }
    d
}
