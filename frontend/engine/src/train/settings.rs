//! Training settings, and the values that follow from them for each step.

use std::f64::consts::PI;

use super::{Setting, TrainError};
use crate::adapter::{MAX_RANK, Projection};

/// The learning rate after the warm-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// Constant.
    #[default]
    Constant,
    /// Linear decay to 0.
    Linear,
    /// Cosine decay to 0.
    Cosine,
}

/// Training settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Rank of the factors, 1 to 64.
    pub rank: u32,
    /// The correction is scaled by `alpha / rank`.
    pub alpha: f32,
    /// The projections to train, in every layer that computes them. [`Projection::Router`] is not among the usual ones: it
    /// changes which experts a token gets, and adds rank·(width + experts) parameters to a layer of a mixture. Neither are
    /// [`Projection::OF_EXPERTS`], which add as many as their matrices have for every expert. In the 26B at rank 8 the usual
    /// seven have 9.3 million parameters, routers 0.7 million (11 MB with gradients and moments), experts 238 million (3.8 GB).
    pub targets: Vec<Projection>,
    /// Number of optimiser steps: the end of the schedule.
    pub steps: u32,
    /// Peak learning rate.
    pub learning_rate: f64,
    /// Decoupled weight decay.
    pub weight_decay: f64,
    /// The learning rate after the warm-up.
    pub schedule: Schedule,
    /// Number of steps in which the learning rate increases linearly.
    pub warmup: u32,
    /// Maximum gradient norm; 0 for no limit.
    pub clip: f64,
    /// Dropout probability of the inputs of A; of experts, nothing is dropped, as in PEFT.
    pub dropout: f32,
    /// Seed of initialisation, dropout and order.
    pub seed: u64,
    /// Maximum number of tokens per example: buffers have this size.
    pub max_tokens: u32,
}

impl Default for Settings {
    /// Rank 8 on all seven projections of a layer; the values of specification §12.4.
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
    /// Checks that every value is in its range.
    ///
    /// # Errors
    /// [`TrainError::Setting`] for the first invalid value.
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

    /// Factor of the correction: α/r.
    pub fn scale(&self) -> f32 {
        self.alpha / self.rank as f32
    }

    /// Learning rate of step `step`, from 0.
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
