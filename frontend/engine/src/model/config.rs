//! The text decoder's configuration from a file's metadata, validated. Gemma 3's own keys are in [`super::gemma3`].

use shaders::attention::decode::Decode;
use shaders::experts::Mixture;
use shaders::matmul::Tile;

use super::denoising::{Denoising, DenoisingError, MAX_CANVAS};
use super::gemma3;
use super::layer::Architecture;
use crate::gguf::{Family, Metadata, Part, Value, WrongType};

/// Maximum width, head size and feed-forward size. Buffers are sized from these numbers; real models are far below.
pub(super) const MAX_DIMENSION: u32 = 1 << 20;
/// Maximum number of heads that the kernels support. The largest published model has 32.
pub(super) const MAX_HEADS: u32 = 64;
/// Maximum number of layers that are accepted.
pub(super) const MAX_LAYERS: u32 = 1024;

/// `general.architecture` of a model that decodes by diffusion, and the prefix of its keys.
const DIFFUSION: &str = "diffusion-gemma";
/// What no published diffusion model has.
const NOT_OF_DIFFUSION: &str = "gemtab runs diffusion models without it only";

/// A kind of Gemma 4 file that is not a language model by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherKind {
    /// A drafter for speculative decoding.
    Drafter,
    /// Only the vision and audio towers.
    Projector,
}

impl std::fmt::Display for OtherKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Drafter => "only a drafter for speculative decoding",
            Self::Projector => "only the vision and audio towers of a model",
        })
    }
}

/// Invalid metadata, or metadata of another kind of model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum ConfigError {
    /// Neither a Gemma 3 nor a Gemma 4 model.
    #[error("this is a {found:?} model; gemtab runs Gemma 4 and Gemma 3 (architectures gemma4 and gemma3)")]
    Architecture {
        /// `general.architecture` of the file.
        found: String,
    },
    /// A kind of model that is not supported yet.
    #[error("this file holds {what}, which gemtab does not run")]
    NotYet { what: OtherKind },
    /// A model that decodes by diffusion, where another one is asked for.
    #[error("this model decodes by diffusion, not token by token")]
    IsDiffusion,
    /// Not a model that decodes by diffusion, where one is asked for.
    #[error("this is a {found:?} model, which does not decode by diffusion")]
    NotDiffusion {
        /// `general.architecture` of the file.
        found: String,
    },
    /// A part of a model whose tensors are in several files.
    #[error(
        "this is part {} of {} of a model; gemtab reads single files: join the parts with `llama-gguf-split --merge`, or \
         pull the model, which joins them",
        part.number, part.count
    )]
    Part { part: Part },
    /// A required key is missing.
    #[error("the model file lacks the key {key}")]
    Missing { key: String },
    /// A value that is out of range.
    #[error("the model file says {key} = {value}, but {expected}")]
    Value { key: String, value: String, expected: &'static str },
    /// Two keys that must agree.
    #[error("the model file says {key} = {value}, but {other} = {other_value}")]
    Contradiction { key: String, value: String, other: String, other_value: String },
}

impl From<WrongType> for ConfigError {
    fn from(WrongType { key, found, expected }: WrongType) -> Self {
        Self::Value { key, value: found, expected }
    }
}

/// Tokens per image with the default budget.
pub const USUAL_PICTURE: u32 = 280;

/// Attention of a layer: sliding window or global.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attention {
    /// The last `window` positions.
    Sliding,
    /// All positions.
    Global,
}

/// One decoder layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerConfig {
    /// Sliding or global.
    pub attention: Attention,
    /// Elements of a head.
    pub head_dim: u32,
    /// Key–value heads.
    pub kv_heads: u32,
    /// Width of the feed-forward part.
    pub feed_forward: u32,
    /// The layer whose KV cache is used: this one, or an earlier one.
    pub kv_layer: usize,
}

/// The mixture of experts next to every layer's feed-forward block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Experts {
    /// Number of experts, and number used per token.
    pub mixture: Mixture,
    /// Width of an expert's feed-forward layer.
    pub feed_forward: u32,
}

