//! LoRA adapters: files of every kind, logits against the reference with the adapter applied, switching in a running
//! session, and files that must be refused.
//!
//! `golden/adapters` holds, for `tiny-e2b.q4_k_m`: the adapter of the reference outputs (`flat.safetensors`, rank 4 on
//! all seven projections), one that Hugging Face PEFT wrote (`peft`: ranks and alphas by pattern, rsLoRA, the per-layer
//! gate and projection), the logits of both, and what this engine exported of the second, which PEFT loads with the
//! same logits (`exported`, see its README).

use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine::adapter::{self, Adapter, AdapterError, Factors, Projection, Target, flat, gguf, peft};
use engine::bytes::MemorySource;
use engine::gguf::{TensorSpec, WriteValue, Writer};
use engine::gpu::{Gpu, GpuError, GpuOptions};
use engine::model::{Attention, Tuning};
use engine::plan::Tested;
use engine::session::{Control, EngineError, LoadOptions, Options, Session};
use pollster::block_on;
use safetensors::SafeTensors;
use shaders::DType;
use shaders::matvec::Matvec;

use crate::common;

/// Of the reference set, for an f32 cache.
const EXACT: f32 = 2e-3;

fn fixture(name: &str) -> PathBuf {
    common::repository("frontend/engine/tests/golden/adapters").join(name)
}

fn open(name: &str) -> Adapter {
    block_on(adapter::open(&fixture(name))).expect("the adapter opens")
}

fn ids() -> Vec<u32> {
    serde_json::from_slice(&std::fs::read(fixture("ids.json")).expect("ids")).expect("ids parse")
}

fn tensor(path: &Path, name: &str) -> Vec<f32> {
    let bytes = std::fs::read(path).expect("golden tensors");
    let tensors = SafeTensors::deserialize(&bytes).expect("golden tensors parse");
    bytemuck::pod_collect_to_vec(tensors.tensor(name).expect("a golden tensor").data())
}

fn want(name: &str) -> Vec<f32> {
    tensor(&fixture("logits.safetensors"), name)
}

fn model() -> PathBuf {
    common::repository("frontend/engine/tests/golden/models/tiny-e2b.q4_k_m.gguf")
}

fn session() -> Session {
    common::exact(&common::gpu(), &model())
}

fn logits(session: &mut Session, ids: &[u32]) -> Vec<f32> {
    block_on(session.logits(ids, 8)).expect("logits")
}

fn difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

fn greedy(session: &mut Session, ids: &[u32], count: u32) -> (Vec<u32>, u32) {
    let options = Options { max_tokens: count, ignore_eos: true, ..Options::default() };
    let answer = block_on(session.generate(ids, &options, &Control::default(), &mut |_| ()));
    let answer = answer.expect("an answer");
    (answer.ids, answer.timings.cached_tokens)
}

fn add(session: &mut Session, name: &str, adapter: &Adapter, scale: f32) {
    block_on(session.add_adapter(name, adapter.clone(), scale)).expect("the adapter fits");
}

/// Every drawn token is the likeliest one when prompt and answer are read as one prompt: decode corrects as prefill.
fn decode_agrees_with_prefill(session: &mut Session, prompt: &[u32]) {
    let (drawn, _) = greedy(session, prompt, 10);
    let all = [prompt, &drawn].concat();
    let rows = block_on(session.logits(&all[..all.len() - 1], drawn.len())).expect("logits");
    let vocabulary = session.decoder().vocabulary() as usize;
    for (step, (row, &id)) in rows.chunks(vocabulary).zip(&drawn).enumerate() {
        let gap = row.iter().copied().fold(f32::MIN, f32::max) - row[id as usize];
        assert!(gap < 1e-3, "step {step}: {id} was drawn, another is likelier by {gap}");
    }
}

