//! Whether a model fits a device, with which context and with its per-layer table where.

use crate::gpu::{Gpu, GpuError};
use crate::model::LargestBuffer;

use super::{EngineError, LEAST_CONTEXT, Plan};

/// What a device offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceMemory {
    /// Bytes in all.
    pub available: u64,
    /// Bytes of the largest buffer that a kernel can bind.
    pub largest_binding: u64,
}

impl DeviceMemory {
    /// What this device is taken to offer.
    #[must_use]
    pub fn assumed(gpu: &Gpu) -> Self {
        Self { available: assumed_memory(gpu), largest_binding: gpu.max_binding() }
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

/// Why a model does not fit, whatever the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// The device has too little memory.
    Memory {
        /// Bytes needed with the shortest context.
        needed: u64,
        /// Bytes there are.
        available: u64,
    },
    /// A single buffer is larger than what the device can bind.
    Buffer {
        /// What it holds.
        label: String,
        /// Its bytes.
        bytes: u64,
        /// The device's limit.
        limit: u64,
    },
}

impl From<Misfit> for EngineError {
    fn from(misfit: Misfit) -> Self {
        match misfit {
            Misfit::Memory { needed, available } => Self::TooLarge { needed, available },
            Misfit::Buffer { label, bytes, limit } => GpuError::TooLarge { label, bytes, limit }.into(),
        }
    }
}

impl Plan {
    /// How the model fits a device. The context is what was asked for (0: the default), or the longest below it, in
    /// steps of 512, whose buffers can be bound and that leaves room for all the rest. The per-layer table goes to the
    /// device where it fits beside that context; no context is made shorter for it.
    ///
    /// # Errors
    /// [`Misfit`] when not even the shortest context fits.
    pub fn fit(&self, asked: u32, memory: DeviceMemory) -> Result<Fit, Misfit> {
        let DeviceMemory { available, largest_binding: limit } = memory;
        if let Some((name, bytes)) = self.unbindable(limit) {
            return Err(Misfit::Buffer { label: name.to_owned(), bytes, limit });
        }
        let wanted = self.context(asked);
        let steps = (1..wanted.div_ceil(LEAST_CONTEXT)).rev().map(|n| n * LEAST_CONTEXT);
        let mut bindable = std::iter::once(wanted)
            .chain(steps)
            .filter(|&context| self.largest_buffer(context).bytes <= limit)
            .peekable();
        let Some(&longest) = bindable.peek() else {
            let LargestBuffer { label, bytes } = self.largest_buffer(self.context(LEAST_CONTEXT));
            return Err(Misfit::Buffer { label: label.to_owned(), bytes, limit });
        };
        let fit = |context, table_on_host| {
            let bytes = self.bytes(context, table_on_host);
            (bytes <= available).then_some(Fit { context, bytes, table_on_host })
        };
        let has_table = self.table_bytes > 0;
        fit(longest, self.table_on_host(longest, memory))
            .or_else(|| bindable.find_map(|context| fit(context, has_table)))
            .ok_or_else(|| {
                let needed = self.bytes(self.context(LEAST_CONTEXT), has_table);
                Misfit::Memory { needed, available }
            })
    }

    /// Whether the per-layer table has to stay outside of a device, with a context of this length.
    #[must_use]
    pub fn table_on_host(&self, context: u32, memory: DeviceMemory) -> bool {
        let cut =
            self.table().is_none_or(|spec| matches!(spec.rows_within(memory.largest_binding), Ok(Some(_))));
        self.table_bytes > 0 && (self.ple_on_host || !cut || self.bytes(context, false) > memory.available)
    }
}
