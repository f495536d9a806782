//! How prompts are cut into submits, on devices that are simulated.

use engine::gpu::{Rows, WorkPerSubmit};
use engine::model::{DecoderPlans, TEXT_CHUNK};
use engine::plan::{Limits, Plan};
use engine::session::{LoadOptions, ModelSpec};
use probe::synth::{self, Quant};

/// Multiply-adds per millisecond of a device that is 100 times slower than an H200, whose tile in f32 computes at
/// 31 TFLOP/s (`shaders/MEASUREMENTS.md`).
const SLOW: f64 = 31e12 / 2.0 / 1000.0 / 100.0;
const SHAPES: [&str; 5] = ["e2b", "e4b", "12b", "26b", "31b"];

/// Returns the steps of a prefill chunk of a published shape, and its maximum number of rows.
fn chunk(shape: &str) -> (Plan, u32) {
    let header = synth::header(&synth::Options::new(shape.parse().expect("a shape"), Quant::Q4KM));
    let header = header.expect("a header");
    let model = ModelSpec::with_options(&header, &LoadOptions::default()).expect("a model");
    let parts = model.describe(8192, model.storage, Limits::default()).expect("parts");
    let plans = DecoderPlans::new(&parts, model.tuning, None).expect("plans");
    let mut plan = Plan::default();
    plans.prefill().into_iter().for_each(|part| plan.extend(part));
    (plan, TEXT_CHUNK)
}

/// Milliseconds of each submit of a prompt, on a device that computes `rate` multiply-adds in a millisecond.
fn submits(
    work_per_submit: &mut WorkPerSubmit,
    (plan, most): &(Plan, u32),
    tokens: u32,
    rate: f64,
) -> Vec<f64> {
    let (mut position, mut all) = (0, Vec::new());
    while position < tokens {
        let rows = Rows::at(position, work_per_submit.rows(plan, position, (*most).min(tokens - position)));
        let steps = plan.steps().iter().map(|step| ((), step.work(rows.count, rows.last)));
        let mut steps = steps.peekable();
        while steps.peek().is_some() {
            let (_, work) = work_per_submit.take(&mut steps, usize::MAX);
            let ms = 0.3 + work / rate;
            work_per_submit.learn(work, ms);
            all.push(ms);
        }
        position += rows.count;
    }
    all
}

fn longest(submits: &[f64]) -> f64 {
    submits.iter().copied().fold(0.0, f64::max)
}

#[test]
fn no_submit_of_a_prompt_is_long_on_a_slow_device() {
    for shape in SHAPES {
        let (chunk, mut work_per_submit) = (chunk(shape), WorkPerSubmit::FIRST);
        let first = submits(&mut work_per_submit, &chunk, 512, SLOW);
        let second = submits(&mut work_per_submit, &chunk, 512, SLOW);
        let [many, more] = [&first, &second].map(|all| (all.len(), longest(all)));
        let seconds = second.iter().sum::<f64>() / 1000.0;
        println!("{shape}: submits and longest in ms {many:.1?}, then {more:.1?}, in {seconds:.1} s");
        assert!(longest(&first) < 100.0, "{shape}: {}", longest(&first));
        assert!(longest(&second) < 100.0, "{shape}: {}", longest(&second));
        // Nor are they so short that the device would idle between them.
        let sum: f64 = second.iter().sum();
        assert!(sum / second.len() as f64 > 15.0, "{shape}: {sum} ms in {}", second.len());
    }
}

#[test]
fn a_fast_device_reads_whole_chunks() {
    for shape in SHAPES {
        let (chunk, mut work_per_submit) = (chunk(shape), WorkPerSubmit::FIRST);
        submits(&mut work_per_submit, &chunk, 512, 100.0 * SLOW);
        assert_eq!(work_per_submit.rows(&chunk.0, 512, chunk.1), chunk.1, "{shape}");
    }
    // Matrix units read E2B at 45 000 tokens a second.
    let (chunk, mut work_per_submit) = (chunk("e2b"), WorkPerSubmit::FIRST);
    let counts = [(); 3].map(|()| submits(&mut work_per_submit, &chunk, 512, 600.0 * SLOW).len());
    assert!(counts[0] < 30 && counts[2] == 1, "{counts:?}");
}

#[test]
fn a_submit_has_at_most_the_wanted_number_of_steps() {
    let (plan, _) = chunk("e2b");
    let mut steps = plan.steps().iter().map(|step| (step, step.work(512, 511))).peekable();
    let (taken, work) = WorkPerSubmit(1e15).take(&mut steps, 64);
    let expected: f64 = plan.steps()[..64].iter().map(|step| step.work(512, 511)).sum();
    assert_eq!((taken.len(), work), (64, expected));
    let (rest, _) = WorkPerSubmit(1e15).take(&mut steps, usize::MAX);
    assert_eq!(taken.len() + rest.len(), plan.len());
}

#[test]
fn submits_become_as_long_as_wanted_on_any_device() {
    for rate in [1e5, 1e7, 1e10] {
        let mut work_per_submit = WorkPerSubmit::FIRST;
        for _ in 0..40 {
            work_per_submit.learn(work_per_submit.0, 0.3 + work_per_submit.0 / rate);
        }
        assert!((work_per_submit.0 / rate - 40.0).abs() < 2.0, "{rate}");
    }
}

#[test]
fn a_chunk_is_shortened_to_a_whole_number_of_tiles() {
    let (plan, most) = chunk("31b");
    let mut lengths: Vec<_> = (0..16)
        .map(|i| WorkPerSubmit(2.0 * WorkPerSubmit::FIRST.0 * f64::from(1 << i)).rows(&plan, 0, most))
        .collect();
    lengths.dedup();
    assert_eq!(lengths, [32, 64, 128, 256, 512]);
    assert_eq!(WorkPerSubmit::FIRST.rows(&plan, 0, most), 64);
    assert_eq!(WorkPerSubmit::FIRST.rows(&plan, 0, 20), 20);
}
