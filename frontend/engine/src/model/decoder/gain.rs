//! When drafting tokens pays: rounds of several rows against single tokens.
//!
//! The gain of a round is the number of tokens that it gives, by the number that could be had one at a time meanwhile. What
//! a token and a round [cost](super::costs) is timed before the first answer, so that the first submit drafts if the usual
//! share of accepted drafts pays. From then on those decide that were accepted. Costs are corrected by the times of the
//! answer, since they grow with the position.

use shaders::matmul::FewRows;

use super::costs::{Costs, DraftSource, ROWS, Round};
use crate::model::verify::SHORTEST_MATCH;

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
    /// The same, but by look-up whenever there is a match, and by the drafter otherwise.
    LookUpFirst {
        /// Drafted tokens of a round, from 1 to 7.
        count: u32,
    },
}

impl Drafts {
    /// Returns the numbers of rows that rounds may have: the last token and the drafts.
    pub fn rows(self) -> Vec<u32> {
        match self {
            Self::Never => Vec::new(),
            Self::Measured => ROWS.to_vec(),
            Self::Always { count } | Self::LookUpFirst { count } => {
                vec![count.clamp(1, FewRows::MAX_ROWS - 1) + 1]
            }
        }
    }
}

/// Length of the match that a look-up needs until one has paid: most shorter ones are by chance, and end at the token that
/// is in flight.
const FIRST_MATCH: u32 = 2 * SHORTEST_MATCH;
/// Minimum gain to go on drafting.
const MIN_GAIN: f64 = 1.05;
/// The share of drafts that is expected to be accepted before any was verified. A round of four rows then gives 2.95
/// tokens, so it is tried at once if it costs at most 2.8.
const PRIOR: f64 = 0.8;
/// Number of drafts for which that expectation counts.
const PRIOR_DRAFTS: f64 = 2.0;
/// Weight of the drafter's earlier rounds after each round: one says little, as few drafts, or many, may be accepted by
/// chance.
const KEPT: f64 = 0.85;
/// Submits without drafts after rounds that did not pay: at first, and at most. The number doubles each time, so
/// that text that repeats little costs little.
const PAUSE: [u32; 2] = [4, 64];
/// Maximum pause that is carried over to the next answer, which often resembles the last one.
const PAUSE_BETWEEN: u32 = 16;

/// Decides what drafts the next submit, and how many rows its rounds have.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gain {
    drafts: Drafts,
    costs: Costs,
    look_up: Record,
    drafter: Record,
    /// Whether the last look-up paid: then the text repeats.
    repeats: bool,
    /// Whether a look-up is pending that was submitted without knowing that.
    is_tried: bool,
}

/// How the rounds of one source went.
#[derive(Clone, Copy, Debug)]
struct Record {
    /// Drafts that were accepted, and those that were compared: up to the first wrong one of each round. Older ones
    /// count less.
    accepted: f64,
    compared: f64,
    /// Submits until it is tried again.
    pause: u32,
    next_pause: u32,
}

impl Default for Record {
    fn default() -> Self {
        Self { accepted: 0.0, compared: 0.0, pause: 0, next_pause: PAUSE[0] }
    }
}

impl Record {
    /// Tokens that a round is expected to give.
    fn expected(&self, rows: u32) -> f64 {
        let share = (PRIOR * PRIOR_DRAFTS + self.accepted) / (PRIOR_DRAFTS + self.compared);
        // A draft counts if all before it were accepted.
        (0..rows).rev().fold(0.0, |tokens, _| 1.0 + share * tokens)
    }

    fn learn(&mut self, kept: f64, accepted: f64, compared: f64) {
        (self.accepted, self.compared) = (kept * self.accepted + accepted, kept * self.compared + compared);
    }

    fn pause(&mut self) {
        self.pause = self.next_pause;
        self.next_pause = (2 * self.next_pause).min(PAUSE[1]);
    }
}

