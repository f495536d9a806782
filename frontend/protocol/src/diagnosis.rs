//! Measurements by request. They use the loaded model; no answer runs beside them.

use serde::{Deserialize, Serialize};

use crate::AnswerFormat;

/// What to find out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Diagnosis {
    /// How fast the loaded model reads and answers.
    Benchmark(BenchmarkOptions),
    /// Where the time of a drawn token goes, or that of a chunk of a prompt.
    Profile {
        /// Position of the first token: how much context it sees.
        position: u32,
        /// 1 for a drawn token; more than a round of drafts has for a chunk.
        rows: u32,
    },
    /// Whether every kernel computes what it should: those of the loaded model, or a standard set without one.
    SelfTest,
}

/// What was found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Finding {
    /// Answers [`Diagnosis::Benchmark`].
    Benchmark(Benchmark),
    /// Answers [`Diagnosis::Profile`].
    Profile(Profile),
    /// Answers [`Diagnosis::SelfTest`].
    SelfTest(SelfTest),
}

/// What to time. A round reads a prompt of made-up tokens and draws the likeliest ones after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenchmarkOptions {
    /// Tokens of the prompt.
    pub prompt: u32,
    /// Tokens to draw. The end of a turn doesn't stop them if they may be any text.
    pub answer: u32,
    /// What the answer must be. [`Request::PrepareConstraint`](crate::Request::PrepareConstraint) comes first.
    pub format: AnswerFormat,
    /// Rounds before those that count.
    pub warm_up: u32,
    /// Rounds that count.
    pub rounds: u32,
    /// Number of the first round. It decides the tokens, so that no round finds its prompt in the cache.
    pub first: u32,
}

impl Default for BenchmarkOptions {
    fn default() -> Self {
        let format = AnswerFormat::Text;
        Self { prompt: 512, answer: 128, format, warm_up: 1, rounds: 5, first: 0 }
    }
}

/// How fast a model reads and answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Benchmark {
    /// Tokens of each prompt: fewer than were asked for where the context is shorter.
    pub prompt: u32,
    /// Tokens of each answer; likewise.
    pub answer: u32,
    /// The rounds that count, in order.
    pub rounds: Vec<Round>,
    /// Dispatches of one drawn token.
    pub dispatches_per_token: u32,
    /// Submits of one drawn token: less than one where several tokens are drawn at a time.
    pub submits_per_token: f64,
    /// Buffers created while tokens were drawn; there should be none.
    pub buffers_created: u64,
    /// The forms of products that were chosen on this device, as JSON; empty for none.
    pub tuning: String,
}

/// Times of one round in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// From the request to the first token.
    pub prefill_ms: f64,
    /// From the first token to the last one.
    pub decode_ms: f64,
}

/// The time of a drawn token or of a chunk, by kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Position of the first token.
    pub position: u32,
    /// Whether times are the device's own, not the clock's.
    pub timestamps: bool,
    /// Bytes a second that the device reads and writes in a plain copy: no kernel reads its weights faster.
    pub copy_bytes_per_s: f64,
    /// Milliseconds of the whole token or chunk, all kernels one after the other.
    pub token_ms: f64,
    /// Bytes of weights, keys and values that a token reads.
    pub token_bytes: u64,
    /// Dispatches of a token.
    pub dispatches: u32,
    /// By kernel, longest first.
    pub kernels: Vec<KernelTime>,
}

impl Profile {
    /// Share of the device's bandwidth that this many bytes in this many milliseconds are; 0 when nothing is known.
    #[must_use]
    pub fn share(&self, bytes: u64, ms: f64) -> f64 {
        let rate = bytes_per_s(bytes, ms);
        if self.copy_bytes_per_s > 0.0 { rate / self.copy_bytes_per_s } else { 0.0 }
    }
}

/// All dispatches of one kernel in one token.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KernelTime {
    /// The kernel.
    pub name: String,
    /// Its dispatches.
    pub dispatches: u32,
    /// Milliseconds of all of them.
    pub ms: f64,
    /// Bytes of weights, keys and values that they read; 0 where these are not what it is about.
    pub bytes: u64,
}