/// The text decoder.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// How its layers are described.
    pub architecture: Architecture,
    /// What its files are like, and what its layers have: values of Gemma 3 are not normed, and its layers don't end with a
    /// scale.
    pub family: Family,
    /// Factor of the scores of attention. The kernels have none: the norms of queries are loaded times this.
    pub query_scale: f32,
    /// Divisor of the positions in global layers.
    pub rope_divisor: f32,
    /// Width of the residual stream.
    pub width: u32,
    /// Query heads, the same in all layers.
    pub heads: u32,
    /// The layers.
    pub layers: Vec<LayerConfig>,
    /// The first layer that uses another layer's KV cache; the number of layers if there is none.
    pub first_shared: usize,
    /// Sliding window in positions, including the token's own.
    pub window: u32,
    /// Maximum context of the model.
    pub max_context: u32,
    /// ε of every norm.
    pub eps: f32,
    /// Softcap of the logits, `softcap·tanh(z/softcap)`; 0: none.
    pub softcap: f32,
    /// Width of per-layer embeddings; 0: none.
    pub ple: u32,
    /// RoPE base of sliding layers.
    pub theta_sliding: f32,
    /// RoPE base of global layers.
    pub theta_global: f32,
    /// The mixture of experts, if the model has one.
    pub experts: Option<Experts>,
    /// Tokens of the longest image that must be in one chunk; 0 if images may be split.
    pub whole_picture: u32,
    /// Sampling settings that the file recommends: temperature, top-k, top-p.
    pub recommended: Option<(f32, u32, f32)>,
    /// How a canvas is denoised, for a model that decodes by diffusion.
    pub diffusion: Option<Denoising>,
}

/// The key that says which layers slide.
pub(super) const PATTERN: &str = "attention.sliding_window_pattern";

/// Reads keys with a prefix.
pub(super) struct Keys<'a> {
    pub metadata: &'a Metadata,
    pub prefix: &'a str,
}

