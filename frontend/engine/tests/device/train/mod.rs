//! Training against the reference: gradients of the first step and the losses of twenty, made by PyTorch in f32 on the
//! same weights (transformers 5.23), within the tolerances of the set: 1e-3 relative L2 error for each gradient, 1e-2
//! relative for each loss. The quantised model is carried; the others are compared where they lie beside the repository.

mod expert_factors;
mod experts;
mod media;
mod router;
mod tensors;

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::slice::from_ref;

use engine::adapter::{Adapter, Factors, Projection};
use engine::bytes::CancelToken;
use engine::gguf::Family;
use engine::model::Tuning;
use engine::session::{LoadOptions, TablePlace};
use engine::train::{Example, MASKED, Schedule, Settings, TrainError, Trainer, order};
use pollster::block_on;

use crate::common;
use tensors::{Tensors, compare_gradients, made_up, trainer};

/// A model with its golden: a prompt, what is learned, and what came of it.
struct Golden {
    model: PathBuf,
    tensors: Tensors,
    json: serde_json::Value,
}

impl Golden {
    fn carried() -> Self {
        let golden = common::repository("frontend/engine/tests/golden");
        let outputs = golden.join("outputs/tiny-e2b");
        let files = ["lora.init.safetensors", "q4_k_m.lora.safetensors"].map(|file| outputs.join(file));
        Self::read(golden.join("models/tiny-e2b.q4_k_m.gguf"), &files, &outputs.join("q4_k_m.lora.json"))
    }

    /// One that lies beside the repository, if it does.
    fn beside(name: &str) -> Option<Self> {
        let golden = common::full_set()?;
        let model = golden.join(format!("models/{name}.f16.gguf"));
        let output = |extension: &str| golden.join(format!("golden/{name}/f16.lora.{extension}"));
        Some(Self::read(model, &[output("safetensors")], &output("json")))
    }

    fn read(model: PathBuf, tensors: &[PathBuf], json: &Path) -> Self {
        let json = std::fs::read(json).expect("golden JSON");
        let json = serde_json::from_slice(&json).expect("golden JSON parses");
        Self { model, tensors: Tensors::read(tensors), json }
    }

    fn ids(&self, key: &str) -> Vec<u32> {
        let ids = self.json[key].as_array().expect("ids").iter();
        ids.map(|id| id.as_u64().expect("an id") as u32).collect()
    }

    fn example(&self) -> Example {
        let (prompt, targets) = (self.ids("prompt_ids"), self.ids("target_ids"));
        let masked = prompt.iter().map(|_| MASKED);
        let labels = masked.chain(targets.iter().map(|&id| id as i32)).collect();
        Example::text([prompt, targets].concat(), labels)
    }

    fn number(&self, key: &str) -> f64 {
        self.json[key].as_f64().unwrap_or_else(|| panic!("golden {key}"))
    }

    fn settings(&self) -> Settings {
        let optimiser = &self.json["optimizer"];
        let number = |key: &str| optimiser[key].as_f64().expect("a number");
        let start = self.start();
        let learns = |projection: &Projection| start.iter().any(|(at, _)| at.projection == *projection);
        Settings {
            targets: Projection::ALL.into_iter().filter(learns).collect(),
            rank: self.number("rank") as u32,
            alpha: self.number("alpha") as f32,
            steps: number("steps") as u32,
            learning_rate: number("lr"),
            weight_decay: number("weight_decay"),
            schedule: Schedule::Constant,
            warmup: 0,
            clip: 0.0,
            max_tokens: self.example().input.len() as u32,
            ..Settings::default()
        }
    }

    fn start(&self) -> Adapter {
        if let Some(shapes) = self.json["shapes"].as_object() {
            return made_up(shapes, self.number("rank") as u32, self.number("scale") as f32);
        }
        self.tensors.adapter("init.lora.", self.number("scale") as f32)
    }

    fn label(&self) -> String {
        self.model.file_name().expect("a file name").to_string_lossy().into_owned()
    }
}

/// The same factors with every B at zero.
fn without_b(adapter: &Adapter) -> Adapter {
    let mut all = Adapter::default();
    for (target, factors) in adapter.iter() {
        let factors = Factors { b: vec![0.0; factors.b.len()], ..factors.clone() };
        all.insert(target, factors).expect("factors");
    }
    all
}

