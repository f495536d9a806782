//! The configuration of Gemma 4 (specification §3).

use shaders::matmul::Tile;

use super::config::{
    BASE, CAUSAL, Config, ConfigError, EPSILON, Keys, MAX_DIMENSION, MAX_HEADS, USUAL_PICTURE, last_owner,
    recommended,
};
use super::denoising::{Denoising, DenoisingError, MAX_CANVAS};
use super::gemma::GEMMA;
use crate::gguf::{Family, Metadata};

/// `general.architecture`, and the prefix of the keys.
pub const NAME: &str = Family::Gemma4.architecture();
/// The same of a model that decodes by diffusion.
pub const DIFFUSION: &str = "diffusion-gemma";
/// What no published diffusion model has.
const NOT_OF_DIFFUSION: &str = "gemtab runs diffusion models without it only";

/// Reads the configuration of a file of this architecture, [`NAME`] or [`DIFFUSION`].
///
/// # Errors
/// [`ConfigError`] names the key.
pub fn read(metadata: &Metadata, architecture: &str, drafting_blocks: u32) -> Result<Config, ConfigError> {
    let diffusion = if architecture == DIFFUSION { Some(denoising(metadata)?) } else { None };
    let keys = Keys { metadata, prefix: architecture, drafting_blocks };
    keys.check_attention(1.0, false)?;
    if diffusion.is_none() && metadata.try_bool(&keys.key(CAUSAL))? == Some(false) {
        return Err(keys.bad(CAUSAL, false, "attention of Gemma 4 is causal"));
    }
    let width = keys.positive("embedding_length", MAX_DIMENSION)?;
    let heads = keys.positive("attention.head_count", MAX_HEADS)?;
    let mut layers = keys.layers(heads)?;
    let count = layers.len();
    let ple = keys.optional("embedding_length_per_layer_input")?.unwrap_or(0);
    let shared = match keys.optional("attention.shared_kv_layers")? {
        Some(shared) => shared as usize,
        // Models with per-layer inputs share them, and their files may have keys and values for all layers nevertheless.
        None if ple > 0 => return Err(keys.missing("attention.shared_kv_layers")),
        None => 0,
    };
    if shared >= count {
        return Err(keys.bad(
            "attention.shared_kv_layers",
            shared,
            "some layers must have keys of their own",
        ));
    }
    if diffusion.is_some() && shared > 0 {
        return Err(keys.bad("attention.shared_kv_layers", shared, NOT_OF_DIFFUSION));
    }
    let first_shared = count - shared;
    for i in first_shared..count {
        let donor = last_owner(&layers[..first_shared], layers[i].attention).ok_or_else(|| {
            keys.bad(
                "attention.shared_kv_layers",
                shared,
                "a layer of the same kind must have keys of its own",
            )
        })?;
        (layers[i].kv_layer, layers[i].kv_heads) = (donor, layers[donor].kv_heads);
    }

    if u64::from(ple) * count as u64 > Tile::MOST_COLUMNS.into() {
        let expected = "the kernels have no room for so much in all layers together";
        return Err(keys.bad("embedding_length_per_layer_input", ple, expected));
    }
    if diffusion.is_some() && ple > 0 {
        return Err(keys.bad("embedding_length_per_layer_input", ple, NOT_OF_DIFFUSION));
    }
    Ok(Config {
        architecture: GEMMA,
        family: Family::Gemma4,
        query_scale: 1.0,
        rope_divisor: 1.0,
        width,
        heads,
        layers,
        first_shared,
        window: keys.positive("attention.sliding_window", 1 << 24)?,
        max_context: keys.positive("context_length", 1 << 24)?,
        eps: keys.float("attention.layer_norm_rms_epsilon", &EPSILON)?,
        softcap: keys.softcap()?,
        ple,
        theta_sliding: keys.optional_float("rope.freq_base_swa", &BASE)?.unwrap_or(10_000.0),
        theta_global: keys.float("rope.freq_base", &BASE)?,
        experts: keys.experts(width)?,
        whole_picture: if ple == 0 { USUAL_PICTURE } else { 0 },
        recommended: recommended(metadata),
        diffusion,
        encoder: None,
    })
}