impl Keys<'_> {
    pub fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.prefix)
    }

    pub fn optional(&self, name: &str) -> Result<Option<u32>, ConfigError> {
        Ok(self.metadata.try_u32(&self.key(name))?)
    }

    pub fn missing(&self, name: &str) -> ConfigError {
        ConfigError::Missing { key: self.key(name) }
    }

    pub fn has(&self, name: &str) -> bool {
        self.metadata.0.contains_key(&self.key(name))
    }

    /// A number, or what it is where the file does not say.
    pub fn number<T>(
        &self,
        name: &str,
        read: impl Fn(&Metadata, &str) -> Result<Option<T>, WrongType>,
        usual: T,
    ) -> Result<T, ConfigError> {
        Ok(read(self.metadata, &self.key(name))?.unwrap_or(usual))
    }

    /// An integer in `1..=most`.
    pub fn positive(&self, name: &str, most: u32) -> Result<u32, ConfigError> {
        let value = self.optional(name)?.ok_or_else(|| self.missing(name))?;
        if value == 0 || value > most {
            return Err(self.bad(name, value, "it must be positive and of a sensible size"));
        }
        Ok(value)
    }

    pub fn float(&self, name: &str) -> Result<f32, ConfigError> {
        self.optional_float(name)?.ok_or_else(|| self.missing(name))
    }

    pub fn optional_float(&self, name: &str) -> Result<Option<f32>, ConfigError> {
        match self.metadata.try_f32(&self.key(name))? {
            Some(value) if !value.is_finite() || value < 0.0 => {
                Err(self.bad(name, value, "it must be a finite, positive number"))
            }
            value => Ok(value),
        }
    }

    /// A value per layer: an array, or one integer for all layers.
    fn per_layer(&self, name: &str, layers: usize) -> Result<Vec<u32>, ConfigError> {
        let key = self.key(name);
        if let Some(values) = self.metadata.integers(&key) {
            if values.len() != layers {
                return Err(self.bad(name, values.len(), "an array must have one value for each layer"));
            }
            return values
                .into_iter()
                .map(|v| match u32::try_from(v) {
                    Ok(v) if v <= MAX_DIMENSION => Ok(v),
                    _ => Err(self.bad(name, v, "it must be of a sensible size")),
                })
                .collect();
        }
        Ok(vec![self.positive(name, MAX_DIMENSION)?; layers])
    }

    /// Whether each layer is sliding.
    pub fn pattern(&self, layers: usize) -> Result<Vec<bool>, ConfigError> {
        const NAME: &str = PATTERN;
        let value = self.metadata.0.get(&self.key(NAME)).ok_or_else(|| self.missing(NAME))?;
        if let Some(values) = self.metadata.integers(&self.key(NAME)) {
            if values.len() != layers {
                return Err(self.bad(NAME, values.len(), "an array must have one value for each layer"));
            }
            return Ok(values.into_iter().map(|value| value != 0).collect());
        }
        if let Value::Bool(all) = value {
            return Ok(vec![*all; layers]);
        }
        // The last layer of every period is global. What 0 and 1 mean as a period differs from program to program.
        match self.optional(NAME)? {
            Some(period @ 2..) => Ok((1..=layers).map(|i| !i.is_multiple_of(period as usize)).collect()),
            _ => {
                Err(self.bad(NAME, value, "it must have a value for each layer, or be a period of 2 or more"))
            }
        }
    }

    /// The layers, each with a KV cache of its own.
    pub fn layers(&self, heads: u32) -> Result<Vec<LayerConfig>, ConfigError> {
        let count = self.positive("block_count", MAX_LAYERS)? as usize;
        let head_global = self.positive("attention.key_length", 4096)?;
        let head_sliding = match self.optional("attention.key_length_swa")? {
            Some(_) => self.positive("attention.key_length_swa", 4096)?,
            None => head_global,
        };
        self.layers_with(heads, [head_sliding, head_global], &self.pattern(count)?)
    }

    /// The same with head sizes of sliding and of global layers, and whether each layer is sliding.
    pub fn layers_with(
        &self,
        heads: u32,
        [head_sliding, head_global]: [u32; 2],
        is_sliding: &[bool],
    ) -> Result<Vec<LayerConfig>, ConfigError> {
        let count = is_sliding.len();
        let kv_heads = self.per_layer("attention.head_count_kv", count)?;
        let feed_forward = self.per_layer("feed_forward_length", count)?;
        let mut layers = Vec::with_capacity(count);
        for i in 0..count {
            let attention = if is_sliding[i] { Attention::Sliding } else { Attention::Global };
            let head_dim = if attention == Attention::Sliding { head_sliding } else { head_global };
            if !Decode::supports(head_dim) {
                return Err(self.bad(
                    "attention.key_length",
                    head_dim,
                    "it must be a power of two from 16 to 512",
                ));
            }
            let kv_heads = kv_heads[i];
            if kv_heads == 0 || !heads.is_multiple_of(kv_heads) {
                return Err(self.bad(
                    "attention.head_count_kv",
                    kv_heads,
                    "it must divide the number of heads",
                ));
            }
            layers.push(LayerConfig {
                attention,
                head_dim,
                kv_heads,
                feed_forward: feed_forward[i],
                kv_layer: i,
            });
        }
        Ok(layers)
    }

    /// The mixture of experts, if any, for a residual stream of this width.
    fn experts(&self, width: u32) -> Result<Option<Experts>, ConfigError> {
        let Some(experts) = self.optional("expert_count")?.filter(|&count| count > 0) else {
            return Ok(None);
        };
        let mixture = Mixture { experts, used: self.positive("expert_used_count", experts)? };
        if !mixture.is_supported(width) {
            return Err(self.bad("expert_count", experts, "the kernels have no room for so many"));
        }
        let feed_forward = self.positive("expert_feed_forward_length", MAX_DIMENSION)?;
        Ok(Some(Experts { mixture, feed_forward }))
    }

    pub fn bad(&self, name: &str, value: impl ToString, expected: &'static str) -> ConfigError {
        ConfigError::Value { key: self.key(name), value: value.to_string(), expected }
    }
}

/// The sampling settings that a file recommends: temperature, top-k, top-p.
pub(super) fn recommended(metadata: &Metadata) -> Option<(f32, u32, f32)> {
    let temperature = metadata.f32("general.sampling.temp")?;
    let top_k = metadata.u32("general.sampling.top_k").unwrap_or(64);
    Some((temperature, top_k, metadata.f32("general.sampling.top_p").unwrap_or(0.95)))
}