impl Gain {
    /// Begins another answer.
    pub fn begin(self, drafts: Drafts) -> Self {
        let begin = |record: Record| Record { pause: record.pause.min(PAUSE_BETWEEN), ..record };
        let [look_up, drafter] = [self.look_up, self.drafter].map(begin);
        Self { drafts, look_up, drafter, repeats: false, is_tried: false, ..self }
    }

    /// Takes over costs that were timed. What is not expected to pay then is tried after a pause.
    pub fn with_costs(mut self, costs: Costs) -> Self {
        self.costs = costs;
        for source in [DraftSource::LookUp, DraftSource::Drafter] {
            if self.of_source(source) < MIN_GAIN {
                let record = self.record(source);
                record.pause = record.pause.max(PAUSE_BETWEEN);
            }
        }
        self
    }

    /// What is known of costs.
    pub fn costs(&self) -> Costs {
        self.costs
    }

    /// Length of the match, in tokens, that the next look-up needs.
    pub fn shortest_match(&self) -> u32 {
        match self.drafts {
            Drafts::Always { .. } | Drafts::LookUpFirst { .. } => SHORTEST_MATCH,
            _ if self.repeats => SHORTEST_MATCH,
            _ => FIRST_MATCH,
        }
    }

    /// What drafts the next submit, out of those that can, and the rows of its rounds, at most `room`. `None` for one token
    /// at a time. Once the drafter's gain is known, look-up comes first, since it pauses unless it is as fast. It is tried by
    /// one submit, as most short matches are by chance.
    pub fn next(&mut self, able: &[DraftSource], room: u32) -> Option<Round> {
        let source = match self.drafts {
            Drafts::Always { .. } => Some(able.last()),
            Drafts::LookUpFirst { .. } => Some(able.first()),
            Drafts::Never | Drafts::Measured => None,
        };
        if let Some(source) = source {
            let round = source.copied().zip(self.drafts.rows().into_iter().next());
            return round.filter(|&(_, rows)| rows <= room);
        }
        let is_known = self.drafter.compared > 0.0;
        let mut next: Option<(f64, Round)> = None;
        for source in [DraftSource::LookUp, DraftSource::Drafter] {
            let record = self.record(source);
            if record.pause > 0 {
                record.pause -= 1;
            } else if able.contains(&source)
                && !(source == DraftSource::LookUp && self.is_tried)
                && let Some(best) = self.best(source, room)
                && next.is_none_or(|(gain, _)| !is_known && best.0 > gain)
            {
                next = Some(best);
            }
        }
        let (_, round) = next?;
        self.is_tried |= round.0 == DraftSource::LookUp && !self.repeats;
        Some(round)
    }

    /// Returns the round of a source that is expected to gain most, and its gain. `None` if none could gain, or no token was
    /// timed.
    fn best(&self, source: DraftSource, room: u32) -> Option<(f64, Round)> {
        let rows = ROWS.into_iter().filter(|&rows| rows <= room);
        let rounds = rows.filter_map(|rows| {
            let cost = self.costs.in_tokens((source, rows))?;
            let gain = self.of(source).expected(rows) / cost;
            (f64::from(rows) >= MIN_GAIN * cost).then_some((gain, (source, rows)))
        });
        rounds.max_by(|(a, _), (b, _)| a.total_cmp(b))
    }

    /// Returns the gain that is expected of a source; 0 if it cannot gain.
    fn of_source(&self, source: DraftSource) -> f64 {
        self.best(source, u32::MAX).map_or(0.0, |(gain, _)| gain)
    }

    /// Records that `count` tokens without drafts took `ms`.
    pub fn learn_tokens(&mut self, count: u32, ms: f64) {
        self.costs.learn(None, ms / f64::from(count.max(1)));
    }

