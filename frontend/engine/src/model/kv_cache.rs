//! The KV cache on the device.

pub use shaders::attention::KvType;
pub use shaders::attention::cooperative::KEYS;

use super::{Attention, Config, LayerConfig};
use crate::plan::{Origin, Value};

/// The cache of one layer: `[slots, kv_heads, head_dim]` each, with space for a multiple of [`KEYS`] slots.
#[derive(Clone, Debug)]
pub struct LayerCache {
    /// Keys, after norm and RoPE.
    pub k: Value,
    /// Values, after norm.
    pub v: Value,
    /// Slots of the ring on sliding layers; 0 if the slot is the position.
    pub ring: u32,
    /// Bytes per slot of k (or v).
    pub slot_bytes: u64,
}

/// The caches of all layers that have one.
#[derive(Clone, Debug)]
pub struct KvCache {
    /// By layer; `None` for layers that use another layer's cache.
    pub layers: Vec<Option<LayerCache>>,
}

impl KvCache {
    /// Slots of the layer that has the fewest.
    pub fn least_slots(&self) -> u32 {
        let slots = self.layers.iter().flatten().map(|layer| layer.k.bytes() / layer.slot_bytes.max(1));
        slots.min().unwrap_or(0) as u32
    }

    /// Keys and values of the layers with a ring.
    pub fn rings(&self) -> impl Iterator<Item = &Value> {
        self.layers.iter().flatten().filter(|layer| layer.ring > 0).flat_map(|layer| [&layer.k, &layer.v])
    }

    /// Keys and values of all layers.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.layers.iter().flatten().flat_map(|layer| [&layer.k, &layer.v])
    }
}

/// Slots of a layer's cache. A ring has slots for the window and one chunk, so that a chunk can be appended before
/// its first token is processed.
pub fn slots(config: &Config, layer: usize, context: u32, chunk: u32) -> u32 {
    match config.layers[layer].attention {
        Attention::Sliding => context.min(ring(config, chunk)),
        Attention::Global => context,
    }
}

/// Slots of a ring.
pub fn ring(config: &Config, chunk: u32) -> u32 {
    (config.window + chunk).next_multiple_of(64)
}

impl KvCache {
    /// Describes keys and values of the layer that runs: a batch of texts has no cache.
    pub fn of_encoder(config: &Config, rows: u32) -> Self {
        let slot = |layer: &LayerConfig| u64::from(layer.kv_heads) * KvType::F32.head_bytes(layer.head_dim);
        let most = config.layers.iter().map(slot).max().unwrap_or(0);
        let bytes = u64::from(rows.next_multiple_of(KEYS)) * most;
        let [k, v] = ["keys", "values"].map(|name| Value::temporary(name, bytes));
        let cache = |layer| LayerCache { k: k.clone(), v: v.clone(), ring: 0, slot_bytes: slot(layer) };
        Self { layers: config.layers.iter().map(|layer| Some(cache(layer))).collect() }
    }

    /// Describes the cache.
    pub fn describe(config: &Config, context: u32, chunk: u32, kv_type: KvType) -> Self {
        let layers = (0..config.layers.len())
            .map(|i| {
                if !config.owns_kv(i) {
                    return None;
                }
                let layer = &config.layers[i];
                let slot_bytes = u64::from(layer.kv_heads) * kv_type.head_bytes(layer.head_dim);
                let padded = slots(config, i, context, chunk).next_multiple_of(KEYS);
                let size = u64::from(padded) * slot_bytes;
                let sliding = layer.attention == Attention::Sliding;
                let ring = if sliding && context > ring(config, chunk) { ring(config, chunk) } else { 0 };
                let value = |kind: &str| Value::new(format!("{kind} cache {i}"), size, Origin::Cache);
                Some(LayerCache { k: value("k"), v: value("v"), ring, slot_bytes })
            })
            .collect();
        Self { layers }
    }
}