#[test]
fn logits_agree_with_the_reference_and_with_peft() {
    let mut session = session();
    let ids = ids();
    let plain = logits(&mut session, &ids);
    for (file, key) in [
        ("flat.safetensors", "flat"),
        ("peft", "peft"),
        ("exported", "peft"),
        ("exported/adapter.gguf", "peft"),
    ] {
        add(&mut session, "a", &open(file), 1.0);
        let got = logits(&mut session, &ids);
        let worst = difference(&got, &want(key));
        println!("{file}: logits differ by at most {worst:.1e}");
        assert!(worst <= EXACT, "{file}: logits differ by {worst}");
        assert!(difference(&got, &plain) > 0.1, "{file} changes nothing");
        decode_agrees_with_prefill(&mut session, &ids[..26]);
        block_on(session.remove_adapter("a")).expect("it goes");
        assert_eq!(logits(&mut session, &ids), plain, "{file} left something behind");
    }
}

/// A session whose tokens without adapters have fused products too, so that their dispatches can be compared.
fn fused(gpu: &Rc<Gpu>) -> Session {
    let options = LoadOptions { tuning: Some(Tuning::FLOATS), ..common::exact_options() };
    common::load(gpu, &model(), &options)
}

fn global_layers(session: &Session) -> usize {
    let layers = &session.decoder().config().layers;
    layers.iter().filter(|layer| layer.attention == Attention::Global).count()
}

/// Where a device binds no more buffers than every device does, z of three matrices has a dispatch of its own, as that of the
/// output has in global layers; where ranks are large, that of every site has.
#[test]
fn what_has_no_z_on_the_way_has_a_dispatch_for_it_with_the_same_answer() {
    let ids = ids();
    let flat = open("flat.safetensors");
    // Nine times the same, each an eighteenth: rank 36, and twice of it 72.
    let mut wide = Adapter::default();
    for (target, factors) in flat.iter() {
        let share = Factors { scale: factors.scale / 18.0, ..factors.clone() };
        let sum = (1..9).fold(share.clone(), |sum, _| stacked(&sum, &share, 1.0));
        wide.insert(target, sum).expect("factors");
    }
    let portable = GpuOptions { portable: true, ..GpuOptions::default() };
    let portable = Rc::new(block_on(Gpu::open(&portable)).expect("a device"));
    for (gpu, adapter, is_wide) in [(&portable, &flat, false), (&common::gpu(), &wide, true)] {
        let mut session = fused(gpu);
        let dispatches = session.decoder().dispatches_per_token();
        let config = session.decoder().config();
        let owners = (0..config.layers.len()).filter(|&layer| config.owns_kv(layer)).count();
        let own = if is_wide { 4 * config.layers.len() } else { owners + global_layers(&session) };
        add(&mut session, "a", adapter, 1.0);
        if is_wide {
            add(&mut session, "b", adapter, 1.0);
        }
        assert_eq!(session.decoder().dispatches_per_token(), dispatches + own);
        let worst = difference(&logits(&mut session, &ids), &want("flat"));
        assert!(worst <= EXACT, "logits differ by {worst}");
        decode_agrees_with_prefill(&mut session, &ids[..26]);
    }
}

/// The plan of a few rows corrects as the fused one does; with packed rows, as far as rounding lets it.
#[test]
fn decode_corrects_by_every_plan() {
    let (gpu, ids, flat) = (common::gpu(), ids(), open("flat.safetensors"));
    let by_steps = |tuning: Tuning| {
        let options = LoadOptions { tuning: Some(tuning), ..common::exact_options() };
        let mut session = common::load(&gpu, &model(), &options);
        let of = |session: &mut Session| block_on(session.logits_by_steps(&ids, 8)).expect("logits");
        let plain = of(&mut session);
        add(&mut session, "a", &flat, 1.0);
        [plain, of(&mut session)]
    };
    let want = want("flat");
    let [plain, fused] = by_steps(Tuning::FLOATS);
    assert!(difference(&fused, &want) <= EXACT);
    // Packed rows take the same plan, except for rounding.
    if common::is_thorough() {
        let [_, unfused] = by_steps(Tuning::unfused(false));
        assert!(difference(&unfused, &want) <= EXACT);
    }
    let [packed_plain, packed] = by_steps(Tuning::unfused(true));
    let (rounding, worst) = (difference(&packed_plain, &plain), difference(&packed, &want));
    println!("packed: {worst:.1e}, without an adapter {rounding:.1e}");
    assert!(rounding > EXACT && worst <= 1.5 * rounding, "{worst}, without an adapter {rounding}");
    assert!(difference(&plain, &want) > 3.0 * worst, "the adapter changes too little to tell");
}