/// Holds the first step's gradients and the losses of so many steps against the reference.
fn check(golden: &Golden, steps: usize) {
    let gpu = common::gpu();
    let (label, settings, example) = (golden.label(), golden.settings(), golden.example());
    let cancel = CancelToken::new();
    let start = golden.start();

    let mut first = trainer(&gpu, &golden.model, &settings, Some(&start));
    let (loss, _) = block_on(first.gradients_of(from_ref(&example), &cancel)).expect("gradients");
    let want = golden.number("loss_at_init");
    assert!((loss - want).abs() <= 1e-3 * want, "{label}: a loss of {loss} for {want}");
    let gradients = block_on(first.gradients()).expect("gradients");
    assert_eq!(gradients.len(), start.len(), "{label}: projections that learn");
    let (compared, worst) = compare_gradients(&label, &gradients, &golden.tensors);
    assert!(compared >= 20, "{label}: only {compared} gradients to compare with");
    drop(first);

    let mut curve = trainer(&gpu, &golden.model, &settings, Some(&without_b(&start)));
    let wants = golden.json["curve"].as_array().expect("a curve");
    let mut worst_loss = 0.0f64;
    for (step, want) in wants.iter().enumerate().take(steps + 1) {
        let want = want.as_f64().expect("a loss");
        let batch = [example.clone()];
        let loss = if step + 1 == wants.len() {
            block_on(curve.evaluate(&batch, &cancel)).expect("a loss")
        } else {
            block_on(curve.step(&batch, &cancel)).expect("a step").loss
        };
        let error = (loss - want).abs() / want;
        assert!(error <= 1e-2, "{label}: step {step} has a loss of {loss} for {want}");
        worst_loss = worst_loss.max(error);
    }
    println!("{label}: {compared} gradients differ by at most {worst:.1e}, losses by {worst_loss:.1e}");
}

#[test]
fn a_quantised_model_learns_as_the_reference_does() {
    check(&Golden::carried(), if common::is_thorough() { 20 } else { 4 });
}

#[test]
fn a_model_in_halves_learns_as_the_reference_does_where_it_is_named() {
    Golden::beside("tiny-e2b").iter().for_each(|golden| check(golden, 20));
}

#[test]
fn values_that_are_raw_keys_learn_as_the_reference_does_where_it_is_named() {
    // What differs is in the gradients; the optimiser is that of the others, and a step is slow on a processor.
    Golden::beside("tiny-31b").iter().for_each(|golden| check(golden, 4));
}

#[test]
fn the_per_layer_table_may_stay_in_the_file() {
    let (gpu, cancel) = (common::gpu(), CancelToken::new());
    let model = common::repository("frontend/engine/tests/golden/models/tiny-e2b.q4_k_m.gguf");
    let [here, in_file] = [TablePlace::Device, TablePlace::Host].map(|table| {
        let options = LoadOptions { context: 512, table, ..LoadOptions::default() };
        let base = common::load(&gpu, &model, &options).training_base();
        assert_eq!(base.table.is_some(), table == TablePlace::Host);
        let made = Trainer::new(Rc::clone(&gpu), base, quick(), None);
        let mut trainer = block_on(made).expect("a trainer");
        block_on(trainer.evaluate(&[short(1, 9)], &cancel)).expect("a loss")
    });
    assert!((here - in_file).abs() < 1e-6 * here, "{in_file} for {here}");
}

/// A short example of arbitrary tokens.
fn short(seed: u32, tokens: u32) -> Example {
    let ids: Vec<u32> = (0..tokens).map(|i| 200 + (seed * 97 + i * 31) % 700).collect();
    let labels = ids.iter().enumerate().map(|(t, &id)| if t < 3 { MASKED } else { id as i32 }).collect();
    Example::text(ids, labels)
}

fn quick() -> Settings {
    Settings {
        rank: 4,
        steps: 6,
        learning_rate: 5e-3,
        warmup: 2,
        schedule: Schedule::Cosine,
        dropout: 0.1,
        max_tokens: 32,
        seed: 3,
        ..Settings::default()
    }
}

fn model() -> PathBuf {
    common::repository("frontend/engine/tests/golden/models/tiny-31b.q4_0.gguf")
}

#[test]
fn one_example_is_learned_by_heart() {
    let settings =
        Settings { steps: 40, learning_rate: 1e-2, schedule: Schedule::Constant, dropout: 0.0, ..quick() };
    let mut trainer = trainer(&common::gpu(), &model(), &settings, None);
    let (batch, cancel) = ([short(1, 20)], CancelToken::new());
    for _ in 0..settings.steps {
        if block_on(trainer.step(&batch, &cancel)).expect("a step").loss < 0.01 {
            return;
        }
    }
    panic!("a loss of {}", block_on(trainer.evaluate(&batch, &cancel)).expect("a loss"));
}

