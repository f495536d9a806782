//! Working buffers of a mixture of experts.

mod cache;

use shaders::experts::{Choice, buckets};
use shaders::matmul::Tile;

pub use cache::{CacheValues, expert_matrices};

use super::{Config, Experts};
use crate::plan::Value;

/// Working buffers for up to `T` rows; `P = T·used` pairs of a row and a chosen expert.
#[derive(Debug)]
pub struct ExpertScratch {
    /// Router logits, f32 `[T, experts]`.
    pub logits: Value,
    /// [`Choice`]s, `[T, used]`.
    pub choices: Value,
    /// Pair numbers sorted by expert, u32 `[P]`.
    pub pairs: Value,
    /// [`buckets::Tile`]s.
    pub tiles: Value,
    /// Capacity of `tiles`.
    pub capacity: u32,
    /// Gate and up, f32 `[P, 2·width of an expert]`.
    pub gate_up: Value,
    /// The activations, f32 `[P, width of an expert]`.
    pub act: Value,
    /// The input of a few rows, rounded to int8: codes and scales.
    pub packed: [Value; 2],
    /// The activations of a few rows, rounded to int8: codes and scales.
    pub packed_act: [Value; 2],
    /// The output of each expert, f32 `[P, width]`; of a few rows their sum, `[T, width]`.
    pub down: Value,
    /// The expert cache, if not all experts are on the device.
    pub cache: Option<CacheValues>,
}

impl ExpertScratch {
    /// Describes the values for chunks of up to `rows`, of which up to `few` are verified together, if the model has
    /// experts.
    pub fn describe(config: &Config, rows: u32, few: u32) -> Option<Self> {
        let Experts { mixture, feed_forward, .. } = config.experts?;
        let capacity = buckets::most_tiles(mixture, rows, Tile::SMALL.bm);
        let pairs = u64::from(rows) * u64::from(mixture.used);
        let f32s =
            |name: &'static str, rows: u64, width: u32| Value::temporary(name, 4 * rows * u64::from(width));
        let of = |name: &'static str, count: u64, size: usize| Value::temporary(name, count * size as u64);
        Some(Self {
            logits: f32s("router", rows.into(), mixture.experts),
            choices: of("choices", pairs, size_of::<Choice>()),
            pairs: of("pairs", pairs, 4),
            tiles: of("tiles", capacity.into(), size_of::<buckets::Tile>()),
            capacity,
            gate_up: f32s("experts' gate and up", pairs, 2 * feed_forward),
            act: f32s("experts' activated", pairs, feed_forward),
            packed: [("experts' packed input", 1), ("scales of experts' input", 2)].map(|(name, divisor)| {
                Value::temporary(name, u64::from(few) * u64::from(config.width) / divisor)
            }),
            packed_act: [("experts' packed activations", 1), ("scales of experts' activations", 2)].map(
                |(name, divisor)| {
                    let elements = u64::from(few * mixture.used) * u64::from(feed_forward);
                    Value::temporary(name, elements / divisor)
                },
            ),
            down: f32s("experts' down", pairs, config.width),
            cache: None,
        })
    }

    /// Returns the same with an expert cache. The host then reads the choices.
    pub fn with_cache(mut self, cache: CacheValues) -> Self {
        self.choices = Value::state("choices", self.choices.bytes());
        self.cache = Some(cache);
        self
    }

    /// Returns the choices that products read: with slots instead of experts, if there is a cache.
    pub fn located(&self) -> &Value {
        self.cache.as_ref().map_or(&self.choices, |cache| &cache.located)
    }
}
