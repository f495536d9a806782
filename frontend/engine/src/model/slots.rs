//! Slots on the device for some of the items that are on the host: rows of the per-layer table, experts of a layer.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use shaders::experts::locate::NONE;

use crate::gpu::{Buffer, Gpu};

/// Entries of a table that are written one by one; more are written with all others.
const MAX_WRITES: usize = 64;

/// Which item makes room for another.
pub trait Policy {
    /// Returns the slot for an item that has none, one whose item is not in `keep`; `None` if all are kept. `held` are the
    /// items in the slots.
    fn place(&mut self, item: u32, held: &[Option<u32>], keep: &[u32]) -> Option<u32>;
}

/// The slots, and the items in them.
#[derive(Clone, Debug)]
pub struct Slots<P> {
    /// The slot of each item, or [`NONE`].
    table: Vec<u32>,
    /// The item in each slot.
    held: Vec<Option<u32>>,
    /// Which item makes room for another.
    pub policy: P,
}

impl<P: Policy> Slots<P> {
    /// Returns empty slots.
    pub fn new(items: u32, slots: u32, policy: P) -> Self {
        Self { table: vec![NONE; items as usize], held: vec![None; slots as usize], policy }
    }

    /// Returns the slot of each item, or [`NONE`].
    pub fn table(&self) -> &[u32] {
        &self.table
    }

    /// Returns the number of slots.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Returns whether an item has a slot.
    pub fn holds(&self, item: u32) -> bool {
        self.table.get(item as usize).is_some_and(|&slot| slot != NONE)
    }

    /// Returns those of these items that have no slot.
    pub fn missing(&self, items: &[u32]) -> Vec<u32> {
        items.iter().copied().filter(|&item| !self.holds(item)).collect()
    }

    /// Returns the slot for an item that has none; `None` if the items of all are in `keep`.
    pub fn place(&mut self, item: u32, keep: &[u32]) -> Option<u32> {
        self.policy.place(item, &self.held, keep)
    }

    /// Puts an item into a slot. Returns the items whose entries in the table have changed.
    pub fn insert(&mut self, item: u32, slot: u32) -> impl Iterator<Item = u32> + use<P> {
        let gone = self.held[slot as usize].replace(item);
        if let Some(gone) = gone {
            self.table[gone as usize] = NONE;
        }
        self.table[item as usize] = slot;
        gone.into_iter().chain([item])
    }
}

/// A table of slots on the device.
pub struct SlotBuffer {
    gpu: Rc<Gpu>,
    buffer: Arc<Buffer>,
    /// Entries that may differ on the device; `None` for all.
    stale: RefCell<Option<Vec<usize>>>,
}

impl SlotBuffer {
    /// Returns a table that has not been written.
    pub fn new(gpu: &Rc<Gpu>, buffer: Arc<Buffer>) -> Self {
        Self { gpu: Rc::clone(gpu), buffer, stale: None.into() }
    }

    /// Notes that entries have changed.
    pub fn change(&self, entries: impl IntoIterator<Item = usize>) {
        if let Some(stale) = self.stale.borrow_mut().as_mut() {
            stale.extend(entries);
        }
    }

    /// Writes the entries that have changed, of `len` in all.
    pub fn write(&self, len: usize, entry: impl Fn(usize) -> u32) {
        match self.stale.replace(Some(Vec::new())) {
            Some(stale) if stale.len() <= MAX_WRITES => {
                stale.into_iter().for_each(|at| self.put(at, &[entry(at)]));
            }
            _ => self.put(0, &(0..len).map(entry).collect::<Vec<_>>()),
        }
    }

    /// Writes other entries from `first` on, until the next [`Self::write`].
    pub fn write_for_now(&self, first: usize, entries: &[u32]) {
        self.put(first, entries);
        self.stale.replace(None);
    }

    fn put(&self, first: usize, entries: &[u32]) {
        self.gpu.queue().write_buffer(&self.buffer, 4 * first as u64, bytemuck::cast_slice(entries));
    }
}
