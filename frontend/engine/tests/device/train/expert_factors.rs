//! The experts of a mixture as targets: gradients against the loss itself, what is learned against what a session makes of
//! it, and a run that goes on from a checkpoint in the memory that was planned.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::slice::from_ref;

use engine::adapter::{Adapter, AdapterError, Factors, Projection, Shape, Target, gguf, peft};
use engine::bytes::{CancelToken, MemorySource};
use engine::gpu::{Gpu, GpuOptions};
use engine::session::LoadOptions;
use engine::train::{Example, Settings, TrainError, Trainer};
use pollster::block_on;
use probe::synth::{self, Quant};

use super::tensors::{relative_error, trainer};
use super::{moved, quick, short};
use crate::common;

/// Eight experts, gate and up apart.
fn tiny_moe() -> PathBuf {
    common::repository("frontend/engine/tests/golden/models/tiny-moe.q4_k_m.gguf")
}

/// Four experts, gate and up joined.
fn joined(folder: &Path) -> PathBuf {
    let shape = synth::Shape {
        layers: 2,
        width: 256,
        heads: 1,
        kv_heads_sliding: 1,
        kv_heads_global: 1,
        feed_forward: 128,
        period: 2,
        experts: Some(synth::Experts { count: 4, used: 2, feed_forward: 64 }),
        .."26b".parse().expect("a shape")
    };
    let options = synth::Options { vocabulary: 1024, ..synth::Options::new(shape, Quant::Q80) };
    let path = folder.join("joined.gguf");
    synth::write(std::fs::File::create(&path).expect("a file"), &options).expect("a model");
    path
}

fn settings(targets: &[Projection], max_tokens: u32) -> Settings {
    Settings { targets: targets.to_vec(), dropout: 0.0, max_tokens, ..quick() }
}

/// Where factors start, with B not zero, so that A has a gradient.
fn start(gpu: &Rc<Gpu>, model: &Path, settings: &Settings) -> Adapter {
    let zero = trainer(gpu, model, settings, None);
    let mut start = Adapter::default();
    for (target, factors) in block_on(zero.adapter()).expect("factors").iter() {
        let b = (0..factors.b.len()).map(|i| ((i * 37 + 11) % 101) as f32 / 1000.0 - 0.05).collect();
        start.insert(target, Factors { b, ..factors.clone() }).expect("factors");
    }
    start
}

/// Numbers of either sign for one factor of one projection; all others are zero.
fn along(adapter: &Adapter, projection: Projection, of_a: bool, seed: usize) -> Adapter {
    let mut along = Adapter::default();
    for (target, factors) in adapter.iter() {
        let signs = |count: usize, moves: bool| -> Vec<f32> {
            let sign = |i: usize| if (i * 7919 + seed * 104_729 + i / 97) % 211 < 105 { -1.0 } else { 1.0 };
            (0..count).map(|i| if moves { sign(i) } else { 0.0 }).collect()
        };
        let moves = target.projection == projection;
        let a = signs(factors.a.len(), moves && of_a);
        let b = signs(factors.b.len(), moves && !of_a);
        along.insert(target, Factors { a, b, ..factors.clone() }).expect("factors");
    }
    along
}

fn dot(x: &Adapter, y: &Adapter) -> f64 {
    let products =
        |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum::<f64>();
    x.iter().zip(y.iter()).map(|((_, x), (_, y))| products(&x.a, &y.a) + products(&x.b, &y.b)).sum()
}

/// Holds the gradients against the slope of the loss along themselves and along others, factor by factor.
fn check(gpu: &Rc<Gpu>, model: &Path, settings: &Settings, batch: &[Example]) {
    let cancel = CancelToken::new();
    let start = start(gpu, model, settings);
    let mut at = trainer(gpu, model, settings, Some(&start));
    let (_, norm) = block_on(at.gradients_of(batch, &cancel)).expect("gradients");
    let gradients = block_on(at.gradients()).expect("gradients");
    assert!((dot(&gradients, &gradients).sqrt() - norm).abs() < 1e-3 * norm);
    drop(at);
    let slope = |direction: &Adapter, step: f64| {
        let [above, below] = [step, -step].map(|step| {
            let there = moved(&start, direction, step as f32);
            block_on(trainer(gpu, model, settings, Some(&there)).evaluate(batch, &cancel)).expect("a loss")
        });
        (above - below) / (2.0 * step)
    };
    let got = slope(&gradients, 0.01 / (norm * norm)) / norm;
    assert!((got - norm).abs() < 5e-3 * norm, "a slope of {got} where the gradient has {norm}");
    for projection in Projection::OF_EXPERTS.into_iter().filter(|p| settings.targets.contains(p)) {
        for of_a in [true, false] {
            for seed in 0..if common::is_thorough() { 2 } else { 1 } {
                let direction = along(&start, projection, of_a, seed);
                let want = dot(&gradients, &direction);
                let got = slope(&direction, 5e-4);
                println!("{projection:?} {of_a}: a slope of {got} for {want}");
                let part = norm_of(&gradients, projection, of_a);
                assert!(
                    (got - want).abs() < 0.02 * part,
                    "{projection:?} {of_a}: {got} for {want} of {part}"
                );
            }
        }
    }
}