#[test]
fn a_training_that_goes_on_from_a_checkpoint_ends_as_one_that_was_not_stopped() {
    let settings = Settings { steps: 4, ..quick() };
    let (gpu, cancel) = (common::gpu(), CancelToken::new());
    let examples = [short(1, 12), short(2, 17), short(3, 7)];
    let run = |trainer: &mut Trainer, until: u32| {
        let mut losses = Vec::new();
        while trainer.steps_done() < until {
            let chosen = order(settings.seed, examples.len(), 2, trainer.steps_done());
            let batch: Vec<_> = chosen.into_iter().map(|index| examples[index].clone()).collect();
            losses.push(block_on(trainer.step(&batch, &cancel)).expect("a step").loss);
        }
        losses
    };
    let mut whole = trainer(&gpu, &model(), &settings, None);
    let mut losses = run(&mut whole, 2);
    let kept = block_on(whole.checkpoint()).expect("a checkpoint");
    losses.extend(run(&mut whole, settings.steps));
    let want = block_on(whole.adapter()).expect("an adapter");
    drop(whole);

    // Begun elsewhere, so that everything must come from the checkpoint.
    let mut resumed = trainer(&gpu, &model(), &settings, None);
    run(&mut resumed, 1);
    block_on(resumed.restore(&kept)).expect("the checkpoint fits");
    assert_eq!(resumed.steps_done(), 2);
    assert_eq!(run(&mut resumed, settings.steps), losses[2..]);
    assert_eq!(block_on(resumed.adapter()).expect("an adapter"), want);

    let mut changed = kept.clone();
    changed[200] ^= 1;
    let broken: [&[u8]; 4] = [&kept[..kept.len() - 5], &changed, b"short", b""];
    for bytes in broken {
        let refused = block_on(resumed.restore(bytes));
        assert!(matches!(refused, Err(TrainError::Checkpoint { .. })), "{refused:?}");
    }
    drop(resumed);
    let other = Settings { rank: 2, ..settings.clone() };
    let refused = block_on(trainer(&gpu, &model(), &other, None).restore(&kept));
    assert!(matches!(refused, Err(TrainError::Checkpoint { .. })), "{refused:?}");
}

/// The factors moved by `step` along others of the same shapes.
fn moved(adapter: &Adapter, along: &Adapter, step: f32) -> Adapter {
    let mut all = Adapter::default();
    for ((target, at), (_, along)) in adapter.iter().zip(along.iter()) {
        let sum = |x: &[f32], d: &[f32]| x.iter().zip(d).map(|(x, d)| x + step * d).collect();
        let factors = Factors { a: sum(&at.a, &along.a), b: sum(&at.b, &along.b), ..at.clone() };
        all.insert(target, factors).expect("factors");
    }
    all
}

#[test]
fn the_gradients_are_those_of_the_loss_with_what_was_dropped() {
    check_slope(&model());
}

/// Values without a norm, queries whose norm carries the scale of the scores, and layers without a scale at their end.
#[test]
fn the_gradients_of_gemma_3_are_those_of_the_loss() {
    check_slope(&gemma3());
}

fn gemma3() -> PathBuf {
    common::repository("frontend/engine/tests/golden/models/tiny-gemma3.q4_k_m.gguf")
}

/// The same factors with some B.
fn with_b(zero: &Adapter) -> Adapter {
    let mut all = Adapter::default();
    for (target, factors) in zero.iter() {
        let b = (0..factors.b.len()).map(|i| ((i * 37 + 11) % 101) as f32 / 1000.0 - 0.05).collect();
        all.insert(target, Factors { b, ..factors.clone() }).expect("factors");
    }
    all
}

