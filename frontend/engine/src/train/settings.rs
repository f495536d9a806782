//! What a person chooses, and what follows from it for each step.

use std::f64::consts::PI;

use super::{Setting, TrainError};
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
        let bad = |setting, value: String| Err(TrainError::Setting { setting, value });
        if self.rank == 0 || self.rank > MAX_RANK {
            return bad(Setting::Rank, self.rank.to_string());
        }
        if !self.alpha.is_finite() || self.alpha <= 0.0 {
            return bad(Setting::Alpha, self.alpha.to_string());
        }
        if self.targets.is_empty() {
            return bad(Setting::Targets, "empty".into());
        }
        if self.steps == 0 {
            return bad(Setting::Steps, self.steps.to_string());
        }
        if !self.learning_rate.is_finite() || self.learning_rate <= 0.0 {
            return bad(Setting::LearningRate, self.learning_rate.to_string());
        }
        let not_negative = [(Setting::WeightDecay, self.weight_decay), (Setting::Clipping, self.clip)];
        for (name, value) in not_negative {
            if !value.is_finite() || value < 0.0 {
                return bad(name, value.to_string());
            }
        }
        if !(0.0..1.0).contains(&self.dropout) {
            return bad(Setting::Dropout, self.dropout.to_string());
        }
        if self.max_tokens < 2 {
            return bad(Setting::MaxTokens, self.max_tokens.to_string());
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
