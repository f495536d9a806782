//! Inputs and results of the prologue of a decode product.

use super::super::{Matvec, Merge, Norms, Prologue, twin};
use crate::case::{Arg, args, random};
use crate::math::rms;
use crate::state::State;

pub(super) use crate::case::EPS;

fn as_f64(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&value| value.into()).collect()
}

/// A prologue with test data.
pub(super) struct PrologueCase {
    /// The input buffer.
    pub(super) input: Vec<f32>,
    /// The computed x.
    pub(super) x: Vec<f64>,
    /// The bindings after the matrices.
    pub(super) tail: Vec<Arg>,
    /// The residual stream that the prologue writes, the last entry of `tail`.
    pub(super) stream: Option<Vec<f64>>,
    pub(super) norms: Option<Norms>,
    pub(super) merge: Option<Merge>,
    /// `(r·s, rb)`, the factors that `wgsl/matvec/low_rank/ahead.wgsl` needs.
    pub(super) factors: (f64, f64),
    /// Attention: the weight of each head and split.
    pub(super) weights: Vec<f64>,
    /// Number of attention heads.
    pub(super) heads: u32,
}

impl PrologueCase {
    fn plain(input: Vec<f32>) -> Self {
        Self {
            x: as_f64(&input),
            input,
            tail: Vec::new(),
            stream: None,
            norms: None,
            merge: None,
            factors: (1.0, 1.0),
            weights: Vec::new(),
            heads: 0,
        }
    }
}

/// 1 / rms(v).
fn inverse_rms(v: &[f64]) -> f64 {
    (v.iter().map(|v| v * v).sum::<f64>() / v.len() as f64 + f64::from(EPS)).sqrt().recip()
}

/// `behind` is stored after the branch if there is one, otherwise after x.
pub(super) fn of(kernel: &Matvec, behind: &[f32]) -> PrologueCase {
    let k = kernel.k as usize;
    let mut vectors = random(14, 2 * k);
    // The scalar, in a vec4 of its own.
    vectors.extend([0.75, 0.0, 0.0, 0.0]);
    let norms = Norms { branch: 0, input: kernel.k, scale: Some(2 * kernel.k), eps: EPS };
    let input = random(12, k);
    match kernel.prologue {
        Prologue::Plain => PrologueCase { input: [&input, behind].concat(), ..PrologueCase::plain(input) },
        Prologue::Norm => {
            let x = rms(&as_f64(&input), Some(&vectors[k..2 * k]), EPS.into());
            PrologueCase {
                x,
                tail: args![floats(&vectors)],
                norms: Some(norms),
                ..PrologueCase::plain(input)
            }
        }
        Prologue::Add { norm } => {
            let branch = random(13, k);
            let stream = twin::add(&input, &branch, &vectors[..k], 0.75, EPS);
            let x = if norm { rms(&stream, Some(&vectors[k..2 * k]), EPS.into()) } else { stream.clone() };
            let tail = args![floats(&vectors), floats(&[&branch, behind].concat()), zeros(k)];
            let factors = (0.75 * inverse_rms(&stream), inverse_rms(&as_f64(&branch)));
            PrologueCase {
                x,
                tail,
                stream: Some(stream),
                norms: Some(norms),
                factors,
                ..PrologueCase::plain(input)
            }
        }
        Prologue::Merge => merged(k, behind),
    }
}

pub(super) const HEAD_DIM: usize = 64;
pub(super) const MAX_SPLITS: usize = 4;
const SPLITS: usize = 3;

/// Heads of 64 elements, with the keys in three splits.
fn merged(k: usize, behind: &[f32]) -> PrologueCase {
    let heads = k.div_ceil(HEAD_DIM);
    let state = State { pos: 64 * SPLITS as u32 - 2, len: 1, ..State::default() };
    let sums = random(21, heads * MAX_SPLITS * HEAD_DIM);
    let pairs: Vec<f32> =
        random(22, heads * MAX_SPLITS).into_iter().flat_map(|v| [3.0 * v, 1.5 + v]).collect();
    let weights = (0..heads).flat_map(|head| {
        let pair = |s: usize| {
            let at = 2 * (head * MAX_SPLITS + s);
            (f64::from(pairs[at]), f64::from(pairs[at + 1]))
        };
        let top = (0..SPLITS).map(|s| pair(s).0).fold(f64::MIN, f64::max);
        let total: f64 = (0..SPLITS).map(|s| (pair(s).0 - top).exp() * pair(s).1).sum();
        // The last split has stale results of another token.
        (0..MAX_SPLITS)
            .map(move |s| if s < SPLITS { (pair(s).0 - top).exp() / total } else { 0.0 })
            .collect::<Vec<_>>()
    });
    let weights: Vec<f64> = weights.collect();
    let x = (0..k).map(|element| {
        let first = element / HEAD_DIM * MAX_SPLITS;
        let sum = |s: usize| f64::from(sums[(first + s) * HEAD_DIM + element % HEAD_DIM]);
        (0..SPLITS).map(|s| weights[first + s] * sum(s)).sum::<f64>()
    });
    let merge =
        Merge { head_dim: HEAD_DIM as u32, max_splits: MAX_SPLITS as u32, min_split_keys: 64, window: 0 };
    let state = bytemuck::cast_slice(bytemuck::bytes_of(&state)).to_vec();
    PrologueCase {
        x: x.collect(),
        tail: args![Words(state)],
        merge: Some(merge),
        weights,
        heads: heads as u32,
        ..PrologueCase::plain([&sums, &pairs, behind].concat())
    }
}