#[test]
fn an_adapter_of_gemma_3_gives_the_loss_that_training_had() {
    let (gpu, cancel, example) = (common::gpu(), CancelToken::new(), short(1, 24));
    let settings = Settings { dropout: 0.0, ..quick() };
    let trainer_of = |start: Option<&Adapter>| trainer(&gpu, &gemma3(), &settings, start);
    let adapter = block_on(trainer_of(None).adapter()).expect("an adapter");
    assert_eq!(adapter.family(), Family::Gemma3);
    let adapter = with_b(&adapter);
    let want = block_on(trainer_of(Some(&adapter)).evaluate(from_ref(&example), &cancel)).expect("a loss");
    let ids = example.input.ids().to_vec();
    for tuning in [Tuning::FLOATS, common::EXACT_PRODUCTS] {
        let mut session =
            common::load(&gpu, &gemma3(), &LoadOptions { tuning: Some(tuning), ..common::exact_options() });
        let plain = block_on(session.logits(&ids, ids.len())).expect("logits");
        block_on(session.add_adapter("made up", adapter.clone(), 1.0)).expect("it fits");
        let at_once = block_on(session.logits(&ids, ids.len())).expect("logits");
        let by_steps = block_on(session.logits_by_steps(&ids, ids.len())).expect("logits");
        let loss = |logits: &[f32]| {
            let rows: Vec<_> = logits.chunks(logits.len() / ids.len()).collect();
            let of_token = |t: usize| {
                let sum: f64 = rows[t - 1].iter().map(|&z| f64::from(z).exp()).sum();
                sum.ln() - f64::from(rows[t - 1][ids[t] as usize])
            };
            (3..ids.len()).map(of_token).sum::<f64>() / (ids.len() - 3) as f64
        };
        for got in [loss(&at_once), loss(&by_steps)] {
            assert!((got - want).abs() < 1e-4 * want, "{tuning:?}: a loss of {got} for {want}");
        }
        assert!((loss(&plain) - want).abs() > 1e-3, "the adapter changes nothing");
    }
}

/// Compares the gradients with the slope of the loss along them.
fn check_slope(model: &Path) {
    let (gpu, cancel, batch) = (common::gpu(), CancelToken::new(), [short(1, 20), short(2, 7)]);
    let settings = Settings { dropout: 0.3, ..quick() };
    // With every B at zero nothing that is dropped would show.
    let zero = block_on(trainer(&gpu, model, &settings, None).adapter()).expect("an adapter");
    let start = with_b(&zero);
    let mut at = trainer(&gpu, model, &settings, Some(&start));
    let (dropped, norm) = block_on(at.gradients_of(&batch, &cancel)).expect("gradients");
    let gradients = block_on(at.gradients()).expect("gradients");
    let whole = block_on(at.evaluate(&batch, &cancel)).expect("a loss");
    assert!((dropped - whole).abs() > 1e-4, "a loss of {dropped} with dropout and of {whole} without");
    drop(at);
    let without = Settings { dropout: 0.0, ..settings.clone() };
    let mut plain = trainer(&gpu, model, &without, Some(&start));
    assert_eq!(block_on(plain.evaluate(&batch, &cancel)).expect("a loss"), whole);
    drop(plain);

    // Along the gradient the loss rises by the norm; far enough that rounding does not count.
    let step = 0.01 / norm;
    let [above, below] = [step, -step].map(|step| {
        let there = moved(&start, &gradients, (step / norm) as f32);
        let mut trainer = trainer(&gpu, model, &settings, Some(&there));
        block_on(trainer.gradients_of(&batch, &cancel)).expect("a loss").0
    });
    let slope = (above - below) / (2.0 * step);
    assert!((slope - norm).abs() < 5e-3 * norm, "a slope of {slope} where the gradient has {norm}");
}

/// The first moments in a checkpoint.
fn first_moments(checkpoint: &[u8]) -> Vec<f32> {
    let length = u64::from_le_bytes(checkpoint[8..16].try_into().expect("eight bytes")) as usize;
    let (header, rest) = checkpoint[16..].split_at(length);
    let header: serde_json::Value = serde_json::from_slice(header).expect("a header");
    let values: Vec<f32> = bytemuck::pod_collect_to_vec(&rest[..rest.len() - 32]);
    let mut rest = values.as_slice();
    let mut all = Vec::new();
    for count in header["counts"].as_array().expect("counts") {
        let (layer, others) = rest.split_at(3 * count.as_u64().expect("a count") as usize);
        all.extend(&layer[layer.len() / 3..layer.len() / 3 * 2]);
        rest = others;
    }
    all
}

#[test]
fn clipping_bounds_what_the_optimiser_sees() {
    let (gpu, cancel, batch) = (common::gpu(), CancelToken::new(), [short(1, 12)]);
    for clip in [0.0, 0.01, 1e6] {
        let settings = Settings { clip, dropout: 0.0, ..quick() };
        let mut trainer = trainer(&gpu, &model(), &settings, None);
        let report = block_on(trainer.step(&batch, &cancel)).expect("a step");
        assert_eq!(report.learning_rate, settings.rate(0));
        assert!(report.grad_norm > 0.05, "{}", report.grad_norm);
        let moments = first_moments(&block_on(trainer.checkpoint()).expect("a checkpoint"));
        // After one step they are a tenth of what the optimiser was given.
        let squares: f64 = moments.iter().map(|&m| f64::from(m) * f64::from(m)).sum();
        let want = if clip == 0.01 { clip } else { report.grad_norm };
        let given = 10.0 * squares.sqrt();
        assert!((given - want).abs() < 1e-3 * want, "clip {clip}: a norm of {given} for {want}");
    }
}

