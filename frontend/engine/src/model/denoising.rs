//! The sampler of diffusion models: its settings, which positions of a step are accepted, and when a block ends
//! (specification §13.4).

use std::collections::VecDeque;

/// Maximum length of a canvas in tokens. Published models use 256. Working memory and rings are sized from it.
pub const MAX_CANVAS: u32 = 512;
/// Maximum number of steps per block that is accepted.
const MAX_STEPS: u32 = 4096;
/// Maximum number of earlier canvases that are compared.
const MAX_STABILITY: u32 = 64;

/// The settings of the sampler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Denoising {
    /// Length of a canvas in tokens.
    pub canvas: u32,
    /// Maximum number of steps per block.
    pub steps: u32,
    /// Lower end of the temperature schedule. The last step is one increment above it.
    pub t_min: f32,
    /// Temperature of the first step.
    pub t_max: f32,
    /// Maximum total entropy, in nats, of the positions accepted before another one in the same step.
    pub entropy_bound: f32,
    /// A block ends only if this many previous steps had the same argmax ids.
    pub stability: u32,
    /// A block ends only if the mean entropy, in nats, is below this.
    pub confidence: f32,
}

impl Default for Denoising {
    fn default() -> Self {
        Self {
            canvas: 256,
            steps: 48,
            t_min: 0.4,
            t_max: 0.8,
            entropy_bound: 0.1,
            stability: 1,
            confidence: 0.005,
        }
    }
}

/// An invalid setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} = {value}, but {expected}")]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub struct DenoisingError {
    /// The key of metadata without its prefix.
    pub key: &'static str,
    pub value: String,
    pub expected: &'static str,
}

impl Denoising {
    /// Checks the settings, for canvases of at most `most` tokens.
    ///
    /// # Errors
    /// [`DenoisingError`] names the first invalid setting.
    pub fn check(&self, most: u32) -> Result<(), DenoisingError> {
        let wrong = |key, value: &dyn ToString, expected| {
            Err(DenoisingError { key, value: value.to_string(), expected })
        };
        if self.canvas == 0 || self.canvas > most {
            return wrong("canvas_length", &self.canvas, "a canvas has 1 to 512 positions");
        }
        if self.steps == 0 || self.steps > MAX_STEPS {
            return wrong("eb_max_steps", &self.steps, "a block takes 1 to 4096 steps");
        }
        let positive = |value: f32| value.is_finite() && value > 0.0;
        if !positive(self.t_max) {
            return wrong("eb_t_max", &self.t_max, "a temperature is a finite number above zero");
        }
        if !positive(self.t_min) || self.t_min > self.t_max {
            return wrong("eb_t_min", &self.t_min, "it must be above zero, and not above eb_t_max");
        }
        for (key, value) in
            [("eb_entropy_bound", self.entropy_bound), ("eb_confidence_threshold", self.confidence)]
        {
            if !value.is_finite() || value < 0.0 {
                return wrong(key, &value, "it must be a finite number, and not negative");
            }
        }
        if self.stability > MAX_STABILITY {
            return wrong("eb_stability_threshold", &self.stability, "at most 64 canvases are compared");
        }
        Ok(())
    }

    /// Returns the temperature of step `step`, counted from 0.
    pub fn temperature(&self, step: u32) -> f32 {
        let left = f64::from(self.steps.saturating_sub(step)) / f64::from(self.steps);
        let (least, most) = (f64::from(self.t_min), f64::from(self.t_max));
        (least + (most - least) * left) as f32
    }

    /// Which positions are accepted: in order of entropy, while the total entropy of those before is within the bound.
    /// The position with the lowest entropy is always accepted.
    pub fn accepted(&self, entropies: &[f32]) -> Vec<bool> {
        let mut order: Vec<usize> = (0..entropies.len()).collect();
        order.sort_by(|&a, &b| entropies[a].total_cmp(&entropies[b]));
        let mut accepted = vec![false; entropies.len()];
        let mut before = 0.0_f64;
        for position in order {
            accepted[position] = before <= f64::from(self.entropy_bound);
            before += f64::from(entropies[position]);
        }
        accepted
    }
}

