//! The number of tokens per submit.

use crate::model::sampling_plans::OUT_LEN;

/// Maximum number of pending submits: one runs while the next is encoded.
pub const DEPTH: usize = 2;
/// Maximum number of tokens per submit: all pending ones must fit the ring of ids.
pub const MAX_PER_SUBMIT: u32 = 16;
const _: () = assert!(MAX_PER_SUBMIT as usize * DEPTH < OUT_LEN as usize);

/// Maximum delay between pieces of text, and for stopping, in milliseconds.
const SMOOTH_MS: f64 = 40.0;
/// Maximum delay if waiting is slow, so that more tokens per submit pay off.
const PATIENT_MS: f64 = 250.0;

/// Finds the number by measuring: it grows as long as output stays smooth, or becomes clearly faster.
#[derive(Clone, Debug)]
pub struct Pace {
    count: u32,
    most: u32,
    best_per_token: f64,
}

impl Pace {
    /// Starts with one token, so that the first one is not delayed.
    #[must_use]
    pub fn new(most: u32) -> Self {
        Self { count: 1, most: most.max(1), best_per_token: f64::INFINITY }
    }

    /// Tokens of the next submit.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Records that `count` tokens took `ms`.
    pub fn learn(&mut self, count: u32, ms: f64) {
        if count != self.count {
            return;
        }
        let per_token = ms / f64::from(count);
        let faster = per_token < 0.75 * self.best_per_token;
        self.best_per_token = self.best_per_token.min(per_token);
        if 2.0 * ms < SMOOTH_MS || (faster && ms < PATIENT_MS) {
            self.count = (2 * self.count).min(self.most);
        } else if ms > PATIENT_MS && self.count > 1 {
            self.count /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settle(ms: impl Fn(u32) -> f64) -> u32 {
        let mut pace = Pace::new(16);
        for _ in 0..32 {
            pace.learn(pace.count(), ms(pace.count()));
        }
        pace.count()
    }

    #[test]
    fn a_fast_device_draws_several_and_a_slow_one_few() {
        assert_eq!(settle(|n| 1.0 + 0.5 * f64::from(n)), 16);
        assert!(settle(|n| 60.0 * f64::from(n)) <= 2);
    }

    #[test]
    fn where_waiting_costs_more_than_drawing_many_are_drawn() {
        assert_eq!(settle(|n| 103.0 + 2.0 * f64::from(n)), 16);
    }
}
