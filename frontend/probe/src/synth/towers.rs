//! The vision towers of the published shapes (specification §9.6), and the embedder of the 12B.

use shaders::DType;

use engine::gguf::{TensorSpec, WriteValue};

use super::Shape;
use super::tensors::{Content, Planned};

/// A tower with layers, as published files describe it.
struct Tower {
    layers: u32,
    width: u32,
    heads: u32,
    feed_forward: u32,
    /// Whether it has clipped linears; otherwise its output is standardised.
    clipped: bool,
}

const SMALL: Tower = Tower { layers: 16, width: 768, heads: 12, feed_forward: 3072, clipped: true };
const LARGE: Tower = Tower { layers: 27, width: 1152, heads: 16, feed_forward: 4304, clipped: false };

impl Tower {
    /// The tower of a shape; the 12B has only an [`embedder`].
    fn of(shape: &Shape) -> Option<Self> {
        match shape.name {
            "e2b" | "e4b" => Some(SMALL),
            "26b" | "31b" => Some(LARGE),
            _ => None,
        }
    }
}

/// The metadata keys of the tower.
pub(super) fn metadata(shape: &Shape) -> Vec<(String, WriteValue)> {
    let tower = Tower::of(shape);
    if tower.is_none() && shape.name != "12b" {
        return Vec::new();
    }
    let mut numbers = vec![("patch_size", 16), ("num_channels", 3), ("projector.scale_factor", 3)];
    if let Some(tower) = tower {
        numbers.extend([
            ("block_count", tower.layers),
            ("embedding_length", tower.width),
            ("feed_forward_length", tower.feed_forward),
            ("attention.head_count", tower.heads),
        ]);
    }
    let number = |(key, value)| (format!("gemma4.vision.{key}"), WriteValue::U32(value));
    let mut pairs: Vec<_> = numbers.into_iter().map(number).collect();
    pairs.push(("gemma4.vision.attention.layer_norm_epsilon".into(), WriteValue::F32(1e-6)));
    pairs
}

/// The tensors of the tower. Matrices are f16, as in published files.
pub(super) fn plan(shape: &Shape) -> Vec<Planned> {
    if shape.name == "12b" {
        return embedder(u64::from(shape.width));
    }
    let Some(tower) = Tower::of(shape) else { return Vec::new() };
    let (d, ff) = (u64::from(tower.width), u64::from(tower.feed_forward));
    let mut plan = Vec::new();
    let mut push = |name: String, shape: &[u64], dtype: DType, content: Content| {
        plan.push(Planned { spec: TensorSpec::new(name, shape, dtype), content });
    };
    let weights = |k: u64| Content::Weights((k as f32).powf(-0.5));
    push("v.patch_embd.weight".into(), &[16, 16, 3, d], DType::F16, weights(768));
    push("v.position_embd.weight".into(), &[d, 10_240, 2], DType::F32, Content::Weights(0.02));
    for i in 0..tower.layers {
        let name = |part: &str| format!("v.blk.{i}.{part}");
        for norm in ["ln1", "attn_post_norm", "ln2", "ffn_post_norm"] {
            push(name(&format!("{norm}.weight")), &[d], DType::F32, Content::Near(1.0));
        }
        let head = d / u64::from(tower.heads);
        for norm in ["attn_q_norm", "attn_k_norm"] {
            let near = Content::Near((head as f32).powf(-0.25));
            push(name(&format!("{norm}.weight")), &[head], DType::F32, near);
        }
        let linears = [
            ("attn_q", [d, d]),
            ("attn_k", [d, d]),
            ("attn_v", [d, d]),
            ("attn_out", [d, d]),
            ("ffn_gate", [d, ff]),
            ("ffn_up", [d, ff]),
            ("ffn_down", [ff, d]),
        ];
        for (linear, shape) in linears {
            push(name(&format!("{linear}.weight")), &shape, DType::F16, weights(shape[0]));
            let bounds =
                [("input_min", -50.0), ("input_max", 50.0), ("output_min", -50.0), ("output_max", 50.0)];
            for (bound, value) in bounds.into_iter().filter(|_| tower.clipped) {
                push(name(&format!("{linear}.{bound}")), &[1], DType::F32, Content::Near(value));
            }
        }
    }
    if !tower.clipped {
        push("v.std_bias".into(), &[d], DType::F32, Content::Weights(0.1));
        push("v.std_scale".into(), &[d], DType::F32, Content::Near(1.0));
    }
    push("mm.input_projection.weight".into(), &[d, u64::from(shape.width)], DType::F16, weights(d));
    plan
}

/// The 12B's embedder: raw patches of 48 pixels, norms, a product (specification §9.5).
fn embedder(width: u64) -> Vec<Planned> {
    const PATCH: u64 = 3 * 48 * 48;
    let mut plan = Vec::new();
    let mut push = |name: &str, shape: &[u64], dtype: DType, content: Content| {
        plan.push(Planned { spec: TensorSpec::new(name, shape, dtype), content });
    };
    let weights = |k: u64| Content::Weights((k as f32).powf(-0.5));
    push("v.patch_embd.weight", &[PATCH, width], DType::F16, weights(PATCH));
    push("v.patch_embd.bias", &[width], DType::F32, Content::Weights(0.1));
    for (i, len) in [(1, PATCH), (2, width), (3, width)] {
        push(&format!("v.patch_norm.{i}.weight"), &[len], DType::F32, Content::Near(1.0));
        push(&format!("v.patch_norm.{i}.bias"), &[len], DType::F32, Content::Weights(0.1));
    }
    push("v.position_embd.weight", &[width, 1120, 2], DType::F32, Content::Weights(0.5));
    push("mm.input_projection.weight", &[width, width], DType::BF16, weights(width));
    plan
}
