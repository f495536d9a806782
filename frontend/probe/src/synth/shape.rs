//! The published shapes of Gemma 4, Gemma 3 and EmbeddingGemma.

use std::str::FromStr;

use engine::gguf::{self, Family, WriteValue};

use super::SynthError;

/// Head sizes of sliding and global layers, equal in all published models.
pub(super) const HEAD_SLIDING: u32 = 256;
pub(super) const HEAD_GLOBAL: u32 = 512;

/// A text decoder, as in published model cards and file headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// A name such as `e2b`.
    pub name: &'static str,
    /// Decoder layers.
    pub layers: u32,
    /// Width of the residual stream.
    pub width: u32,
    /// Query heads.
    pub heads: u32,
    /// Key–value heads of sliding layers.
    pub kv_heads_sliding: u32,
    /// Key–value heads of global layers.
    pub kv_heads_global: u32,
    /// Width of the feed-forward part.
    pub feed_forward: u32,
    /// Whether it is twice as wide in layers that use another layer's KV cache.
    pub double_wide: bool,
    /// One of this many layers is global.
    pub period: u32,
    /// Sliding window in tokens.
    pub window: u32,
    /// Number of layers at the end that use the KV cache of earlier ones.
    pub shared: u32,
    /// Width of the per-layer embeddings; 0 for none.
    pub per_layer: u32,
    /// Whether global layers use keys as values, without a v projection.
    pub keys_as_values: bool,
    /// Longest context.
    pub context: u32,
    /// Mixture of experts beside the feed-forward part.
    pub experts: Option<Experts>,
    /// Positions of a canvas, for a model that decodes by diffusion; else 0.
    pub canvas: u32,
    /// Elements of a head of Gemma 3, the same in all layers; 0 for Gemma 4.
    pub gemma3_head: u32,
    /// Width of the model that a drafter is for; 0 for a model. The KV heads of a drafter are those of the model.
    pub target_width: u32,
    /// Of a model that makes embeddings, the elements between its dense layers, or of its projection; else 0.
    pub embedding: u32,
}

/// A mixture of experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Experts {
    /// Experts of a layer.
    pub count: u32,
    /// Experts used per token.
    pub used: u32,
    /// Width of an expert.
    pub feed_forward: u32,
}

/// 5.1 B parameters with embeddings, 2.3 B without.
const E2B: Shape = Shape {
    name: "e2b",
    layers: 35,
    width: 1536,
    heads: 8,
    kv_heads_sliding: 1,
    kv_heads_global: 1,
    feed_forward: 6144,
    double_wide: true,
    period: 5,
    window: 512,
    shared: 20,
    per_layer: 256,
    keys_as_values: false,
    context: 131_072,
    experts: None,
    canvas: 0,
    gemma3_head: 0,
    target_width: 0,
    embedding: 0,
};

const E4B: Shape = Shape {
    name: "e4b",
    layers: 42,
    width: 2560,
    kv_heads_sliding: 2,
    kv_heads_global: 2,
    feed_forward: 10_240,
    double_wide: false,
    period: 6,
    shared: 18,
    ..E2B
};

const DENSE_12B: Shape = Shape {
    name: "12b",
    layers: 48,
    width: 3840,
    heads: 16,
    kv_heads_sliding: 8,
    kv_heads_global: 1,
    feed_forward: 15_360,
    double_wide: false,
    period: 6,
    window: 1024,
    shared: 0,
    per_layer: 0,
    keys_as_values: true,
    context: 262_144,
    experts: None,
    canvas: 0,
    gemma3_head: 0,
    target_width: 0,
    embedding: 0,
};

const MOE_26B: Shape = Shape {
    name: "26b",
    layers: 30,
    width: 2816,
    kv_heads_global: 2,
    feed_forward: 2112,
    experts: Some(Experts { count: 128, used: 8, feed_forward: 704 }),
    ..DENSE_12B
};

/// The 26B that decodes by diffusion.
const DIFFUSION_26B: Shape = Shape { name: "26b-diffusion", canvas: 256, ..MOE_26B };

const DENSE_31B: Shape = Shape {
    name: "31b",
    layers: 60,
    width: 5376,
    heads: 32,
    kv_heads_sliding: 16,
    kv_heads_global: 4,
    feed_forward: 21_504,
    ..DENSE_12B
};

