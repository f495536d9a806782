//! The configuration of Gemma 3 (text): what its files say otherwise than those of Gemma 4, and what they leave out.
//!
//! Layers have neither per-layer inputs nor a scale at their end, values are not normed, and the scores of attention have a
//! scale. Logits have no softcap, whatever a file says. EmbeddingGemma has the same layers, whose tokens see each other.

use super::config::{
    BASE, CAUSAL, Config, ConfigError, DIVISOR, EPSILON, Encoder, Keys, MAX_DIMENSION, MAX_HEADS, recommended,
};
use super::gemma::GEMMA;
use crate::gguf::{EMBEDDING, Family, Metadata};

/// `general.architecture`, and the prefix of the keys.
pub const NAME: &str = Family::Gemma3.architecture();

/// Elements of a head where the file does not say.
const HEAD: u32 = 256;
/// Layers of the 27B, whose scores are scaled by the width of the stream. No key says so.
const LAYERS_27B: usize = 62;
/// The context from which on positions are divided by 8 in global layers where the file does not say.
const LONG: u32 = 131_072;

/// Reads the configuration of a file of this architecture, [`NAME`] or [`EMBEDDING`].
///
/// # Errors
/// [`ConfigError`] names the key.
pub fn read(metadata: &Metadata, architecture: &str, drafting_blocks: u32) -> Result<Config, ConfigError> {
    let keys = Keys { metadata, prefix: architecture, drafting_blocks };
    let says_so = keys.has("pooling_type") || metadata.try_bool(&keys.key(CAUSAL))? == Some(false);
    let encoder = (architecture == EMBEDDING || says_so).then_some(Encoder::Dense);
    let width = keys.positive("embedding_length", MAX_DIMENSION)?;
    let heads = keys.positive("attention.head_count", MAX_HEADS)?;
    let count = keys.count()?;
    let max_context = keys.positive("context_length", 1 << 24)?;
    let head =
        if keys.has("attention.key_length") { keys.positive("attention.key_length", 4096)? } else { HEAD };
    let window = keys.optional("attention.sliding_window")?.unwrap_or(0);
    let is_sliding = match window {
        0 => vec![false; count],
        _ => keys.usual_pattern(count)?,
    };
    let layers = keys.layers_with(heads, [head; 2], &is_sliding)?;
    let scaled_by = if count == LAYERS_27B { width as f32 / heads as f32 } else { head as f32 };
    let query_scale = scaled_by.sqrt().recip();
    keys.check_attention(query_scale, true)?;
    Ok(Config {
        architecture: GEMMA,
        family: Family::Gemma3,
        query_scale,
        rope_divisor: rope_divisor(&keys, max_context)?,
        width,
        heads,
        layers,
        first_shared: count,
        window: match window {
            _ if encoder.is_some() => keys.embedding_window()?,
            0 => 0,
            _ => keys.positive("attention.sliding_window", 1 << 24)?,
        },
        max_context,
        eps: keys.optional_float("attention.layer_norm_rms_epsilon", &EPSILON)?.unwrap_or(1e-6),
        softcap: 0.0,
        ple: 0,
        theta_sliding: base(&keys, ["rope.freq_base_swa", "rope.local.freq_base"], 10_000.0)?,
        theta_global: base(&keys, ["rope.freq_base", "rope.global.freq_base"], 1e6)?,
        experts: None,
        whole_picture: 0,
        recommended: recommended(metadata),
        diffusion: None,
        encoder,
    })
}

/// Returns a RoPE base under llama.cpp's name, or Ollama's.
fn base(keys: &Keys<'_>, [name, other]: [&str; 2], usual: f32) -> Result<f32, ConfigError> {
    let Some(base) = keys.optional_float(name, &BASE)? else {
        return Ok(keys.optional_float(other, &BASE)?.unwrap_or(usual));
    };
    keys.require_equal((name, base), other, Metadata::try_f32)?;
    Ok(base)
}

/// Returns the divisor of positions in global layers.
fn rope_divisor(keys: &Keys<'_>, max_context: u32) -> Result<f32, ConfigError> {
    const TYPE: &str = "rope.scaling.type";
    const FACTOR: &str = "rope.scaling.factor";
    let factor = keys.optional_float(FACTOR, &DIVISOR)?;
    match (keys.text(TYPE)?, factor) {
        (None, None) => Ok(if max_context >= LONG { 8.0 } else { 1.0 }),
        (Some("none"), _) => Ok(1.0),
        (None | Some("linear"), Some(factor)) => Ok(factor),
        (Some("linear"), None) => Err(keys.missing(FACTOR)),
        (Some(other), _) => Err(keys.bad(TYPE, other, "Gemma 3 models scale positions linearly")),
    }
}
