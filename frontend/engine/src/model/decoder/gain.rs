//! When drafting tokens pays: rounds of several rows against single tokens, by measured time.

use shaders::matmul::FewRows;

/// Rows of a round, at first and where every draft was accepted.
pub const ROWS: [u32; 2] = [4, 8];

/// When tokens are drafted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drafts {
    /// Never.
    #[default]
    Never,
    /// Where that is measured to be faster: by look-up in prompt and answer, by a drafter if there is one.
    Measured,
    /// Always by the drafter, or without one whenever there is a match, so many at a time; for tests and measurements.
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

/// What drafts tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftSource {
    /// Look-up of the last tokens in the sequence.
    LookUp,
    /// The drafter.
    Drafter,
}

/// Weight of the newest measurement.
const NEWEST: f64 = 0.4;
/// Minimum gain to go on drafting.
const MIN_GAIN: f64 = 1.05;
/// Submits without drafts after rounds that did not pay: at first, and at most. The number doubles each time, so
/// that text that repeats little costs little.
const PAUSE: [u32; 2] = [4, 64];
/// Maximum pause that is carried over to the next answer, which often resembles the last one.
const PAUSE_BETWEEN: u32 = 16;

/// Decides what drafts the next submit, and how many rows its rounds have.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gain {
    drafts: Drafts,
    /// Milliseconds of a token without drafts.
    token_ms: Option<f64>,
    look_up: Record,
    drafter: Record,
    /// Tokens of the drafter's rounds for the time of one without drafts, smoothed; 0 before the first round and after a pause.
    drafter_gain: f64,
}

/// How the rounds of one source went.
#[derive(Clone, Copy, Debug)]
struct Record {
    /// Whether the last rounds accepted nearly everything.
    more: bool,
    /// Submits until it is tried again.
    pause: u32,
    next_pause: u32,
}

impl Default for Record {
    fn default() -> Self {
        Self { more: false, pause: 0, next_pause: PAUSE[0] }
    }
}

impl Gain {
    /// Begins another answer. The first one starts without drafts, since no token has been timed yet.
    #[must_use]
    pub fn begin(self, drafts: Drafts) -> Self {
        let begin = |record: Record| Record { pause: record.pause.min(PAUSE_BETWEEN), ..record };
        Self { drafts, look_up: begin(self.look_up), drafter: begin(self.drafter), ..self }
    }

    /// What drafts the next submit, out of those that can, and the rows of its rounds. `None` for one token at a time.
    /// What was found in the sequence costs nothing to draft, so it comes first, once the drafter's gain is known.
    pub fn next(&mut self, able: &[DraftSource]) -> Option<(DraftSource, u32)> {
        if let Drafts::Always { .. } = self.drafts {
            return able.last().copied().zip(self.drafts.rows().into_iter().next());
        }
        let mut order = [DraftSource::LookUp, DraftSource::Drafter];
        if self.drafter_gain == 0.0 {
            order.reverse();
        }
        let mut next = None;
        for source in order {
            let record = self.record(source);
            if record.pause > 0 {
                record.pause -= 1;
            } else if able.contains(&source) {
                next = next.or(Some((source, ROWS[usize::from(record.more)])));
            }
        }
        next.filter(|_| self.token_ms.is_some())
    }

    /// Records that `count` tokens without drafts took `ms`.
    pub fn learn_tokens(&mut self, count: u32, ms: f64) {
        let measured = ms / f64::from(count.max(1));
        let before = self.token_ms.unwrap_or(measured);
        self.token_ms = Some(before + NEWEST * (measured - before));
    }

    /// Records that `rounds` of `rows` rows gave `count` tokens in `ms`. Look-up is to be at least as fast as the drafter.
    pub fn learn_rounds(&mut self, source: DraftSource, rounds: u32, rows: u32, count: u32, ms: f64) {
        let gain = self.token_ms.map_or(1.0, |token| f64::from(count) * token / ms.max(1e-3));
        let pays = match source {
            DraftSource::LookUp => gain >= MIN_GAIN.max(self.drafter_gain),
            // One submit says little: few drafts, or many, may be accepted by chance.
            DraftSource::Drafter => {
                let before = if self.drafter_gain > 0.0 { self.drafter_gain } else { gain };
                self.drafter_gain = before + NEWEST * (gain - before);
                let pays = self.drafter_gain >= MIN_GAIN;
                if !pays {
                    self.drafter_gain = 0.0;
                }
                pays
            }
        };
        let record = self.record(source);
        if !pays {
            record.more = false;
            record.pause = record.next_pause;
            record.next_pause = (2 * record.next_pause).min(PAUSE[1]);
        } else {
            record.more = 8 * count >= 7 * rounds * rows;
            record.next_pause = PAUSE[0];
        }
    }

