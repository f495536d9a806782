//! Between the page's settings and the trainer's.

use engine::adapter::Projection;
use engine::train::{Schedule, Settings};
use protocol::tune::{self, TuneLength, TuneSettings, TuneTarget};

/// Examples a step at most.
const MAX_EXAMPLES: u32 = 256;
/// Steps of a run at most.
const MAX_STEPS: u32 = 1_000_000;
/// Of a run that lasts until the examples are learned: passes over few examples at most, steps over more, and passes
/// over however many there are. Eight short facts took the built-in model fewer than 50 passes at the default settings.
const MAX_PASSES: u64 = 100;
const USUAL_STEPS: u64 = 400;
const MIN_PASSES: u64 = 3;

/// Optimiser steps of a run over so many examples.
pub fn steps(settings: &TuneSettings, examples: usize) -> u32 {
    let passes = |passes: u64| (passes * examples as u64).div_ceil(u64::from(batch(settings)));
    let steps = match settings.length {
        TuneLength::Steps(steps) => u64::from(steps),
        TuneLength::Rounds(rounds) => passes(rounds.into()),
        TuneLength::UntilLearned => passes(MAX_PASSES).min(USUAL_STEPS).max(passes(MIN_PASSES)),
    };
    steps.clamp(1, MAX_STEPS.into()) as u32
}

/// Examples a step.
pub fn batch(settings: &TuneSettings) -> u32 {
    settings.accumulation.clamp(1, MAX_EXAMPLES)
}

/// The trainer's settings for a run of so many steps. `longest` is the tokens of the longest example: buffers need not
/// be larger.
pub fn settings(settings: &TuneSettings, steps: u32, longest: u32) -> Settings {
    let warmup = (f64::from(settings.warmup.clamp(0.0, 1.0)) * f64::from(steps)).round() as u32;
    Settings {
        rank: settings.rank,
        alpha: settings.alpha,
        targets: settings.targets.iter().map(|&target| projection(target)).collect(),
        steps,
        learning_rate: f64::from(settings.learning_rate),
        weight_decay: f64::from(settings.weight_decay),
        schedule: match settings.schedule {
            tune::Schedule::Constant => Schedule::Constant,
            tune::Schedule::Linear => Schedule::Linear,
            tune::Schedule::Cosine => Schedule::Cosine,
        },
        warmup,
        clip: f64::from(settings.clip),
        dropout: settings.dropout,
        seed: settings.seed,
        max_tokens: longest.min(settings.max_tokens).max(2),
    }
}

fn projection(target: TuneTarget) -> Projection {
    match target {
        TuneTarget::Q => Projection::Q,
        TuneTarget::K => Projection::K,
        TuneTarget::V => Projection::V,
        TuneTarget::Output => Projection::Output,
        TuneTarget::Gate => Projection::Gate,
        TuneTarget::Up => Projection::Up,
        TuneTarget::Down => Projection::Down,
        TuneTarget::PleGate => Projection::PleGate,
        TuneTarget::PleProjection => Projection::PleProjection,
        TuneTarget::Router => Projection::Router,
        TuneTarget::ExpertGateUp => Projection::ExpertGateUp,
        TuneTarget::ExpertDown => Projection::ExpertDown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_become_steps() {
        let with = |length, accumulation| TuneSettings { length, accumulation, ..TuneSettings::default() };
        assert_eq!(steps(&with(TuneLength::Rounds(3), 4), 10), 8);
        assert_eq!(steps(&with(TuneLength::Rounds(0), 4), 10), 1);
        assert_eq!(steps(&with(TuneLength::Rounds(u32::MAX), 1), 1000), MAX_STEPS);
        assert_eq!(steps(&with(TuneLength::Steps(7), 0), 10), 7);
        assert_eq!(steps(&with(TuneLength::UntilLearned, 4), 8), 200);
        assert_eq!(steps(&with(TuneLength::UntilLearned, 4), 100), 400);
        assert_eq!(steps(&with(TuneLength::UntilLearned, 4), 10_000), 7_500);
    }

    #[test]
    fn every_target_is_another_projection_and_none_is_missing() {
        let all =
            settings(&TuneSettings { targets: TuneTarget::ALL.to_vec(), ..TuneSettings::default() }, 1, 8);
        assert_eq!(all.targets, Projection::ALL);
        let usual = settings(&TuneSettings::default(), 1, 8);
        assert_eq!(usual.targets, Settings::default().targets);
        assert!(!usual.targets.contains(&Projection::Router));
    }

    #[test]
    fn the_warm_up_is_a_share_of_the_steps() {
        let found = settings(&TuneSettings { warmup: 0.1, ..TuneSettings::default() }, 50, 40);
        assert_eq!((found.warmup, found.steps, found.max_tokens), (5, 50, 40));
        assert!(found.check().is_ok());
    }
}
