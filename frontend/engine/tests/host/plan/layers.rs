//! What layers compute, as the specification writes it, and that the fused plan of decode computes the same.

use std::collections::HashSet;

use engine::model::layer::{Operation, Pass};
use engine::model::{DecoderPlans, Parts, Tuning};
use engine::plan::Limits;
use engine::session::{DeviceMemory, ModelSpec};
use probe::synth::{Options, Quant, Shape, header};

fn parts(name: &str) -> Parts {
    let shape: Shape = name.parse().expect("a shape");
    let model = ModelSpec::read(&header(&Options::new(shape, Quant::Q4KM)).expect("a header"));
    let model = model.expect("a model");
    let limits = Limits::default();
    let fit = model.fit(0, DeviceMemory { available: u64::MAX, limits }).expect("it fits");
    model.describe(fit.context, fit.storage, limits).expect("a description")
}

fn operations(parts: &Parts, i: usize, pass: Pass) -> Vec<Operation<'_>> {
    parts.config.operations(&parts.weights, i, pass).expect("operations")
}

fn printed(parts: &Parts, i: usize, pass: Pass) -> Vec<String> {
    operations(parts, i, pass).iter().map(ToString::to_string).collect()
}

#[test]
fn layers_compute_what_the_specification_says() {
    let e2b = parts("e2b");
    let own = [
        "x = rms(h)·attn_norm",
        "q = attn_q·x, k = attn_k·x, v = attn_v·x",
        "q = rope(rms(q)·attn_q_norm), v = rms(v), k = rope(rms(k)·attn_k_norm)",
        "attention = attend(q, k, v, window 512)",
        "y = attn_output·attention",
        "h = h + rms(y)·post_attention_norm",
        "x = rms(h)·ffn_norm",
        "gate = ffn_gate·x, up = ffn_up·x",
        "act = gelu(gate)·up",
        "y = ffn_down·act",
        "h = h + rms(y)·post_ffw_norm",
        "gate = inp_gate·h",
        "act = gelu(gate)·per_layer_input",
        "y = proj·act",
        "h = h + rms(y)·post_norm, h = h·layer_output_scale",
    ];
    assert_eq!(printed(&e2b, 0, Pass::Tokens), own);
    // Of 35 layers, the last 20 use the keys and values of others; each fifth layer is global.
    let shared = printed(&e2b, 34, Pass::Tokens);
    assert_eq!(
        shared[..4],
        [
            "x = rms(h)·attn_norm",
            "q = attn_q·x",
            "q = rope(rms(q)·attn_q_norm)",
            "attention = attend(q, k, v)"
        ]
    );
    assert_eq!(shared[4..], own[4..]);

    // No per-layer inputs; global layers have raw keys for values; pictures are seen whole in sliding layers.
    let large = parts("31b");
    let (sliding, global) = (printed(&large, 0, Pass::Tokens), printed(&large, 5, Pass::Tokens));
    assert_eq!(sliding[3], "attention = attend(q, k, v, window 1024, pictures whole)");
    assert_eq!(
        global[1..4],
        [
            "q = attn_q·x, k = attn_k·x",
            "q = rope(rms(q)·attn_q_norm), v = rms(k), k = rope(rms(k)·attn_k_norm)",
            "attention = attend(q, k, v)"
        ]
    );
    assert_eq!(global[10..], ["h = h + rms(y)·post_ffw_norm, h = h·layer_output_scale"]);

    // Gemma 3 norms no values, and its layers end without a scale.
    let gemma3 = parts("gemma3-1b");
    let (sliding, global) = (printed(&gemma3, 0, Pass::Tokens), printed(&gemma3, 5, Pass::Tokens));
    assert_eq!(
        sliding[1..4],
        [
            "q = attn_q·x, k = attn_k·x, v = attn_v·x",
            "q = rope(rms(q)·attn_q_norm), k = rope(rms(k)·attn_k_norm)",
            "attention = attend(q, k, v, window 512)"
        ]
    );
    assert_eq!((global[3].as_str(), &global[10..]), ("attention = attend(q, k, v)", &sliding[10..]));
    assert_eq!(sliding[10..], ["h = h + rms(y)·post_ffw_norm"]);

    // A mixture, and the two scalars of a diffusion model.
    let mixture = parts("26b");
    let experts = "y = rms(y)·post_ffw_norm_1 + rms(experts(h))·post_ffw_norm_2";
    assert_eq!(printed(&mixture, 0, Pass::Tokens)[10], experts);
    let diffusion = parts("26b-diffusion");
    let (tokens, canvas) = (printed(&diffusion, 0, Pass::Tokens), printed(&diffusion, 0, Pass::Canvas));
    assert_eq!(tokens[11], "h = h + rms(y)·post_ffw_norm, h = h·enc_layer_output_scale");
    assert_eq!(canvas[11], "h = h + rms(y)·post_ffw_norm, h = h·layer_output_scale");
    assert!(canvas[3].ends_with(", canvas whole)") && !tokens[3].contains("canvas"), "{canvas:?}");
}

/// Fused decode is a plan of its own: it reads the matrices of each layer's operations in their order, each once.
#[test]
fn the_fused_plan_reads_the_matrices_of_the_operations_in_their_order() {
    for name in ["e2b", "e4b", "12b", "26b", "31b", "gemma3-4b"] {
        let parts = parts(name);
        let wanted: Vec<_> = (0..parts.config.layers.len())
            .flat_map(|i| operations(&parts, i, Pass::Tokens))
            .filter_map(|operation| match operation {
                Operation::Products { products, .. } => Some(products),
                _ => None,
            })
            .flatten()
            .flat_map(|product| product.matrix.parts.iter().map(|part| part.value.clone()))
            .collect();
        let of_layers: HashSet<_> = wanted.iter().cloned().collect();
        assert_eq!(of_layers.len(), wanted.len(), "{name}: a matrix is read twice");
        let plans = DecoderPlans::new(&parts, Some(Tuning::FLOATS), None).expect("plans");
        let mut read: Vec<_> = Vec::new();
        for step in plans.decode().into_iter().flat_map(|plan| plan.steps()) {
            let matrices = step.operands.iter().filter(|value| of_layers.contains(value));
            // Several kernels for a product share its matrix: which of them runs is chosen on the device.
            read.extend(matrices.filter(|value| read.last() != Some(*value)).cloned().collect::<Vec<_>>());
        }
        let names = |values: &[engine::plan::Value]| {
            values.iter().map(|value| value.name().to_owned()).collect::<Vec<_>>()
        };
        assert!(read == wanted, "{name}: {:?}, not {:?}", names(&read), names(&wanted));
    }
}
