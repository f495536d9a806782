//! Adapters of a mixture's experts: what they do is what the merged weights do, in prefill, token by token and where drafts
//! are verified, with one adapter and several, with all experts on the device and with a cache for some.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine::adapter::{Adapter, Factors, Projection, Shape, Target, gguf, peft};
use engine::bytes::MemorySource;
use engine::gguf::Header;
use engine::gpu::{Gpu, GpuOptions};
use engine::model::{Drafts, KvType, Tuning};
use engine::plan::Tested;
use engine::session::{Control, LoadOptions, Options, Session};
use half::f16;
use pollster::block_on;
use probe::synth::{self, Quant};
use shaders::experts::gate_up::GateUp;
use shaders::experts::low_rank::{Expand, Reduce};

use crate::common;

const LAYERS: usize = 2;
const EXPERTS: u32 = 5;
const WIDTH: u32 = 256;
const FF: u32 = 64;

/// Small multiples of a power of two, so that sums and products of a few are exact in half precision.
fn whole(index: usize, salt: usize, most: usize) -> f32 {
    let spread = 2 * most + 1;
    ((index * 7919 + salt * 104_729 + index / 31) % spread) as f32 - most as f32
}

fn shape_of(projection: Projection) -> Shape {
    match projection {
        Projection::ExpertDown => Shape { experts: EXPERTS, input: FF, output: WIDTH },
        _ => Shape { experts: EXPERTS, input: WIDTH, output: 2 * FF },
    }
}

/// An adapter of these projections of every layer, with a share of `scale`.
fn adapter(projections: &[Projection], rank: u32, scale: f32, salt: usize) -> Adapter {
    let mut adapter = Adapter::default();
    for layer in 0..LAYERS {
        for &projection in projections {
            let Shape { experts, input, output } = shape_of(projection);
            let salt = salt + 8 * layer + projection as usize;
            let a = (0..(experts * rank * input) as usize).map(|i| whole(i, salt, 1) / 4.0).collect();
            let b = (0..(experts * output * rank) as usize).map(|i| whole(i, salt + 3, 1) / 16.0).collect();
            adapter
                .insert(Target { layer, projection }, Factors { rank, input, output, a, b, scale })
                .expect("factors");
        }
    }
    adapter
}

/// `B·A` times its scale, `[experts, output, input]`.
fn product(f: &Factors) -> Vec<f32> {
    let (rank, input, output) = (f.rank as usize, f.input as usize, f.output as usize);
    let element = |i: usize| {
        let (expert, row, column) = (i / (output * input), i / input % output, i % input);
        let of =
            |r: usize| f.b[(expert * output + row) * rank + r] * f.a[(expert * rank + r) * input + column];
        f.scale * (0..rank).map(of).sum::<f32>()
    };
    (0..f.experts() as usize * output * input).map(element).collect()
}

/// A mixture in half precision whose experts have weights that merge exactly, with these adapters merged.
fn model(folder: &Path, merged: &[(&Adapter, f32)]) -> PathBuf {
    let shape = synth::Shape {
        layers: LAYERS as u32,
        width: WIDTH,
        heads: 1,
        kv_heads_sliding: 1,
        kv_heads_global: 1,
        feed_forward: 128,
        period: 2,
        experts: Some(synth::Experts { count: EXPERTS, used: 2, feed_forward: FF }),
        .."26b".parse().expect("a shape")
    };
    let options = synth::Options { vocabulary: 1024, ..synth::Options::new(shape, Quant::F16) };
    let mut bytes = Vec::new();
    synth::write(&mut bytes, &options).expect("a model");
    let header = block_on(Header::read(&MemorySource::new(bytes.clone()))).expect("a header");
    for layer in 0..LAYERS {
        for projection in Projection::OF_EXPERTS {
            let target = Target { layer, projection };
            let tensor = header.tensor(&format!("{target}.weight")).expect("experts");
            let mut values: Vec<f32> =
                (0..tensor.elements() as usize).map(|i| whole(i, layer, 2) / 64.0).collect();
            for (adapter, weight) in merged {
                let added = adapter.get(target).map(product).unwrap_or_default();
                values.iter_mut().zip(added).for_each(|(value, added)| *value += weight * added);
            }
            let halves: Vec<u8> =
                values.iter().flat_map(|&value| f16::from_f32(value).to_le_bytes()).collect();
            assert!(values.iter().all(|&value| f16::from_f32(value).to_f32() == value), "merged exactly");
            let range = tensor.range();
            assert_eq!(halves.len() as u64, range.end - range.start, "half precision");
            bytes[range.start as usize..range.end as usize].copy_from_slice(&halves);
        }
    }
    let path = folder.join(format!("merged-{}.gguf", merged.len()));
    std::fs::write(&path, bytes).expect("a file");
    path
}

