//! The layers of Gemma 3 and 4 (specification §2.3). Only this file asks what they have.

use shaders::attention::decode::Kv;

use super::config::{Architecture, Attention, Config};
use super::layer::{Branch, Experts, Heads, Mask, Operation, Pass, Site, Slot, Tensors, Vector};
use crate::adapter::{Projection, Target};
use crate::gguf::Family;
use crate::plan::PlanError;
use crate::weights::Weights;

/// Gemma 3 and 4.
pub const GEMMA: Architecture = Architecture { operations, fuses: true };

/// The norm of per-layer inputs that come from the embeddings alone.
pub const PER_LAYER_NORM: &str = "per_layer_input_norm";

/// [`Config::operations`] of Gemma.
fn operations<'w>(
    config: &Config,
    weights: &'w Weights,
    i: usize,
    pass: Pass,
) -> Result<Vec<Operation<'w>>, PlanError> {
    let layer = &config.layers[i];
    let is_gemma4 = config.family == Family::Gemma4;
    let tensors = Tensors::new(weights, i);
    let mut all: Vec<Operation<'w>> = Vec::with_capacity(14);
    let has_v = weights.matrix(&Target { layer: i, projection: Projection::V }.to_string()).is_some();
    let kv = Kv::of_layer(config.owns_kv(i), has_v);
    let qkv = [(Projection::Q, Slot::Q), (Projection::K, Slot::K), (Projection::V, Slot::V)];
    let count = match kv {
        Kv::Shared => 1,
        Kv::OwnVIsK => 2,
        Kv::Own => 3,
    };
    let k_norm = (kv != Kv::Shared).then(|| tensors.vector("attn_k_norm")).transpose()?;
    let is_sliding = layer.attention == Attention::Sliding;
    if config.encoder.is_some() && config.ple > 0 {
        let norm = Vector { name: PER_LAYER_NORM, at: weights.vector(PER_LAYER_NORM)? };
        all.push(Operation::PerLayerInput { matrix: tensors.matrix("per_layer_input")?, norm });
    }
    let branch = Branch::Attention;
    all.push(tensors.norm(branch, "attn_norm")?);
    all.push(tensors.products(Site::Qkv, Slot::Normed(branch), &qkv[..count])?);
    let q_norm = tensors.vector("attn_q_norm")?;
    all.push(Operation::Heads(Heads { kv, q_norm, k_norm, normed_v: is_gemma4 }));
    all.push(Operation::Attend(Mask {
        window: if is_sliding { config.window } else { 0 },
        pictures_whole: is_sliding && config.sees_pictures_whole(),
        canvas: pass == Pass::Canvas,
        texts: config.encoder.is_some(),
    }));
    all.push(tensors.products(
        Site::Output,
        Slot::Attention,
        &[(Projection::Output, Slot::Result(branch))],
    )?);
    all.push(tensors.add(branch, "post_attention_norm", None)?);

    // The encoder of a diffusion model is the same layers with other scalars.
    let is_encoder = config.diffusion.is_some() && pass == Pass::Tokens;
    let scale = if is_encoder { "enc_layer_output_scale" } else { "layer_output_scale" };
    let scale = is_gemma4.then(|| tensors.vector(scale)).transpose()?;
    let has_per_layer = config.ple > 0;
    let branch = Branch::FeedForward;
    let gate_up = [(Projection::Gate, Slot::Gate), (Projection::Up, Slot::Up)];
    all.push(tensors.norm(branch, "ffn_norm")?);
    all.push(tensors.products(Site::GateUp, Slot::Normed(branch), &gate_up)?);
    all.push(Operation::Activate { gate: Slot::Gate, factor: Slot::Up, y: Slot::Activated });
    all.push(tensors.products(Site::Down, Slot::Activated, &[(Projection::Down, Slot::Result(branch))])?);
    all.extend(experts(config, weights, i)?.map(Operation::Experts));
    all.push(tensors.add(branch, "post_ffw_norm", scale.filter(|_| !has_per_layer))?);

    if has_per_layer {
        let branch = Branch::PerLayer;
        let gate = [(Projection::PleGate, Slot::PerLayerGate)];
        let projection = [(Projection::PleProjection, Slot::Result(branch))];
        all.push(tensors.products(Site::PleGate, Slot::Stream(branch), &gate)?);
        all.push(Operation::Activate {
            gate: Slot::PerLayerGate,
            factor: Slot::PerLayerInput,
            y: Slot::PerLayerActivated,
        });
        all.push(tensors.products(Site::PleProjection, Slot::PerLayerActivated, &projection)?);
        all.push(tensors.add(branch, "post_norm", scale)?);
    }
    Ok(all)
}

/// Returns router and experts of layer `i`, `None` if the model has none.
fn experts<'w>(config: &Config, weights: &'w Weights, i: usize) -> Result<Option<Experts<'w>>, PlanError> {
    let Some(experts) = config.experts else { return Ok(None) };
    let tensors = Tensors::new(weights, i);
    Ok(Some(Experts {
        router_norm: tensors.vector("ffn_gate_inp.scale")?,
        router: tensors.matrix("ffn_gate_inp")?,
        scales: tensors.vector("expert_scale")?,
        norm: tensors.vector("pre_ffw_norm_2")?,
        halves: tensors.halves(experts.feed_forward)?,
        down: tensors.matrix("ffn_down_exps")?,
        dense_norm: tensors.vector("post_ffw_norm_1")?,
        result_norm: tensors.vector("post_ffw_norm_2")?,
    }))
}