/// Wherever memory ends while products are bound anew, all stays as it was: adapters too, whose programs come last.
#[test]
fn products_that_could_not_be_changed_leave_adapters_at_work() {
    let (gpu, mut ids) = (common::gpu(), ids());
    ids.truncate(8);
    let mut session = fused(&gpu);
    add(&mut session, "a", &open("flat.safetensors"), 1.0);
    let tuning = session.decoder().tuning();
    let of = |session: &mut Session| block_on(session.logits_by_steps(&ids, 8)).expect("logits");
    let before = of(&mut session);
    let other = Tuning::unfused(false);
    let (mut refused, mut limit) = (Vec::new(), gpu.bytes_in_use());
    loop {
        gpu.limit_memory(limit);
        let set = block_on(session.set_tuning(other));
        gpu.limit_memory(u64::MAX);
        let Err(EngineError::Gpu(GpuError::OutOfMemory { label, bytes, in_use })) = set else {
            set.expect("nothing else is wrong");
            break;
        };
        assert_eq!(session.decoder().tuning(), tuning, "{label}");
        assert_eq!(of(&mut session), before, "{label}");
        refused.push(label);
        // As much as it takes to come to the next allocation.
        limit = in_use + bytes;
    }
    assert!(refused.iter().any(|label| label == "adapters"), "{refused:?}");
    assert_ne!(session.decoder().tuning(), tuning);
    assert!(difference(&of(&mut session), &before) <= EXACT);
}

/// llama.cpp applies the exported GGUF adapter as this engine does. It multiplies activations of eight bits, which alone
/// moves a probability of this tiny model by up to 0.035.
#[test]
fn llama_cpp_takes_what_was_exported_for_the_same() {
    const ROUNDED: f32 = 0.04;
    let bytes = std::fs::read(fixture("llama_cpp.json")).expect("what llama.cpp said");
    let said: std::collections::HashMap<String, Vec<(usize, f32)>> =
        serde_json::from_slice(&bytes).expect("it parses");
    let model = common::repository("frontend/engine/tests/golden/models/tiny-e2b.q4_0.lcpp.gguf");
    let mut session = common::exact(&common::gpu(), &model);
    let mut plain = Vec::new();
    for (case, scale) in [("without", 0.0), ("with", 1.0)] {
        add(&mut session, "a", &open("exported/adapter.gguf"), scale);
        let row = block_on(session.logits(ids().as_slice(), 1)).expect("logits");
        block_on(session.remove_adapter("a")).expect("it goes");
        let top = row.iter().copied().fold(f32::MIN, f32::max);
        let total: f32 = row.iter().map(|logit| (logit - top).exp()).sum();
        let ours: Vec<f32> = row.iter().map(|logit| (logit - top).exp() / total).collect();
        let differs = |of: &[f32]| said[case].iter().map(|&(id, p)| (of[id] - p).abs()).fold(0.0, f32::max);
        println!("{case}: probabilities differ by at most {:.4}", differs(&ours));
        assert!(differs(&ours) < ROUNDED, "{case}: {}", differs(&ours));
        if case == "with" {
            assert!(differs(&plain) > 2.0 * ROUNDED, "the adapter changes too little to tell");
        }
        plain = ours;
    }
}

