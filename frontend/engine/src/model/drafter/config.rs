//! The configuration of a drafter, checked against that of its target.

use crate::gguf::{Family, Metadata};
use crate::model::config::{
    Attention, BASE, Config, ConfigError, EPSILON, Keys, LayerConfig, MAX_DIMENSION, MAX_HEADS,
};
use crate::model::gemma::GEMMA;
use crate::weights::TensorError;

/// `general.architecture` of a drafter, and the prefix of its keys.
const ARCHITECTURE: &str = "gemma4-assistant";
/// Architectures of drafters whose tensors have other names, and where those come from.
const DIALECTS: [(&str, &str); 2] = [("gemma4_assistant", "Atomic Chat"), ("gemma4_mtp", "ik_llama.cpp")];

/// Why a drafter cannot be used with a model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum DrafterError {
    /// Another kind of file.
    #[error("this is a {found:?} model, not a drafter (architecture {ARCHITECTURE})")]
    Architecture {
        /// `general.architecture` of the file.
        found: String,
    },
    /// A drafter with the tensor names of another program.
    #[error(
        "this drafter was converted for {program} (architecture {found}); gemtab reads those for llama.cpp"
    )]
    Dialect { found: String, program: &'static str },
    /// Invalid metadata.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A tensor is missing or wrong.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// There is none.
    #[error("the model has no drafter")]
    None,
    /// It was made for another model.
    #[error("the drafter was made for a model whose {what} is {found}; this model’s is {expected}")]
    Target {
        what: &'static str,
        /// What the drafter says.
        found: String,
        /// What the model has.
        expected: String,
    },
}

/// Returns whether a file is a drafter, of any dialect.
pub fn is_drafter(metadata: &Metadata) -> bool {
    let found = metadata.str("general.architecture").unwrap_or_default();
    found == ARCHITECTURE || DIALECTS.iter().any(|(dialect, _)| *dialect == found)
}

fn same<T: PartialEq + ToString>(what: &'static str, found: T, expected: T) -> Result<(), DrafterError> {
    if found == expected {
        return Ok(());
    }
    Err(DrafterError::Target { what, found: found.to_string(), expected: expected.to_string() })
}

/// Reads the configuration of a drafter for `target`. The layers use KV caches of the target, whose numbers are in
/// `kv_layer`. The window leaves out the token itself, which has no key in the cache.
///
/// # Errors
/// [`DrafterError`] when the file is no drafter, has invalid metadata, or was made for another model.
pub fn read(metadata: &Metadata, target: &Config) -> Result<Config, DrafterError> {
    let found = metadata.str("general.architecture").unwrap_or_default();
    if let Some((_, program)) = DIALECTS.iter().find(|(dialect, _)| *dialect == found) {
        return Err(DrafterError::Dialect { found: found.to_owned(), program });
    }
    if found != ARCHITECTURE {
        return Err(DrafterError::Architecture { found: found.to_owned() });
    }
    let keys = Keys { metadata, prefix: ARCHITECTURE, drafting_blocks: 0 };
    let out = keys.positive("embedding_length_out", MAX_DIMENSION)?;
    same("embedding length", out, target.width)?;
    let heads = keys.positive("attention.head_count", MAX_HEADS)?;
    let mut layers = keys.layers(heads)?;
    for layer in &mut layers {
        share(layer, target)?;
    }
    let theta_global = keys.float("rope.freq_base", &BASE)?;
    same("RoPE base", theta_global, target.theta_global)?;
    let theta_sliding = keys.optional_float("rope.freq_base_swa", &BASE)?;
    same("RoPE base of sliding layers", theta_sliding.unwrap_or(target.theta_sliding), target.theta_sliding)?;
    let window = target.window.saturating_sub(1);
    if window == 0 {
        // No key is visible then, and a window of 0 would mean all.
        return Err(keys.bad("attention.sliding_window", target.window, "it must be more than 1").into());
    }
    Ok(Config {
        architecture: GEMMA,
        family: Family::Gemma4,
        encoder: None,
        query_scale: 1.0,
        rope_divisor: target.rope_divisor,
        width: keys.positive("embedding_length", MAX_DIMENSION)?,
        heads,
        layers,
        first_shared: 0,
        window,
        max_context: target.max_context,
        eps: keys.float("attention.layer_norm_rms_epsilon", &EPSILON)?,
        softcap: 0.0,
        ple: 0,
        theta_sliding: target.theta_sliding,
        theta_global,
        experts: None,
        whole_picture: 0,
        recommended: None,
        diffusion: None,
    })
}

/// Makes a layer use the cache of the target's last layer of its kind.
fn share(layer: &mut LayerConfig, target: &Config) -> Result<(), DrafterError> {
    let [what, head_size, kv_heads] = match layer.attention {
        Attention::Sliding => [
            "number of sliding layers",
            "head size of sliding layers",
            "number of KV heads of sliding layers",
        ],
        Attention::Global => {
            ["number of global layers", "head size of global layers", "number of KV heads of global layers"]
        }
    };
    let none = || DrafterError::Target { what, found: "at least 1".to_owned(), expected: "0".to_owned() };
    let donor = target.donor(layer.attention).ok_or_else(none)?;
    let of_target = &target.layers[donor];
    same(head_size, layer.head_dim, of_target.head_dim)?;
    same(kv_heads, layer.kv_heads, of_target.kv_heads)?;
    layer.kv_layer = donor;
    Ok(())
}
