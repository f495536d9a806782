//! The router of a mixture as a target: what is learned, against the reference and against the loss itself, and what a
//! session makes of it, which must choose experts by the corrected logits wherever it routes.

use std::path::PathBuf;
use std::rc::Rc;

use engine::adapter::{Adapter, AdapterError, Factors, Projection, Target, gguf, peft};
use engine::bytes::{CancelToken, MemorySource};
use engine::model::{Drafts, KvType};
use engine::session::{Control, EngineError, LoadOptions, Options, Session};
use engine::train::{Settings, TrainError, Trainer};
use pollster::block_on;

use super::tensors::trainer;
use super::{Golden, check, moved, quick, short};
use crate::common;

fn outputs(name: &str) -> PathBuf {
    common::repository("frontend/engine/tests/golden/outputs/tiny-moe").join(name)
}

fn model() -> PathBuf {
    common::repository("frontend/engine/tests/golden/models/tiny-moe.q4_k_m.gguf")
}

fn golden() -> Golden {
    let tensors = [outputs("q4_k_m.router.lora.safetensors")];
    Golden::read(model(), &tensors, &outputs("q4_k_m.router.lora.json"))
}

/// Only the router's factors, or all others.
fn part(adapter: &Adapter, of_router: bool) -> Adapter {
    let mut some = Adapter::default();
    for (target, factors) in adapter.iter() {
        if (target.projection == Projection::Router) == of_router {
            some.insert(target, factors.clone()).expect("factors");
        }
    }
    some
}

fn only_router() -> Settings {
    Settings { targets: vec![Projection::Router], ..quick() }
}

#[test]
fn a_router_learns_as_the_reference_does() {
    let golden = golden();
    assert!(golden.settings().targets.contains(&Projection::Router));
    // What differs from other targets is in the gradients.
    check(&golden, 2);
}

#[test]
fn the_gradients_of_a_router_are_those_of_the_loss_with_what_was_dropped() {
    let (gpu, cancel, batch) = (common::gpu(), CancelToken::new(), [short(1, 20), short(2, 7)]);
    let settings = Settings { dropout: 0.3, ..only_router() };
    let start = part(&golden().start(), true);
    let mut at = trainer(&gpu, &model(), &settings, Some(&start));
    let (dropped, norm) = block_on(at.gradients_of(&batch, &cancel)).expect("gradients");
    let gradients = block_on(at.gradients()).expect("gradients");
    let whole = block_on(at.evaluate(&batch, &cancel)).expect("a loss");
    assert!((dropped - whole).abs() > 1e-4, "a loss of {dropped} with dropout and of {whole} without");
    drop(at);
    // Along the gradient the loss rises by the norm, as long as no token changes its experts.
    let step = 0.002 / norm;
    let [above, below] = [step, -step].map(|step| {
        let there = moved(&start, &gradients, (step / norm) as f32);
        let mut trainer = trainer(&gpu, &model(), &settings, Some(&there));
        block_on(trainer.gradients_of(&batch, &cancel)).expect("a loss").0
    });
    let slope = (above - below) / (2.0 * step);
    assert!((slope - norm).abs() < 5e-3 * norm, "a slope of {slope} where the gradient has {norm}");
}

#[test]
fn a_router_goes_on_from_a_checkpoint_in_the_memory_that_was_planned() {
    let (gpu, cancel, batch) = (common::gpu(), CancelToken::new(), [short(1, 12)]);
    let settings = only_router();
    let session = common::load(&gpu, &model(), &LoadOptions { context: 512, ..LoadOptions::default() });
    let base = session.training_base();
    drop(session);
    let planned = Trainer::plan(&base, &settings).expect("a plan");
    // Four layers, 256 columns, a logit for each of 8 experts.
    assert_eq!(planned.parameters, 4 * u64::from(settings.rank) * (256 + 8));
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
    let mut resumed = trainer(&gpu, &model(), &settings, None);
    block_on(resumed.restore(&kept)).expect("the checkpoint fits");
    assert_eq!(step(&mut resumed), loss);
    assert_eq!(block_on(resumed.adapter()).expect("an adapter"), want);
    assert!(want.iter().all(|(at, factors)| {
        at.projection == Projection::Router && factors.b.iter().any(|&value| value != 0.0)
    }));
    drop(resumed);
    let refused = block_on(trainer(&gpu, &model(), &quick(), None).restore(&kept));
    assert!(matches!(refused, Err(TrainError::Checkpoint { .. })), "{refused:?}");
}

