//! Measurements that a person asks for: they use the loaded model, and an answer cannot run beside them.

use serde::{Deserialize, Serialize};

/// What to find out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Diagnosis {
    /// How fast the loaded model reads and answers.
    Benchmark(BenchmarkOptions),
}

/// What was found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Finding {
    /// Answers [`Diagnosis::Benchmark`].
    Benchmark(Benchmark),
}

/// What to time. A round reads a prompt of made-up tokens and draws the likeliest ones after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenchmarkOptions {
    /// Tokens of the prompt.
    pub prompt: u32,
    /// Tokens to draw; the end of a turn does not stop them.
    pub answer: u32,
    /// Rounds before those that count.
    pub warm_up: u32,
    /// Rounds that count.
    pub rounds: u32,
    /// Number of the first round. It decides the tokens, so that no round finds its prompt in the cache.
    pub first: u32,
}

impl Default for BenchmarkOptions {
    fn default() -> Self {
        Self { prompt: 512, answer: 128, warm_up: 1, rounds: 5, first: 0 }
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
    /// Buffers that the rounds created; answering should create none.
    pub buffers_created: u64,
}

/// Times of one round in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// From the request to the first token.
    pub prefill_ms: f64,
    /// From the first token to the last one.
    pub decode_ms: f64,
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