    fn record(&mut self, source: DraftSource) -> &mut Record {
        match source {
            DraftSource::LookUp => &mut self.look_up,
            DraftSource::Drafter => &mut self.drafter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DraftSource::{Drafter, LookUp};
    use super::*;

    /// Tokens a millisecond, against 1 for tokens one at a time, of 1000 submits. `able` says what can draft a submit,
    /// `accepted` the number of tokens of a round with these rows, which takes `cost` times as long as a token.
    fn speed(
        able: impl Fn(u32) -> &'static [DraftSource],
        accepted: impl Fn(DraftSource, u32) -> u32,
        cost: f64,
    ) -> f64 {
        speed_of_answers(1000, able, accepted, cost)
    }

    /// The same for answers of this many submits.
    fn speed_of_answers(
        length: u32,
        able: impl Fn(u32) -> &'static [DraftSource],
        accepted: impl Fn(DraftSource, u32) -> u32,
        cost: f64,
    ) -> f64 {
        let mut gain = Gain::default();
        let (mut tokens, mut ms) = (0, 0.0);
        for submit in 0..1000 {
            if submit % length == 0 {
                gain = gain.begin(Drafts::Measured);
            }
            let (count, took) = match gain.next(able(submit)) {
                None => {
                    gain.learn_tokens(2, 2.0);
                    (2, 2.0)
                }
                Some((source, rows)) => {
                    let (count, took) = (2 * accepted(source, rows), 2.0 * cost);
                    gain.learn_rounds(source, 2, rows, count, took);
                    (count, took)
                }
            };
            (tokens, ms) = (tokens + count, ms + took);
        }
        f64::from(tokens) / ms
    }

    #[test]
    fn drafts_that_are_accepted_are_used() {
        assert!(speed(|_| &[LookUp], |_, rows| rows, 1.3) > 5.5, "all of them: eight rows");
        assert!(speed(|_| &[Drafter], |_, _| 2, 1.3) > 1.5, "one of them");
    }

    #[test]
    fn drafts_that_are_rejected_cost_little() {
        assert!(speed(|_| &[LookUp], |_, _| 1, 1.3) > 0.98);
        assert!(speed(|_| &[Drafter], |_, _| 2, 3.0) > 0.98, "where rows are expensive");
        assert!(speed(|_| &[LookUp, Drafter], |_, _| 1, 1.3) > 0.97, "of either source");
    }

    #[test]
    fn drafts_that_are_rejected_cost_little_in_short_answers() {
        let speed = speed_of_answers(6, |_| &[Drafter], |_, _| 1, 1.3);
        assert!(speed > 0.97, "{speed}");
        let speed = speed_of_answers(6, |_| &[Drafter], |_, rows| rows, 1.3);
        assert!(speed > 4.0, "accepted ones pay there: {speed}");
    }

    #[test]
    fn an_answer_that_repeats_is_drafted_soon_after_others_that_did_not() {
        let mut gain = Gain::default().begin(Drafts::Measured);
        let submit = |gain: &mut Gain, accepted: u32| match gain.next(&[Drafter]) {
            None => gain.learn_tokens(2, 2.0),
            Some((source, rows)) => gain.learn_rounds(source, 2, rows, 2 * accepted, 2.6),
        };
        (0..500).for_each(|_| submit(&mut gain, 1));
        gain = gain.begin(Drafts::Measured);
        let waits = (0..).take_while(|_| {
            let is_paused = gain.next(&[Drafter]).is_none();
            gain.learn_tokens(2, 2.0);
            is_paused
        });
        assert!(waits.count() <= PAUSE_BETWEEN as usize);
    }

    #[test]
    fn of_two_sources_the_faster_drafts() {
        let better = |best| move |source, rows: u32| if source == best { rows.min(6) } else { 2 };
        let both = |best| speed(|_| &[LookUp, Drafter], better(best), 1.3);
        assert!(both(LookUp) > 3.5, "{}", both(LookUp));
        assert!(both(Drafter) > 3.5, "{}", both(Drafter));
        // A quarter of the submits repeats something.
        let copies = |submit: u32| -> &[DraftSource] {
            if submit % 100 < 25 { &[LookUp, Drafter] } else { &[Drafter] }
        };
        let [drafter, with_look_up] = [[3, 3], [8, 3]].map(|[look_up, drafter]| {
            speed(copies, |source, rows| rows.min(if source == LookUp { look_up } else { drafter }), 1.3)
        });
        assert!(with_look_up > 1.3 * drafter, "{with_look_up} against {drafter}");
    }

    #[test]
    fn nothing_is_drafted_without_a_source_or_before_a_token_was_timed() {
        let mut gain = Gain::default().begin(Drafts::Measured);
        assert_eq!(gain.next(&[LookUp]), None);
        gain.learn_tokens(1, 1.0);
        assert_eq!((gain.next(&[]), gain.next(&[LookUp])), (None, Some((LookUp, ROWS[0]))));
        let mut next_answer = gain.begin(Drafts::Measured);
        assert_eq!(next_answer.next(&[Drafter]), Some((Drafter, ROWS[0])));
        let mut always = Gain::default().begin(Drafts::Always { count: 3 });
        assert_eq!(always.next(&[LookUp, Drafter]), Some((Drafter, 4)));
    }
}
