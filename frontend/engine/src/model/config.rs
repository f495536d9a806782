//! The text decoder's configuration, and how its keys are read from a file's metadata.

use std::ops::RangeInclusive;

use shaders::attention::decode::Decode;
use shaders::experts::Mixture;

use super::denoising::Denoising;
use super::layer::{Operation, Pass};
use crate::gguf::{Family, Metadata, Part, Value, WrongType};
use crate::plan::PlanError;
use crate::weights::Weights;

/// Maximum width, head size and feed-forward size. Buffers are sized from these numbers; real models are far below.
pub(super) const MAX_DIMENSION: u32 = 1 << 20;
/// Maximum number of heads that the kernels support. The largest published model has 32.
pub(super) const MAX_HEADS: u32 = 64;
/// Maximum number of layers that are accepted.
pub(super) const MAX_LAYERS: u32 = 1024;

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
    #[error(
        "this is a {found:?} model; gemtab runs Gemma 4 and Gemma 3 (architectures gemma4 and gemma3), and EmbeddingGemma \
         (gemma-embedding and gemma-embedding2)"
    )]
    Architecture {
        /// `general.architecture` of the file.
        found: String,
    },
    /// A kind of model that is not supported yet.
    #[error("this file holds {what}, which gemtab does not run")]
    NotYet { what: OtherKind },
    /// A model that makes embeddings, where one is asked for that writes text.
    #[error("this model turns text into numbers for search; it does not write any")]
    IsEncoder,
    /// Not a model that makes embeddings, where one is asked for.
    #[error("this is a {found:?} model, which does not make embeddings")]
    NotEncoder {
        /// `general.architecture` of the file.
        found: String,
    },
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

/// What follows the mean of a text's rows in a model that makes embeddings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoder {
    /// EmbeddingGemma: two dense layers, which some files lack.
    Dense,
    /// EmbeddingGemma 2: a projection to this many elements.
    Projection(u32),
}

/// What computes [`Config::operations`].
pub type Describe = for<'w> fn(&Config, &'w Weights, usize, Pass) -> Result<Vec<Operation<'w>>, PlanError>;

/// How the layers of a model are described.
#[derive(Clone, Copy, Debug)]
pub struct Architecture {
    /// [`Config::operations`] of its layers.
    pub operations: Describe,
    /// Whether the fused plan of decode has a place for all of them. Otherwise tokens take the plan of a few rows.
    pub fuses: bool,
}

impl PartialEq for Architecture {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.operations, other.operations) && self.fuses == other.fuses
    }
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
    /// Sliding window in positions, including the token's own: those before it, and where embeddings are made as many behind.
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
    /// What follows the layers, for a model that makes embeddings.
    pub encoder: Option<Encoder>,
}

/// One of this many layers is global where the file does not say.
const PERIOD: usize = 6;

/// `pooling_type` of the mean.
const MEAN: u32 = 1;
/// Whether a token sees only those before it: not where embeddings are made.
pub(super) const CAUSAL: &str = "attention.causal";
/// The key that says which layers slide.
pub(super) const PATTERN: &str = "attention.sliding_window_pattern";

/// The key that says how many of the last blocks draft tokens and are no layers.
pub(super) const DRAFTING: &str = "nextn_predict_layers";

