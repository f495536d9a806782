//! Measurements of the fake engine: always the same figures.

use protocol::diagnosis::{KernelCheck, KernelProblem, KernelTime, Round, SwitchedOff};
use protocol::{Benchmark, BenchmarkOptions, Diagnosis, Finding, Profile, SelfTest};

use super::Scenario;

/// Steps that a measurement takes.
pub fn steps(what: &Diagnosis) -> u32 {
    match what {
        Diagnosis::Benchmark(options) => options.warm_up + options.rounds,
        Diagnosis::Profile { .. } => 9,
        Diagnosis::SelfTest => 12,
    }
}

/// What it finds.
pub fn finding(what: Diagnosis, scenario: &Scenario, of_model: bool) -> Finding {
    match what {
        Diagnosis::Benchmark(options) => Finding::Benchmark(benchmark(options)),
        Diagnosis::Profile { position, .. } => Finding::Profile(profile(position)),
        Diagnosis::SelfTest => Finding::SelfTest(self_test(scenario, of_model)),
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
        tuning: r#"{"packed":1,"unfused":false,"forms":[0,1]}"#.to_owned(),
    }
}

fn profile(position: u32) -> Profile {
    let kernel = |name: &str, dispatches, ms, bytes| KernelTime { name: name.into(), dispatches, ms, bytes };
    let kernels = vec![
        kernel("matvec_q4_k_q4_k_k1536_add_norm_geglu_r4g4s1", 35, 4.41, 486_000_000),
        kernel("matvec_q6_k_k6144_plain_store_r1g8s2", 35, 3.12, 312_000_000),
        kernel("matvec_q6_k_k1536_add_norm_store_r4g4s1", 1, 1.97, 330_000_000),
        kernel("matvec_q4_k_q4_k_q6_k_k1536_add_norm_store_r1g4s1", 35, 0.92, 64_000_000),
        kernel("attention_decode_h256_own_f16", 28, 0.61, 7_340_032),
        kernel("sampling_top_k_1", 1, 0.04, 0),
    ];
    Profile {
        position,
        timestamps: true,
        copy_bytes_per_s: 153_000_000_000.0,
        token_ms: 11.3,
        token_bytes: kernels.iter().map(|kernel| kernel.bytes).sum(),
        dispatches: 251,
        kernels,
    }
}

fn self_test(scenario: &Scenario, of_model: bool) -> SelfTest {
    let check = |name: &str, deviation| KernelCheck { name: name.into(), deviation, problem: None };
    let mut checks = vec![
        check("matvec_q4_k_k1536_plain_store_r1g4s1", 0.02),
        check("matmul_Q4_K_64x64x16_8x8x1", 0.04),
        check("attention_block_h256_f16", 0.11),
        check("rows_norm_add_add_norm", 0.01),
    ];
    if scenario.miscomputes {
        checks[1].deviation = 38.0;
        checks[1].problem = Some(KernelProblem::Differs { element: 517, found: 0.25, expected: -1.75 });
    }
    let mut switched_off = None;
    if scenario.miscomputes_packed {
        checks.push(KernelCheck {
            name: "matvec_q6_k_k1536_plain_store_r4g4s1p".into(),
            deviation: 12.0,
            problem: Some(KernelProblem::Differs { element: 3, found: 7.0, expected: 0.5 }),
        });
        switched_off = of_model.then_some(SwitchedOff::PackedProducts);
    }
    SelfTest { of_model, checks, switched_off }
}
