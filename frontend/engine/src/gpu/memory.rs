//! The buffers of values on the device.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Buffer, Gpu, GpuError};
use crate::plan::{Layout, Origin, Slot, Value, take_smallest};

/// The buffers of values. Clones share them; a buffer is freed with its last clone.
#[derive(Clone, Debug, Default)]
pub struct Memory(HashMap<Value, Arc<Buffer>>);

impl Memory {
    /// Returns the buffer of a value.
    ///
    /// # Errors
    /// [`GpuError::Unallocated`] when it has none.
    pub fn get(&self, value: &Value) -> Result<&Arc<Buffer>, GpuError> {
        self.0.get(value).ok_or_else(|| GpuError::Unallocated { value: value.name().to_owned() })
    }

    /// Returns whether a value has a buffer.
    pub fn holds(&self, value: &Value) -> bool {
        self.0.contains_key(value)
    }

    /// Sets the buffer of a value.
    pub fn insert(&mut self, value: Value, buffer: Arc<Buffer>) {
        self.0.insert(value, buffer);
    }

    /// Sets the buffer of all values of a slot.
    fn place(&mut self, slot: &Slot, buffer: &Arc<Buffer>) {
        for value in &slot.values {
            self.insert(value.clone(), Arc::clone(buffer));
        }
    }

    /// Adds the values of another memory.
    pub fn extend(&mut self, other: &Self) {
        self.0.extend(other.0.iter().map(|(value, buffer)| (value.clone(), Arc::clone(buffer))));
    }

    /// Total size of the buffers.
    pub fn bytes(&self) -> u64 {
        let buffers: HashMap<_, _> =
            self.0.values().map(|buffer| (Arc::as_ptr(buffer), buffer.size())).collect();
        buffers.values().sum()
    }

    /// Returns the buffers of all values; one that several values share comes several times.
    pub fn buffers(&self) -> impl Iterator<Item = &Arc<Buffer>> {
        self.0.values()
    }

    /// Removes all temporaries, and returns their buffers, each once.
    pub fn take_temporaries(&mut self) -> Vec<Arc<Buffer>> {
        let mut buffers: Vec<Arc<Buffer>> = Vec::new();
        self.0.retain(|value, buffer| {
            let is_temporary = value.origin() == Origin::Temporary;
            if is_temporary && buffers.iter().all(|known| !Arc::ptr_eq(known, buffer)) {
                buffers.push(Arc::clone(buffer));
            }
            !is_temporary
        });
        buffers
    }

    /// Removes a value.
    pub fn remove(&mut self, value: &Value) {
        self.0.remove(value);
    }
}

impl Gpu {
    /// Allocates values that have no buffer yet, zeroed. `label` names them in errors.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] when a value cannot be bound, [`GpuError::OutOfMemory`] when memory is exhausted.
    pub async fn allocate<'v>(
        &self,
        label: &str,
        values: impl IntoIterator<Item = &'v Value>,
        memory: &mut Memory,
    ) -> Result<(), GpuError> {
        self.allocate_layout(label, &Layout::default().with(values), memory).await
    }

    /// Allocates the buffers of a layout whose values have none yet, zeroed.
    ///
    /// # Errors
    /// Same as [`Self::allocate`].
    pub async fn allocate_layout(
        &self,
        label: &str,
        layout: &Layout,
        memory: &mut Memory,
    ) -> Result<(), GpuError> {
        self.allocate_from(Vec::new(), label, layout, memory).await
    }

    /// Same as [`Self::allocate_layout`], but temporaries reuse buffers of `pool` that are large enough.
    ///
    /// # Errors
    /// Same as [`Self::allocate`].
    pub async fn allocate_from(
        &self,
        mut pool: Vec<Arc<Buffer>>,
        label: &str,
        layout: &Layout,
        memory: &mut Memory,
    ) -> Result<(), GpuError> {
        // Best fit: the slots of temporaries in a layout are sorted by size, largest first.
        pool.sort_by_key(|buffer| buffer.size());
        let mut missing = Vec::new();
        for slot in &layout.slots {
            let Some(value) = slot.values.iter().find(|value| !memory.holds(value)) else { continue };
            let is_temporary = value.origin() == Origin::Temporary;
            match is_temporary.then(|| take_smallest(&mut pool, slot.bytes, |b| b.size())).flatten() {
                Some(buffer) => memory.place(slot, &buffer),
                None => missing.push((slot, value)),
            }
        }
        let bytes = missing.iter().map(|(slot, _)| slot.bytes).sum();
        let make = || missing.iter().map(|&(slot, value)| self.allocate_slot(slot, value)).collect();
        let buffers: Vec<_> = self.allocating(label, bytes, make).await?;
        for ((slot, _), buffer) in missing.into_iter().zip(&buffers) {
            memory.place(slot, buffer);
        }
        Ok(())
    }

    /// Returns a buffer for a slot, with the name and usage of one of its values.
    fn allocate_slot(&self, slot: &Slot, value: &Value) -> Result<Arc<Buffer>, GpuError> {
        use wgpu::BufferUsages as U;
        match value.origin() {
            Origin::Params => self.buffer(value.name(), slot.bytes, U::UNIFORM | U::COPY_DST),
            Origin::Readback => self.buffer(value.name(), slot.bytes, U::MAP_READ | U::COPY_DST),
            _ => self.storage(value.name(), slot.bytes),
        }
    }
}