fn ids(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| 200 + i * 7919 % 700).collect()
}

/// Logits by prefill and token by token, and what is drawn with drafts.
fn everything(session: &mut Session) -> ([Vec<f32>; 2], Vec<u32>) {
    let ids = ids(40);
    let read = block_on(session.logits(&ids[..], 8)).expect("logits");
    let stepped = block_on(session.logits_by_steps(&ids[..12], 8)).expect("logits");
    ([read, stepped], drawn(session, Drafts::Always { count: 3 }))
}

fn drawn(session: &mut Session, drafts: Drafts) -> Vec<u32> {
    let prompt = [ids(20), ids(20)].concat();
    let options = Options { max_tokens: 16, ignore_eos: true, drafts, ..Options::default() };
    let answer = block_on(session.generate(&prompt[..], &options, &Control::default(), &mut |_| ()));
    answer.expect("an answer").ids
}

fn difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

fn add(session: &mut Session, name: &str, adapter: &Adapter, scale: f32) {
    block_on(session.add_adapter(name, adapter.clone(), scale)).expect("the adapter fits");
}

#[test]
fn an_adapter_of_experts_is_the_merged_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = adapter(&Projection::OF_EXPERTS, 2, 1.0, 0);
    let second = adapter(&Projection::OF_EXPERTS, 3, 2.0, 100);
    let gate_up = adapter(&[Projection::ExpertGateUp], 2, 1.0, 200);
    let down = adapter(&[Projection::ExpertDown], 4, 1.0, 300);
    let portable = Rc::new(
        block_on(Gpu::open(&GpuOptions { portable: true, ..GpuOptions::default() })).expect("a device"),
    );
    let cases = [
        (&common::gpu(), vec![(&first, 1.0)]),
        // The scale that a person sets counts, too.
        (&common::gpu(), vec![(&first, 1.0), (&second, -0.5)]),
        (&common::gpu(), vec![(&gate_up, 1.0)]),
        (&portable, vec![(&down, 1.0)]),
    ];
    for (gpu, adapters) in cases {
        let (want, want_drawn) = everything(&mut common::exact(gpu, &model(folder.path(), &adapters)));
        let mut session = common::exact(gpu, &model(folder.path(), &[]));
        let (plain, plain_drawn) = everything(&mut session);
        for ((adapter, scale), name) in adapters.iter().zip(["a", "b"]) {
            add(&mut session, name, adapter, *scale);
        }
        let (got, got_drawn) = everything(&mut session);
        for ((got, want), plain) in got.iter().zip(&want).zip(&plain) {
            let (worst, effect) = (difference(got, want), difference(plain, want));
            println!("logits differ by at most {worst:.1e}, and from those without by {effect:.1e}");
            assert!(worst < 1e-3 * effect && effect > 0.1, "logits differ by {worst} of {effect}");
        }
        assert_eq!(got_drawn, want_drawn);

        let kernels = Tested::kernels(&session.decoder().tested());
        assert!(kernels.iter().any(|kernel| kernel.downcast_ref::<Reduce>().is_some()));
        for kernel in kernels.iter().filter(|kernel| {
            let expands = kernel.downcast_ref::<Expand>().is_some();
            expands || kernel.downcast_ref::<Reduce>().is_some() || kernel.downcast_ref::<GateUp>().is_some()
        }) {
            let check = block_on(engine::check::check(gpu, &**kernel)).expect("the device answers");
            assert_eq!(check.problem, None, "{check:?}");
        }
        // Switched off, the same as before.
        for name in ["a", "b"] {
            session.set_adapter_scale(name, 0.0);
        }
        assert!(everything(&mut session) == (plain, plain_drawn));
    }
}

fn tiny_moe(gpu: &Rc<Gpu>, expert_slots: u32) -> Session {
    // What is timed may turn out otherwise for each session.
    tiny_moe_with(gpu, expert_slots, Tuning::FLOATS)
}

fn tiny_moe_with(gpu: &Rc<Gpu>, expert_slots: u32, tuning: Tuning) -> Session {
    let path = common::repository("frontend/engine/tests/golden/models/tiny-moe.q4_k_m.gguf");
    let options = LoadOptions {
        context: 1024,
        kv_type: KvType::F32,
        expert_slots,
        tuning: Some(tuning),
        ..LoadOptions::default()
    };
    common::load(gpu, &path, &options)
}

