//! How many experts have a place on the device, and what stays on the host.

use std::ops::Range;
use std::rc::Rc;

use shaders::PlanarLayout;
use shaders::experts::Mixture;

use super::{DeviceMemory, EngineError, Fit, LoadOptions, ModelSpec};
use crate::bytes::LocalSource;
use crate::gguf::Header;
use crate::model::ExpertSource;
use crate::plan::Limits;
use crate::weights::TensorError;

/// The experts of a mixture that can have a cache, in all layers together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpertMemory {
    /// Experts of a layer, and those of a token.
    pub mixture: Mixture,
    /// Experts per layer that have a place on the device.
    pub slots: u32,
    /// Bytes on the device of one expert of every layer.
    pub slot_bytes: u64,
    /// Bytes in the file of one expert of every layer.
    pub file_bytes: u64,
}

impl ExpertMemory {
    /// Returns the smallest budget, in bytes: the experts of a token.
    pub fn least(&self) -> u64 {
        self.slot_bytes * u64::from(self.mixture.used)
    }

    /// Returns the budget that holds all experts, in bytes.
    pub fn all(&self) -> u64 {
        self.slot_bytes * u64::from(self.mixture.experts)
    }

    /// Bytes of those that have a place.
    pub fn held(&self) -> u64 {
        self.slot_bytes * u64::from(self.slots)
    }

    /// Bytes of the file that a token of decode reads, if experts are chosen evenly. Routers are not even, so it reads less.
    pub fn read_per_token(&self) -> u64 {
        self.read_per_canvas() * u64::from(self.mixture.used) / u64::from(self.mixture.experts.max(1))
    }

    /// Bytes of the file that a step of a canvas reads, if its rows choose all experts. Nearly all are chosen.
    pub fn read_per_canvas(&self) -> u64 {
        self.file_bytes * u64::from(self.mixture.experts - self.slots.min(self.mixture.experts))
    }
}

impl ModelSpec {
    /// Returns these options, with places for as many experts as the memory allows: all if they fit. With a `budget`, as many as
    /// fit into so many bytes.
    ///
    /// # Errors
    /// [`EngineError::ExpertBudget`] when the budget does not hold the experts of one token;
    /// [`EngineError::TooLarge`] when even those do not fit on the device; and as [`Self::read`].
    pub fn with_expert_budget(
        header: &Header,
        options: &LoadOptions,
        budget: Option<u64>,
        memory: DeviceMemory,
    ) -> Result<LoadOptions, EngineError> {
        let whole = Self::with_options(header, options)?;
        let Some(mixture) = whole.config.experts.map(|experts| experts.mixture) else { return Ok(*options) };
        let slot = whole.expert_slot_bytes()?.max(1);
        let with = |slots| LoadOptions { expert_slots: slots, ..*options };
        if let Some(budget) = budget {
            let needed = slot * u64::from(mixture.used);
            if budget < needed {
                return Err(EngineError::ExpertBudget { budget, needed });
            }
            return Ok(with(u32::try_from(budget / slot).unwrap_or(u32::MAX)));
        }
        match whole.fit(options.context, memory) {
            Err(EngineError::TooLarge { .. }) => {}
            fit => return fit.map(|_| *options),
        }
        // With the whole context, if that leaves room for the experts of a token. The cache is in as little as it can be:
        // reading experts is slower than reading that.
        let bytes = |slots| {
            let spec = Self::with_options(header, &with(slots))?;
            Ok::<_, EngineError>(spec.needs(memory)?.least_bytes(spec.context(options.context)))
        };
        let free = memory.available.saturating_sub(bytes(mixture.used)?);
        // Buffers are rounded up, so a slot takes a little less or more.
        let most = u64::from(mixture.used) + free / slot + 1;
        let most = u32::try_from(most).unwrap_or(u32::MAX).min(mixture.experts - 1);
        let fits = |slots: &u32| bytes(*slots).is_ok_and(|bytes| bytes <= memory.available);
        match (mixture.used..=most).rev().find(fits) {
            Some(slots) => Ok(with(slots)),
            None => {
                Self::with_options(header, &with(mixture.used))?.fit(options.context, memory)?;
                Ok(with(mixture.used))
            }
        }
    }

    /// Returns the bytes with which the model can be loaded with the context length of these options: everything is stored in as
    /// little as it can be, and a token's experts alone have a place. A sixteenth more, since a device may work in more.
    ///
    /// # Errors
    /// As [`Self::with_options`] and [`Self::needs`].
    pub fn least_bytes(header: &Header, options: &LoadOptions, limits: Limits) -> Result<u64, EngineError> {
        let whole = Self::with_options(header, options)?;
        let expert_slots = whole.config.experts.map_or(0, |experts| experts.mixture.used);
        let spec = Self::with_options(header, &LoadOptions { expert_slots, ..*options })?;
        let memory = DeviceMemory { available: 0, limits };
        let least = spec.needs(memory)?.least_bytes(spec.context(options.context));
        Ok(least + least / 16)
    }

    /// Returns the memory of the experts; `None` if the model has none.
    ///
    /// # Errors
    /// When a matrix of experts has no layout.
    pub fn expert_memory(&self) -> Result<Option<ExpertMemory>, EngineError> {
        let Some(mixture) = self.config.experts.map(|experts| experts.mixture) else { return Ok(None) };
        let in_file: u64 = self.experts().map(|matrix| matrix.range.end - matrix.range.start).sum();
        Ok(Some(ExpertMemory {
            mixture,
            slots: self.expert_slots.unwrap_or(mixture.experts),
            slot_bytes: self.expert_slot_bytes()?,
            file_bytes: in_file / u64::from(mixture.experts.max(1)),
        }))
    }

    /// Bytes of the file that stay on the host, the per-layer table or experts, and a range that has them.
    pub fn on_host(&self, fit: &Fit) -> Option<(u64, Range<u64>)> {
        if let Some(slots) = self.expert_slots {
            let bytes = |range: &Range<u64>| range.end - range.start;
            let all: u64 = self.experts().map(|matrix| bytes(&matrix.range)).sum();
            let experts = self.config.experts.map_or(1, |experts| experts.mixture.experts);
            let start = self.experts().map(|matrix| matrix.range.start).min()?;
            let end = self.experts().map(|matrix| matrix.range.end).max()?;
            return Some((all / u64::from(experts) * u64::from(experts - slots), start..end));
        }
        let table = self.table_on_host(fit.storage)?;
        Some((table.range.end - table.range.start, table.range.clone()))
    }

    /// Where experts are read if there are places for only some, and the tensors there.
    ///
    /// # Errors
    /// [`EngineError::NoExperts`] if they have no copy on this machine.
    pub(super) fn expert_source(
        &self,
        local: Option<Rc<dyn LocalSource>>,
    ) -> Result<Option<ExpertSource>, EngineError> {
        if self.expert_slots.is_none() {
            return Ok(None);
        }
        let bytes = self.experts().map(|matrix| matrix.range.end - matrix.range.start).sum();
        let local = local.ok_or(EngineError::NoExperts { bytes })?;
        Ok(Some((local, self.tensors.clone())))
    }

    /// Bytes of a slot for an expert in every layer.
    fn expert_slot_bytes(&self) -> Result<u64, TensorError> {
        let bytes = self.experts().map(|matrix| {
            let rows = matrix.rows_per_expert().unwrap_or(0);
            let layout = PlanarLayout::new(matrix.dtype, matrix.k, rows);
            let layout = layout.map_err(|source| TensorError::Layout { name: matrix.name.clone(), source });
            layout.map(|layout| layout.bytes())
        });
        bytes.sum()
    }
}
