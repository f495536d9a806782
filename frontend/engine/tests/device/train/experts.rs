//! A mixture of experts: gradients through the router's weights and the experts, against the reference and against the
//! loss itself.

use std::rc::Rc;
use std::slice::from_ref;

use engine::adapter::{Adapter, Factors};
use engine::bytes::CancelToken;
use engine::gpu::{Gpu, GpuOptions};
use engine::train::Settings;
use pollster::block_on;
use probe::synth::{self, Quant, Shape};

use super::tensors::{compare_gradients, trainer};
use super::{Golden, check, moved, quick, short};
use crate::common;

fn golden() -> Golden {
    let golden = common::repository("frontend/engine/tests/golden");
    let outputs = golden.join("outputs/tiny-moe");
    let tensors = [outputs.join("q4_k_m.lora.safetensors")];
    Golden::read(golden.join("models/tiny-moe.q4_k_m.gguf"), &tensors, &outputs.join("q4_k_m.lora.json"))
}

#[test]
fn a_mixture_learns_as_the_reference_does() {
    // What differs from other models is in the gradients.
    check(&golden(), 2);
}

#[test]
fn experts_in_several_buffers_learn_as_those_in_one() {
    let golden = golden();
    // Parts of one or two experts.
    let options = GpuOptions { largest_part: Some(36 << 10), ..GpuOptions::default() };
    let gpu = Rc::new(block_on(Gpu::open(&options)).expect("a device"));
    let mut trainer = trainer(&gpu, &golden.model, &golden.settings(), Some(&golden.start()));
    for name in ["gate", "up", "down"] {
        let matrix = trainer.base().weights.matrix(&format!("blk.0.ffn_{name}_exps")).expect("experts");
        assert!(matrix.parts.len() >= 4, "{} parts", matrix.parts.len());
    }
    let mut gradients = || {
        let batch = golden.example();
        block_on(trainer.gradients_of(from_ref(&batch), &CancelToken::new())).expect("gradients");
        block_on(trainer.gradients()).expect("gradients")
    };
    let first = gradients();
    let (compared, _) = compare_gradients("in parts", &first, &golden.tensors);
    assert!(compared >= 20, "only {compared} gradients to compare with");
    assert_eq!(gradients(), first, "a step is reproducible");
}

/// Gate and up are one tensor, and so many tokens choose an expert that its tiles are the larger ones.
#[test]
fn the_gradients_of_joined_experts_are_those_of_the_loss() {
    let shape = Shape {
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
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("joined.gguf");
    synth::write(std::fs::File::create(&model).expect("a file"), &options).expect("a model");

    let (gpu, cancel, example) = (common::gpu(), CancelToken::new(), short(1, 60));
    let settings = Settings { dropout: 0.0, max_tokens: 60, ..quick() };
    let batch = from_ref(&example);
    let zero = trainer(&gpu, &model, &settings, None);
    assert!(zero.base().weights.matrix("blk.0.ffn_gate_up_exps").is_some());
    let mut start = Adapter::default();
    for (target, factors) in block_on(zero.adapter()).expect("factors").iter() {
        // With every B at zero, A has no gradient.
        let b = (0..factors.b.len()).map(|i| ((i * 37 + 11) % 101) as f32 / 1000.0 - 0.05).collect();
        start.insert(target, Factors { b, ..factors.clone() }).expect("factors");
    }
    drop(zero);
    let mut at = trainer(&gpu, &model, &settings, Some(&start));
    let (_, norm) = block_on(at.gradients_of(batch, &cancel)).expect("gradients");
    let gradients = block_on(at.gradients()).expect("gradients");
    drop(at);
    let step = 0.01 / norm;
    let [above, below] = [step, -step].map(|step| {
        let there = moved(&start, &gradients, (step / norm) as f32);
        block_on(trainer(&gpu, &model, &settings, Some(&there)).evaluate(batch, &cancel)).expect("a loss")
    });
    let slope = (above - below) / (2.0 * step);
    assert!((slope - norm).abs() < 5e-3 * norm, "a slope of {slope} where the gradient has {norm}");
}
