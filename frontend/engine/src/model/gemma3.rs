//! The configuration of Gemma 3 (text): what its files say otherwise than those of Gemma 4, and what they leave out.
//!
//! Layers have neither per-layer inputs nor a scale at their end, values are not normed, and the scores of attention have a
//! scale. Logits have no softcap, whatever a file says.

use super::config::{Config, ConfigError, Keys, MAX_DIMENSION, MAX_HEADS, MAX_LAYERS, PATTERN, recommended};
use super::layer::Architecture;
use crate::gguf::{Family, Metadata, WrongType};

/// `general.architecture`, and the prefix of the keys.
pub const NAME: &str = Family::Gemma3.architecture();

/// Whether a token sees only those before it: not where embeddings are made.
const CAUSAL: &str = "attention.causal";
/// Elements of a head where the file does not say.
const HEAD: u32 = 256;
/// One of this many layers is global where the file does not say.
const PERIOD: usize = 6;
/// Layers of the 27B, whose scores are scaled by the width of the stream. No key says so.
const LAYERS_27B: usize = 62;
/// The context from which on positions are divided by 8 in global layers where the file does not say.
const LONG: u32 = 131_072;

/// Reads the configuration.
///
/// # Errors
/// [`ConfigError`] names the key.
pub fn read(metadata: &Metadata) -> Result<Config, ConfigError> {
    let keys = Keys { metadata, prefix: NAME };
    if metadata.bool(&keys.key(CAUSAL)) == Some(false) {
        return Err(keys.bad(
            CAUSAL,
            false,
            "gemtab runs models that write text, not those that make embeddings",
        ));
    }
    let width = keys.positive("embedding_length", MAX_DIMENSION)?;
    let heads = keys.positive("attention.head_count", MAX_HEADS)?;
    let count = keys.positive("block_count", MAX_LAYERS)? as usize;
    let max_context = keys.positive("context_length", 1 << 24)?;
    let head =
        if keys.has("attention.key_length") { keys.positive("attention.key_length", 4096)? } else { HEAD };
    same(&keys, ("attention.key_length", head), "attention.value_length", Metadata::try_u32)?;
    let window = keys.optional("attention.sliding_window")?.unwrap_or(0);
    let is_sliding = match window {
        0 => vec![false; count],
        _ if keys.has(PATTERN) => keys.pattern(count)?,
        _ => (1..=count).map(|i| !i.is_multiple_of(PERIOD)).collect(),
    };
    let layers = keys.layers_with(heads, [head; 2], &is_sliding)?;
    let scaled_by = if count == LAYERS_27B { width as f32 / heads as f32 } else { head as f32 };
    Ok(Config {
        architecture: Architecture::GEMMA,
        family: Family::Gemma3,
        query_scale: scaled_by.sqrt().recip(),
        rope_divisor: rope_divisor(&keys, max_context)?,
        width,
        heads,
        layers,
        first_shared: count,
        window: if window == 0 { 0 } else { keys.positive("attention.sliding_window", 1 << 24)? },
        max_context,
        eps: keys.optional_float("attention.layer_norm_rms_epsilon")?.unwrap_or(1e-6),
        softcap: 0.0,
        ple: 0,
        theta_sliding: base(&keys, ["rope.freq_base_swa", "rope.local.freq_base"], 10_000.0)?,
        theta_global: base(&keys, ["rope.freq_base", "rope.global.freq_base"], 1e6)?,
        experts: None,
        whole_picture: 0,
        recommended: recommended(metadata),
        diffusion: None,
    })
}

/// Refuses a file whose key `other` has another value than `key`.
fn same<T: PartialEq + ToString>(
    keys: &Keys<'_>,
    (key, value): (&str, T),
    other: &str,
    read: impl Fn(&Metadata, &str) -> Result<Option<T>, WrongType>,
) -> Result<(), ConfigError> {
    match read(keys.metadata, &keys.key(other))? {
        Some(found) if found != value => Err(ConfigError::Contradiction {
            key: keys.key(key),
            value: value.to_string(),
            other: keys.key(other),
            other_value: found.to_string(),
        }),
        _ => Ok(()),
    }
}

/// A RoPE base under llama.cpp's name, or Ollama's.
fn base(keys: &Keys<'_>, [name, other]: [&str; 2], usual: f32) -> Result<f32, ConfigError> {
    let Some(base) = keys.optional_float(name)? else {
        return Ok(keys.optional_float(other)?.unwrap_or(usual));
    };
    same(keys, (name, base), other, Metadata::try_f32)?;
    Ok(base)
}