/// A small model of the E2B kind for tests. With a large vocabulary it is mostly the per-layer table.
const E2B_SMALL: Shape = Shape {
    name: "e2b-small",
    layers: 4,
    width: 512,
    heads: 2,
    feed_forward: 256,
    period: 2,
    shared: 2,
    ..E2B
};

/// The drafters, as llama.cpp's converter writes them: without an ordered head (specification of the drafter, sections 1 and 4).
const DRAFTER_E2B: Shape = Shape {
    name: "e2b-drafter",
    layers: 4,
    width: 256,
    heads: 4,
    feed_forward: 2048,
    double_wide: false,
    period: 4,
    shared: 0,
    per_layer: 0,
    target_width: E2B.width,
    ..E2B
};

const DRAFTER_E4B: Shape = Shape {
    name: "e4b-drafter",
    kv_heads_sliding: E4B.kv_heads_sliding,
    kv_heads_global: E4B.kv_heads_global,
    target_width: E4B.width,
    ..DRAFTER_E2B
};

const DRAFTER_12B: Shape = Shape {
    name: "12b-drafter",
    layers: 4,
    width: 1024,
    feed_forward: 8192,
    period: 4,
    target_width: DENSE_12B.width,
    ..DENSE_12B
};

const DRAFTER_26B: Shape = Shape {
    name: "26b-drafter",
    kv_heads_global: MOE_26B.kv_heads_global,
    target_width: MOE_26B.width,
    ..DRAFTER_12B
};

const DRAFTER_31B: Shape = Shape {
    name: "31b-drafter",
    heads: DENSE_31B.heads,
    kv_heads_sliding: DENSE_31B.kv_heads_sliding,
    kv_heads_global: DENSE_31B.kv_heads_global,
    target_width: DENSE_31B.width,
    ..DRAFTER_12B
};

const GEMMA3_270M: Shape = Shape {
    name: "gemma3-270m",
    layers: 18,
    width: 640,
    heads: 4,
    feed_forward: 2048,
    double_wide: false,
    period: 6,
    shared: 0,
    per_layer: 0,
    context: 32_768,
    gemma3_head: 256,
    ..E2B
};

const GEMMA3_1B: Shape =
    Shape { name: "gemma3-1b", layers: 26, width: 1152, feed_forward: 6912, ..GEMMA3_270M };

const GEMMA3_4B: Shape = Shape {
    name: "gemma3-4b",
    layers: 34,
    width: 2560,
    heads: 8,
    kv_heads_sliding: 4,
    kv_heads_global: 4,
    feed_forward: 10_240,
    window: 1024,
    context: 131_072,
    ..GEMMA3_270M
};

const GEMMA3_12B: Shape = Shape {
    name: "gemma3-12b",
    layers: 48,
    width: 3840,
    heads: 16,
    kv_heads_sliding: 8,
    kv_heads_global: 8,
    feed_forward: 15_360,
    ..GEMMA3_4B
};

const GEMMA3_27B: Shape = Shape {
    name: "gemma3-27b",
    layers: 62,
    width: 5376,
    heads: 32,
    kv_heads_sliding: 16,
    kv_heads_global: 16,
    feed_forward: 21_504,
    gemma3_head: 128,
    ..GEMMA3_4B
};

/// EmbeddingGemma.
const EMBEDDING: Shape = Shape {
    name: "embeddinggemma",
    layers: 24,
    width: 768,
    heads: 3,
    feed_forward: 1152,
    context: 2048,
    embedding: 3072,
    ..GEMMA3_270M
};

/// EmbeddingGemma 2.
const EMBEDDING2: Shape = Shape {
    name: "embeddinggemma-2",
    layers: 24,
    width: 512,
    heads: 4,
    kv_heads_sliding: 2,
    feed_forward: 2048,
    double_wide: false,
    period: 6,
    window: 1024,
    shared: 0,
    per_layer: 512,
    context: 262_144,
    embedding: 768,
    ..E2B
};

const SHAPES: [Shape; 19] = [
    E2B,
    E4B,
    DENSE_12B,
    MOE_26B,
    DIFFUSION_26B,
    DENSE_31B,
    DRAFTER_E2B,
    DRAFTER_E4B,
    DRAFTER_12B,
    DRAFTER_26B,
    DRAFTER_31B,
    E2B_SMALL,
    GEMMA3_270M,
    GEMMA3_1B,
    GEMMA3_4B,
    GEMMA3_12B,
    GEMMA3_27B,
    EMBEDDING,
    EMBEDDING2,
];