/// The full set, where it lies beside the repository: dense with V = raw K, per-layer inputs and shared keys, in F16.
#[test]
fn logits_agree_with_the_whole_set_where_it_is_named() {
    let Some(golden) = common::full_set() else { return };
    for name in ["tiny-e2b", "tiny-31b"] {
        let outputs = golden.join(format!("golden/{name}/f16.lora.safetensors"));
        let bytes = std::fs::read(&outputs).expect("golden tensors");
        let json = std::fs::read(outputs.with_extension("json")).expect("golden JSON");
        let json: serde_json::Value = serde_json::from_slice(&json).expect("golden JSON parses");
        let ids: Vec<u32> = ["prompt_ids", "target_ids"]
            .iter()
            .flat_map(|key| json[key].as_array().expect("ids"))
            .map(|id| id.as_u64().expect("an id") as u32)
            .collect();
        let tensors = SafeTensors::deserialize(&bytes).expect("golden tensors parse");
        let views = tensors.iter().filter_map(|(n, view)| Some((n.strip_prefix("init.")?.to_owned(), view)));
        let file = safetensors::serialize(views, None).expect("tensors serialise");
        let adapter = block_on(flat::read(&MemorySource::new(file), Some(8.0))).expect("the adapter reads");

        let gpu = common::gpu();
        let mut session = common::exact(&gpu, &golden.join(format!("models/{name}.f16.gguf")));
        add(&mut session, "a", &adapter, 1.0);
        let worst = difference(&logits(&mut session, &ids), &tensor(&outputs, "logits_with_adapter_last8"));
        println!("{name}: logits differ by at most {worst:.1e}");
        assert!(worst <= EXACT, "{name}: logits differ by {worst}");
        decode_agrees_with_prefill(&mut session, &ids[..26]);
    }
}

#[test]
fn several_adapters_add_up_and_scales_switch_them_in_a_running_session() {
    let gpu = common::gpu();
    let mut session = fused(&gpu);
    let ids = ids();
    let prompt = &ids[..26];
    let (first, second) = (open("flat.safetensors"), open("peft"));
    let dispatches = session.decoder().dispatches_per_token();
    let (plain, _) = greedy(&mut session, prompt, 16);

    add(&mut session, "first", &first, 1.0);
    let (with_first, cached) = greedy(&mut session, prompt, 16);
    assert_eq!(cached, 0, "the cache was made without the adapter");
    assert_ne!(with_first, plain);
    let corrected = session.decoder().dispatches_per_token();
    // Of all seven projections only the queries, keys and values of the first layer, and the outputs of global layers, have a
    // dispatch of their own.
    let own = 1 + global_layers(&session);
    let layers = session.decoder().config().layers.len();
    assert_eq!(corrected, dispatches + own);

    // Both at once cost no more than where either corrects something, and the second alone is what it is alone.
    add(&mut session, "second", &second, 0.5);
    // The second corrects the two products of the per-layer input as well.
    assert_eq!(session.decoder().dispatches_per_token(), dispatches + own + 2 * layers);
    let both = logits(&mut session, &ids);
    assert!(session.set_adapter_scale("first", 0.0) && session.set_adapter_scale("second", 1.0));
    let worst = difference(&logits(&mut session, &ids), &want("peft"));
    assert!(worst <= EXACT, "with the first at zero, logits differ from the second's by {worst}");
    session.set_adapter_scale("first", 1.0);
    session.set_adapter_scale("second", 0.5);
    assert_eq!(logits(&mut session, &ids), both);

    // Summed by hand: the factors of both in one adapter, stacked along the rank.
    let mut sum = Adapter::default();
    for (target, f) in first.iter() {
        let g = second.get(target).cloned();
        sum.insert(target, g.map_or_else(|| f.clone(), |g| stacked(f, &g, 0.5))).expect("factors");
    }
    for (target, g) in second.iter().filter(|(target, _)| first.get(*target).is_none()) {
        let halved = Factors { scale: 0.5 * g.scale, ..g.clone() };
        sum.insert(target, halved).expect("factors");
    }
    block_on(session.remove_adapter("first")).expect("it goes");
    block_on(session.remove_adapter("second")).expect("it goes");
    add(&mut session, "sum", &sum, 1.0);
    let worst = difference(&logits(&mut session, &ids), &both);
    assert!(worst <= 1e-3, "both differ from their sum by {worst}");

    // The kernels that correct are among those of the self-test.
    let tested = session.decoder().tested();
    let corrects = |kernel: &Matvec| kernel.low_rank.is_bound();
    assert!(tested.iter().any(|tested| tested.downcast_ref().is_some_and(corrects)));
    for kernel in Tested::kernels(&tested) {
        let check = block_on(engine::check::check(&gpu, &*kernel)).expect("the device answers");
        assert_eq!(check.problem, None, "{check:?}");
    }

    // Off: the same dispatches and the same answer as if it had never been there.
    assert!(session.set_adapter_scale("sum", 0.0) && !session.set_adapter_scale("none", 1.0));
    assert_eq!(session.decoder().dispatches_per_token(), dispatches);
    let (off, cached) = greedy(&mut session, prompt, 16);
    assert_eq!((off, cached), (plain.clone(), 0));
    // What was kept without it is used again without it, not with it.
    assert!(greedy(&mut session, prompt, 16).1 > 0);
    session.set_adapter_scale("sum", 1.0);
    assert_eq!(greedy(&mut session, prompt, 16).1, 0);
}

