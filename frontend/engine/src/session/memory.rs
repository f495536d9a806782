//! Memory of a device: what there is, and what a model takes by purpose.

use crate::gpu::Gpu;
use crate::plan::{Limits, Origin, Value, rounded};

/// What a device offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceMemory {
    /// Bytes in all.
    pub available: u64,
    /// What its kernels can bind.
    pub limits: Limits,
}

impl DeviceMemory {
    /// What this device is taken to offer.
    #[must_use]
    pub fn assumed(gpu: &Gpu) -> Self {
        Self { available: assumed_memory(gpu), limits: gpu.plan_limits() }
    }
}

/// Bytes that a device is taken to have. WebGPU does not say; the largest buffer is the only hint, and devices with
/// large buffers have several times as much memory. A device that has less says so when it is asked to allocate.
#[must_use]
pub fn assumed_memory(gpu: &Gpu) -> u64 {
    gpu.stated_memory().unwrap_or_else(|| gpu.max_buffer().min(8 << 30) * 8)
}

/// How a model fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Context length in tokens.
    pub context: u32,
    /// Bytes on the device in all.
    pub bytes: u64,
    /// Whether the per-layer table stays outside of the device.
    pub table_on_host: bool,
}

/// Bytes on the device, by purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Weights of the decoder.
    pub weights: u64,
    /// Keys and values.
    pub cache: u64,
    /// What the plans of the decoder work in, rotations and parameters included.
    pub working: u64,
    /// Copies of the rings, made as answers are drawn.
    pub checkpoints: u64,
    /// Towers, loaded when a medium needs them.
    pub towers: u64,
}

impl MemoryUse {
    /// All of it.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.loaded() + self.checkpoints + self.towers
    }

    /// What a load allocates.
    #[must_use]
    pub const fn loaded(&self) -> u64 {
        self.weights + self.cache + self.working
    }
}

/// A buffer that no device with a smaller binding can hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LargestBuffer {
    /// What it holds.
    pub label: String,
    /// Its bytes.
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