/// The divisor of positions in global layers.
fn rope_divisor(keys: &Keys<'_>, max_context: u32) -> Result<f32, ConfigError> {
    const TYPE: &str = "rope.scaling.type";
    const FACTOR: &str = "rope.scaling.factor";
    let factor = keys.optional_float(FACTOR)?;
    if factor == Some(0.0) {
        return Err(keys.bad(FACTOR, 0, "it must be positive"));
    }
    match (keys.metadata.str(&keys.key(TYPE)), factor) {
        (None, None) => Ok(if max_context >= LONG { 8.0 } else { 1.0 }),
        (Some("none"), _) => Ok(1.0),
        (None | Some("linear"), Some(factor)) => Ok(factor),
        (Some("linear"), None) => Err(keys.missing(FACTOR)),
        (Some(other), _) => Err(keys.bad(TYPE, other, "Gemma 3 models scale positions linearly")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gguf::Value;
    use crate::model::Attention;

    /// A model of `layers` layers, as llama.cpp's converter writes it.
    fn metadata(layers: u64, more: &[(&str, Value)]) -> Metadata {
        let mut m = Metadata::default();
        m.0.insert("general.architecture".into(), Value::String(NAME.into()));
        for (key, value) in [
            ("block_count", layers),
            ("embedding_length", 640),
            ("feed_forward_length", 2048),
            ("context_length", 32_768),
            ("attention.head_count", 4),
            ("attention.head_count_kv", 1),
            ("attention.sliding_window", 512),
        ] {
            m.0.insert(format!("{NAME}.{key}"), Value::Unsigned(value));
        }
        for (key, value) in more {
            m.0.insert(format!("{NAME}.{key}"), value.clone());
        }
        m
    }

    fn config(layers: u64, more: &[(&str, Value)]) -> Result<Config, ConfigError> {
        Config::read(&metadata(layers, more))
    }

    #[test]
    fn files_leave_out_what_all_models_have() {
        let small = config(18, &[]).expect("a configuration");
        let global: Vec<_> = (0..18).filter(|&i| small.layers[i].attention == Attention::Global).collect();
        assert_eq!(global, [5, 11, 17]);
        assert_eq!((small.layers[0].head_dim, small.window, small.eps), (256, 512, 1e-6));
        assert_eq!((small.theta_sliding, small.theta_global), (1e4, 1e6));
        assert_eq!((small.query_scale, small.rope_divisor, small.softcap), (1.0 / 16.0, 1.0, 0.0));
        // Without a window no layer slides, and a softcap is not applied.
        let more = [
            ("attention.sliding_window", Value::Unsigned(0)),
            ("final_logit_softcapping", Value::Float(30.0)),
        ];
        let whole = config(18, &more).expect("a configuration");
        assert!(
            whole.layers.iter().all(|layer| layer.attention == Attention::Global) && whole.softcap == 0.0
        );
        // The 27B has its own scale, and long contexts divide positions.
        let long =
            [("context_length", Value::Unsigned(131_072)), ("attention.key_length", Value::Unsigned(128))];
        let large = config(62, &long).expect("a configuration");
        assert_eq!((large.query_scale, large.rope_divisor), ((640.0f32 / 4.0).sqrt().recip(), 8.0));
    }

    #[test]
    fn files_say_the_same_in_two_ways() {
        let pattern = ("attention.sliding_window_pattern", Value::Bools(vec![true, true, false, true]));
        let ollama = [
            pattern,
            ("rope.local.freq_base", Value::Float(1e5)),
            ("rope.global.freq_base", Value::Float(2e6)),
        ];
        let config4 = config(4, &ollama).expect("a configuration");
        assert_eq!(config4.layers[2].attention, Attention::Global);
        assert_eq!((config4.theta_sliding, config4.theta_global), (1e5, 2e6));
        let linear = [
            ("rope.scaling.type", Value::String("linear".into())),
            ("rope.scaling.factor", Value::Float(4.0)),
        ];
        assert_eq!(config(4, &linear).map(|config| config.rope_divisor), Ok(4.0));
    }

    #[test]
    fn contradictions_name_both_keys() {
        let two = [("rope.freq_base", Value::Float(1e6)), ("rope.global.freq_base", Value::Float(1e5))];
        let error = config(4, &two).expect_err("a contradiction").to_string();
        for part in ["gemma3.rope.freq_base = 1000000", "gemma3.rope.global.freq_base = 100000"] {
            assert!(error.contains(part), "{error}");
        }
        let heads =
            [("attention.key_length", Value::Unsigned(64)), ("attention.value_length", Value::Unsigned(32))];
        assert!(matches!(config(4, &heads), Err(ConfigError::Contradiction { .. })));
        for (key, value) in [
            ("rope.scaling.type", Value::String("yarn".into())),
            ("rope.scaling.factor", Value::Float(0.0)),
            ("attention.sliding_window", Value::Unsigned(1 << 30)),
            ("attention.causal", Value::Bool(false)),
        ] {
            let refused = config(4, &[(key, value)]);
            assert!(
                matches!(&refused, Err(ConfigError::Value { key: named, .. }) if named.ends_with(key)),
                "{refused:?}"
            );
        }
    }
}
