//! The number of tokens per submit, and of pending submits.

use crate::model::sampling_plans::{MAX_PENDING, OUT_LEN};

/// Number of pending submits at first: one runs while the next is encoded.
const DEPTH: usize = 2;
/// Maximum number of tokens per submit: all pending ones must fit the ring of ids.
pub const MAX_PER_SUBMIT: u32 = 16;
/// The same where readbacks are not late. Larger submits are no faster there, compute more tokens past the end of an
/// answer, and delay look-ups, which find matches only in tokens that were read back.
const USUAL_PER_SUBMIT: u32 = 8;
const _: () = assert!(MAX_PER_SUBMIT as usize * MAX_PENDING < OUT_LEN as usize);

/// Maximum delay between pieces of text, and for stopping, in milliseconds.
const SMOOTH_MS: f64 = 40.0;
/// Maximum delay if waiting is slow, so that more tokens per submit pay off.
const PATIENT_MS: f64 = 250.0;
/// A device whose readbacks take longer while it is idle is not waited for with two submits alone.
const LATE_MS: f64 = 10.0;
/// Answers behind which a device that is taken for late is measured again.
const LOOKS: u32 = 3;
/// More submits are pending only if a token then takes at most this part of the time.
const GAIN: f64 = 0.9;

/// Finds the numbers by measuring. Tokens per submit grow as long as output stays smooth, or becomes clearly faster. Where
/// readbacks are reported late, as by a browser that polls, more submits are pending, until the device is always busy.
#[derive(Clone, Debug)]
pub struct Pace {
    count: u32,
    most: u32,
    best_per_token: f64,
    /// Whether readbacks are reported late.
    is_late: bool,
    depth: usize,
    /// Milliseconds per token with half as many pending submits, while the present number is tried.
    before: Option<f64>,
    /// Whether a greater depth was tried and did not help.
    settled: bool,
    /// Reads with these numbers so far.
    span: Span,
    /// How often it is still to be measured again.
    looks: u32,
}

/// Consecutive reads.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    reads: usize,
    /// The first of them, which tell nothing of the present numbers.
    skipped: usize,
    tokens: u32,
    ms: f64,
}

impl Pace {
    /// Starts with one token, so that the first one is not delayed. A readback of an idle device takes `readback_ms`.
    pub fn new(readback_ms: f64) -> Self {
        let is_late = readback_ms > LATE_MS;
        Self {
            count: 1,
            most: if is_late { MAX_PER_SUBMIT } else { USUAL_PER_SUBMIT },
            best_per_token: f64::INFINITY,
            is_late,
            depth: DEPTH,
            before: None,
            settled: false,
            span: Span::default(),
            looks: LOOKS,
        }
    }

    /// Begins another answer. Where readbacks are late it begins with the numbers of the last one. Otherwise with one token
    /// again: the first id is read once the next tokens are encoded, which natively takes half as long as they run.
    pub fn begin(&mut self) {
        if !self.is_late {
            (self.count, self.best_per_token) = (1, f64::INFINITY);
        }
        // The first read does not count.
        self.span = Span::default();
    }

    /// Returns whether readbacks are reported late.
    pub fn is_late(&self) -> bool {
        self.is_late
    }

    /// Tokens of the next submit.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns the maximum number of pending submits.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns whether it is to be measured again if readbacks are late: the page may only have been busy at the load.
    pub fn is_doubtful(&self) -> bool {
        self.is_late && self.looks > 0
    }

    /// Records that a readback of the idle device took `readback_ms`, measured again.
    pub fn look_again(&mut self, readback_ms: f64) {
        self.looks = self.looks.saturating_sub(1);
        if readback_ms <= LATE_MS {
            *self = Self::new(readback_ms);
        }
    }

    /// Records that `count` tokens took `ms`.
    pub fn learn(&mut self, count: u32, ms: f64) {
        if count != self.count {
            return;
        }
        let per_token = ms / f64::from(count);
        let faster = per_token < 0.75 * self.best_per_token;
        self.best_per_token = self.best_per_token.min(per_token);
        let before = self.count;
        if 2.0 * ms < SMOOTH_MS || (faster && ms < PATIENT_MS) {
            self.count = (2 * self.count).min(self.most);
        } else if ms > PATIENT_MS && self.count > 1 {
            self.count /= 2;
        }
        if self.count == before {
            if self.is_late {
                self.learn_depth(count, ms);
            }
        } else {
            self.span = Span { skipped: self.depth, ..Span::default() };
        }
    }