    /// Records that `rounds` gave `count` tokens in `ms`. Look-up is to be at least as fast as the drafter.
    pub fn learn_rounds(&mut self, round: Round, rounds: u32, count: u32, ms: f64) {
        let (source, rows) = round;
        let number = f64::from(rounds.max(1));
        self.costs.learn(Some(round), ms / number);
        let accepted = f64::from(count.saturating_sub(rounds));
        let rejected = (number * f64::from(rows - 1) - accepted).clamp(0.0, number);
        // The gain of these rounds alone.
        let gain = f64::from(count) / (number * self.costs.in_tokens(round).unwrap_or(1.0));
        let pays = match source {
            // Text repeats or it does not: the last submit says it.
            DraftSource::LookUp => {
                self.look_up.learn(0.0, accepted, accepted + rejected);
                let is_known = self.drafter.compared > 0.0;
                let is_faster = !is_known || gain >= self.of_source(DraftSource::Drafter);
                (self.repeats, self.is_tried) = (gain >= MIN_GAIN && is_faster, false);
                self.repeats
            }
            DraftSource::Drafter => {
                self.drafter.learn(KEPT.powf(number), accepted, accepted + rejected);
                self.of_source(source) >= MIN_GAIN
            }
        };
        let record = self.record(source);
        if record.pause > 0 {
            // They were submitted before the pause.
        } else if !pays {
            record.pause();
        } else if gain >= MIN_GAIN {
            record.next_pause = PAUSE[0];
        }
    }