#[test]
fn micro_batches_weigh_their_tokens_alike() {
    let settings = Settings { dropout: 0.0, ..quick() };
    let mut trainer = trainer(&common::gpu(), &model(), &settings, None);
    let cancel = CancelToken::new();
    let (one, two) = (short(1, 30), short(2, 9));
    let mut loss = |batch: &[Example]| block_on(trainer.evaluate(batch, &cancel)).expect("a loss");
    let (a, b) = (loss(from_ref(&one)), loss(from_ref(&two)));
    let mean = (27.0 * a + 6.0 * b) / 33.0;
    let both = loss(&[one.clone(), two.clone()]);
    assert!((both - mean).abs() < 1e-5, "{both} for {mean}");
}

#[test]
fn what_cannot_be_learned_is_refused_and_changes_nothing() {
    let gpu = common::gpu();
    let mut trainer = trainer(&gpu, &model(), &quick(), None);
    let cancel = CancelToken::new();
    let before = block_on(trainer.adapter()).expect("an adapter");
    let mut masked = short(1, 8);
    masked.labels.fill(MASKED);
    let mut uneven = short(1, 8);
    uneven.labels.pop();
    let unknown = Example::text(vec![200, 201, 1 << 30], vec![MASKED, 201, MASKED]);
    let mut refused = |batch: &[Example]| block_on(trainer.step(batch, &cancel)).expect_err("refused");
    assert!(matches!(refused(&[]), TrainError::NoExamples));
    assert!(matches!(refused(&[masked]), TrainError::AllMasked));
    assert!(matches!(refused(&[uneven]), TrainError::Labels { index: 0, ids: 8, labels: 7 }));
    assert!(matches!(
        refused(&[short(1, 8), short(2, 33)]),
        TrainError::TooLong { index: 1, tokens: 33, most: 32 }
    ));
    assert!(matches!(refused(&[unknown]), TrainError::NoToken { .. }));
    let cancelled = CancelToken::new();
    cancelled.cancel();
    let stopped = block_on(trainer.step(&[short(1, 8)], &cancelled));
    assert!(matches!(stopped, Err(TrainError::Cancelled)), "{stopped:?}");
    assert_eq!(trainer.steps_done(), 0);
    assert_eq!(block_on(trainer.adapter()).expect("an adapter"), before);
}

#[test]
fn a_loss_that_is_no_number_stops_and_keeps_what_was_learned() {
    let gpu = common::gpu();
    // So large a rate that the second step cannot be computed.
    let settings = Settings { learning_rate: 1e30, warmup: 0, dropout: 0.0, clip: 0.0, ..quick() };
    let mut trainer = trainer(&gpu, &model(), &settings, None);
    let cancel = CancelToken::new();
    let batch = [short(1, 12)];
    block_on(trainer.step(&batch, &cancel)).expect("the first step");
    let before = block_on(trainer.checkpoint()).expect("a checkpoint");
    let failed = block_on(trainer.step(&batch, &cancel));
    assert!(matches!(failed, Err(TrainError::NotFinite { step: 2, .. })), "{failed:?}");
    assert_eq!(trainer.steps_done(), 1);
    assert_eq!(block_on(trainer.checkpoint()).expect("a checkpoint"), before);
}

#[test]
fn the_memory_planned_is_the_memory_taken() {
    let gpu = common::gpu();
    let session = common::load(&gpu, &model(), &LoadOptions { context: 512, ..LoadOptions::default() });
    let base = session.training_base();
    drop(session);
    let planned = Trainer::plan(&base, &quick()).expect("a plan");
    let before = gpu.bytes_in_use();
    let trainer = block_on(Trainer::new(Rc::clone(&gpu), base, quick(), None)).expect("a trainer");
    let taken = gpu.bytes_in_use() - before;
    assert_eq!(trainer.memory(), planned);
    assert_eq!(taken, planned.bytes());
    let wrong = Settings { max_tokens: 1 << 24, ..quick() };
    assert!(matches!(Trainer::plan(trainer.base(), &wrong), Err(TrainError::Setting { .. })));
}
