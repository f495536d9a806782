//! Fetching rows from the host.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use shaders::PlanarLayout;
use shaders::repack;

use super::RowCacheValues;
use super::ring::Ring;
use crate::gpu::{Buffer, Gpu, GpuError, Memory, Program};
use crate::model::slots::{SlotBuffer, Slots};
use crate::model::{HostTable, RowError, StepError};

/// Wait for the device after this number of times that the staging buffer was filled, to bound the pending copies.
const FILLS_PER_WAIT: u32 = 4;

/// The cache on the device, and the table behind it.
pub struct RowCache {
    gpu: Rc<Gpu>,
    table: Rc<HostTable>,
    lines: RefCell<Slots<Ring>>,
    line: u32,
    fixed: u32,
    /// Lines that the staging buffer has room for.
    staged: usize,
    layout: PlanarLayout,
    slots: SlotBuffer,
    staging: Arc<Buffer>,
    params: Arc<Buffer>,
    program: Program,
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
            lines: Slots::new(values.lines, values.held(), Ring::new(values.fixed)).into(),
            line: values.line,
            fixed: values.fixed,
            staged: values.staged as usize,
            layout: values.layout,
            slots: SlotBuffer::new(gpu, buffer(&values.slots)?),
            staging: buffer(&values.staging)?,
            params: buffer(&values.params)?,
            program: gpu.bind(&values.plan()?, memory).await?,
        })
    }

    /// Fetches the rows of the most frequent tokens.
    ///
    /// # Errors
    /// [`StepError`] when a row cannot be read, or the device fails.
    pub async fn warm(&self) -> Result<(), StepError> {
        let all: Vec<u32> = (0..self.fixed).collect();
        self.fetch_lines(&all, &all).await
    }

    /// Fetches the rows of these tokens that are missing. All of them stay until others are fetched.
    ///
    /// # Errors
    /// [`StepError`] when a row cannot be read, or the device fails.
    pub async fn fetch(&self, ids: &[u32]) -> Result<(), StepError> {
        let mut wanted: Vec<u32> = ids.iter().map(|id| id / self.line).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let missing = self.lines.borrow().missing(&wanted);
        self.fetch_lines(&missing, &wanted).await?;
        self.write_slots();
        Ok(())
    }

    /// Writes the slots that have changed to the device.
    pub fn write_slots(&self) {
        let lines = self.lines.borrow();
        self.slots.write(lines.table().len(), |line| lines.table()[line]);
    }

    /// Returns whether the row of a token is there.
    pub fn holds(&self, id: u32) -> bool {
        self.lines.borrow().holds(id / self.line)
    }

    /// Maps every line to the first slot, so that no step ends early: for timing.
    pub fn assume_resident(&self) {
        self.slots.write_for_now(0, &vec![0; self.lines.borrow().table().len()]);
    }

    /// Fetches lines that are missing, in place of others than `keep`.
    async fn fetch_lines(&self, missing: &[u32], keep: &[u32]) -> Result<(), StepError> {
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
    fn put(&self, lines: &[u32], read: &[Rc<[u8]>], keep: &[u32]) -> Result<(), StepError> {
        let mut placed = Vec::with_capacity(lines.len());
        for (&line, bytes) in lines.iter().zip(read) {
            // Steps have no more rows than the ring has lines.
            let Some(slot) = self.lines.borrow_mut().place(line, keep) else { break };
            let changed = self.lines.borrow_mut().insert(line, slot);
            self.slots.change(changed.map(|line| line as usize));
            placed.push((slot, bytes));
        }
        for run in placed.chunk_by(|(a, _), (b, _)| a + 1 == *b) {
            let bytes = run.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect();
            self.repack(bytes, run[0].0, run.len() as u32)?;
        }
        Ok(())
    }

    /// Repacks the rows of lines into consecutive slots.
    fn repack(&self, mut bytes: Vec<u8>, first: u32, count: u32) -> Result<(), StepError> {
        let rows = count * self.line;
        let params = repack::Params::new(&self.layout, first * self.line, rows, 0).map_err(RowError::from)?;
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        self.gpu.queue().write_buffer(&self.staging, 0, &bytes);
        self.gpu.queue().write_buffer(&self.params, 0, bytemuck::bytes_of(&params));
        self.gpu.run(&self.program, rows);
        Ok(())
    }
}