/// `f + weight·g` as one pair of factors.
fn stacked(f: &Factors, g: &Factors, weight: f32) -> Factors {
    let rank = f.rank + g.rank;
    let a = [f.a.as_slice(), &g.a].concat();
    let rows = f.b.chunks(f.rank as usize).zip(g.b.chunks(g.rank as usize));
    let b = rows
        .flat_map(|(x, y)| {
            let x = x.iter().map(|v| v * f.scale);
            x.chain(y.iter().map(|v| v * g.scale * weight)).collect::<Vec<_>>()
        })
        .collect();
    Factors { rank, a, b, scale: 1.0, ..*f }
}

#[test]
fn a_round_trip_through_each_format_keeps_the_corrections() {
    // s·B·A is what counts: α may move between the scale and B.
    let close = |a: &Adapter, b: &Adapter| {
        assert_eq!(a.len(), b.len());
        for ((target, x), (other, y)) in a.iter().zip(b.iter()) {
            assert_eq!((target, x.rank, x.input, x.output), (other, y.rank, y.input, y.output));
            assert_eq!(x.a, y.a);
            let scaled = |f: &Factors| f.b.iter().map(|v| v * f.scale).collect::<Vec<_>>();
            assert!(difference(&scaled(x), &scaled(y)) < 1e-6, "{target}");
        }
    };
    for name in ["flat.safetensors", "peft"] {
        let adapter = open(name);
        let files = peft::write(&adapter, "google/gemma-4").expect("PEFT files");
        let source = MemorySource::new(files.weights);
        let again = block_on(peft::read(&source, files.config.as_bytes())).expect("they read");
        close(&adapter, &again);
        let file = gguf::write(&again, "test", Vec::new()).expect("a GGUF file");
        close(&adapter, &block_on(gguf::read(&MemorySource::new(file))).expect("it reads"));
    }
}

#[test]
fn what_was_exported_is_what_peft_was_shown_to_load() {
    let files = peft::write(&open("peft"), "tiny-e2b").expect("PEFT files");
    let file = gguf::write(&open("peft"), "adapter", Vec::new()).expect("a GGUF file");
    let all =
        [(peft::CONFIG, files.config.as_bytes()), (peft::WEIGHTS, &files.weights), ("adapter.gguf", &file)];
    for (name, bytes) in all {
        let path = fixture("exported").join(name);
        assert!(std::fs::read(&path).expect("a fixture") == bytes, "{name} is another than before");
    }
}