    fn learn_depth(&mut self, count: u32, ms: f64) {
        self.span.reads += 1;
        if self.span.reads <= self.span.skipped {
            return;
        }
        self.span.tokens += count;
        self.span.ms += ms;
        // Pending submits are reported in turn, so every whole turn contains the same waiting time.
        if self.span.reads < self.span.skipped + self.depth {
            return;
        }
        let per_token = self.span.ms / f64::from(self.span.tokens);
        let pending_ms = per_token * f64::from(count) * self.depth as f64;
        let before = self.before.take();
        let did_not_help = before.is_some_and(|before| per_token > GAIN * before);
        let depth = self.depth;
        if did_not_help || (pending_ms > 2.0 * PATIENT_MS && depth > DEPTH) {
            self.settled = true;
            self.depth /= 2;
        } else if !self.settled && 2 * depth <= MAX_PENDING && pending_ms < PATIENT_MS {
            self.before = Some(per_token);
            self.depth *= 2;
        }
        // Those that are pending were submitted with the numbers before.
        self.span = Span { skipped: if self.depth == depth { 0 } else { depth }, ..Span::default() };
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    fn settle(readback_ms: f64, ms: impl Fn(u32) -> f64) -> u32 {
        let mut pace = Pace::new(readback_ms);
        for _ in 0..32 {
            pace.learn(pace.count(), ms(pace.count()));
        }
        pace.count()
    }

    /// Draws tokens on a device that takes `token_ms` for each, and reports them `delay_ms` late: the pace in the end, and
    /// milliseconds per token by then.
    fn draw(token_ms: f64, delay_ms: f64) -> (Pace, f64) {
        let mut pace = Pace::new(delay_ms);
        // When each submit is reported, and its number of tokens.
        let mut pending: VecDeque<(f64, u32)> = VecDeque::new();
        let (mut now, mut busy_until) = (0.0_f64, 0.0_f64);
        let mut times = vec![(0.0, 0)];
        for _ in 0..200 {
            while pending.len() < pace.depth() {
                busy_until = busy_until.max(now) + token_ms * f64::from(pace.count());
                pending.push_back((busy_until + delay_ms, pace.count()));
            }
            let (told, count) = pending.pop_front().expect("a submit");
            let before = now;
            now = now.max(told);
            pace.learn(count, now - before);
            times.push((now, times[times.len() - 1].1 + count));
        }
        let [(from, first), (to, last)] = [times[100], times[200]];
        (pace, (to - from) / f64::from(last - first))
    }

    #[test]
    fn a_fast_device_draws_several_and_a_slow_one_few() {
        assert_eq!(settle(0.5, |n| 1.0 + 0.5 * f64::from(n)), USUAL_PER_SUBMIT);
        assert!(settle(0.5, |n| 60.0 * f64::from(n)) <= 2);
    }

    #[test]
    fn where_waiting_costs_more_than_drawing_many_are_drawn() {
        assert_eq!(settle(100.0, |n| 103.0 + 2.0 * f64::from(n)), MAX_PER_SUBMIT);
    }

    #[test]
    fn a_device_that_reports_late_is_kept_busy() {
        for (token_ms, delay_ms) in [(2.7, 100.0), (1.5, 100.0), (8.0, 100.0), (2.7, 20.0)] {
            let (pace, drawn) = draw(token_ms, delay_ms);
            assert!(drawn < token_ms / 0.9, "{token_ms} ms, {delay_ms} ms late: {drawn} by {pace:?}");
        }
    }

    #[test]
    fn a_device_that_reports_at_once_has_no_more_pending_than_it_needs() {
        for token_ms in [0.3, 2.7, 30.0, 150.0] {
            let (pace, drawn) = draw(token_ms, 0.5);
            assert_eq!(pace.depth(), DEPTH, "{token_ms} ms: {pace:?}");
            assert!(drawn < token_ms / 0.9, "{token_ms} ms: {drawn} by {pace:?}");
        }
    }

    /// Milliseconds between the first and the last id of an answer of `most` tokens.
    fn answer(pace: &mut Pace, most: u32, token_ms: f64, delay_ms: f64) -> f64 {
        pace.begin();
        let mut pending = VecDeque::from([(token_ms + delay_ms, 1)]);
        let (mut busy_until, mut now, mut submitted, mut first) = (token_ms, 0.0_f64, 1, None);
        while let Some(&(told, count)) = {
            while submitted < most && pending.len() < pace.depth() {
                let count = pace.count().min(most - submitted);
                submitted += count;
                busy_until = busy_until.max(now) + token_ms * f64::from(count);
                pending.push_back((busy_until + delay_ms, count));
            }
            pending.front()
        } {
            pending.pop_front();
            let before = now;
            now = now.max(told);
            if first.is_some() {
                pace.learn(count, now - before);
            }
            first.get_or_insert(now);
        }
        now - first.expect("a token")
    }

    #[test]
    fn a_device_that_was_late_once_is_not_late_for_good() {
        let mut pace = Pace::new(50.0);
        assert!(pace.is_doubtful());
        pace.look_again(50.0);
        assert!(pace.is_late() && pace.is_doubtful());
        pace.look_again(0.5);
        assert!(!pace.is_late() && !pace.is_doubtful());
        // One that is late each time is not asked for ever, and keeps what it has found.
        let (mut pace, _) = draw(2.7, 100.0);
        let found = (pace.count(), pace.depth());
        for _ in 0..LOOKS {
            assert!(pace.is_doubtful());
            pace.look_again(100.0);
        }
        assert!(pace.is_late() && !pace.is_doubtful());
        assert_eq!((pace.count(), pace.depth()), found);
    }

    #[test]
    fn answers_are_soon_as_fast_as_the_device() {
        for token_ms in [2.7, 4.2] {
            let mut pace = Pace::new(100.0);
            let took: Vec<_> = (0..5).map(|_| answer(&mut pace, 128, token_ms, 100.0)).collect();
            let best = 127.0 * token_ms;
            assert!(
                took[2..].iter().all(|ms| *ms < best / 0.8),
                "{token_ms} ms a token, {best}: {took:?}, {pace:?}"
            );
        }
    }
}