#[test]
fn a_model_without_a_router_trains_none() {
    let dense = common::repository("frontend/engine/tests/golden/models/tiny-31b.q4_0.gguf");
    let options = LoadOptions { context: 512, ..LoadOptions::default() };
    let base = common::load(&common::gpu(), &dense, &options).training_base();
    let plan = |targets: &[Projection]| {
        Trainer::plan(&base, &Settings { targets: targets.to_vec(), ..quick() }).map(|plan| plan.parameters)
    };
    assert!(matches!(plan(&[Projection::Router]), Err(TrainError::NoTarget)));
    let queries = plan(&[Projection::Q]).expect("a plan");
    assert_eq!(plan(&[Projection::Q, Projection::Router]).expect("a plan"), queries);
}

/// What the page saves: PEFT's files and GGUF, read again.
fn written_and_read(adapter: &Adapter) -> [Adapter; 2] {
    let files = peft::write(adapter, "tiny-moe").expect("files");
    assert!(files.config.contains(r"router\\.proj"), "{}", files.config);
    let of_peft = block_on(peft::read(&MemorySource::new(files.weights), files.config.as_bytes()));
    let bytes = gguf::write(adapter, "router", Vec::new()).expect("a file");
    let of_gguf = block_on(gguf::read(&MemorySource::new(bytes)));
    [of_peft.expect("PEFT's files"), of_gguf.expect("a GGUF file")]
}

fn open(expert_slots: u32) -> Session {
    let options = LoadOptions { context: 1024, kv_type: KvType::F32, expert_slots, ..LoadOptions::default() };
    common::load(&common::gpu(), &model(), &options)
}

fn difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn logits_with_an_adapter_of_the_router_agree_with_the_reference() {
    let golden = golden();
    let ids = [golden.ids("prompt_ids"), golden.ids("target_ids")].concat();
    let want = golden.tensors.get("logits_with_adapter_last8").expect("logits");
    let start = golden.start();
    let mut session = open(0);
    let plain = block_on(session.logits(&ids[..], 8)).expect("logits");
    for adapter in written_and_read(&start) {
        assert_eq!(adapter, start);
        block_on(session.add_adapter("a", adapter, 1.0)).expect("the adapter fits");
        let got = block_on(session.logits(&ids[..], 8)).expect("logits");
        let worst = difference(&got, want);
        println!("logits differ by at most {worst:.1e}");
        assert!(worst <= 2e-3, "logits differ by {worst}");
        // Token by token, as decode does.
        let stepped = block_on(session.logits_by_steps(&ids[..], 8)).expect("logits");
        let worst = difference(&stepped, want);
        assert!(worst <= 2e-3, "logits token by token differ by {worst}");
        block_on(session.remove_adapter("a")).expect("it goes");
        assert_eq!(block_on(session.logits(&ids[..], 8)).expect("logits"), plain);
    }
    // The others alone do something else: experts change.
    block_on(session.add_adapter("others", part(&start, false), 1.0)).expect("the adapter fits");
    let others = block_on(session.logits(&ids[..], 8)).expect("logits");
    assert!(difference(&others, want) > 0.5, "the router's factors change nothing");
}