/// A PEFT adapter with these tensors (name, rows, columns, first value), and what its configuration says beside r = 2.
fn peft_of(
    tensors: &[(&str, usize, usize, f32)],
    config: &serde_json::Value,
) -> Result<Adapter, AdapterError> {
    let data: Vec<Vec<u8>> = tensors
        .iter()
        .map(|&(_, rows, columns, first)| {
            let mut values = vec![0.5f32; rows * columns];
            values[0] = first;
            bytemuck::cast_slice(&values).to_vec()
        })
        .collect();
    let views = tensors.iter().zip(&data).map(|(&(name, rows, columns, _), data)| {
        let shape = vec![rows, columns];
        (name, safetensors::tensor::TensorView::new(safetensors::Dtype::F32, shape, data).expect("a view"))
    });
    let file = safetensors::serialize(views, None).expect("tensors serialise");
    let mut all =
        serde_json::json!({ "peft_type": "LORA", "r": 2, "lora_alpha": 4, "target_modules": ["q_proj"] });
    let object = all.as_object_mut().expect("an object");
    object.extend(config.as_object().expect("an object").clone());
    block_on(peft::read(&MemorySource::new(file), all.to_string().as_bytes()))
}

const Q_A: &str = "base_model.model.model.layers.1.self_attn.q_proj.lora_A.weight";
const Q_B: &str = "base_model.model.model.layers.1.self_attn.q_proj.lora_B.default.weight";