/// How a canvas is denoised. What the file does not say is as in the published model.
fn denoising(metadata: &Metadata) -> Result<Denoising, ConfigError> {
    let usual = Denoising::default();
    let keys = Keys { metadata, prefix: "diffusion" };
    let own = Keys { metadata, prefix: DIFFUSION };
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

/// The last of these layers, which all have a KV cache of their own, with this kind of attention.
fn last_owner(layers: &[LayerConfig], attention: Attention) -> Option<usize> {
    layers.iter().rposition(|layer| layer.attention == attention)
}

impl Config {
    /// Reads the decoder's configuration (specification §3).
    ///
    /// # Errors
    /// [`ConfigError`] names the key.
    pub fn read(metadata: &Metadata) -> Result<Self, ConfigError> {
        let architecture = metadata.str("general.architecture").unwrap_or_default();
        match architecture {
            "gemma4" | DIFFUSION => {}
            gemma3::NAME => return gemma3::read(metadata),
            "gemma4-assistant" | "gemma4_assistant" | "gemma4_mtp" => {
                return Err(ConfigError::NotYet { what: OtherKind::Drafter });
            }
            "clip" => return Err(ConfigError::NotYet { what: OtherKind::Projector }),
            other => return Err(ConfigError::Architecture { found: other.to_owned() }),
        }
        let diffusion = if architecture == DIFFUSION { Some(denoising(metadata)?) } else { None };
        let keys = Keys { metadata, prefix: architecture };
        let width = keys.positive("embedding_length", MAX_DIMENSION)?;
        let heads = keys.positive("attention.head_count", MAX_HEADS)?;
        let mut layers = keys.layers(heads)?;
        let count = layers.len();
        let shared = keys.optional("attention.shared_kv_layers")?.unwrap_or(0) as usize;
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

        let ple = keys.optional("embedding_length_per_layer_input")?.unwrap_or(0);
        if u64::from(ple) * count as u64 > Tile::MOST_COLUMNS.into() {
            let expected = "the kernels have no room for so much in all layers together";
            return Err(keys.bad("embedding_length_per_layer_input", ple, expected));
        }
        if diffusion.is_some() && ple > 0 {
            return Err(keys.bad("embedding_length_per_layer_input", ple, NOT_OF_DIFFUSION));
        }
        Ok(Self {
            architecture: Architecture::GEMMA,
            family: Family::Gemma4,
            query_scale: 1.0,
            rope_divisor: 1.0,
            width,
            heads,
            layers,
            first_shared,
            window: keys.positive("attention.sliding_window", 1 << 24)?,
            max_context: keys.positive("context_length", 1 << 24)?,
            eps: keys.float("attention.layer_norm_rms_epsilon")?,
            softcap: keys.optional_float("final_logit_softcapping")?.unwrap_or(0.0),
            ple,
            theta_sliding: keys.optional_float("rope.freq_base_swa")?.unwrap_or(10_000.0),
            theta_global: keys.float("rope.freq_base")?,
            experts: keys.experts(width)?,
            whole_picture: if ple == 0 { USUAL_PICTURE } else { 0 },
            recommended: recommended(metadata),
            diffusion,
        })
    }

    /// Whether the fused plan of decode can run the layers.
    #[must_use]
    pub fn can_fuse(&self) -> bool {
        self.architecture.fuses && self.experts.is_none()
    }

    /// Whether the tokens of an image attend to each other in both directions in sliding layers: true for all but
    /// the small models (specification §2.4). There is no key for it.
    #[must_use]
    pub fn sees_pictures_whole(&self) -> bool {
        self.whole_picture > 0
    }

    /// Width of the queries of layer `i`.
    #[must_use]
    pub fn q_width(&self, i: usize) -> u32 {
        self.heads * self.layers[i].head_dim
    }

    /// Width of the keys (or values) of layer `i`.
    #[must_use]
    pub fn kv_width(&self, i: usize) -> u32 {
        self.layers[i].kv_heads * self.layers[i].head_dim
    }

    /// The last layer that computes keys and values with this kind of attention, whose cache others may use.
    #[must_use]
    pub fn donor(&self, attention: Attention) -> Option<usize> {
        last_owner(&self.layers[..self.first_shared], attention)
    }

    /// Whether layer `i` computes keys and values.
    #[must_use]
    pub fn owns_kv(&self, i: usize) -> bool {
        i < self.first_shared
    }
}

#[cfg(test)]
mod tests {
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
    fn contradictions_are_named() {
        let mut m = metadata();
        m.0.insert("gemma4.attention.sliding_window_pattern".into(), Value::Bools(vec![true]));
        assert!(matches!(Config::read(&m), Err(ConfigError::Value { key, .. }) if key.ends_with("pattern")));
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
