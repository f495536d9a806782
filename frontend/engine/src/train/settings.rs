//! What a person chooses, and what follows from it for each step.

use std::f64::consts::PI;

use super::TrainError;
use crate::adapter::{MAX_RANK, Projection};

/// How the learning rate goes on after the warm-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// It stays.
    #[default]
    Constant,
    /// It falls to 0 in a straight line.
    Linear,
    /// It falls to 0 along half a cosine.
    Cosine,
}

/// All settings of a training.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Rank of the factors, 1 to 64.
    pub rank: u32,
    /// The correction is scaled by `alpha / rank`.
    pub alpha: f32,
    /// The projections to correct, in every layer that computes them.
    pub targets: Vec<Projection>,
    /// Optimiser steps in all: the schedule ends there.
    pub steps: u32,
    /// Highest learning rate.
    pub learning_rate: f64,
    /// Decay of the weights, decoupled from the gradient.
    pub weight_decay: f64,
    /// How the learning rate goes on after the warm-up.
    pub schedule: Schedule,
    /// Steps in which the learning rate rises in a straight line.
    pub warmup: u32,
    /// Largest norm of the gradients; 0 for no limit.
    pub clip: f64,
    /// Probability with which an input of A is left out in training.
    pub dropout: f32,
    /// Makes the start, the dropout and the order repeatable.
    pub seed: u64,
    /// Most tokens of an example: buffers are made for so many.
    pub max_tokens: u32,
}

impl Default for Settings {
    /// Rank 8 on all seven projections of a layer; values of the specification's §12.4.
    fn default() -> Self {
        Self {
            rank: 8,
            alpha: 16.0,
            targets: Projection::ALL[..7].to_vec(),
            steps: 100,
            learning_rate: 2e-4,
            weight_decay: 0.01,
            schedule: Schedule::Linear,
            warmup: 5,
            clip: 1.0,
            dropout: 0.0,
            seed: 0,
            max_tokens: 512,
        }
    }
}

impl Settings {
    /// Looks whether every value makes sense.
    ///
    /// # Errors
    /// [`TrainError::Setting`] names the first that does not.
    pub fn check(&self) -> Result<(), TrainError> {
        let setting = |name, value: String, expected| Err(TrainError::Setting { name, value, expected });
        if self.rank == 0 || self.rank > MAX_RANK {
            return setting("the rank", self.rank.to_string(), "between 1 and 64");
        }
        if !self.alpha.is_finite() || self.alpha <= 0.0 {
            return setting("alpha", self.alpha.to_string(), "a number above 0");
        }
        if self.targets.is_empty() {
            return setting("the list of projections", "empty".into(), "one projection or more");
        }
        if self.steps == 0 {
            return setting("the number of steps", self.steps.to_string(), "1 or more");
        }
        if !self.learning_rate.is_finite() || self.learning_rate <= 0.0 {
            return setting("the learning rate", self.learning_rate.to_string(), "a number above 0");
        }
        let not_negative = [("the weight decay", self.weight_decay), ("the clipping norm", self.clip)];
        for (name, value) in not_negative {
            if !value.is_finite() || value < 0.0 {
                return setting(name, value.to_string(), "0 or a number above it");
            }
        }
        if !(0.0..1.0).contains(&self.dropout) {
            return setting("the dropout", self.dropout.to_string(), "at least 0 and below 1");
        }
        if self.max_tokens < 2 {
            return setting("the longest example", self.max_tokens.to_string(), "2 tokens or more");
        }
        Ok(())
    }

    /// What the correction is multiplied with: α/r.
    #[must_use]
    pub fn scale(&self) -> f32 {
        self.alpha / self.rank as f32
    }

    /// Learning rate of step `step`, from 0.
    #[must_use]
    pub fn rate(&self, step: u32) -> f64 {
        if step < self.warmup {
            return self.learning_rate * f64::from(step + 1) / f64::from(self.warmup);
        }
        let rest = self.steps.saturating_sub(self.warmup).max(1);
        let done = (f64::from(step - self.warmup) / f64::from(rest)).min(1.0);
        match self.schedule {
            Schedule::Constant => self.learning_rate,
            Schedule::Linear => self.learning_rate * (1.0 - done),
            Schedule::Cosine => self.learning_rate * 0.5 * (1.0 + (PI * done).cos()),
        }
    }
}

/// Which examples step `step` (from 0) learns from: `batch` of `count`, every one once before any comes again, in an
/// order that is new for each round. It follows from its arguments alone, so that a training that goes on from a
/// checkpoint sees what it would have seen.
#[must_use]
pub fn order(seed: u64, count: usize, batch: usize, step: u32) -> Vec<usize> {
    if count == 0 {
        return Vec::new();
    }
    let first = step as u64 * batch as u64;
    let mut shuffled: Option<(u64, Vec<usize>)> = None;
    (first..first + batch as u64)
        .map(|position| {
            let (round, place) = (position / count as u64, (position % count as u64) as usize);
            match &shuffled {
                Some((of, order)) if *of == round => order[place],
                _ => {
                    let order = shuffle(seed, round, count);
                    let index = order[place];
                    shuffled = Some((round, order));
                    index
                }
            }
        })
        .collect()
}

/// Fisher and Yates, by the numbers of [`mix`].
fn shuffle(seed: u64, round: u64, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let key = mix(seed ^ mix(round));
    for last in (1..count).rev() {
        order.swap(last, (mix(key ^ last as u64) % (last as u64 + 1)) as usize);
    }
    order
}

/// A number that looks random and follows from `x` (the finaliser of splitmix64).
#[must_use]
pub(super) const fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_rises_and_falls() {
        let settings =
            |schedule| Settings { steps: 10, warmup: 2, learning_rate: 1.0, schedule, ..Settings::default() };
        let rates = |schedule| (0..11).map(|step| settings(schedule).rate(step)).collect::<Vec<_>>();
        assert_eq!(rates(Schedule::Constant), [0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        assert_eq!(rates(Schedule::Linear)[..5], [0.5, 1.0, 1.0, 0.875, 0.75]);
        assert_eq!(rates(Schedule::Linear)[10], 0.0);
        let cosine = rates(Schedule::Cosine);
        assert!((cosine[6] - 0.5).abs() < 1e-12 && cosine[10] < 1e-12);
    }

    #[test]
    fn an_order_has_every_example_once_a_round() {
        let all: Vec<usize> = (0..7).flat_map(|step| order(5, 7, 3, step)).collect();
        for round in all.chunks(7) {
            let mut sorted = round.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4, 5, 6]);
        }
        assert_ne!(all[..7], all[7..14]);
        assert_ne!(order(5, 7, 7, 0), order(6, 7, 7, 0));
        assert!(order(5, 0, 3, 0).is_empty());
    }

    #[test]
    fn settings_that_make_no_sense_are_named() {
        let wrong = [
            Settings { rank: 65, ..Settings::default() },
            Settings { learning_rate: f64::NAN, ..Settings::default() },
            Settings { dropout: 1.0, ..Settings::default() },
            Settings { targets: Vec::new(), ..Settings::default() },
        ];
        for settings in wrong {
            assert!(matches!(settings.check(), Err(TrainError::Setting { .. })), "{settings:?}");
        }
        assert!(Settings::default().check().is_ok());
    }
}
