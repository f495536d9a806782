//! Fetching rows from the host.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use shaders::PlanarLayout;
use shaders::repack;

use super::RowCacheValues;
use super::lines::Lines;
use crate::gpu::{Buffer, Gpu, GpuError, Memory, Program};
use crate::model::{HostTable, RowError};

/// Wait for the device after this number of times that the staging buffer was filled, to bound the pending copies.
const FILLS_PER_WAIT: u32 = 4;
/// Slots that are written one by one; more are written with all others.
const MAX_WRITES: usize = 64;

/// The cache on the device, and the table behind it.
pub struct RowCache {
    gpu: Rc<Gpu>,
    table: Rc<HostTable>,
    lines: RefCell<Lines>,
    line: u32,
    fixed: u32,
    /// Lines that the staging buffer has room for.
    staged: usize,
    layout: PlanarLayout,
    slots: Arc<Buffer>,
    staging: Arc<Buffer>,
    params: Arc<Buffer>,
    program: Program,
    /// Lines whose slots on the device may differ from `lines`; `None` for any.
    stale: RefCell<Option<Vec<u32>>>,
}

/// Why rows could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The table.
    #[error(transparent)]
    Row(#[from] RowError),
    /// The device.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

impl RowCache {
    /// Binds the plan of an empty cache.
    ///
    /// # Errors
    /// When the device rejects the kernel.
    pub async fn bind(
        gpu: &Rc<Gpu>,
        values: &RowCacheValues,
        memory: &Memory,
        table: Rc<HostTable>,
    ) -> Result<Self, GpuError> {
        let buffer = |value| memory.get(value).cloned();
        Ok(Self {
            gpu: Rc::clone(gpu),
            table,
            lines: Lines::new(values.lines, values.held(), values.fixed).into(),
            line: values.line,
            fixed: values.fixed,
            staged: values.staged as usize,
            layout: values.layout,
            slots: buffer(&values.slots)?,
            staging: buffer(&values.staging)?,
            params: buffer(&values.params)?,
            program: gpu.bind(&values.plan()?, memory).await?,
            stale: None.into(),
        })
    }

    /// Fetches the rows of the most frequent tokens.
    ///
    /// # Errors
    /// [`FetchError`] when a row cannot be read, or the device fails.
    pub async fn warm(&self) -> Result<(), FetchError> {
        let all: Vec<u32> = (0..self.fixed).collect();
        self.fetch_lines(&all, &all).await
    }

    /// Fetches the rows of these tokens that are missing. All of them stay until others are fetched.
    ///
    /// # Errors
    /// [`FetchError`] when a row cannot be read, or the device fails.
    pub async fn fetch(&self, ids: &[u32]) -> Result<(), FetchError> {
        let mut wanted: Vec<u32> = ids.iter().map(|id| id / self.line).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let missing: Vec<u32> = {
            let lines = self.lines.borrow();
            wanted.iter().copied().filter(|&line| !lines.holds(line)).collect()
        };
        self.fetch_lines(&missing, &wanted).await?;
        self.write_slots();
        Ok(())
    }

    /// Whether the row of a token is there.
    #[must_use]
    pub fn holds(&self, id: u32) -> bool {
        self.lines.borrow().holds(id / self.line)
    }

    /// Maps every line to the first slot, so that no step ends early: for timing.
    pub fn assume_resident(&self) {
        let zeros = vec![0_u32; self.lines.borrow().slots().len()];
        self.gpu.queue().write_buffer(&self.slots, 0, bytemuck::cast_slice(&zeros));
        self.stale.replace(None);
    }

    /// Fetches lines that are missing, in place of others than `keep`.
    async fn fetch_lines(&self, missing: &[u32], keep: &[u32]) -> Result<(), FetchError> {
        for (fills, some) in (1..).zip(missing.chunks(self.staged)) {
            let read = self.table.lines(some, self.line).await?;
            self.put(some, &read, keep)?;
            if fills % FILLS_PER_WAIT == 0 {
                self.gpu.drained().await?;
            }
        }
        Ok(())
    }

    /// Puts lines into slots, those with consecutive slots at once. Nothing is awaited: slots and device agree at all times.
    fn put(&self, lines: &[u32], read: &[Rc<[u8]>], keep: &[u32]) -> Result<(), FetchError> {
        let mut placed = Vec::with_capacity(lines.len());
        for (&line, bytes) in lines.iter().zip(read) {
            // Steps have no more rows than the ring has lines.
            let Some(slot) = self.lines.borrow_mut().place(line, keep) else { break };
            self.insert(line, slot);
            placed.push((slot, bytes));
        }
        for run in placed.chunk_by(|(a, _), (b, _)| a + 1 == *b) {
            let bytes = run.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect();
            self.repack(bytes, run[0].0, run.len() as u32)?;
        }
        Ok(())
    }

    /// Repacks the rows of lines into consecutive slots.
    fn repack(&self, mut bytes: Vec<u8>, first: u32, count: u32) -> Result<(), FetchError> {
        let rows = count * self.line;
        let params = repack::Params::new(&self.layout, first * self.line, rows, 0).map_err(RowError::from)?;
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        self.gpu.queue().write_buffer(&self.staging, 0, &bytes);
        self.gpu.queue().write_buffer(&self.params, 0, bytemuck::bytes_of(&params));
        self.gpu.run(&self.program, rows);
        Ok(())
    }

    /// Puts a line into a slot of the host's tables.
    fn insert(&self, line: u32, slot: u32) {
        let gone = self.lines.borrow_mut().insert(line, slot);
        if let Some(stale) = self.stale.borrow_mut().as_mut() {
            stale.extend(gone.into_iter().chain([line]));
        }
    }

    /// Tells the device what has changed.
    pub fn write_slots(&self) {
        let (lines, queue) = (self.lines.borrow(), self.gpu.queue());
        let slots = lines.slots();
        match self.stale.replace(Some(Vec::new())) {
            Some(stale) if stale.len() <= MAX_WRITES => {
                for line in stale {
                    let slot = slots[line as usize];
                    queue.write_buffer(&self.slots, 4 * u64::from(line), bytemuck::bytes_of(&slot));
                }
            }
            _ => queue.write_buffer(&self.slots, 0, bytemuck::cast_slice(slots)),
        }
    }
}
