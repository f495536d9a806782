//! Device memory, and a model's use of it.

use crate::gpu::Gpu;
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
    /// The assumed values for this device.
    #[must_use]
    pub fn assumed(gpu: &Gpu) -> Self {
        Self { available: assumed_memory(gpu), limits: gpu.plan_limits() }
    }
}

/// The memory that a device is assumed to have. WebGPU does not tell; the largest buffer is the only hint, and
/// devices with large buffers have several times as much memory. If the assumption is wrong, allocations fail.
#[must_use]
pub fn assumed_memory(gpu: &Gpu) -> u64 {
    gpu.stated_memory().unwrap_or_else(|| gpu.max_buffer().min(8 << 30) * 8)
}

/// How a model fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Context length in tokens.
    pub context: u32,
    /// Total bytes on the device.
    pub bytes: u64,
    /// Whether the per-layer table is on the host.
    pub table_on_host: bool,
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
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.loaded() + self.checkpoints + self.towers + self.drafter
    }

    /// The part that a load allocates.
    #[must_use]
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