/// Drafts are verified, and experts are looked for in the cache, by the corrected choices.
#[test]
fn an_adapter_of_the_router_counts_for_drafts_and_for_the_expert_cache() {
    let adapter = part(&golden().start(), true);
    let passage = || (0..20).map(|i| 200 + (i * 7919) % 700);
    let ids: Vec<u32> = passage().chain(passage()).collect();
    let drawn = |session: &mut Session, drafts: Drafts| {
        let options = Options { max_tokens: 16, ignore_eos: true, drafts, ..Options::default() };
        let answer = block_on(session.generate(&ids[..], &options, &Control::default(), &mut |_| ()));
        let answer = answer.expect("an answer");
        (answer.ids, answer.timings.speculation.map_or(0, |did| did.rounds))
    };
    let mut session = open(0);
    let (plain, _) = drawn(&mut session, Drafts::Never);
    block_on(session.add_adapter("a", adapter.clone(), 1.0)).expect("the adapter fits");
    let (want, _) = drawn(&mut session, Drafts::Never);
    assert_ne!(want, plain, "the adapter changes nothing");
    let (drafted, rounds) = drawn(&mut session, Drafts::Always { count: 3 });
    assert_eq!(drafted, want);
    assert!(rounds > 0, "nothing was drafted");
    drop(session);

    let mut some = open(3);
    block_on(some.add_adapter("a", adapter, 1.0)).expect("the adapter fits");
    assert_eq!(drawn(&mut some, Drafts::Never).0, want);
    let (_, used) = some.decoder().expert_use().expect("a cache");
    assert!(used.misses > 0 && used.misses < used.uses, "{used:?}");
}

#[test]
fn an_adapter_of_another_router_is_refused_and_the_model_goes_on() {
    let ids = short(1, 20).ids().to_vec();
    let router = |layer, rank: u32, input: u32, output: u32| {
        let [a, b] = [input, output].map(|length| vec![0.1; (rank * length) as usize]);
        let mut adapter = Adapter::default();
        let target = Target { layer, projection: Projection::Router };
        adapter.insert(target, Factors { rank, input, output, a, b, scale: 1.0 }).expect("factors");
        adapter
    };
    let mut session = open(0);
    let plain = block_on(session.logits(&ids[..], 4)).expect("logits");
    let refused = |session: &mut Session, adapter: Adapter, words: &[&str]| {
        let error = block_on(session.add_adapter("a", adapter, 1.0)).expect_err("another model's");
        assert!(matches!(error, EngineError::Adapter(_)), "{error:?}");
        for word in words {
            assert!(error.to_string().contains(word), "{error} does not name {word}");
        }
    };
    // As many experts as the published model has.
    refused(&mut session, router(0, 2, 256, 128), &["blk.0.ffn_gate_inp.B", "[128, 2]", "[8, 2]"]);
    refused(&mut session, router(1, 2, 2816, 8), &["blk.1.ffn_gate_inp.A", "[2, 2816]", "[2, 256]"]);
    refused(&mut session, router(4, 2, 256, 8), &["blk.4.ffn_gate_inp"]);
    assert_eq!(block_on(session.logits(&ids[..], 4)).expect("logits"), plain);
    drop(session);

    let dense = common::repository("frontend/engine/tests/golden/models/tiny-31b.q4_0.gguf");
    let mut session = common::exact(&common::gpu(), &dense);
    refused(&mut session, router(0, 2, 256, 8), &["blk.0.ffn_gate_inp", "does not have"]);
    block_on(session.logits(&ids[..], 4)).expect("logits");
}

/// What stands beside the router's matrix has no factors.
#[test]
fn other_parts_of_a_router_are_refused_by_name() {
    let read = |module: &str| {
        let name = |side: &str| {
            format!("base_model.model.model.language_model.layers.0.{module}.lora_{side}.weight")
        };
        let bytes: Vec<u8> = bytemuck::cast_slice(&[0.5f32; 16]).to_vec();
        let views = [("A", vec![2, 8]), ("B", vec![8, 2])].map(|(side, shape)| {
            let view = safetensors::tensor::TensorView::new(safetensors::Dtype::F32, shape, &bytes);
            (name(side), view.expect("a view"))
        });
        let file = safetensors::serialize(views, None).expect("tensors serialise");
        block_on(peft::read(&MemorySource::new(file), br#"{"peft_type": "LORA"}"#))
    };
    assert!(read("router.proj").is_ok());
    for module in ["router", "router.scale"] {
        let error = read(module).expect_err("no projection");
        assert!(matches!(error, AdapterError::Unsupported { .. }), "{error:?}");
        assert!(error.to_string().contains(&format!("layers.0.{module},")), "{error}");
    }
    let target = Target { layer: 2, projection: Projection::Router };
    assert_eq!(Target::of_module("model.language_model.layers.2.router.proj"), Some(target));
    assert_eq!(Target::of_matrix("blk.2.ffn_gate_inp"), Some(target));
}
