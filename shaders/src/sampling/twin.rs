//! CPU twins of `wgsl/sampling/*.wgsl`. Logits are adjusted in f32, as on the GPU; probabilities are in f64.

use std::cmp::Ordering;

use super::{MAX_RECENT, NOTHING, Params};
use crate::math::pcg3d;
use crate::state::State;

/// A token with its logit after softcap and penalties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The adjusted logit; `None` if it was removed.
    pub logit: Option<f32>,
    /// The token id.
    pub id: u32,
}

impl Candidate {
    /// Orders better candidates first: the larger logit, then the lower id; removed ones last.
    pub fn order(&self, other: &Self) -> Ordering {
        let key = |candidate: &Self| candidate.logit.map_or((false, 0.0), |logit| (true, logit + 0.0));
        let ((kept, logit), (other_kept, other_logit)) = (key(self), key(other));
        other_kept.cmp(&kept).then(other_logit.total_cmp(&logit)).then(self.id.cmp(&other.id))
    }
}

/// A sampled token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draw {
    /// The token id; [`NOTHING`] if all logits were removed.
    pub id: u32,
    /// The smallest distance, as a probability, of a decision (end of top-p, bound of min-p, sampled position) from
    /// the opposite result. Rounding of exponentials may change a decision with a margin of about 1e-6.
    pub margin: f64,
}

/// Returns the recent tokens that the penalties count, latest first.
fn recent_ids(params: &Params, state: &State, history: &[u32]) -> Vec<u32> {
    let count = state.history_len.min(params.penalty_window).min(MAX_RECENT);
    (0..count).map(|i| history[(state.history_len - 1 - i) as usize % history.len()]).collect()
}

/// Softcap, penalties and suppression: the first half of `top_k.wgsl`. `logits` are those of one row, `history` is the
/// ring of all tokens.
pub fn adjust(logits: &[f32], params: &Params, state: &State, history: &[u32]) -> Vec<Candidate> {
    let recent = recent_ids(params, state, history);
    let suppressed = &params.suppressed[..params.suppressed_len as usize];
    (0u32..)
        .zip(logits)
        .map(|(id, &logit)| {
            if !logit.is_finite() || suppressed.contains(&id) {
                return Candidate { logit: None, id };
            }
            let mut z = logit;
            if params.softcap > 0.0 {
                let e = (-2.0 * (z / params.softcap).abs()).exp();
                z = params.softcap * ((1.0 - e) / (1.0 + e)).copysign(z);
            }
            let count = recent.iter().filter(|&&token| token == id).count();
            if count > 0 {
                z *= if z > 0.0 { params.repeat_inverse } else { params.repeat };
                z -= params.presence + count as f32 * params.frequency;
            }
            Candidate { logit: z.is_finite().then_some(z), id }
        })
        .collect()
}

/// Returns the best `count` candidates, best first: `top_k.wgsl` for one slice, and `merge_lists.wgsl` for several lists.
pub fn best(mut candidates: Vec<Candidate>, count: usize) -> Vec<Candidate> {
    candidates.sort_unstable_by(Candidate::order);
    candidates.truncate(count);
    candidates
}

/// 24 bits of pcg3d(seed_lo, seed_hi, step) as a number in 0..1.
pub fn uniform_draw(state: &State) -> f64 {
    let [x, ..] = pcg3d([state.seed_lo, state.seed_hi, state.step]);
    f64::from(x >> 8) / f64::from(1u32 << 24)
}

/// Samples from all logits, with at most `most` candidates (the variant's [`count`](super::Candidates::count)).
pub fn sample(logits: &[f32], params: &Params, most: usize, state: &State, history: &[u32]) -> Draw {
    let adjusted = adjust(logits, params, state, history);
    let all: Vec<f32> = adjusted.iter().filter_map(|candidate| candidate.logit).collect();
    let candidates = best(adjusted, most);
    let first = candidates[0];
    let greedy = params.temperature_inverse == 0.0 || params.top_k == 1 || most == 1;
    let Some(top) = first.logit else { return Draw { id: NOTHING, margin: 1.0 } };
    if greedy {
        return Draw { id: first.id, margin: 1.0 };
    }

    let weight = |z: f32| ((f64::from(z) - f64::from(top)) * f64::from(params.temperature_inverse)).exp();
    let limit = if params.top_k == 0 { most } else { most.min(params.top_k as usize) };
    let weights: Vec<f64> =
        candidates.iter().take(limit).map_while(|candidate| candidate.logit.map(weight)).collect();
    let total: f64 = if params.top_k == 0 { all.into_iter().map(weight).sum() } else { weights.iter().sum() };

    let mut margin = 1.0f64;
    let mut kept = Vec::new();
    let mut mass = 0.0;
    for &weight in &weights {
        if !kept.is_empty() && params.min_p > 0.0 {
            margin = margin.min((weight - f64::from(params.min_p)).abs());
        }
        if !kept.is_empty() && weight < f64::from(params.min_p) {
            break;
        }
        mass += weight;
        kept.push(mass);
        if params.top_p < 1.0 {
            let distance = mass / total - f64::from(params.top_p);
            margin = margin.min(distance.abs());
            if distance >= 0.0 {
                break;
            }
        }
    }

    let target = uniform_draw(state) * mass;
    for sum in &kept[..kept.len() - 1] {
        margin = margin.min((sum - target).abs() / mass);
    }
    let rank = kept.iter().position(|&sum| sum > target).unwrap_or(kept.len() - 1);
    Draw { id: candidates[rank].id, margin }
}

/// Updates state and rings with the token of row `row`: the end of `sample.wgsl`. `tokens` are the inputs of the step.
/// Returns whether the draft behind the row is accepted, so that the next row counts.
pub fn advance(
    (row, id): (u32, u32),
    params: &Params,
    state: &mut State,
    history: &mut [u32],
    tokens: &mut [u32],
    sampled: &mut [u32],
) -> bool {
    sampled[(state.step % params.out_len) as usize] = id;
    let id = if id == NOTHING { 0 } else { id };
    tokens[0] = id;
    history[state.history_len as usize % history.len()] = id;
    state.history_len += 1;
    state.step += 1;
    sampled[params.out_len as usize] = state.step;
    state.pos += 1;
    state.hidden_row = row;
    row + 1 < state.len && tokens[row as usize + 1] == id
}
