//! The configuration of EmbeddingGemma 2: layers of Gemma 4 whose tokens see each other, with per-layer inputs that come from
//! the embeddings alone, and a projection of the rows behind them.

use super::config::{
    BASE, Config, ConfigError, EPSILON, Encoder, Keys, MAX_DIMENSION, MAX_HEADS, recommended,
};
use super::gemma::GEMMA;
use crate::gguf::{EMBEDDING2, Family, Metadata};

/// What it was trained for, whatever files say.
const MAX_CONTEXT: u32 = 8192;

/// Reads the configuration.
///
/// # Errors
/// [`ConfigError`] names the key.
pub fn read(metadata: &Metadata, drafting_blocks: u32) -> Result<Config, ConfigError> {
    let keys = Keys { metadata, prefix: EMBEDDING2, drafting_blocks };
    keys.check_attention(1.0, false)?;
    let heads = keys.positive("attention.head_count", MAX_HEADS)?;
    let count = keys.count()?;
    if let Some(shared) = keys.optional("attention.shared_kv_layers")?.filter(|&shared| shared > 0) {
        return Err(keys.bad("attention.shared_kv_layers", shared, "its layers have keys of their own"));
    }
    let head_sizes =
        [keys.positive("attention.key_length_swa", 4096)?, keys.positive("attention.key_length", 4096)?];
    Ok(Config {
        architecture: GEMMA,
        family: Family::Gemma4,
        query_scale: 1.0,
        rope_divisor: 1.0,
        width: keys.positive("embedding_length", MAX_DIMENSION)?,
        heads,
        layers: keys.layers_with(heads, head_sizes, &keys.usual_pattern(count)?)?,
        first_shared: count,
        window: keys.embedding_window()?,
        max_context: keys.positive("context_length", 1 << 24)?.min(MAX_CONTEXT),
        eps: keys.optional_float("attention.layer_norm_rms_epsilon", &EPSILON)?.unwrap_or(1e-6),
        softcap: 0.0,
        ple: keys.positive("embedding_length_per_layer_input", MAX_DIMENSION)?,
        theta_sliding: keys.optional_float("rope.freq_base_swa", &BASE)?.unwrap_or(10_000.0),
        theta_global: keys.optional_float("rope.freq_base", &BASE)?.unwrap_or(1e6),
        experts: None,
        whole_picture: 0,
        recommended: recommended(metadata),
        diffusion: None,
        encoder: Some(Encoder::Projection(keys.positive("embedding_length_out", MAX_DIMENSION)?)),
    })
}
