//! Buffers that a mixture of experts works in.

use shaders::experts::{Choice, buckets};
use shaders::matmul::Tile;

use crate::model::{Config, Experts};
use crate::plan::Value;

/// Working buffers for up to `T` rows; `P = T·used` pairs of a row and a chosen expert.
#[derive(Debug)]
pub struct ExpertScratch {
    /// Products of the router, f32 `[T, experts]`.
    pub logits: Value,
    /// [`Choice`]s, `[T, used]`.
    pub choices: Value,
    /// Numbers of pairs by expert, u32 `[P]`.
    pub pairs: Value,
    /// [`buckets::Tile`]s.
    pub tiles: Value,
    /// How many of them there is room for.
    pub capacity: u32,
    /// Gate and up, f32 `[P, 2·width of an expert]`.
    pub gate_up: Value,
    /// The activated product, f32 `[P, width of an expert]`.
    pub act: Value,
    /// What each expert says, f32 `[P, width]`.
    pub down: Value,
}

/// Bytes of each buffer, in the order of the struct, and the tiles there is room for.
fn sizes(config: &Config, experts: Experts, rows: u32) -> ([u64; 7], u32) {
    let mixture = experts.mixture;
    let capacity = buckets::most_tiles(mixture, rows, Tile::SMALL.bm);
    let pairs = u64::from(rows) * u64::from(mixture.used);
    let (ff, width) = (u64::from(experts.feed_forward), u64::from(config.width));
    let bytes = [
        4 * u64::from(rows) * u64::from(mixture.experts),
        size_of::<Choice>() as u64 * pairs,
        4 * pairs,
        size_of::<buckets::Tile>() as u64 * u64::from(capacity),
        4 * pairs * 2 * ff,
        4 * pairs * ff,
        4 * pairs * width,
    ];
    (bytes, capacity)
}

impl ExpertScratch {
    /// Describes the values for chunks of up to `rows`, if the model has experts.
    #[must_use]
    pub fn describe(config: &Config, rows: u32) -> Option<Self> {
        let ([logits, choices, pairs, tiles, gate_up, act, down], capacity) =
            sizes(config, config.experts?, rows);
        Some(Self {
            logits: Value::temporary("router", logits),
            choices: Value::temporary("choices", choices),
            pairs: Value::temporary("pairs", pairs),
            tiles: Value::temporary("tiles", tiles),
            capacity,
            gate_up: Value::temporary("experts' gate and up", gate_up),
            act: Value::temporary("experts' activated", act),
            down: Value::temporary("experts' down", down),
        })
    }

    /// Bytes of all buffers; 0 without experts.
    #[must_use]
    pub fn bytes(config: &Config, rows: u32) -> u64 {
        config.experts.map_or(0, |experts| sizes(config, experts, rows).0.iter().sum())
    }

    /// Bytes of the largest buffer; 0 without experts.
    #[must_use]
    pub fn largest(config: &Config, rows: u32) -> u64 {
        let largest = |experts| sizes(config, experts, rows).0.into_iter().max();
        config.experts.and_then(largest).unwrap_or(0)
    }
}