/// The norm of the gradients of one factor of a projection.
fn norm_of(gradients: &Adapter, projection: Projection, of_a: bool) -> f64 {
    let some = gradients.iter().filter(|(target, _)| target.projection == projection);
    let square = |&v: &f32| f64::from(v) * f64::from(v);
    some.map(|(_, f)| if of_a { &f.a } else { &f.b })
        .flat_map(|values| values.iter().map(square))
        .sum::<f64>()
        .sqrt()
}

#[test]
fn the_gradients_of_experts_are_those_of_the_loss() {
    let folder = tempfile::tempdir().expect("a folder");
    let gpu = common::gpu();
    // So many tokens choose an expert that its tiles are the larger ones; beside other targets.
    let all = [
        Projection::Q,
        Projection::Down,
        Projection::Router,
        Projection::ExpertGateUp,
        Projection::ExpertDown,
    ];
    check(&gpu, &joined(folder.path()), &settings(&all, 60), &[short(1, 60)]);
}

#[test]
fn the_gradients_of_experts_apart_are_those_of_the_loss() {
    let portable = GpuOptions { portable: true, largest_part: Some(36 << 10), ..GpuOptions::default() };
    let gpu = Rc::new(block_on(Gpu::open(&portable)).expect("a device"));
    check(&gpu, &tiny_moe(), &settings(&Projection::OF_EXPERTS, 20), &[short(1, 20), short(2, 7)]);
}

/// With an example that leaves some experts without a pair, their factors have no gradient, and a step is reproducible.
#[test]
fn experts_that_nobody_chose_have_no_gradient() {
    let (gpu, cancel) = (common::gpu(), CancelToken::new());
    let settings = settings(&Projection::OF_EXPERTS, 8);
    let start = start(&gpu, &tiny_moe(), &settings);
    let mut trainer = trainer(&gpu, &tiny_moe(), &settings, Some(&start));
    let example = short(1, 4);
    let mut gradients = || {
        block_on(trainer.gradients_of(from_ref(&example), &cancel)).expect("gradients");
        block_on(trainer.gradients()).expect("gradients")
    };
    let first = gradients();
    assert_eq!(gradients(), first, "a step is reproducible");
    let target = Target { layer: 0, projection: Projection::ExpertDown };
    let f = first.get(target).expect("gradients");
    let each = f.a.len() / f.experts() as usize;
    let still = f.a.chunks(each).filter(|of_expert| of_expert.iter().all(|&v| v == 0.0)).count();
    assert!(still > 0 && still < f.experts() as usize, "{still} of {} experts", f.experts());
}

/// The loss of what is learned is that of a session with the adapter, and of what was exported.
#[test]
fn experts_are_learned_and_a_session_answers_with_them() {
    let (gpu, cancel) = (common::gpu(), CancelToken::new());
    let settings = Settings { learning_rate: 2e-2, steps: 12, ..settings(&Projection::OF_EXPERTS, 24) };
    let batch = [short(1, 24)];
    let mut trainer = trainer(&gpu, &tiny_moe(), &settings, None);
    let losses: Vec<f64> =
        (0..12).map(|_| block_on(trainer.step(&batch, &cancel)).expect("a step").loss).collect();
    let learned = block_on(trainer.evaluate(&batch, &cancel)).expect("a loss");
    assert!(learned < 0.5 * losses[0], "{losses:?}, then {learned}");
    let adapter = block_on(trainer.adapter()).expect("an adapter");
    drop(trainer);
    let files = peft::write(&adapter, "tiny-moe").expect("files");
    let of_peft = block_on(peft::read(&MemorySource::new(files.weights), files.config.as_bytes()));
    let bytes = gguf::write(&adapter, "experts", Vec::new()).expect("a file");
    let of_gguf = block_on(gguf::read(&MemorySource::new(bytes)));
    let mut session = common::exact(&gpu, &tiny_moe());
    for read in [of_peft.expect("PEFT's files"), of_gguf.expect("a GGUF file")] {
        assert_eq!(read, adapter);
        block_on(session.add_adapter("a", read, 1.0)).expect("the adapter fits");
        let ids = batch[0].ids();
        let logits = block_on(session.logits(&ids[..ids.len() - 1], ids.len() - 1)).expect("logits");
        let vocabulary = session.decoder().vocabulary() as usize;
        let of_row = |(row, &id): (&[f32], &u32)| {
            let top = row.iter().copied().fold(f32::MIN, f32::max);
            let total: f64 = row.iter().map(|&v| f64::from(v - top).exp()).sum();
            total.ln() - f64::from(row[id as usize] - top)
        };
        // The first three tokens are not learned.
        let rows = logits.chunks(vocabulary).zip(&ids[1..]).skip(2);
        let count = rows.len() as f64;
        let loss = rows.map(of_row).sum::<f64>() / count;
        assert!((loss - learned).abs() < 1e-3 * losses[0], "a session has a loss of {loss} for {learned}");
    }
}