    fn of(&self, source: DraftSource) -> &Record {
        match source {
            DraftSource::LookUp => &self.look_up,
            DraftSource::Drafter => &self.drafter,
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
    use std::collections::VecDeque;

    use super::DraftSource::{Drafter, LookUp};
    use super::*;
    use crate::split_mix;

    /// Tokens a millisecond, against 1 for tokens one at a time, of 1000 submits. `able` says what can draft a submit,
    /// `accepted` the number of tokens of a round with these rows, which takes `cost` times as long as a token.
    fn speed(
        able: impl Fn(u32) -> &'static [DraftSource],
        accepted: impl Fn(DraftSource, u32) -> u32,
        cost: f64,
    ) -> f64 {
        speed_of_answers(1000, able, accepted, cost)
    }

    /// Returns the same for answers of this many submits.
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
            let (count, took) = match gain.next(able(submit), u32::MAX) {
                None => {
                    gain.learn_tokens(2, 2.0);
                    (2, 2.0)
                }
                Some(round @ (source, rows)) => {
                    let (count, took) = (2 * accepted(source, rows), 2.0 * cost);
                    gain.learn_rounds(round, 2, count, took);
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
        let submit = |gain: &mut Gain, accepted: u32| match gain.next(&[Drafter], u32::MAX) {
            None => gain.learn_tokens(2, 2.0),
            Some(round) => gain.learn_rounds(round, 2, 2 * accepted, 2.6),
        };
        (0..500).for_each(|_| submit(&mut gain, 1));
        gain = gain.begin(Drafts::Measured);
        let waits = (0..).take_while(|_| {
            let is_paused = gain.next(&[Drafter], u32::MAX).is_none();
            gain.learn_tokens(2, 2.0);
            is_paused
        });
        assert!(waits.count() <= PAUSE_BETWEEN as usize);
    }

    #[test]
    fn until_the_text_repeats_a_longer_match_is_needed() {
        let mut gain = timed([1.5, 1.8]).begin(Drafts::Measured);
        assert_eq!(gain.shortest_match(), FIRST_MATCH);
        let round = gain.next(&[LookUp], 100).expect("a round");
        gain.learn_rounds(round, 1, round.1, 1.8);
        assert_eq!(gain.shortest_match(), SHORTEST_MATCH);
        gain.learn_rounds(round, 1, 1, 1.8);
        assert_eq!(gain.shortest_match(), FIRST_MATCH);
        assert_eq!(gain.begin(Drafts::Always { count: 3 }).shortest_match(), SHORTEST_MATCH);
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
        assert_eq!(gain.next(&[LookUp], 8), None);
        gain.learn_tokens(1, 1.0);
        assert_eq!((gain.next(&[], 8), gain.next(&[LookUp], 8)), (None, Some((LookUp, ROWS[0]))));
        let mut next_answer = gain.begin(Drafts::Measured);
        assert_eq!(next_answer.next(&[Drafter], 8), Some((Drafter, ROWS[0])));
        let mut always = Gain::default().begin(Drafts::Always { count: 3 });
        assert_eq!(always.next(&[LookUp, Drafter], 8), Some((Drafter, 4)));
        assert_eq!(always.next(&[LookUp, Drafter], 3), None, "not beyond the end");
        let mut first = Gain::default().begin(Drafts::LookUpFirst { count: 3 });
        let next = [&[LookUp, Drafter][..], &[Drafter]].map(|able| first.next(able, 8));
        assert_eq!(next, [Some((LookUp, 4)), Some((Drafter, 4))]);
    }

    /// Rounds of four and eight rows that cost so many tokens each, by either source.
    fn timed([few, many]: [f64; 2]) -> Gain {
        let mut costs = Costs::default();
        costs.set(None, 1.0);
        for source in [LookUp, Drafter] {
            costs.set(Some((source, ROWS[0])), few);
            costs.set(Some((source, ROWS[1])), many);
        }
        Gain::default().with_costs(costs)
    }

    #[test]
    fn costs_that_were_timed_decide_what_drafts_first() {
        let first = |costs, able: &[DraftSource], room| timed(costs).begin(Drafts::Measured).next(able, room);
        assert_eq!(first([1.6, 2.8], &[Drafter], 100), Some((Drafter, 4)));
        assert_eq!(first([1.2, 1.3], &[Drafter], 100), Some((Drafter, 8)));
        assert_eq!(first([1.2, 1.3], &[Drafter], 7), Some((Drafter, 4)), "as many as there is room for");
        assert_eq!(first([1.2, 1.3], &[Drafter], 3), None);
        assert_eq!(first([2.7, 4.0], &[Drafter], 100), Some((Drafter, 4)));
        assert_eq!(first([2.9, 4.0], &[Drafter], 100), None, "too expensive");
        let mut costs = timed([2.0, 3.0]).costs();
        costs.set(Some((LookUp, 4)), 1.4);
        let mut gain = Gain::default().with_costs(costs).begin(Drafts::Measured);
        assert_eq!(gain.next(&[LookUp, Drafter], 100), Some((LookUp, 4)), "the cheaper one");
    }

    /// Drafts of a first answer, each accepted with the same probability: the time of the answer in tokens, the first of
    /// which the prompt gave. As in generation, a submit is decided on before the one before it was read.
    fn first_answer(
        gain: &mut Gain,
        tokens: u32,
        accepted: f64,
        [few, many]: [f64; 2],
        seed: &mut u64,
    ) -> f64 {
        *gain = gain.begin(Drafts::Measured);
        let mut pending = VecDeque::new();
        let (mut read, mut ms, mut together) = (1, 0.0, 1);
        loop {
            while pending.len() < 2 {
                pending.push_back((gain.next(&[Drafter], u32::MAX), together));
            }
            match pending.pop_front().expect("a submit") {
                (None, count) => {
                    for _ in 0..count {
                        (read, ms) = (read + 1, ms + 1.0);
                        if read >= tokens {
                            return ms;
                        }
                    }
                    gain.learn_tokens(count, f64::from(count));
                    together = (2 * together).min(8);
                }
                (Some(round), _) => {
                    let mut draw = || split_mix::next(seed) as f64 / 2_f64.powi(64) < accepted;
                    let right = (1..round.1).take_while(|_| draw()).count() as u32;
                    let took = if round.1 == ROWS[0] { few } else { many };
                    (read, ms) = (read + 1 + right, ms + took);
                    if read >= tokens {
                        return ms;
                    }
                    gain.learn_rounds(round, 1, 1 + right, took);
                }
            }
        }
    }

    /// Returns the answers of many seeds: how much faster they are than without drafts on average, and the most tokens that could
    /// have been had in the time that one of them lost.
    fn first_answers(tokens: u32, accepted: f64, cost: f64) -> (f64, f64) {
        const ANSWERS: u32 = 200;
        let costs = [cost, 1.5 * cost];
        let plain = f64::from(tokens - 1);
        let (mut seed, mut sum, mut worst) = (1, 0.0, 0.0_f64);
        for _ in 0..ANSWERS {
            let ms = first_answer(&mut timed(costs), tokens, accepted, costs, &mut seed);
            (sum, worst) = (sum + ms, worst.max(ms - plain));
        }
        (f64::from(ANSWERS) * plain / sum, worst)
    }

    const LENGTHS: [u32; 5] = [8, 14, 20, 30, 70];
    const COSTS: [f64; 8] = [1.1, 1.3, 1.6, 2.0, 2.3, 2.6, 2.8, 3.0];

    /// Prose: 0.65 of the drafts, so that a round of four rows gives 2.36 tokens. Where it costs more than these, nothing
    /// can be gained, and what is lost is mostly the part of the last round that reaches beyond the end.
    #[test]
    fn first_answers_in_prose_are_not_slower() {
        for tokens in LENGTHS {
            for cost in COSTS {
                let (gain, _) = first_answers(tokens, 0.65, cost);
                let least = match cost {
                    ..1.7 => 1.2,
                    ..2.1 => 1.0,
                    ..2.4 => 0.94,
                    _ => 0.83,
                };
                assert!(gain > least, "{tokens} tokens, {cost} a round: {gain}");
            }
        }
    }

    #[test]
    fn first_answers_whose_drafts_are_accepted_gain_at_once() {
        for tokens in LENGTHS {
            for cost in COSTS {
                let (most, worst) = first_answers(tokens, 1.0, cost);
                let (gain, _) = first_answers(tokens, 0.9, cost);
                let least = match cost {
                    ..2.7 => [3.4 / cost, 2.8 / cost],
                    ..2.9 => [1.2, 1.05],
                    // They are not expected to pay.
                    _ => [1.0, 1.0],
                };
                assert!(most >= least[0] && gain >= least[1], "{tokens}, {cost} a round: {most}, {gain}");
                assert!(worst <= 0.0);
            }
        }
    }

    /// Two tries of two rounds within 70 tokens, or more where they are cheap.
    #[test]
    fn first_answers_whose_drafts_are_rejected_lose_few_tokens() {
        for cost in COSTS {
            for tokens in LENGTHS {
                let (gain, lost) = first_answers(tokens, 0.0, cost);
                assert!(lost < 7.5, "{tokens} tokens, {cost} a round: {lost}");
                assert!(tokens < 70 || gain > 0.9, "{cost} a round: {gain}");
                assert!(tokens > 8 || lost < 3.7, "{cost} a round: {lost}");
            }
        }
    }

    #[test]
    fn a_look_up_is_tried_by_one_submit_until_it_pays() {
        let mut gain = timed([1.6, 2.8]).begin(Drafts::Measured);
        let able = [LookUp];
        assert_eq!(gain.next(&able, 100), Some((LookUp, 4)));
        assert_eq!(gain.next(&able, 100), None, "it is pending");
        gain.learn_rounds((LookUp, 4), 1, 4, 1.6);
        assert!(gain.next(&able, 100).is_some() && gain.next(&able, 100).is_some(), "it paid");
        gain = gain.begin(Drafts::Measured);
        assert!(gain.next(&able, 100).is_some() && gain.next(&able, 100).is_none(), "another answer");
    }

    #[test]
    fn an_interruption_is_not_taken_for_the_cost() {
        let mut gain = timed([1.6, 2.8]).begin(Drafts::Measured);
        gain.learn_rounds((Drafter, 4), 1, 3, 100.0);
        assert!(gain.next(&[Drafter], 100).is_some());
        // What is always so slow is.
        for _ in 0..30 {
            gain.learn_rounds((Drafter, 4), 1, 3, 100.0);
            gain.learn_rounds((Drafter, 8), 1, 3, 100.0);
        }
        assert_eq!(gain.next(&[Drafter], 100), None);
    }
}