#[test]
fn names_and_scales_of_peft_in_all_their_forms() {
    let q = Target { layer: 1, projection: Projection::Q };
    let pair = [(Q_A, 2, 8, 0.5), (Q_B, 6, 2, 0.5)];
    let scale = |config: serde_json::Value| {
        peft_of(&pair, &config).expect("an adapter").get(q).expect("queries").scale
    };
    // The text-only class, an adapter's name before `weight`, a list of targets.
    assert_eq!(scale(serde_json::json!({})), 2.0);
    assert_eq!(scale(serde_json::json!({ "target_modules": ".*layers\\.1\\..*q_proj" })), 2.0);
    assert_eq!(scale(serde_json::json!({ "use_rslora": true })), 4.0 / 2f32.sqrt());
    let patterns = serde_json::json!({ "alpha_pattern": { "k_proj": 1, "layers\\.[0-2]\\..*q_proj": 6 } });
    assert_eq!(scale(patterns), 3.0);
    // A key counts from a dot on, not within a name.
    assert_eq!(
        scale(serde_json::json!({ "alpha_pattern": { "proj": 6, "ayers.1.self_attn.q_proj": 8 } })),
        2.0
    );
    // The rank is that of the tensors, whatever the configuration says.
    assert_eq!(scale(serde_json::json!({ "r": 64, "rank_pattern": { "q_proj": 2 } })), 2.0);
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    let pair = [(Q_A, 2, 8, 0.5), (Q_B, 6, 2, 0.5)];
    let refused = |tensors: &[(&str, usize, usize, f32)], config: serde_json::Value, word: &str| {
        let error = peft_of(tensors, &config).expect_err(word).to_string();
        assert!(error.contains(word), "{error:?} does not name {word:?}");
    };
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
    refused(&pair, json(r#"{"use_dora": true}"#), "DoRA");
    refused(&pair, json(r#"{"modules_to_save": ["lm_head"]}"#), "modules_to_save (lm_head)");
    refused(&pair, json(r#"{"target_modules": ["embed_tokens"]}"#), "embed_tokens");
    refused(&pair, json(r#"{"bias": "all"}"#), "bias");
    refused(&pair, json(r#"{"peft_type": "IA3"}"#), "IA3");
    refused(&pair, json(r#"{"alora_invocation_tokens": [1]}"#), "alora_invocation_tokens");
    refused(&pair, json(r#"{"alpha_pattern": {"(": 1}}"#), "alpha_pattern");
    // Much of little: repetitions are written out when they are compiled.
    refused(&pair, json(r#"{"alpha_pattern": {"(layers.[0-9]{1,60}){200}": 1}}"#), "alpha_pattern");
    let long = "(a|b)".repeat(4000);
    refused(&pair, serde_json::json!({ "alpha_pattern": { long: 1 } }), "alpha_pattern");
    let many: std::collections::BTreeMap<_, _> = (0..2000).map(|i| (format!("layers.{i}"), 1)).collect();
    refused(&pair, serde_json::json!({ "alpha_pattern": many }), "alpha_pattern has 2000 entries");
    refused(&pair, json(r#"{"lora_alpha": "x"}"#), "adapter_config.json");
    let magnitude = Q_A.replace("lora_A.weight", "lora_magnitude_vector");
    refused(&[(&magnitude, 1, 6, 0.5)], json("{}"), "DoRA");
    let embedding = "base_model.model.model.embed_tokens.lora_embedding_A";
    refused(&[(embedding, 2, 8, 0.5)], json("{}"), "embedding");
    let tower = "base_model.model.model.vision_tower.encoder.layers.0.self_attn.q_proj.linear.lora_A.weight";
    refused(&[(tower, 2, 8, 0.5)], json("{}"), "vision_tower");
    // A without B, ranks out of range or unequal, NaN.
    refused(&pair[..1], json("{}"), Q_A);
    refused(&[(Q_A, 65, 8, 0.5), (Q_B, 6, 65, 0.5)], json("{}"), "rank 65");
    refused(&[(Q_A, 2, 8, 0.5), (Q_B, 6, 3, 0.5)], json("{}"), "[6, 3]");
    refused(&[(Q_A, 2, 8, f32::NAN), (Q_B, 6, 2, 0.5)], json("{}"), "not finite");
    refused(&[(Q_A, 2, 8, 0.5), (Q_B, 6, 2, f32::INFINITY)], json("{}"), "not finite");

    // Broken containers.
    let config = br#"{"peft_type": "LORA"}"#;
    let whole = std::fs::read(fixture("peft/adapter_model.safetensors")).expect("a fixture");
    let mut long = whole.clone();
    long[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    for bytes in [&whole[..0], &whole[..7], &whole[..200], &whole[..whole.len() - 1], &long[..]] {
        let error = block_on(peft::read(&MemorySource::new(bytes.to_vec()), config)).expect_err("broken");
        assert!(matches!(error, AdapterError::Safetensors { .. }), "{error:?}");
    }
}

/// A GGUF file with these keys and tensors (name, columns, rows).
fn gguf_of(pairs: &[(&str, WriteValue)], tensors: &[(&str, u64, u64)]) -> Result<Adapter, AdapterError> {
    let pairs: Vec<_> = pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    let specs: Vec<_> =
        tensors.iter().map(|&(name, k, n)| TensorSpec::new(name, &[k, n], DType::F32)).collect();
    let mut writer = Writer::new(Vec::new(), &pairs, &specs).expect("a header");
    for spec in &specs {
        writer.write(&vec![0; spec.bytes().expect("a size") as usize]).expect("data");
    }
    block_on(gguf::read(&MemorySource::new(writer.finish().expect("a file"))))
}

#[test]
fn gguf_adapters_that_are_something_else_are_refused() {
    let text = |value: &str| WriteValue::String(value.into());
    let lora = |architecture: &str| {
        vec![
            ("general.type", text("adapter")),
            ("general.architecture", text(architecture)),
            ("adapter.type", text("lora")),
            ("adapter.lora.alpha", WriteValue::F32(0.0)),
        ]
    };
    let q = [("blk.0.attn_q.weight.lora_a", 8, 2), ("blk.0.attn_q.weight.lora_b", 2, 6)];
    let read = gguf_of(&lora("gemma4"), &q).expect("an adapter");
    let target = Target { layer: 0, projection: Projection::Q };
    assert_eq!(
        read.get(target).expect("queries").scale,
        1.0,
        "an alpha of zero leaves the user's scale alone"
    );

    let refused = |pairs: &[(&str, WriteValue)], tensors: &[(&str, u64, u64)], word: &str| {
        let error = gguf_of(pairs, tensors).expect_err(word).to_string();
        assert!(error.contains(word), "{error:?} does not name {word:?}");
    };
    refused(&lora("llama"), &q, "llama");
    refused(&[("general.architecture", text("gemma4"))], &q, "general.type");
    let activated =
        [lora("gemma4"), vec![("adapter.alora.invocation_tokens", WriteValue::U32s(vec![1]))]].concat();
    refused(&activated, &q, "invocation tokens");
    refused(&lora("gemma4"), &q[..1], "attn_q.weight.lora_a");
    refused(&lora("gemma4"), &[("token_embd.weight.lora_a", 2, 8)], "token_embd");
    refused(&lora("gemma4"), &[("blk.0.attn_q.weight", 8, 8)], "blk.0.attn_q.weight");
    refused(&lora("gemma4"), &[("blk.4096.attn_q.weight.lora_a", 8, 2)], "blk.4096");
    refused(&lora("gemma4"), &[], "no weights");
}

#[test]
fn an_adapter_of_another_model_is_refused_with_both_shapes_and_nothing_changes() {
    let mut session = session();
    let ids = ids();
    let plain = logits(&mut session, &ids);
    let factors = |rank: u32, input: u32, output: u32| Factors {
        rank,
        input,
        output,
        a: vec![0.1; (rank * input) as usize],
        b: vec![0.1; (output * rank) as usize],
        scale: 1.0,
    };
    let one = |layer, projection, f: Factors| {
        let mut adapter = Adapter::default();
        adapter.insert(Target { layer, projection }, f).expect("factors");
        adapter
    };
    let refused = |session: &mut Session, adapter: Adapter, words: &[&str]| {
        let error = block_on(session.add_adapter("a", adapter, 1.0)).expect_err("another model's");
        assert!(matches!(error, EngineError::Adapter(_)), "{error:?}");
        for word in words {
            assert!(error.to_string().contains(word), "{error} does not name {word}");
        }
    };
    refused(
        &mut session,
        one(0, Projection::Q, factors(2, 512, 256)),
        &["blk.0.attn_q.A", "[2, 512]", "[2, 256]"],
    );
    refused(
        &mut session,
        one(0, Projection::K, factors(2, 256, 32)),
        &["blk.0.attn_k.B", "[32, 2]", "[64, 2]"],
    );
    refused(&mut session, one(6, Projection::Q, factors(2, 256, 256)), &["blk.6.attn_q"]);
    // Layers 3 to 5 read the keys of others: such corrections do nothing, and nothing is left.
    refused(&mut session, one(3, Projection::K, factors(2, 256, 64)), &["no weights"]);
    let mut beside = one(3, Projection::V, factors(2, 256, 64));
    let q = Target { layer: 3, projection: Projection::Q };
    beside.insert(q, factors(2, 256, 256)).expect("factors");
    add(&mut session, "beside", &beside, 1.0);
    assert_eq!(session.adapters()[0].adapter().len(), 1);
    block_on(session.remove_adapter("beside")).expect("it goes");

    // Too many ranks together; the first four stay.
    for name in ["a", "b", "c", "d"] {
        add(&mut session, name, &one(0, Projection::Q, factors(64, 256, 256)), 0.0);
    }
    let fifth = block_on(session.add_adapter("e", one(0, Projection::Q, factors(1, 256, 256)), 1.0));
    assert!(matches!(fifth, Err(EngineError::Adapter(AdapterError::TooMany { .. }))), "{fifth:?}");
    assert_eq!(session.adapters().len(), 4);
    assert_eq!(logits(&mut session, &ids), plain);

    // Factors that contradict themselves never become an adapter.
    let bad = |f: Factors| Adapter::default().insert(q, f).expect_err("bad factors");
    assert!(matches!(bad(factors(0, 4, 4)), AdapterError::Rank { rank: 0, .. }));
    assert!(matches!(bad(factors(65, 4, 4)), AdapterError::Rank { rank: 65, .. }));
    assert!(matches!(bad(Factors { b: vec![1.0], ..factors(2, 4, 4) }), AdapterError::Shape { .. }));
    assert!(matches!(bad(Factors { scale: f32::NAN, ..factors(2, 4, 4) }), AdapterError::NotFinite { .. }));
}