/// Factors of everything that a model has.
fn of_everything(session: &Session, rank: u32) -> Adapter {
    let mut adapter = Adapter::default();
    for layer in 0..session.decoder().config().layers.len() {
        for projection in Projection::ALL {
            let target = Target { layer, projection };
            let Some(Shape { experts, input, output }) = session.decoder().shape(target) else { continue };
            let salt = 16 * layer + projection as usize;
            let numbers = |count: u32, salt: usize, factor: f32| -> Vec<f32> {
                (0..count as usize).map(|i| whole(i, salt, 100) * factor).collect()
            };
            let a = numbers(experts * rank * input, salt, 0.01 / (input as f32).sqrt());
            let b = numbers(experts * output * rank, salt + 7, 0.001);
            adapter.insert(target, Factors { rank, input, output, a, b, scale: 1.0 }).expect("factors");
        }
    }
    adapter
}

/// Gate and up of experts are two quantised tensors here, and other matrices have corrections beside theirs.
#[test]
fn an_expert_cache_finds_the_factors_of_the_experts_that_it_holds() {
    let gpu = common::gpu();
    let mut whole = tiny_moe(&gpu, 0);
    let adapter = of_everything(&whole, 3);
    let experts = adapter.iter().filter(|(target, _)| target.projection.is_of_experts()).count();
    assert_eq!(experts, 2 * whole.decoder().config().layers.len());
    let all = |session: &mut Session| {
        let ids = ids(40);
        let read = block_on(session.logits(&ids[..], 12)).expect("logits");
        let stepped = block_on(session.logits_by_steps(&ids[..10], 10)).expect("logits");
        (read, stepped, drawn(session, Drafts::Never))
    };
    let plain = all(&mut whole);
    add(&mut whole, "a", &adapter, 1.0);
    let want = all(&mut whole);
    assert!(difference(&want.0, &plain.0) > 0.1 && difference(&want.1, &plain.1) > 0.1);
    // Decode corrects as prefill.
    let read = block_on(whole.logits(&ids(10)[..], 10)).expect("logits");
    let worst = difference(&read, &want.1);
    assert!(worst < 2e-3, "logits token by token differ by {worst}");
    assert_eq!(drawn(&mut whole, Drafts::Always { count: 3 }), want.2);
    drop(whole);
    for slots in [2, 5] {
        let mut some = tiny_moe(&gpu, slots);
        add(&mut some, "a", &adapter, 1.0);
        assert!(all(&mut some) == want, "with {slots} slots");
        let (_, used) = some.decoder().expert_use().expect("a cache");
        assert!(used.misses > 0 && used.misses < used.uses, "{used:?}");
    }
}

/// Packed products of a mixture with an adapter of everything, as far as rounding lets them.
#[test]
fn packed_experts_are_corrected() {
    let (gpu, ids) = (common::gpu(), ids(10));
    let by_steps = |tuning: Tuning| {
        let mut session = tiny_moe_with(&gpu, 0, tuning);
        let adapter = of_everything(&session, 3);
        let of = |session: &mut Session| block_on(session.logits_by_steps(&ids, 10)).expect("logits");
        let plain = of(&mut session);
        add(&mut session, "a", &adapter, 1.0);
        let packs = tuning != Tuning::FLOATS;
        let reduces = |kernel: &Reduce| !kernel.sorted && kernel.packed == packs;
        let tested = session.decoder().tested();
        assert!(tested.iter().any(|tested| tested.downcast_ref().is_some_and(reduces)));
        [plain, of(&mut session)]
    };
    let [plain, want] = by_steps(Tuning::FLOATS);
    let [packed_plain, packed] = by_steps(Tuning::packed(0));
    let (rounding, worst) = (difference(&packed_plain, &plain), difference(&packed, &want));
    println!(
        "packed: {worst:.1e}, without an adapter {rounding:.1e}; effect {:.1e}",
        difference(&plain, &want)
    );
    assert!(worst <= 1.5 * rounding, "{worst}, without an adapter {rounding}");
    assert!(difference(&plain, &want) > 2.0 * worst, "the adapter changes too little to tell");
}

#[test]
fn what_was_exported_corrects_experts_as_before() {
    let gpu = common::gpu();
    let mut session = tiny_moe(&gpu, 0);
    let adapter = of_everything(&session, 4);
    let ids = ids(20);
    let files = peft::write(&adapter, "tiny-moe").expect("files");
    let of_peft = block_on(peft::read(&MemorySource::new(files.weights), files.config.as_bytes()));
    let bytes = gguf::write(&adapter, "experts", Vec::new()).expect("a file");
    let of_gguf = block_on(gguf::read(&MemorySource::new(bytes)));
    add(&mut session, "a", &adapter, 1.0);
    let want = block_on(session.logits(&ids[..], 4)).expect("logits");
    for again in [of_peft.expect("PEFT's files"), of_gguf.expect("a GGUF file")] {
        assert_eq!(again, adapter);
        add(&mut session, "a", &again, 1.0);
        assert_eq!(block_on(session.logits(&ids[..], 4)).expect("logits"), want);
    }
}