impl FromStr for Shape {
    type Err = SynthError;

    fn from_str(name: &str) -> Result<Self, SynthError> {
        let found = SHAPES.into_iter().find(|shape| shape.name == name);
        found.ok_or_else(|| SynthError::UnknownShape { name: name.to_owned() })
    }
}

impl Shape {
    /// Names of all shapes.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        SHAPES.iter().map(|shape| shape.name).collect()
    }

    /// The first `layers` layers, with the same proportion of layers that use another layer's KV cache.
    ///
    /// # Errors
    /// When `layers` is zero or too large.
    pub fn with_layers(self, layers: u32) -> Result<Self, SynthError> {
        if layers == 0 || layers > self.layers {
            return Err(SynthError::Layers { found: layers, most: self.layers });
        }
        // A layer can only use the cache of an earlier one of its kind, so one whole period must have its own.
        let shared = (self.shared * layers / self.layers).min(layers.saturating_sub(self.period));
        Ok(Self { layers, shared, ..self })
    }

    /// The first `count` experts of each layer.
    ///
    /// # Errors
    /// When there are fewer, or a token uses more.
    pub fn with_experts(self, count: u32) -> Result<Self, SynthError> {
        let (least, most) = self.experts.map_or((0, 0), |experts| (experts.used, experts.count));
        if count < least || count > most {
            return Err(SynthError::Experts { found: count, least, most });
        }
        Ok(Self { experts: self.experts.map(|experts| Experts { count, ..experts }), ..self })
    }

    /// Whether layer `i` sees a window only. The last layer of Gemma 4 is always global.
    pub fn is_sliding(&self, i: u32) -> bool {
        !(i + 1).is_multiple_of(self.period) && (self.is_gemma3() || i + 1 != self.layers)
    }

    /// Whether it is a Gemma 3 model.
    pub(super) fn is_gemma3(&self) -> bool {
        self.gemma3_head > 0
    }

    /// Whether its own file may have towers: those of EmbeddingGemma 2 are in another.
    pub(super) fn has_towers(&self) -> bool {
        !self.is_gemma3() && self.embedding == 0
    }

    pub(super) fn is_shared(&self, i: u32) -> bool {
        i >= self.layers - self.shared
    }

    pub(super) fn head_dim(&self, i: u32) -> u32 {
        match self.gemma3_head {
            0 if self.is_sliding(i) => HEAD_SLIDING,
            0 => HEAD_GLOBAL,
            head => head,
        }
    }

    pub(super) fn kv_heads(&self, i: u32) -> u32 {
        if self.is_sliding(i) { self.kv_heads_sliding } else { self.kv_heads_global }
    }

    pub(super) fn feed_forward(&self, i: u32) -> u32 {
        if self.double_wide && self.is_shared(i) { 2 * self.feed_forward } else { self.feed_forward }
    }

    /// Whether it is a drafter, whose layers read the model's KV cache.
    pub(super) fn is_drafter(&self) -> bool {
        self.target_width > 0
    }

    /// Whether layer `i` has a v projection.
    pub(super) fn has_values(&self, i: u32) -> bool {
        !self.is_drafter() && (self.is_sliding(i) || !self.keys_as_values)
    }

    /// `general.architecture`, which is the prefix of its keys.
    pub(super) fn architecture(&self) -> &'static str {
        match (self.canvas, self.is_drafter()) {
            _ if self.embedding > 0 => {
                if self.is_gemma3() {
                    gguf::EMBEDDING
                } else {
                    gguf::EMBEDDING2
                }
            }
            (0, false) if self.is_gemma3() => Family::Gemma3.architecture(),
            (0, false) => Family::Gemma4.architecture(),
            (0, true) => "gemma4-assistant",
            _ => "diffusion-gemma",
        }
    }

    /// The metadata keys of Gemma 3, as llama.cpp's converter writes them.
    fn gemma3_metadata(&self) -> Vec<(String, WriteValue)> {
        let numbers = [
            ("block_count", self.layers),
            ("context_length", self.context),
            ("embedding_length", self.width),
            ("feed_forward_length", self.feed_forward),
            ("attention.head_count", self.heads),
            ("attention.head_count_kv", self.kv_heads_global),
            ("attention.key_length", self.gemma3_head),
            ("attention.value_length", self.gemma3_head),
            ("attention.sliding_window", self.window),
        ];
        let mut pairs: Vec<_> = numbers.map(|(key, value)| (key, WriteValue::U32(value))).into();
        if self.embedding > 0 {
            pairs.push(("pooling_type", WriteValue::U32(1)));
        }
        pairs.push(("attention.layer_norm_rms_epsilon", WriteValue::F32(1e-6)));
        pairs.push(("rope.freq_base", WriteValue::F32(1e6)));
        if self.context >= 131_072 {
            pairs.push(("rope.scaling.type", WriteValue::String("linear".to_owned())));
            pairs.push(("rope.scaling.factor", WriteValue::F32(8.0)));
        }
        pairs.into_iter().map(|(key, value)| (format!("{}.{key}", self.architecture()), value)).collect()
    }

    /// The metadata keys (specification of the text decoder, section 3).
    pub(super) fn metadata(&self) -> Vec<(String, WriteValue)> {
        if self.is_gemma3() {
            return self.gemma3_metadata();
        }
        let layers = || 0..self.layers;
        // An array only if layers differ, as in published files.
        let per_layer = |value: &dyn Fn(u32) -> u32| {
            let values: Vec<_> = layers().map(|i| value(i).cast_signed()).collect();
            if values.iter().all(|value| *value == values[0]) {
                WriteValue::U32(values[0].cast_unsigned())
            } else {
                WriteValue::I32s(values)
            }
        };
        let mut pairs = vec![
            ("block_count", WriteValue::U32(self.layers)),
            ("context_length", WriteValue::U32(self.context)),
            ("embedding_length", WriteValue::U32(self.width)),
            ("embedding_length_per_layer_input", WriteValue::U32(self.per_layer)),
            ("feed_forward_length", per_layer(&|i| self.feed_forward(i))),
            ("attention.head_count", WriteValue::U32(self.heads)),
            ("attention.head_count_kv", per_layer(&|i| self.kv_heads(i))),
            ("attention.key_length", WriteValue::U32(HEAD_GLOBAL)),
            ("attention.value_length", WriteValue::U32(HEAD_GLOBAL)),
            ("attention.key_length_swa", WriteValue::U32(HEAD_SLIDING)),
            ("attention.value_length_swa", WriteValue::U32(HEAD_SLIDING)),
            ("attention.layer_norm_rms_epsilon", WriteValue::F32(1e-6)),
            ("attention.sliding_window", WriteValue::U32(self.window)),
            (
                "attention.sliding_window_pattern",
                WriteValue::Bools(layers().map(|i| self.is_sliding(i)).collect()),
            ),
            (
                "attention.shared_kv_layers",
                WriteValue::U32(if self.is_drafter() { self.layers } else { self.shared }),
            ),
            ("rope.freq_base", WriteValue::F32(1e6)),
            ("rope.freq_base_swa", WriteValue::F32(1e4)),
            ("rope.dimension_count", WriteValue::U32(HEAD_GLOBAL)),
            ("rope.dimension_count_swa", WriteValue::U32(HEAD_SLIDING)),
        ];
        if self.is_drafter() {
            pairs.push(("embedding_length_out", WriteValue::U32(self.target_width)));
            pairs.push(("nextn_predict_layers", WriteValue::U32(self.layers)));
        } else if self.embedding > 0 {
            pairs.push(("embedding_length_out", WriteValue::U32(self.embedding)));
            pairs.push(("pooling_type", WriteValue::U32(1)));
        } else {
            pairs.push(("final_logit_softcapping", WriteValue::F32(30.0)));
        }
        if let Some(experts) = self.experts {
            pairs.push(("expert_count", WriteValue::U32(experts.count)));
            pairs.push(("expert_used_count", WriteValue::U32(experts.used)));
            pairs.push(("expert_feed_forward_length", WriteValue::U32(experts.feed_forward)));
        }
        let prefix = self.architecture();
        let mut pairs: Vec<_> =
            pairs.into_iter().map(|(key, value)| (format!("{prefix}.{key}"), value)).collect();
        if self.canvas > 0 {
            pairs.push(("diffusion.canvas_length".to_owned(), WriteValue::U32(self.canvas)));
        }
        pairs
    }
}
