//! Measurements of the fake engine: always the same figures.

use protocol::diagnosis::Round;
use protocol::{Benchmark, BenchmarkOptions, Diagnosis, Finding};

/// Steps that a measurement takes.
pub fn steps(what: &Diagnosis) -> u32 {
    match what {
        Diagnosis::Benchmark(options) => options.warm_up + options.rounds,
    }
}

/// What it finds.
pub fn finding(what: Diagnosis) -> Finding {
    match what {
        Diagnosis::Benchmark(options) => Finding::Benchmark(benchmark(options)),
    }
}

fn benchmark(options: BenchmarkOptions) -> Benchmark {
    let round = |i: u32| Round {
        prefill_ms: 400.0 + 8.0 * f64::from(i),
        decode_ms: 12.5 * f64::from(options.answer) + 20.0 * f64::from(i % 3),
    };
    Benchmark {
        prompt: options.prompt,
        answer: options.answer,
        rounds: (0..options.rounds).map(round).collect(),
        dispatches_per_token: 251,
        submits_per_token: 0.125,
        buffers_created: 0,
    }
}
