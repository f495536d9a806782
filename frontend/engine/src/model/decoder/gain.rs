//! When drafting tokens pays: rounds of several rows against single tokens, by measured time.

use shaders::matmul::FewRows;

/// Rows of a round, at first and where every draft was accepted.
pub const ROWS: [u32; 2] = [4, 8];

/// When tokens are drafted: by a drafter if there is one, otherwise by look-up in prompt and answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drafts {
    /// Never.
    #[default]
    Never,
    /// Where that is measured to be faster.
    Measured,
    /// Whenever there is a match, so many at a time; for tests and measurements.
    Always {
        /// Drafted tokens of a round, from 1 to 7.
        count: u32,
    },
}

impl Drafts {
    /// The numbers of rows that rounds may have: the last token and the drafts.
    pub fn rows(self) -> Vec<u32> {
        match self {
            Self::Never => Vec::new(),
            Self::Measured => ROWS.to_vec(),
            Self::Always { count } => vec![count.clamp(1, FewRows::MOST - 1) + 1],
        }
    }
}

/// Weight of the newest measurement.
const NEWEST: f64 = 0.4;
/// Minimum gain to go on drafting.
const MIN_GAIN: f64 = 1.05;
/// Submits without drafts after rounds that did not pay: at first, and at most. The number doubles each time, so
/// that text that repeats little costs little.
const PAUSE: [u32; 2] = [4, 64];

/// Decides how many rows the next submit has.
#[derive(Clone, Debug)]
pub struct Gain {
    drafts: Drafts,
    /// Milliseconds of a token without drafts.
    token_ms: Option<f64>,
    /// Whether the last rounds accepted nearly everything.
    more: bool,
    /// Submits until drafts are tried again.
    pause: u32,
    next_pause: u32,
}

impl Gain {
    /// Starts without drafts if it is not known how many milliseconds a token takes without them.
    #[must_use]
    pub fn new(drafts: Drafts, token_ms: Option<f64>) -> Self {
        Self { drafts, token_ms, more: false, pause: 0, next_pause: PAUSE[0] }
    }

    /// Milliseconds of a token without drafts, for the next answer.
    #[must_use]
    pub fn token_ms(&self) -> Option<f64> {
        self.token_ms
    }

    /// Rows of the next submit: 1 for none drafted. `has_match` says whether anything could be drafted.
    pub fn rows(&mut self, has_match: bool) -> u32 {
        if let Drafts::Always { .. } = self.drafts {
            return self.drafts.rows().into_iter().find(|_| has_match).unwrap_or(1);
        }
        if self.pause > 0 {
            self.pause -= 1;
            return 1;
        }
        if self.token_ms.is_none() || !has_match {
            return 1;
        }
        ROWS[usize::from(self.more)]
    }

    /// Records that `count` tokens without drafts took `ms`.
    pub fn learn_tokens(&mut self, count: u32, ms: f64) {
        let measured = ms / f64::from(count.max(1));
        let before = self.token_ms.unwrap_or(measured);
        self.token_ms = Some(before + NEWEST * (measured - before));
    }

    /// Records that `rounds` of `rows` rows gave `count` tokens in `ms`.
    pub fn learn_rounds(&mut self, rounds: u32, rows: u32, count: u32, ms: f64) {
        let gain = self.token_ms.map_or(1.0, |token| f64::from(count) * token / ms.max(1e-3));
        if gain < MIN_GAIN {
            self.more = false;
            self.pause = self.next_pause;
            self.next_pause = (2 * self.next_pause).min(PAUSE[1]);
        } else {
            self.more = 8 * count >= 7 * rounds * rows;
            self.next_pause = PAUSE[0];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens a millisecond, against 1 for tokens one at a time, of 1000 submits. `accepted` is the number of tokens of
    /// a round with these rows, which takes `cost` times as long as a token.
    fn speed(accepted: impl Fn(u32) -> u32, cost: f64) -> f64 {
        let mut gain = Gain::new(Drafts::Measured, None);
        let (mut tokens, mut ms) = (0, 0.0);
        for _ in 0..1000 {
            let rows = gain.rows(true);
            let (count, took) = if rows == 1 { (2, 2.0) } else { (2 * accepted(rows), 2.0 * cost) };
            if rows == 1 {
                gain.learn_tokens(count, took)
            } else {
                gain.learn_rounds(2, rows, count, took)
            }
            (tokens, ms) = (tokens + count, ms + took);
        }
        f64::from(tokens) / ms
    }

    #[test]
    fn drafts_that_are_accepted_are_used() {
        assert!(speed(|rows| rows, 1.3) > 5.5, "all of them: eight rows");
        assert!(speed(|_| 2, 1.3) > 1.5, "one of them");
    }

    #[test]
    fn drafts_that_are_rejected_cost_little() {
        assert!(speed(|_| 1, 1.3) > 0.98);
        assert!(speed(|_| 2, 3.0) > 0.98, "where rows are expensive");
    }

    #[test]
    fn nothing_is_drafted_without_a_match_or_before_a_token_was_timed() {
        let mut gain = Gain::new(Drafts::Measured, None);
        assert_eq!(gain.rows(true), 1);
        gain.learn_tokens(1, 1.0);
        assert_eq!((gain.rows(false), gain.rows(true)), (1, ROWS[0]));
        let mut next_answer = Gain::new(Drafts::Measured, gain.token_ms());
        assert_eq!(next_answer.rows(true), ROWS[0]);
    }
}
