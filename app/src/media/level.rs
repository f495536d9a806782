//! How loud sound is.

/// Softer than this at its loudest is silence: −60 dB of full scale.
pub const SILENCE: f32 = 0.001;
/// The meter begins here, in dB of full scale.
const FLOOR_DB: f32 = -60.0;

/// Returns the loudest sample, from 0 to 1.
#[must_use]
pub fn peak(samples: &[f32]) -> f32 {
    samples.iter().fold(0.0_f32, |most, sample| most.max(sample.abs())).min(1.0)
}

/// Returns where a meter stands for the mean power of these samples, from 0 to 1. It follows decibels, as ears do.
#[must_use]
pub fn meter(samples: &[f32]) -> f32 {
    if samples.is_empty() {
        return 0.0;
    }
    let power = samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len() as f32;
    let decibels = 10.0 * power.max(1e-12).log10();
    (1.0 - decibels / FLOOR_DB).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meter_stands_at_its_ends() {
        assert_eq!(meter(&[]), 0.0);
        assert_eq!(meter(&[0.0; 10]), 0.0);
        assert!((meter(&[1.0, -1.0]) - 1.0).abs() < 1e-6);
        // −20 dB is two thirds of the way up.
        assert!((meter(&[0.1, -0.1]) - 2.0 / 3.0).abs() < 1e-4);
    }

    #[test]
    fn the_loudest_sample_counts_whatever_its_sign() {
        assert_eq!(peak(&[0.1, -0.5, 0.2]), 0.5);
        assert!(peak(&[0.0005]) < SILENCE);
        assert_eq!(peak(&[-3.0]), 1.0);
    }
}
