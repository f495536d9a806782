//! Device memory, and a model's use of it.

#[cfg(doc)]
use super::LoadOptions;
use crate::gpu::Gpu;
use crate::model::KvType;
use crate::plan::{Limits, Origin, Value, rounded};

/// The memory and the limits of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceMemory {
    /// Total bytes.
    pub available: u64,
    /// Limits of its bindings.
    pub limits: Limits,
}

impl DeviceMemory {
    /// Returns the assumed values for this device.
    pub fn assumed(gpu: &Gpu) -> Self {
        Self { available: assumed_memory(gpu), limits: gpu.plan_limits() }
    }

    /// Returns what is left beside so many bytes of other models.
    #[must_use]
    pub fn beside(self, bytes: u64) -> Self {
        Self { available: self.available.saturating_sub(bytes), ..self }
    }
}

/// Returns the memory that a device is assumed to have if nothing else is known of it ([`LoadOptions::memory`]): what its driver
/// states, or what is usual for its class. If the assumption is wrong, allocations fail.
pub fn assumed_memory(gpu: &Gpu) -> u64 {
    gpu.stated_memory().unwrap_or_else(|| gpu.class().memory(None))
}

/// Where the per-layer table lies. An earlier place is faster and takes more of the device's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TablePlace {
    /// On the device, in the file's type.
    #[default]
    Device,
    /// On the device, requantised to Q8_0, if the file has floats.
    Requantized,
    /// On the host. Rows are read when their tokens occur, and a cache of them is on the device.
    Host,
}

/// How what can be stored in several ways is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Storage {
    /// The place of the per-layer table, if the model has one.
    pub table: TablePlace,
    /// The type of the KV cache.
    pub kv_type: KvType,
}

/// How a model fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Context length in tokens.
    pub context: u32,
    /// Total bytes on the device.
    pub bytes: u64,
    /// How table and cache are stored.
    pub storage: Storage,
}

/// Bytes on the device, by purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Weights of the decoder.
    pub weights: u64,
    /// Keys and values.
    pub cache: u64,
    /// Working memory of the decoder's plans, including RoPE tables and parameters.
    pub working: u64,
    /// Copies of the rings, made during generation.
    pub checkpoints: u64,
    /// Towers, loaded on demand.
    pub towers: u64,
    /// A drafter.
    pub drafter: u64,
}

impl MemoryUse {
    /// Total.
    pub const fn total(&self) -> u64 {
        self.loaded() + self.checkpoints + self.towers + self.drafter
    }

    /// Returns the part that a load allocates.
    pub const fn loaded(&self) -> u64 {
        self.weights + self.cache + self.working
    }
}

/// The buffer that determines the smallest possible binding limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LargestBuffer {
    /// Its contents.
    pub label: String,
    /// Its size.
    pub bytes: u64,
}

impl LargestBuffer {
    pub(super) fn of<'v>(values: impl Iterator<Item = &'v Value>) -> Option<Self> {
        let value = values.max_by_key(|value| value.bytes())?;
        let label =
            if value.origin() == Origin::Cache { "the cache of keys and values" } else { value.name() };
        Some(Self { label: label.to_owned(), bytes: rounded(value.bytes()) })
    }
}
