//! The low-rank update: its inputs, z, and the output for the next product.

use super::super::{Correction, Epilogue, HandoffForm, HandoffPlaces, Matvec, Prologue, ZSource, twin};
use super::prologue::PrologueCase;
use crate::case::{Arg, args, random};

/// Number of workgroups that wrote partial sums after x: at large ranks, more than a thread loads in advance.
const LEFT_BY: u32 = 101;

/// Total rank, in elements.
fn rank(kernel: &Matvec) -> u32 {
    4 * kernel.low_rank.quads
}

/// Number of products with their own z; V of [`HandoffForm::Ahead`] uses that of the matrix before it.
fn corrected(kernel: &Matvec) -> u32 {
    if matches!(kernel.low_rank.handoff, HandoffForm::Ahead { .. }) { 1 } else { kernel.dtypes.len() as u32 }
}

/// The data that follows x or the branch; `places` is heads × maximum splits if attention wrote it.
pub(super) fn behind(kernel: &Matvec, places: u32) -> Vec<f32> {
    let len = match (kernel.low_rank.z_source, kernel.prologue) {
        (ZSource::None | ZSource::Dispatch, _) => 0,
        (ZSource::Ahead, _) => 2 * corrected(kernel) * rank(kernel),
        (ZSource::PartialSums, Prologue::Merge) => places * rank(kernel),
        (ZSource::PartialSums, _) => LEFT_BY * rank(kernel),
    };
    random(55, len as usize)
}

/// The low-rank part of a test case.
pub(super) struct LowRankCase {
    pub correction: Correction,
    pub handoff_at: HandoffPlaces,
    /// The last bindings.
    pub args: Vec<Arg>,
    /// The term added to each product.
    pub added: Vec<Vec<f64>>,
    /// The columns of A for [`HandoffForm::PartialSums`], `[rows, rank]`.
    columns: Vec<f32>,
    /// U·h of [`HandoffForm::Ahead`].
    pub ahead: Vec<f64>,
}

/// z of all matrices.
fn z(kernel: &Matvec, front: &PrologueCase, behind: &[f32], scales: &[f32], given: &[f32]) -> Vec<f64> {
    let rank = rank(kernel) as usize;
    let scale = |i: usize| f64::from(scales[i % rank]);
    match kernel.low_rank.z_source {
        ZSource::None => vec![0.0; given.len()],
        ZSource::Dispatch => given.iter().map(|&z| f64::from(z)).collect(),
        ZSource::PartialSums => {
            // Attention writes them as [splits, heads], its weights as [heads, splits].
            let heads = front.heads as usize;
            let weight = |part: usize| {
                let place =
                    part.checked_rem(heads).map(|head| head * front.weights.len() / heads + part / heads);
                place.map_or(1.0, |place| front.weights[place])
            };
            let sum = |q: usize| -> f64 {
                let parts = behind.chunks_exact(rank).enumerate();
                parts.map(|(place, part)| weight(place) * f64::from(part[q])).sum()
            };
            (0..rank).map(|q| scale(q) * sum(q)).collect()
        }
        ZSource::Ahead => {
            let (v, u) = behind.split_at(behind.len() / 2);
            let (whole, branch) = front.factors;
            let one = |(i, (&v, &u)): (usize, (&f32, &f32))| {
                scale(i) * whole * (f64::from(u) + branch * f64::from(v))
            };
            v.iter().zip(u).enumerate().map(one).collect()
        }
    }
}

/// `rows` are the matrices' numbers of rows; `input_at` is the offset of the data that follows the input.
pub(super) fn of(
    kernel: &Matvec,
    front: &PrologueCase,
    behind: &[f32],
    rows: &[u32],
    input_at: u32,
) -> LowRankCase {
    let mut adapter: Vec<f32> = (0..rank(kernel)).map(|j| if j < 4 { 0.5 } else { -1.5 }).collect();
    let scales = adapter.clone();
    let given = random(51, (corrected(kernel) * rank(kernel)) as usize);
    let z = z(kernel, front, behind, &scales, &given);
    let mut correction = Correction { rank: rank(kernel), places: [None; 3] };
    let mut added = Vec::new();
    for (i, &rows) in rows.iter().enumerate() {
        let b = random(52 + i as u64, (rows * rank(kernel)) as usize);
        let at = (i as u32).min(corrected(kernel) - 1) * rank(kernel);
        if kernel.low_rank.z_source != ZSource::None {
            correction.places[i] = Some((at, adapter.len() as u32));
        }
        added.push(twin::product(&b, &z[at as usize..][..rank(kernel) as usize]));
        adapter.extend(b);
    }
    let mut handoff_at =
        HandoffPlaces { input_at, factors_at: adapter.len() as u32, ..HandoffPlaces::default() };
    handoff_at.input_count = match (kernel.low_rank.z_source, kernel.prologue) {
        (ZSource::Ahead, _) => corrected(kernel) * rank(kernel),
        (_, Prologue::Merge) => front.heads,
        _ => LEFT_BY,
    };
    let columns = random(57, (rows[0] * rank(kernel)) as usize);
    let mut ahead = Vec::new();
    let mut stream = None;
    match kernel.low_rank.handoff {
        HandoffForm::None => {}
        HandoffForm::PartialSums => {
            handoff_at.output_at = rows[0].next_multiple_of(4);
            adapter.extend(&columns);
        }
        HandoffForm::Ahead { stream: len } => {
            let h = random(58, len as usize);
            let u = random(59, (rows[1] * len) as usize);
            ahead = twin::product(&u, &h.iter().map(|&h| f64::from(h)).collect::<Vec<_>>());
            adapter.extend(&u);
            stream = Some(Arg::floats(&h));
        }
    }
    let mut args = args![floats(&adapter)];
    if kernel.low_rank.z_source == ZSource::Dispatch {
        args.push(Arg::floats(&given));
    }
    args.extend(stream);
    LowRankCase { correction, handoff_at, args, added, columns, ahead }
}

impl LowRankCase {
    /// The data that follows the results `y` of a kernel.
    pub(super) fn left(&self, kernel: &Matvec, y: &[f64]) -> Vec<f64> {
        match kernel.low_rank.handoff {
            HandoffForm::None => Vec::new(),
            HandoffForm::Ahead { .. } => self.ahead.clone(),
            HandoffForm::PartialSums => {
                debug_assert_eq!(kernel.epilogue, Epilogue::Geglu);
                let rank = rank(kernel) as usize;
                let mut left = vec![0.0; y.len().next_multiple_of(4) - y.len()];
                let columns = self.columns.chunks_exact(rank).zip(y).collect::<Vec<_>>();
                for rows in columns.chunks(kernel.rows_per_workgroup() as usize) {
                    let sum = |q: usize| rows.iter().map(|(a, y)| f64::from(a[q]) * *y).sum::<f64>();
                    left.extend((0..rank).map(sum));
                }
                left
            }
        }
    }
}