/// The argmax ids of the last steps of a block, for the stopping rule.
#[derive(Clone, Debug, Default)]
pub struct Stability(VecDeque<Vec<u32>>);

impl Stability {
    /// Returns whether the block ends after a step with these argmax ids and entropies.
    pub fn ends(&mut self, settings: &Denoising, likeliest: &[u32], entropies: &[f32]) -> bool {
        let wanted = settings.stability as usize;
        let is_stable =
            self.0.len() >= wanted && self.0.iter().rev().take(wanted).all(|ids| ids == likeliest);
        let sum: f64 = entropies.iter().map(|&entropy| f64::from(entropy)).sum();
        let mean = sum / entropies.len().max(1) as f64;
        self.0.push_back(likeliest.to_vec());
        while self.0.len() > wanted {
            self.0.pop_front();
        }
        is_stable && mean < f64::from(settings.confidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_accepted_while_the_entropy_before_them_is_within_the_bound() {
        let accepted = |entropies: &[f32], entropy_bound| {
            Denoising { entropy_bound, ..Denoising::default() }.accepted(entropies)
        };
        assert_eq!(accepted(&[0.05, 0.04, 0.2, 0.01], 0.1), [true; 4]);
        assert_eq!(accepted(&[0.05, 0.04, 0.2, 0.01], 0.09), [true, true, false, true]);
        assert_eq!(accepted(&[2.0, 1.0, 3.0], 0.0), [false, true, false]);
        assert_eq!(accepted(&[0.0, 0.0], 0.0), [true; 2]);
    }

    #[test]
    fn temperatures_fall_from_the_first_step_to_the_last() {
        let settings = Denoising::default();
        assert_eq!(settings.temperature(0), 0.8);
        assert!((settings.temperature(47) - 0.408_333_33).abs() < 1e-7);
        assert!((0..47).all(|step| settings.temperature(step) > settings.temperature(step + 1)));
    }

    #[test]
    fn a_block_ends_when_it_is_stable_and_certain() {
        let ends = |stability, steps: &[(u32, f32)]| {
            let settings = Denoising { stability, ..Denoising::default() };
            let mut seen = Stability::default();
            steps.iter().map(|&(id, entropy)| seen.ends(&settings, &[id], &[entropy])).collect::<Vec<_>>()
        };
        assert_eq!(ends(1, &[(7, 0.0), (7, 0.0)]), [false, true]);
        assert_eq!(ends(1, &[(7, 0.0), (8, 0.0), (8, 0.005), (8, 0.004)]), [false, false, false, true]);
        assert_eq!(ends(0, &[(7, 0.1), (8, 0.0)]), [false, true]);
        assert_eq!(ends(2, &[(7, 0.0), (7, 0.0), (7, 0.0), (8, 0.0)]), [false, false, true, false]);
    }

    #[test]
    fn settings_that_cannot_be_are_refused_by_their_key() {
        let usual = Denoising::default();
        assert_eq!(usual.check(MAX_CANVAS), Ok(()));
        let wrong = [
            ("canvas_length", Denoising { canvas: 0, ..usual }),
            ("canvas_length", Denoising { canvas: MAX_CANVAS + 1, ..usual }),
            ("eb_max_steps", Denoising { steps: 0, ..usual }),
            ("eb_max_steps", Denoising { steps: u32::MAX, ..usual }),
            ("eb_t_min", Denoising { t_min: 0.0, ..usual }),
            ("eb_t_min", Denoising { t_min: 0.9, ..usual }),
            ("eb_t_max", Denoising { t_max: f32::INFINITY, ..usual }),
            ("eb_entropy_bound", Denoising { entropy_bound: -1.0, ..usual }),
            ("eb_confidence_threshold", Denoising { confidence: f32::NAN, ..usual }),
            ("eb_stability_threshold", Denoising { stability: u32::MAX, ..usual }),
        ];
        for (key, settings) in wrong {
            assert_eq!(settings.check(MAX_CANVAS).map_err(|error| error.key), Err(key), "{settings:?}");
        }
    }
}