/// Bytes a second; 0 where no time has passed.
#[must_use]
pub fn bytes_per_s(bytes: u64, ms: f64) -> f64 {
    if ms > 0.0 { bytes as f64 * 1000.0 / ms } else { 0.0 }
}

/// Whether kernels compute what they should.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SelfTest {
    /// Whether they are those of the loaded model, not a standard set.
    pub of_model: bool,
    /// Each kernel that was tried.
    pub checks: Vec<KernelCheck>,
    /// What the model now does without, because all of its kernels that compute wrongly are forms of it.
    pub switched_off: Option<SwitchedOff>,
}

/// A form of kernels that has another beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SwitchedOff {
    /// Products of eight-bit integers, four of them packed in a word. Floats are multiplied in their place.
    PackedProducts,
}

impl SelfTest {
    /// The kernels that compute something else.
    pub fn failed(&self) -> impl Iterator<Item = &KernelCheck> {
        self.checks.iter().filter(|check| check.problem.is_some())
    }
}

/// One kernel beside the same computation on the CPU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KernelCheck {
    /// The kernel.
    pub name: String,
    /// Greatest deviation, as a share of what is allowed.
    pub deviation: f64,
    /// What is wrong, if anything is.
    pub problem: Option<KernelProblem>,
}

/// What is wrong with a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum KernelProblem {
    /// It computes something else.
    Differs {
        /// The first element that is wrong, from 0.
        element: u64,
        /// What it is.
        found: f32,
        /// What it should be.
        expected: f32,
    },
    /// The device refused it.
    Refused {
        /// The compiler's words.
        reason: String,
    },
}

/// Least, median and greatest of some figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Least.
    pub min: f64,
    /// Median; of an even number the mean of the middle two.
    pub median: f64,
    /// Greatest.
    pub max: f64,
}

impl Spread {
    /// The spread of some figures; zeros when there are none.
    #[must_use]
    pub fn of(figures: impl IntoIterator<Item = f64>) -> Self {
        let mut figures: Vec<_> = figures.into_iter().collect();
        figures.sort_by(f64::total_cmp);
        let (Some(&min), Some(&max)) = (figures.first(), figures.last()) else { return Self::default() };
        let middle = figures.len() / 2;
        let below = if figures.len() % 2 == 0 { middle - 1 } else { middle };
        Self { min, median: f64::midpoint(figures[below], figures[middle]), max }
    }
}

impl Benchmark {
    /// Prompt tokens a second.
    #[must_use]
    pub fn prefill(&self) -> Spread {
        Spread::of(self.rounds.iter().map(|round| rate(self.prompt, round.prefill_ms)))
    }

    /// Drawn tokens a second. The first one comes with the prompt and does not count.
    #[must_use]
    pub fn decode(&self) -> Spread {
        Spread::of(self.rounds.iter().map(|round| rate(self.answer.saturating_sub(1), round.decode_ms)))
    }

    /// Milliseconds to the first token.
    #[must_use]
    pub fn first_token_ms(&self) -> Spread {
        Spread::of(self.rounds.iter().map(|round| round.prefill_ms))
    }
}

fn rate(tokens: u32, ms: f64) -> f64 {
    if ms > 0.0 { f64::from(tokens) * 1000.0 / ms } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_has_the_middle_of_its_figures() {
        assert_eq!(Spread::of([3.0, 1.0, 2.0]), Spread { min: 1.0, median: 2.0, max: 3.0 });
        assert_eq!(Spread::of([4.0, 1.0, 2.0, 3.0]).median, 2.5);
        assert_eq!(Spread::of([]), Spread::default());
    }

    #[test]
    fn the_first_token_counts_as_prefill() {
        let round = Round { prefill_ms: 100.0, decode_ms: 500.0 };
        let benchmark = Benchmark { prompt: 50, answer: 101, rounds: vec![round], ..Benchmark::default() };
        assert_eq!((benchmark.prefill().median, benchmark.decode().median), (500.0, 200.0));
    }
}