/// How a canvas is denoised. What the file does not say is as in the published model.
fn denoising(metadata: &Metadata) -> Result<Denoising, ConfigError> {
    let usual = Denoising::default();
    let keys = Keys { metadata, prefix: "diffusion", drafting_blocks: 0 };
    let own = Keys { metadata, prefix: DIFFUSION, drafting_blocks: 0 };
    let length = if keys.has("canvas_length") { &keys } else { &own };
    let settings = Denoising {
        canvas: length.number("canvas_length", Metadata::try_u32, usual.canvas)?,
        steps: keys.number("eb_max_steps", Metadata::try_u32, usual.steps)?,
        t_min: keys.number("eb_t_min", Metadata::try_f32, usual.t_min)?,
        t_max: keys.number("eb_t_max", Metadata::try_f32, usual.t_max)?,
        entropy_bound: keys.number("eb_entropy_bound", Metadata::try_f32, usual.entropy_bound)?,
        stability: keys.number("eb_stability_threshold", Metadata::try_u32, usual.stability)?,
        confidence: keys.number("eb_confidence_threshold", Metadata::try_f32, usual.confidence)?,
    };
    let wrong = |error: DenoisingError| {
        let keys = if error.key == "canvas_length" { length } else { &keys };
        keys.bad(error.key, error.value, error.expected)
    };
    settings.check(MAX_CANVAS).map_err(wrong)?;
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use shaders::experts::Mixture;

    use super::super::config::*;
    use super::*;
    use crate::gguf::Value;

    fn metadata() -> Metadata {
        let mut m = Metadata::default();
        let mut set = |key: &str, value: Value| m.0.insert(key.to_owned(), value);
        set("general.architecture", Value::String("gemma4".into()));
        for (key, value) in [
            ("block_count", 4),
            ("embedding_length", 256),
            ("attention.head_count", 4),
            ("attention.head_count_kv", 1),
            ("attention.key_length", 128),
            ("attention.key_length_swa", 64),
            ("attention.shared_kv_layers", 2),
            ("attention.sliding_window", 16),
            ("context_length", 4096),
            ("feed_forward_length", 512),
        ] {
            set(&format!("gemma4.{key}"), Value::Unsigned(value));
        }
        set("gemma4.attention.sliding_window_pattern", Value::Bools(vec![true, false, true, false]));
        set("gemma4.attention.layer_norm_rms_epsilon", Value::Float(1e-6));
        set("gemma4.rope.freq_base", Value::Float(1e6));
        m
    }

    #[test]
    fn donors_are_the_last_owners_of_the_same_kind() {
        let config = Config::read(&metadata()).expect("a configuration");
        assert_eq!(config.layers.iter().map(|l| l.kv_layer).collect::<Vec<_>>(), [0, 1, 0, 1]);
        assert_eq!(config.first_shared, 2);
        assert_eq!(config.q_width(1), 512);
    }

    #[test]
    fn mixtures_are_bounded() {
        let with = |count: u64, used: u64| {
            let mut m = metadata();
            for (key, value) in
                [("expert_count", count), ("expert_used_count", used), ("expert_feed_forward_length", 96)]
            {
                m.0.insert(format!("gemma4.{key}"), Value::Unsigned(value));
            }
            Config::read(&m).map(|config| config.experts)
        };
        let mixture = Mixture { experts: 128, used: 8 };
        assert_eq!(with(128, 8), Ok(Some(Experts { mixture, feed_forward: 96 })));
        assert_eq!(with(0, 8), Ok(None));
        for (count, used) in [(8, 0), (8, 9), (128, 1000), (100_000, 8), (u64::from(u32::MAX), 1)] {
            assert!(matches!(with(count, used), Err(ConfigError::Value { .. })), "{used} of {count}");
        }
    }

    #[test]
    fn per_layer_embeddings_are_bounded() {
        let with = |width: u64| {
            let mut m = metadata();
            m.0.insert("gemma4.embedding_length_per_layer_input".into(), Value::Unsigned(width));
            Config::read(&m).map(|config| config.ple)
        };
        let most = Tile::MOST_COLUMNS / 4;
        assert_eq!(with(most.into()), Ok(most));
        for width in [u64::from(most) + 1, 1 << 20, u64::from(u32::MAX)] {
            assert!(matches!(with(width), Err(ConfigError::Value { .. })), "{width}");
        }
    }

    #[test]
    fn diffusion_models_have_settings() {
        let with = |extra: &[(&str, Value)]| {
            let mut m = Metadata::default();
            for (key, value) in metadata().0 {
                let key =
                    key.strip_prefix("gemma4.").map_or(key.clone(), |name| format!("{DIFFUSION}.{name}"));
                m.0.insert(key, value);
            }
            m.0.insert("general.architecture".into(), Value::String(DIFFUSION.into()));
            m.0.insert(format!("{DIFFUSION}.attention.shared_kv_layers"), Value::Unsigned(0));
            m.0.extend(extra.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
            Config::read(&m).map(|config| config.diffusion)
        };
        let usual = Denoising::default();
        assert_eq!(with(&[]), Ok(Some(usual)));
        assert_eq!(Config::read(&metadata()).map(|config| config.diffusion), Ok(None));
        let canvas = |key: &'static str, canvas| (key, Value::Unsigned(canvas));
        let (own, general) = ("diffusion-gemma.canvas_length", "diffusion.canvas_length");
        assert_eq!(with(&[canvas(own, 32)]), Ok(Some(Denoising { canvas: 32, ..usual })));
        let both = [canvas(own, 32), canvas(general, 64), ("diffusion.eb_t_min", Value::Float(0.5))];
        assert_eq!(with(&both), Ok(Some(Denoising { canvas: 64, t_min: 0.5, ..usual })));
        let hostile = [
            (own, Value::Unsigned(0)),
            (general, Value::Unsigned(513)),
            (general, Value::Unsigned(1 << 40)),
            (general, Value::Signed(-1)),
            (general, Value::String("256".into())),
            ("diffusion.eb_max_steps", Value::Unsigned(0)),
            ("diffusion.eb_t_max", Value::Float(f64::NAN)),
            ("diffusion.eb_entropy_bound", Value::Float(-0.1)),
            ("diffusion-gemma.attention.shared_kv_layers", Value::Unsigned(2)),
            ("diffusion-gemma.embedding_length_per_layer_input", Value::Unsigned(256)),
        ];
        for (key, value) in hostile {
            let refused = with(&[(key, value.clone())]);
            let named = matches!(&refused, Err(ConfigError::Value { key: named, .. }) if named == key);
            assert!(named, "{key} = {value:?}: {refused:?}");
        }
    }

    #[test]
    fn scalars_and_arrays_stand_for_one_another() {
        let layers = |value: Value| {
            let mut m = metadata();
            m.0.insert("gemma4.attention.sliding_window_pattern".into(), value);
            let config = Config::read(&m)?;
            Ok(config.layers.iter().map(|layer| layer.attention == Attention::Sliding).collect::<Vec<_>>())
        };
        let usual = Config::read(&metadata()).expect("a configuration");
        for (key, value) in metadata().0 {
            let array = match value {
                Value::Unsigned(value) => Value::Integers(vec![value as i64; 4]),
                Value::Float(value) => Value::Floats(vec![value as f32; 4]),
                _ => continue,
            };
            let mut m = metadata();
            m.0.insert(key.clone(), array);
            assert_eq!(Config::read(&m), Ok(usual.clone()), "{key}");
            // What is there is not missing, whatever it is, and nor is it taken for what a file usually says.
            for odd in [
                Value::String("4".into()),
                Value::Bool(true),
                Value::Signed(-4),
                Value::Integers(vec![4, -2, 4, 4]),
                Value::Skipped("an array of arrays"),
            ] {
                m.0.insert(key.clone(), odd.clone());
                let named =
                    matches!(Config::read(&m), Err(ConfigError::Value { key: named, .. }) if named == key);
                assert!(named, "{key} = {odd:?}");
            }
        }
        let [yes, no] = [true, false];
        assert_eq!(layers(Value::Integers(vec![1, 0, 1, 0])), Ok(vec![yes, no, yes, no]));
        assert_eq!(layers(Value::Unsigned(2)), Ok(vec![yes, no, yes, no]));
        assert_eq!(layers(Value::Bool(false)), Ok(vec![no; 4]));
        for odd in [Value::Unsigned(0), Value::Signed(1), Value::Float(0.5), Value::String("2".into())] {
            let refused: Result<_, ConfigError> = layers(odd.clone());
            assert!(matches!(refused, Err(ConfigError::Value { .. })), "{odd:?}");
        }
    }

    #[test]
    fn what_no_kernel_computes_is_refused_by_name() {
        let with = |key: &str, value: Value| {
            let mut m = metadata();
            m.0.insert(format!("gemma4.{key}"), value);
            Config::read(&m)
        };
        let text = |text: &str| Value::String(text.into());
        for (key, value, names) in [
            (
                "attention.value_length",
                Value::Unsigned(64),
                "key_length = 128, but gemma4.attention.value_length = 64",
            ),
            ("attention.value_length_swa", Value::Unsigned(128), "gemma4.attention.key_length_swa = 64, but"),
            ("rope.dimension_count", Value::Unsigned(32), "gemma4.rope.dimension_count = 32"),
            ("rope.dimension_count_swa", Value::Signed(-1), "gemma4.rope.dimension_count_swa = -1"),
            ("rope.freq_base", Value::Float(0.0), "freq_base = 0"),
            ("rope.freq_base_swa", Value::Float(1e30), "from 1 to 10^12"),
            ("rope.scaling.type", text("yarn"), "yarn"),
            ("rope.scaling.factor", Value::Float(8.0), "factor = 8"),
            ("rope.scale_linear", Value::Float(4.0), "scale_linear = 4"),
            ("rope.partial_rotary_factor", Value::Float(0.5), "factor = 0.5"),
            ("attn_logit_softcapping", Value::Float(50.0), "softcapping = 50"),
            ("final_logit_softcapping", Value::Float(1e30), "from 1 to 10000"),
            ("attention.layer_norm_rms_epsilon", Value::Float(0.0), "epsilon = 0"),
            ("attention.layer_norm_rms_epsilon", Value::Float(1e30), "at most 0.1"),
            ("attention.scale", Value::Float(0.0625), "scale = 0.0625"),
            ("attention.causal", Value::Bool(false), "causal = false"),
            ("attention.causal", Value::Unsigned(0), "causal = false"),
            ("attention.causal", text("no"), "causal = the text \"no\""),
            ("nextn_predict_layers", Value::Unsigned(4), "nextn_predict_layers = 4"),
        ] {
            let said = with(key, value.clone()).expect_err(key).to_string();
            assert!(
                said.contains(&format!("gemma4.{key}")) && said.contains(names),
                "{key} = {value:?}: {said}"
            );
        }
        let usual = Config::read(&metadata());
        for (key, value) in [
            ("attention.value_length", Value::Unsigned(128)),
            ("attention.causal", Value::Unsigned(1)),
            ("attention.scale", Value::Float(1.0)),
            ("rope.scaling.type", text("none")),
            ("rope.scaling.factor", Value::Float(1.0)),
            ("final_logit_softcapping", Value::Float(0.0)),
            ("nextn_predict_layers", Value::Unsigned(0)),
            ("attention.head_count_kv", Value::Integers(vec![1])),
        ] {
            assert_eq!(with(key, value), usual, "{key}");
        }
        // Files of models with per-layer inputs may have keys for layers that share those of others.
        let mut m = metadata();
        m.0.insert("gemma4.embedding_length_per_layer_input".into(), Value::Unsigned(64));
        m.0.remove("gemma4.attention.shared_kv_layers");
        let key = "gemma4.attention.shared_kv_layers".to_owned();
        assert_eq!(Config::read(&m), Err(ConfigError::Missing { key }));
    }

    #[test]
    fn blocks_that_draft_are_no_layers() {
        let mut m = metadata();
        m.0.insert("gemma4.block_count".into(), Value::Unsigned(5));
        m.0.insert("gemma4.nextn_predict_layers".into(), Value::Unsigned(1));
        // Arrays may have values for them.
        for pattern in [vec![true, false, true, false], vec![true, false, true, false, true]] {
            m.0.insert("gemma4.attention.sliding_window_pattern".into(), Value::Bools(pattern));
            assert_eq!(Config::read(&m), Config::read(&metadata()));
        }
    }

    #[test]
    fn contradictions_are_named() {
        let mut m = metadata();
        m.0.insert("gemma4.attention.sliding_window_pattern".into(), Value::Bools(vec![true]));
        let said = "the model file says gemma4.attention.sliding_window_pattern = an array of 1 values, but \
                    gemma4.block_count = 4";
        assert_eq!(Config::read(&m).map_err(|error| error.to_string()), Err(said.to_owned()));
        let mut m = metadata();
        m.0.remove("gemma4.embedding_length");
        assert_eq!(Config::read(&m), Err(ConfigError::Missing { key: "gemma4.embedding_length".into() }));
        let mut m = metadata();
        m.0.insert("gemma4.block_count".into(), Value::Unsigned(u64::from(u32::MAX)));
        assert!(matches!(Config::read(&m), Err(ConfigError::Value { .. })));
        let mut m = metadata();
        m.0.insert("general.architecture".into(), Value::String("llama".into()));
        assert!(matches!(Config::read(&m), Err(ConfigError::Architecture { .. })));
    }
}
