//! The vision tower's configuration from a file, validated.

use shaders::attention::block::Block;
use shaders::vision::heads;

use super::Budget;
use crate::gguf::{Header, Value};
use crate::model::{Bounds, ConfigError, EPSILON};

/// Maximum number of layers, width, and feed-forward size; published towers have 27, 1152 and 4304. Buffers are
/// sized from these.
const MAX_LAYERS: u32 = 256;
const MAX_WIDTH: u32 = 8192;
const MAX_FEED_FORWARD: u32 = 32_768;
const MAX_HEADS: u32 = 64;

/// A tensor that all kinds of towers have.
pub const PATCHES: &str = "v.patch_embd.weight";

/// The prefix of keys in projector files.
const PROJECTOR: &str = "clip.vision";
/// Types of projectors that are read.
const TYPES: [&str; 2] = ["gemma4v", "gemma4uv"];

/// A tower with layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encoder {
    /// Layers.
    pub layers: u32,
    /// Width of the stream.
    pub width: u32,
    /// Heads.
    pub heads: u32,
    /// Elements of a head.
    pub head_dim: u32,
    /// Width of the feed-forward part.
    pub feed_forward: u32,
    /// Whether the pooled result is standardised.
    pub standardised: bool,
}

/// The kind of tower.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Through layers of attention (E2B, E4B, 26B, 31B).
    Encoder(Encoder),
    /// Patches of 48 pixels and one product with this number of rows (12B).
    Direct(u32),
}

/// A vision tower.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TowerConfig {
    /// Its kind.
    pub kind: Kind,
    /// Width of the model, and of a soft token.
    pub model_width: u32,
    /// Number of columns or rows of patches with an embedding.
    pub positions: u32,
    /// ε of the RMS norms.
    pub eps: f32,
}

impl TowerConfig {
    /// Reads the configuration of the tower in a model or projector file; `None` if there is none.
    ///
    /// # Errors
    /// [`ConfigError`] names the key.
    pub fn read(header: &Header, model_width: u32) -> Result<Option<Self>, ConfigError> {
        let Some(patches) = header.tensor(PATCHES) else { return Ok(None) };
        let prefix = if header.architecture() == Some("clip") { PROJECTOR } else { "gemma4.vision" };
        let keys = Keys { header, prefix };
        let positions = header.tensor("v.position_embd.weight").and_then(|t| t.shape.get(1)).copied();
        let positions = u32::try_from(positions.unwrap_or(0)).unwrap_or(u32::MAX);
        keys.exactly("patch_size", 16)?;
        keys.exactly("projector.scale_factor", 3)?;
        if prefix == PROJECTOR {
            keys.check_projector()?;
        }
        let eps = keys.eps("attention.layer_norm_epsilon")?;
        let kind = if header.tensor("v.patch_norm.1.weight").is_some() {
            let width = u32::try_from(patches.rows()).unwrap_or(u32::MAX);
            if width == 0 || width > MAX_WIDTH {
                return Err(keys.bad(
                    "embedding_length",
                    width,
                    "it must be positive and of a sensible size",
                ));
            }
            Kind::Direct(width)
        } else {
            Kind::Encoder(keys.encoder(header.tensor("v.std_bias").is_some())?)
        };
        // The largest budget never needs more patches per side.
        let most = match kind {
            Kind::Encoder(_) => 3 * Budget::MAX.tokens(),
            Kind::Direct(_) => Budget::MAX.tokens(),
        };
        Ok(Some(Self { kind, model_width, positions: positions.min(most), eps }))
    }

    /// Rows of the largest matrices for an image with this budget: patches of 16 or of 48 pixels.
    pub fn rows(&self, budget: Budget) -> u32 {
        match self.kind {
            Kind::Encoder(_) => budget.patches(),
            Kind::Direct(_) => budget.tokens(),
        }
    }
}

struct Keys<'a> {
    header: &'a Header,
    prefix: &'a str,
}

impl Keys<'_> {
    fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.prefix)
    }

    fn bad(&self, name: &str, value: impl ToString, expected: &'static str) -> ConfigError {
        ConfigError::Value { key: self.key(name), value: value.to_string(), expected }
    }

    fn positive(&self, name: &str, most: u32) -> Result<u32, ConfigError> {
        let value = self.header.metadata.try_u32(&self.key(name))?;
        match value.ok_or_else(|| ConfigError::Missing { key: self.key(name) })? {
            value if (1..=most).contains(&value) => Ok(value),
            value => Err(self.bad(name, value, "it must be positive and of a sensible size")),
        }
    }

    /// A constant of the model family, which some files state.
    fn exactly(&self, name: &str, wanted: u32) -> Result<(), ConfigError> {
        match self.header.metadata.try_u32(&self.key(name))? {
            Some(value) if value != wanted => {
                Err(self.bad(name, value, "gemtab reads patches of 16 pixels, pooled 3 by 3"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a projector of other models, and pictures with another range of values.
    fn check_projector(&self) -> Result<(), ConfigError> {
        const TYPE: &str = "projector_type";
        if let Some(value) = self.header.metadata.0.get(&self.key(TYPE)) {
            let is_known = matches!(value, Value::String(text) if TYPES.contains(&text.as_str()));
            if !is_known {
                return Err(self.bad(TYPE, value, "gemtab reads gemma4v and gemma4uv"));
            }
        }
        for (name, usual) in [("image_mean", 0.0), ("image_std", 1.0)] {
            if let Some(Value::Floats(values)) = self.header.metadata.0.get(&self.key(name))
                && values.iter().any(|value| *value != usual)
            {
                return Err(self.bad(name, format!("{values:?}"), "Gemma 4 takes pixels from 0 to 1"));
            }
        }
        Ok(())
    }

    fn eps(&self, name: &str) -> Result<f32, ConfigError> {
        let Bounds(range, expected) = EPSILON;
        match self.header.metadata.try_f32(&self.key(name))?.unwrap_or(1e-6) {
            eps if range.contains(&eps) => Ok(eps),
            eps => Err(self.bad(name, eps, expected)),
        }
    }

    fn encoder(&self, standardised: bool) -> Result<Encoder, ConfigError> {
        let layers = self.positive("block_count", MAX_LAYERS)?;
        let width = self.positive("embedding_length", MAX_WIDTH)?;
        let heads = self.positive("attention.head_count", MAX_HEADS)?;
        let feed_forward = self.positive("feed_forward_length", MAX_FEED_FORWARD)?;
        let head_dim = width / heads;
        if !width.is_multiple_of(heads) || !heads::supports(head_dim) || !Block::supports(head_dim) {
            return Err(self.bad(
                "attention.head_count",
                heads,
                "heads must have a multiple of 4 elements, up to 128",
            ));
        }
        Ok(Encoder { layers, width, heads, head_dim, feed_forward, standardised })
    }
}
