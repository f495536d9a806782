//! Test cases of sampling.

use super::{Arg, Case, CaseError, Expected, random};
use crate::draft::clusters;
use crate::sampling::twin::{Candidate, adjust, best, sample as draw};
use crate::sampling::{Candidates, MAX_RECENT, Params, Sampling, Settings, draft, look_up};
use crate::state::State;

/// Length of the output ring.
const OUT_LEN: u32 = 8;
/// Number of logits; the last slice is partial.
const VOCABULARY: u32 = 2500;
/// Number of logits that needs `merge_lists`.
const LARGE: u32 = 20 << 10;
const HISTORY: [u32; MAX_RECENT as usize] = [0; MAX_RECENT as usize];

/// Settings that need this variant.
fn settings(candidates: Candidates) -> Settings {
    match candidates {
        Candidates::One => Settings::default(),
        Candidates::Few => Settings { temperature: 0.8, top_k: 40, top_p: 0.95, ..Settings::default() },
        Candidates::Many => Settings { temperature: 0.8, top_k: 0, top_p: 0.95, ..Settings::default() },
    }
}

fn state() -> State {
    State { len: 1, seed_lo: 17, seed_hi: 4, step: 3, ..State::default() }
}

fn logits(vocabulary: u32) -> Vec<f32> {
    random(81, vocabulary as usize).into_iter().map(|v| 9.0 * v * v * v).collect()
}

/// The key of a logit that was not removed (`wgsl/sampling/lists.wgsl`).
fn key(z: f32) -> u32 {
    let (bits, magnitude) = (z.to_bits(), z.to_bits() & 0x7fff_ffff);
    let key = 0x8000_0000 + magnitude;
    if bits >> 31 == 1 && magnitude != 0 { !key } else { key }
}

fn list(all: Vec<Candidate>, count: usize) -> Vec<u32> {
    best(all, count).iter().flat_map(|it| [it.logit.map_or(0, key), it.id]).collect()
}

/// The lists of all slices, and their parts of the full softmax.
fn lists(sampling: Sampling, params: &Params, logits: &[f32]) -> (Vec<u32>, Vec<f32>) {
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

/// The best candidates of each slice.
pub fn top_k(candidates: Candidates) -> Result<Case, CaseError> {
    let sampling = Sampling { vocab: VOCABULARY, candidates };
    let params = Params::new(&settings(candidates), sampling, OUT_LEN);
    let logits = logits(VOCABULARY);
    let (lists, sums) = lists(sampling, &params, &logits);
    let mut args = vec![
        Arg::uniform(&params),
        Arg::words(&[state()]),
        Arg::Words(HISTORY.to_vec()),
        Arg::zeros(1),
        Arg::floats(&logits),
        Arg::zeros(lists.len()),
    ];
    let mut expected = vec![Expected::words(5, &lists)];
    if candidates == Candidates::Many {
        args.push(Arg::zeros(sums.len()));
        expected.push(Expected::new(6, sums, 1e-4));
    }
    Ok(Case { source: sampling.top_k()?, args, grid: sampling.top_k_grid(1), expected })
}

/// Merging of many lists.
pub fn merge(candidates: Candidates) -> Result<Case, CaseError> {
    let sampling = Sampling { vocab: LARGE, candidates };
    let params = Params::new(&settings(candidates), sampling, OUT_LEN);
    let logits = logits(LARGE);
    let count = candidates.count() as usize;
    let (lists, _) = lists(sampling, &params, &logits);
    let adjusted = adjust(&logits, &params, &state(), &HISTORY);
    let merged: Vec<u32> = adjusted.chunks(16 << 10).flat_map(|part| list(part.to_vec(), count)).collect();
    let args = vec![Arg::uniform(&params), Arg::Words(lists), Arg::zeros(merged.len())];
    let expected = vec![Expected::words(2, &merged)];
    Ok(Case { source: sampling.merge_lists()?, args, grid: sampling.merge_lists_grid(1), expected })
}

/// Sampling.
pub fn sample(candidates: Candidates) -> Result<Case, CaseError> {
    let sampling = Sampling { vocab: VOCABULARY, candidates };
    let params = Params::new(&settings(candidates), sampling, OUT_LEN);
    let logits = logits(VOCABULARY);
    let (lists, sums) = lists(sampling, &params, &logits);
    let drawn = draw(&logits, &params, candidates.count() as usize, &state(), &HISTORY).id;
    let mut args = vec![
        Arg::uniform(&params),
        Arg::words(&[state()]),
        Arg::Words(HISTORY.to_vec()),
        Arg::zeros(2),
        Arg::zeros(OUT_LEN as usize + 1),
        Arg::Words(lists),
    ];
    if candidates == Candidates::Many {
        args.push(Arg::floats(&sums));
    }
    let mut ring = vec![0; OUT_LEN as usize + 1];
    ring[(state().step % OUT_LEN) as usize] = drawn;
    ring[OUT_LEN as usize] = state().step + 1;
    let expected = vec![Expected::words(3, &[drawn]), Expected::words(4, &ring)];
    Ok(Case { source: sampling.sample()?, args, grid: [1, 1, 1], expected })
}

/// Tokens drafted for a sequence with several matches.
pub fn look_up() -> Result<Case, CaseError> {
    let history = [1, 2, 3, 4, 9, 2, 3, 5, 6, 7, 8, 1, 2, 3];
    let len = 5;
    let state = State { len, history_len: history.len() as u32, ..State::default() };
    let params = look_up::Params::new(2);
    let mut want = vec![history[history.len() - 1]];
    want.extend(look_up::look_up(&history, params.shortest, len as usize - 1));
    let mut tokens = vec![0; len as usize];
    tokens[0] = want[0];
    // A longer buffer than the sequence.
    let mut ring = history.to_vec();
    ring.resize(20, 3);
    let args = vec![Arg::uniform(&params), Arg::words(&[state]), Arg::Words(ring), Arg::Words(tokens)];
    Ok(Case { source: look_up::source()?, args, grid: [1, 1, 1], expected: vec![Expected::words(3, &want)] })
}

/// The best of all slices as the third of three tokens.
pub fn draft() -> Result<Case, CaseError> {
    let sampling = Sampling { vocab: LARGE, candidates: Candidates::One };
    let params = Params::new(&Settings::default(), sampling, OUT_LEN);
    let logits = logits(LARGE);
    let (lists, _) = lists(sampling, &params, &logits);
    let best = draw(&logits, &params, 1, &state(), &HISTORY).id;
    let params = draft::Params::new(sampling.slices(), LARGE, 2);
    let args = vec![Arg::uniform(&params), Arg::Words(lists), Arg::Words(vec![5, 6, 7])];
    let expected = vec![Expected::words(2, &[5, 6, best])];
    Ok(Case { source: draft::source()?, args, grid: [1, 1, 1], expected })
}

/// The best five of 2500 centroids.
pub fn clusters() -> Result<Case, CaseError> {
    let sampling = clusters::sampling(VOCABULARY);
    let params = Params::new(&Settings::default(), sampling, OUT_LEN);
    let logits = logits(VOCABULARY);
    let (lists, _) = lists(sampling, &params, &logits);
    let best = best(adjust(&logits, &params, &state(), &HISTORY), 5);
    let want: Vec<u32> = best.iter().map(|it| it.id).collect();
    let params = clusters::Params::new(VOCABULARY, 5);
    let args = vec![Arg::uniform(&params), Arg::Words(lists), Arg::zeros(want.len())];
    let expected = vec![Expected::words(2, &want)];
    Ok(Case { source: clusters::source()?, args, grid: [1, 1, 1], expected })
}