/// The range of a number, and what an error says of it.
pub(crate) struct Bounds(pub RangeInclusive<f32>, pub &'static str);

/// ε of a norm.
pub(crate) const EPSILON: Bounds = Bounds(1e-30..=0.1, "it must be above 0, and at most 0.1");
/// The base of RoPE.
pub(super) const BASE: Bounds = Bounds(1.0..=1e12, "it must be from 1 to 10^12");
/// A divisor of positions.
pub(super) const DIVISOR: Bounds = Bounds(1e-3..=1e6, "it must be from 0.001 to 1000000");
/// A cap of logits. Above, the kernels lose their digits.
const SOFTCAP: Bounds = Bounds(1.0..=10_000.0, "it must be 0 (no cap), or from 1 to 10000");

/// Reads keys with a prefix.
pub(super) struct Keys<'a> {
    pub metadata: &'a Metadata,
    pub prefix: &'a str,
    /// How many of the last blocks draft tokens and are no layers.
    pub drafting_blocks: u32,
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

    pub fn text(&self, name: &str) -> Result<Option<&str>, ConfigError> {
        match self.metadata.0.get(&self.key(name)) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.bad(name, other, "it must be a string")),
        }
    }

    pub fn has(&self, name: &str) -> bool {
        self.metadata.0.contains_key(&self.key(name))
    }

    /// Returns a number, or what it is where the file does not say.
    pub fn number<T>(
        &self,
        name: &str,
        read: impl Fn(&Metadata, &str) -> Result<Option<T>, WrongType>,
        usual: T,
    ) -> Result<T, ConfigError> {
        Ok(read(self.metadata, &self.key(name))?.unwrap_or(usual))
    }

    /// Returns an integer in `1..=most`.
    pub fn positive(&self, name: &str, most: u32) -> Result<u32, ConfigError> {
        let value = self.optional(name)?.ok_or_else(|| self.missing(name))?;
        if value == 0 || value > most {
            return Err(self.bad(name, value, "it must be positive and of a sensible size"));
        }
        Ok(value)
    }

    pub fn float(&self, name: &str, bounds: &Bounds) -> Result<f32, ConfigError> {
        self.optional_float(name, bounds)?.ok_or_else(|| self.missing(name))
    }

    pub fn optional_float(&self, name: &str, bounds: &Bounds) -> Result<Option<f32>, ConfigError> {
        let Bounds(range, expected) = bounds;
        match self.metadata.try_f32(&self.key(name))? {
            Some(value) if !range.contains(&value) => Err(self.bad(name, value, expected)),
            value => Ok(value),
        }
    }

    /// Returns the cap of the logits; 0 if there is none.
    pub fn softcap(&self) -> Result<f32, ConfigError> {
        const NAME: &str = "final_logit_softcapping";
        if self.metadata.f32(&self.key(NAME)) == Some(0.0) {
            return Ok(0.0);
        }
        Ok(self.optional_float(NAME, &SOFTCAP)?.unwrap_or(0.0))
    }

    /// Returns the number of layers.
    pub fn count(&self) -> Result<usize, ConfigError> {
        let blocks = self.positive("block_count", MAX_LAYERS)?;
        match blocks.checked_sub(self.drafting_blocks) {
            None | Some(0) => {
                Err(self.bad(DRAFTING, self.drafting_blocks, "at least one block must be a layer"))
            }
            Some(layers) => Ok(layers as usize),
        }
    }

    /// Checks that the key `other`, if there is one, has the value of `key`.
    pub fn require_equal<T: PartialEq + ToString>(
        &self,
        (key, value): (&str, T),
        other: &str,
        read: impl Fn(&Metadata, &str) -> Result<Option<T>, WrongType>,
    ) -> Result<(), ConfigError> {
        match read(self.metadata, &self.key(other))? {
            Some(found) if found != value => Err(ConfigError::Contradiction {
                key: self.key(key),
                value: value.to_string(),
                other: self.key(other),
                other_value: found.to_string(),
            }),
            _ => Ok(()),
        }
    }

    /// Checks that attention is as the kernels compute it: scores have this scale and no cap, and positions are not scaled unless
    /// `may_scale`, where the caller reads by how much.
    pub fn check_attention(&self, scale: f32, may_scale: bool) -> Result<(), ConfigError> {
        let usual = [
            ("attn_logit_softcapping", 0.0, "gemtab doesn't cap attention scores"),
            ("rope.scale_linear", 1.0, "gemtab reads the scale of positions from rope.scaling.factor"),
            ("rope.partial_rotary_factor", 0.25, "global layers rotate a quarter of each head"),
            ("rope.scaling.factor", 1.0, "Gemma 4 doesn't scale positions"),
        ];
        const TYPE: &str = "rope.scaling.type";
        let usual = if may_scale { &usual[..2] } else { &usual[..] };
        if let Some(found) =
            self.text(TYPE)?.filter(|found| !may_scale && !["none", "linear"].contains(found))
        {
            return Err(self.bad(TYPE, found, "Gemma 4 doesn't scale positions"));
        }
        for (name, usual, expected) in usual {
            if let Some(found) = self.metadata.try_f32(&self.key(name))?.filter(|found| found != usual) {
                return Err(self.bad(name, found, expected));
            }
        }
        const SCALE: &str = "attention.scale";
        let found = self.metadata.try_f32(&self.key(SCALE))?;
        // Converters round it. 0 stands for the usual one.
        match found.filter(|&found| found != 0.0 && (found / scale - 1.0).abs() > 1e-3) {
            Some(found) => {
                Err(self.bad(SCALE, found, "this architecture scales attention scores differently"))
            }
            None => Ok(()),
        }
    }

    /// Checks that values and rotations have the size of keys.
    fn check_head_sizes(&self, sizes: [u32; 2]) -> Result<(), ConfigError> {
        for (size, suffix) in sizes.into_iter().zip(["_swa", ""]) {
            let key = format!("attention.key_length{suffix}");
            for other in ["attention.value_length", "rope.dimension_count"] {
                self.require_equal((&key, size), &format!("{other}{suffix}"), Metadata::try_u32)?;
            }
        }
        Ok(())
    }

    /// Returns an array with a value for each layer. Files may have more, for blocks that draft.
    fn array(&self, name: &str, layers: usize) -> Result<Option<Vec<i64>>, ConfigError> {
        let Some(mut values) = self.metadata.integers(&self.key(name)) else { return Ok(None) };
        if values.len() == layers + self.drafting_blocks as usize {
            values.truncate(layers);
        }
        if values.len() != layers {
            return Err(ConfigError::Contradiction {
                key: self.key(name),
                value: format!("an array of {} values", values.len()),
                other: self.key("block_count"),
                other_value: layers.to_string(),
            });
        }
        Ok(Some(values))
    }

    /// Returns a value per layer: an array, or one integer for all layers.
    fn per_layer(&self, name: &str, layers: usize) -> Result<Vec<u32>, ConfigError> {
        let one_for_all = self.metadata.integers(&self.key(name)).is_some_and(|values| values.len() == 1);
        if let Some(values) = if one_for_all { None } else { self.array(name, layers)? } {
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

    /// Returns whether each layer is sliding.
    pub fn pattern(&self, layers: usize) -> Result<Vec<bool>, ConfigError> {
        const NAME: &str = PATTERN;
        let value = self.metadata.0.get(&self.key(NAME)).ok_or_else(|| self.missing(NAME))?;
        if matches!(value, Value::Integers(_) | Value::Bools(_)) {
            let values = self.array(NAME, layers)?.unwrap_or_default();
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

    /// Returns the same, with the last layer of every six global where the file does not say.
    pub fn usual_pattern(&self, layers: usize) -> Result<Vec<bool>, ConfigError> {
        let usual = || (1..=layers).map(|i| !i.is_multiple_of(PERIOD)).collect();
        if self.has(PATTERN) { self.pattern(layers) } else { Ok(usual()) }
    }

    /// Checks how the rows of a text become an embedding, and returns the window to each side, including the token's own
    /// position: files have the width of both sides.
    pub fn embedding_window(&self) -> Result<u32, ConfigError> {
        if let Some(other) = self.optional("pooling_type")?.filter(|&pooling| pooling != MEAN) {
            return Err(self.bad(
                "pooling_type",
                other,
                "gemtab makes embeddings by the mean of all tokens (1)",
            ));
        }
        if self.metadata.try_bool(&self.key(CAUSAL))? == Some(true) {
            return Err(self.bad(CAUSAL, true, "gemtab makes embeddings of tokens that see each other"));
        }
        Ok(self.positive("attention.sliding_window", 1 << 24)? / 2 + 1)
    }

    /// Returns the layers, each with a KV cache of its own.
    pub fn layers(&self, heads: u32) -> Result<Vec<LayerConfig>, ConfigError> {
        let count = self.count()?;
        let head_global = self.positive("attention.key_length", 4096)?;
        let head_sliding = match self.optional("attention.key_length_swa")? {
            Some(_) => self.positive("attention.key_length_swa", 4096)?,
            None => head_global,
        };
        self.layers_with(heads, [head_sliding, head_global], &self.pattern(count)?)
    }

    /// Returns the same with head sizes of sliding and of global layers, and whether each layer is sliding.
    pub fn layers_with(
        &self,
        heads: u32,
        [head_sliding, head_global]: [u32; 2],
        is_sliding: &[bool],
    ) -> Result<Vec<LayerConfig>, ConfigError> {
        let count = is_sliding.len();
        self.check_head_sizes([head_sliding, head_global])?;
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

    /// Returns the mixture of experts, if any, for a residual stream of this width.
    pub(super) fn experts(&self, width: u32) -> Result<Option<Experts>, ConfigError> {
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

/// Returns the sampling settings that a file recommends: temperature, top-k, top-p.
pub(super) fn recommended(metadata: &Metadata) -> Option<(f32, u32, f32)> {
    let temperature = metadata.f32("general.sampling.temp")?;
    let top_k = metadata.u32("general.sampling.top_k").unwrap_or(64);
    Some((temperature, top_k, metadata.f32("general.sampling.top_p").unwrap_or(0.95)))
}

/// Returns the last of these layers, which all have a KV cache of their own, with this kind of attention.
pub(super) fn last_owner(layers: &[LayerConfig], attention: Attention) -> Option<usize> {
    layers.iter().rposition(|layer| layer.attention == attention)
}

impl Config {
    /// Returns the operations of layer `i` in order.
    ///
    /// # Errors
    /// [`PlanError::Missing`] when a tensor that the layer needs is missing.
    pub fn operations<'w>(
        &self,
        weights: &'w Weights,
        i: usize,
        pass: Pass,
    ) -> Result<Vec<Operation<'w>>, PlanError> {
        (self.architecture.operations)(self, weights, i, pass)
    }

    /// Returns whether the fused plan of decode can run the layers.
    pub fn can_fuse(&self) -> bool {
        self.architecture.fuses && self.experts.is_none()
    }

    /// Returns whether the tokens of an image attend to each other in both directions in sliding layers: true for all but
    /// the small models (specification §2.4). There is no key for it.
    pub fn sees_pictures_whole(&self) -> bool {
        self.whole_picture > 0
    }

    /// Returns whether soft tokens of images and audio can be in its input.
    pub fn takes_media(&self) -> bool {
        self.diffusion.is_none() && self.family == Family::Gemma4
    }

    /// Returns whether global layers rotate a quarter of each head, where the file has no factors.
    pub fn rotates_a_quarter(&self) -> bool {
        self.family == Family::Gemma4 && self.encoder.is_none()
    }

    /// Width of the queries of layer `i`.
    pub fn q_width(&self, i: usize) -> u32 {
        self.heads * self.layers[i].head_dim
    }

    /// Width of the keys (or values) of layer `i`.
    pub fn kv_width(&self, i: usize) -> u32 {
        self.layers[i].kv_heads * self.layers[i].head_dim
    }

    /// Returns the last layer that computes keys and values with this kind of attention, whose cache others may use.
    pub fn donor(&self, attention: Attention) -> Option<usize> {
        last_owner(&self.layers[..self.first_shared], attention)
    }

    /// Returns whether layer `i` computes keys and values.
    pub fn owns_kv(&self, i: usize) -> bool {
        i < self.first_shared
    }
}
