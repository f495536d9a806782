//! `wgsl/audio/attention.wgsl`: local attention over the last few positions.

use super::{PAST, STEP};
use crate::case::{Arg, Case, CaseError, Expected, args, as_f32, random};
use crate::{Defines, Kernel, PreprocessError, Source};

/// Keys that a position attends to, including its own.
pub const KEYS: u32 = 12;
/// Largest supported head size.
pub const MAX_HEAD_DIM: u32 = 512;

/// The kernel for one head size. Bindings: params, state, vectors, q, k, v, relative, past, out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attention {
    /// Elements per head.
    pub head_dim: u32,
}

params! {
    /// The uniform at binding 0.
    pub struct Params {
        /// Heads.
        pub heads: u32,
        /// Slots of the ring of past keys and values.
        pub slots: u32,
        /// Offset of the scale of the elements of a query in `vectors`.
        pub scale: u32,
        /// Scale of all queries.
        pub q_scale: f32,
        /// Scale of all keys.
        pub k_scale: f32,
        /// Scores are `cap·tanh(s/cap)`.
        pub cap: f32,
        /// Unused.
        pub pad: [u32; 2],
    }
}

impl Params {
    /// Returns the constants of specification §10.3.
    pub fn new(heads: u32, head_dim: u32, slots: u32, scale: u32) -> Self {
        let ln2 = std::f64::consts::LN_2;
        Self {
            heads,
            slots,
            scale,
            q_scale: (f64::from(head_dim).powf(-0.5) / ln2) as f32,
            k_scale: (std::f64::consts::E.ln_1p() / ln2) as f32,
            cap: 50.0,
            pad: [0; 2],
        }
    }
}

/// Slots that the ring needs for steps of up to `rows` rows.
pub const fn slots(rows: u32) -> u32 {
    rows + KEYS - 1
}

/// Returns the sinusoidal encodings of the distances 0..[`KEYS`], `[KEYS, width]`: sines, then cosines, before their
/// projection (specification §10.3).
pub fn encodings(width: u32) -> Vec<f32> {
    let half = width as usize / 2;
    let mut rows = Vec::with_capacity(KEYS as usize * width as usize);
    let step = 10_000f64.ln() / (half.max(2) - 1) as f64;
    for distance in 0..KEYS {
        let angle = |i: usize| f64::from(distance) * (-(i as f64) * step).exp();
        rows.extend((0..half).map(|i| angle(i).sin() as f32));
        rows.extend((0..half).map(|i| angle(i).cos() as f32));
    }
    rows
}

/// Workgroups for a step of `rows`.
pub const fn dispatch(params: &Params, rows: u32) -> [u32; 3] {
    [params.heads, rows, 1]
}

/// Inputs of the CPU twin, from position 0 on.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// `[rows, heads·head_dim]`.
    pub q: &'a [f32],
    /// As `q`.
    pub k: &'a [f32],
    /// As `q`.
    pub v: &'a [f32],
    /// `[KEYS, heads·head_dim]`.
    pub relative: &'a [f32],
    /// The scale of the elements of a query, `[head_dim]`.
    pub scale: &'a [f32],
}

/// CPU twin, for a whole clip.
pub fn attention(params: &Params, inputs: &Inputs<'_>) -> Vec<f64> {
    let head_dim = inputs.scale.len();
    let width = params.heads as usize * head_dim;
    let mut out = Vec::with_capacity(inputs.q.len());
    for (t, q) in inputs.q.chunks(width).enumerate() {
        for (head, q) in q.chunks(head_dim).enumerate() {
            let at = |row: usize, e: usize| row * width + head * head_dim + e;
            let visible = (t + 1).min(KEYS as usize);
            let cap = f64::from(params.cap);
            let score = |j: usize| {
                let products = q.iter().zip(inputs.scale).enumerate().map(|(e, (&q, &scale))| {
                    let key = f64::from(params.k_scale) * f64::from(inputs.k[at(t - j, e)]);
                    let query = f64::from(q) * f64::from(scale) * f64::from(params.q_scale);
                    query * (key + f64::from(inputs.relative[at(j, e)]))
                });
                cap * (products.sum::<f64>() / cap).tanh()
            };
            let scores: Vec<f64> = (0..visible).map(score).collect();
            let most = scores.iter().copied().fold(f64::MIN, f64::max);
            let weights: Vec<f64> = scores.iter().map(|s| (s - most).exp()).collect();
            let total: f64 = weights.iter().sum();
            out.extend((0..head_dim).map(|e| {
                let terms = weights.iter().enumerate().map(|(j, w)| w * f64::from(inputs.v[at(t - j, e)]));
                terms.sum::<f64>() / total
            }));
        }
    }
    out
}

impl Kernel for Attention {
    fn source(&self) -> Result<Source, PreprocessError> {
        let head_dim = self.head_dim;
        let defines = Defines::new().set("HEAD", head_dim).set("KEYS", KEYS).set("THREADS", KEYS * 16);
        Source::build::<Params>("audio/attention.wgsl", format!("audio_attention_{head_dim}"), &defines)
    }

    /// Local attention, for one step.
    fn case(&self) -> Result<Case, CaseError> {
        let heads = 2;
        let width = (heads * self.head_dim) as usize;
        let slots = slots(STEP);
        let params = Params::new(heads, self.head_dim, slots, 0);
        let rows = |seed| -> Vec<f32> {
            random(seed, (PAST + STEP) as usize * width).into_iter().map(|v| 2.0 * v).collect()
        };
        let (q, k, v) = (rows(88), rows(89), rows(90));
        let (vectors, relative) = (random(91, self.head_dim as usize), random(92, KEYS as usize * width));
        let inputs = Inputs { q: &q, k: &k, v: &v, relative: &relative, scale: &vectors };
        let all = as_f32(&attention(&params, &inputs));
        let values = slots as usize * width;
        let mut past = vec![0.0; 2 * values];
        for row in 0..PAST as usize {
            let (from, to) = (row * width, row % slots as usize * width);
            past[to..to + width].copy_from_slice(&k[from..from + width]);
            past[values + to..values + to + width].copy_from_slice(&v[from..from + width]);
        }
        let begin = PAST as usize * width;
        let want = all[begin..].to_vec();
        let mut args = args![uniform(&params), state(PAST, STEP), floats(&vectors)];
        args.extend([&q, &k, &v].map(|rows| Arg::floats(&rows[begin..])));
        args.extend([Arg::floats(&relative), Arg::floats(&past), Arg::zeros(want.len())]);
        let grid = dispatch(&params, STEP);
        Ok(Case { args, grid, expected: vec![Expected::new(8, want, 1e-3)] })
    }
}