#[test]
fn experts_go_on_from_a_checkpoint_in_the_memory_that_was_planned() {
    let (gpu, cancel, batch) = (common::gpu(), CancelToken::new(), [short(1, 12)]);
    let settings = settings(&[Projection::Q, Projection::ExpertGateUp, Projection::ExpertDown], 32);
    let options = LoadOptions { context: 512, ..LoadOptions::default() };
    let session = common::load(&gpu, &tiny_moe(), &options);
    let shapes = Projection::OF_EXPERTS
        .map(|projection| session.decoder().shape(Target { layer: 0, projection }).expect("experts"));
    let base = session.training_base();
    drop(session);
    let planned = Trainer::plan(&base, &settings).expect("a plan");
    let queries = Trainer::plan(&base, &Settings { targets: vec![Projection::Q], ..settings.clone() });
    let of_layer: u32 = shapes
        .iter()
        .map(|&Shape { experts, input, output }| experts * settings.rank * (input + output))
        .sum();
    let layers = base.config.layers.len() as u64;
    let parameters = planned.parameters - queries.expect("a plan").parameters;
    assert_eq!(parameters, layers * u64::from(of_layer));
    assert!(planned.optimiser >= 16 * planned.parameters);
    let before = gpu.bytes_in_use();
    let made = Trainer::new(Rc::clone(&gpu), base, settings.clone(), None);
    let mut whole = block_on(made).expect("a trainer");
    assert_eq!(gpu.bytes_in_use() - before, planned.bytes());

    let step = |trainer: &mut Trainer| block_on(trainer.step(&batch, &cancel)).expect("a step").loss;
    step(&mut whole);
    let kept = block_on(whole.checkpoint()).expect("a checkpoint");
    let loss = step(&mut whole);
    let want = block_on(whole.adapter()).expect("an adapter");
    drop(whole);
    let mut resumed = trainer(&gpu, &tiny_moe(), &settings, None);
    block_on(resumed.restore(&kept)).expect("the checkpoint fits");
    assert_eq!(step(&mut resumed), loss);
    assert_eq!(block_on(resumed.adapter()).expect("an adapter"), want);
}

#[test]
fn what_does_not_suit_experts_is_refused_with_numbers() {
    let gpu = common::gpu();
    let options = LoadOptions { context: 512, ..LoadOptions::default() };
    let dense = common::repository("frontend/engine/tests/golden/models/tiny-31b.q4_0.gguf");
    let base = common::load(&gpu, &dense, &options).training_base();
    let refused = Trainer::plan(&base, &settings(&Projection::OF_EXPERTS, 8));
    assert!(matches!(refused, Err(TrainError::NoTarget)), "{refused:?}");

    // Factors that no binding can hold.
    let mut base = common::load(&gpu, &tiny_moe(), &options).training_base();
    base.limits.largest_binding = 100_000;
    let refused =
        Trainer::plan(&base, &settings(&Projection::OF_EXPERTS, 8)).expect_err("too large").to_string();
    assert!(refused.contains("layer 0") && refused.contains("100000"), "{refused}");

    // Factors of another number of experts.
    let settings = settings(&[Projection::ExpertDown], 8);
    let mut other = Adapter::default();
    for (target, f) in start(&gpu, &tiny_moe(), &settings).iter() {
        let half = |values: &[f32]| values[..values.len() / 2].to_vec();
        let factors = Factors { a: half(&f.a), b: half(&f.b), ..f.clone() };
        other.insert(target, factors).expect("factors");
    }
    let base = common::load(&gpu, &tiny_moe(), &options).training_base();
    let refused = block_on(Trainer::new(gpu, base, settings, Some(&other))).err().expect("another model's");
    let TrainError::Adapter(AdapterError::Shape { found, expected, .. }) = refused else {
        panic!("{refused}")
    };
    assert_eq!((found[0], expected[0]), (4, 8));
}

#[test]
fn a_step_moves_only_what_is_a_target() {
    let (gpu, cancel, batch) = (common::gpu(), CancelToken::new(), [short(1, 12)]);
    let gradients = |targets: &[Projection], start: &Adapter| {
        let mut trainer = trainer(&gpu, &tiny_moe(), &settings(targets, 16), Some(start));
        block_on(trainer.gradients_of(&batch, &cancel)).expect("gradients");
        block_on(trainer.gradients()).expect("gradients")
    };
    // Gradients of others do not depend on whether experts are trained, while B of experts is zero.
    let all = [Projection::Q, Projection::Router, Projection::ExpertGateUp, Projection::ExpertDown];
    let of_others = start(&gpu, &tiny_moe(), &settings(&all[..2], 16));
    let (with, without) = (gradients(&all, &of_others), gradients(&all[..2], &of_others));
    for (target, want) in without.iter() {
        let got = with.get(target).expect("gradients");
        let error = relative_error(&got.a, &want.a).max(relative_error(&got.b, &want.b));
        assert!(error < 1e-5, "{target}: {error}");
    }
    assert_eq!(with.len(), 2 * without.len());
}
