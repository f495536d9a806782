//! What the self-test cases of sampling have in common.

use super::twin::{Candidate, adjust, best};
use super::{Candidates, MAX_RECENT, Params, Sampling, Settings};
use crate::case::random;
use crate::state::State;

/// Length of the output ring.
pub(crate) const OUT_LEN: u32 = 8;
/// Number of logits; the last slice is partial.
pub(crate) const VOCABULARY: u32 = 2500;
/// Number of logits that needs `merge_lists`.
pub(crate) const LARGE: u32 = 20 << 10;
pub(crate) const HISTORY: [u32; MAX_RECENT as usize] = [0; MAX_RECENT as usize];

/// Settings that need this variant.
pub(crate) fn settings(candidates: Candidates) -> Settings {
    match candidates {
        Candidates::One => Settings::default(),
        Candidates::Few => Settings { temperature: 0.8, top_k: 40, top_p: 0.95, ..Settings::default() },
        Candidates::Many => Settings { temperature: 0.8, top_k: 0, top_p: 0.95, ..Settings::default() },
    }
}

pub(crate) fn state() -> State {
    State { len: 1, seed_lo: 17, seed_hi: 4, step: 3, ..State::default() }
}

pub(crate) fn logits(vocabulary: u32) -> Vec<f32> {
    random(81, vocabulary as usize).into_iter().map(|v| 9.0 * v * v * v).collect()
}

/// Returns the key of a logit that was not removed (`wgsl/sampling/lists.wgsl`).
pub(crate) fn key(z: f32) -> u32 {
    let (bits, magnitude) = (z.to_bits(), z.to_bits() & 0x7fff_ffff);
    let key = 0x8000_0000 + magnitude;
    if bits >> 31 == 1 && magnitude != 0 { !key } else { key }
}

pub(crate) fn list(all: Vec<Candidate>, count: usize) -> Vec<u32> {
    best(all, count).iter().flat_map(|it| [it.logit.map_or(0, key), it.id]).collect()
}

/// Returns the lists of all slices, and their parts of the full softmax.
pub(crate) fn lists(sampling: Sampling, params: &Params, logits: &[f32]) -> (Vec<u32>, Vec<f32>) {
    let adjusted = adjust(logits, params, &state(), &HISTORY);
    let count = sampling.candidates.count() as usize;
    let slices = adjusted.chunks(1024);
    let sum = |slice: &[Candidate]| {
        let all = || slice.iter().filter_map(|it| it.logit);
        let top = all().fold(f32::MIN, f32::max);
        let weight = |z: f32| (f64::from(z - top) * f64::from(params.temperature_inverse)).exp();
        [top, all().map(weight).sum::<f64>() as f32]
    };
    let sums = slices.clone().flat_map(sum).collect();
    (slices.flat_map(|slice| list(slice.to_vec(), count)).collect(), sums)
}
