//! Loading experts from the local copy of the file.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{StreamExt as _, TryStreamExt as _, iter};
use shaders::experts::{Choice, Mixture, locate};
use web_time::Instant;

use super::CachePlans;
use super::plans::PartPlan;
use super::scores::Scores;
use crate::bytes::{ByteSource as _, Bytes, LocalSource};
use crate::gpu::{Buffer, Gpu, GpuError, Memory, Program, Readback};
use crate::model::expert_scratch::CacheValues;
use crate::model::slots::{SlotBuffer, Slots};
use crate::model::{ExpertError, Parts};
use crate::plan::{PlanError, Value};
use crate::weights::TensorList;

/// Maximum number of experts that are read at once.
const AHEAD: usize = 4;
/// Wait for the device after this number of experts, to bound the pending copies.
const EXPERTS_PER_WAIT: usize = 16;

/// The local copy of the file, and the tensors there.
pub type ExpertSource = (Rc<dyn LocalSource>, TensorList);

/// What a chunk is, for the figures of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// Tokens of a prompt, or other final tokens.
    Prompt,
    /// A canvas that is denoised.
    Canvas,
}

/// How the cache was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExpertUse {
    /// Experts that rows of decode or steps of a canvas used, each layer counted.
    pub uses: u64,
    /// Those of them that had to be loaded first.
    pub misses: u64,
    /// Experts loaded for prompts.
    pub for_prompts: u64,
    /// Bytes read from the local copy.
    pub bytes: u64,
    /// Those of them that rows of decode or steps of a canvas missed.
    pub missed_bytes: u64,
    /// Time in which they were read and brought to the device.
    pub loading: Duration,
}

impl std::ops::Sub for ExpertUse {
    type Output = Self;

    /// Returns the use since `earlier`.
    fn sub(self, earlier: Self) -> Self {
        Self {
            uses: self.uses - earlier.uses,
            misses: self.misses - earlier.misses,
            for_prompts: self.for_prompts - earlier.for_prompts,
            bytes: self.bytes - earlier.bytes,
            missed_bytes: self.missed_bytes - earlier.missed_bytes,
            loading: self.loading - earlier.loading,
        }
    }
}

/// What a step missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missed {
    /// The layer.
    pub layer: usize,
    /// Rows whose experts are there now.
    pub rows: u32,
}

/// Returns the experts that the first rows chose, each once, and the number of these rows: as many as have `slots` together, one
/// at least.
fn within<'c>(chosen: impl Iterator<Item = &'c [u32]>, slots: usize) -> (Vec<u32>, u32) {
    let (mut wanted, mut rows) = (Vec::new(), 0);
    for row in chosen {
        let before = wanted.len();
        for expert in row {
            if !wanted.contains(expert) {
                wanted.push(*expert);
            }
        }
        if rows > 0 && wanted.len() > slots {
            wanted.truncate(before);
            break;
        }
        rows += 1;
    }
    (wanted, rows)
}

/// A matrix of the experts of a layer.
struct LayerMatrix {
    /// Where it begins in the file.
    start: u64,
    /// Bytes of an expert in the file.
    bytes: u64,
    /// By range of slots.
    parts: Vec<(PartPlan, Program)>,
}

/// The expert cache on the device.
pub struct ExpertCache {
    pub(super) gpu: Rc<Gpu>,
    source: Rc<dyn LocalSource>,
    mixture: Mixture,
    layers: Vec<Vec<LayerMatrix>>,
    slots: RefCell<Vec<Slots<Scores>>>,
    /// The number of uses of each expert when the record was last read. `[layers, experts]`.
    counted: RefCell<Vec<u32>>,
    table: SlotBuffer,
    record: Arc<Buffer>,
    choices: Arc<Buffer>,
    read_record: Readback,
    read_choices: Readback,
    /// For each matrix of an expert, its bytes and the parameters of repacking.
    staging: Vec<[Arc<Buffer>; 2]>,
    /// Whether the record may count tokens that were timed.
    timed: Cell<bool>,
    used: Cell<ExpertUse>,
}

impl ExpertCache {
    /// Binds the plans of a cache, which is empty. `None` if the model has none.
    ///
    /// # Errors
    /// When the device rejects a kernel.
    pub async fn bind(
        gpu: &Rc<Gpu>,
        parts: &Parts,
        memory: &Memory,
        source: Rc<dyn LocalSource>,
        tensors: &TensorList,
    ) -> Result<Option<Self>, GpuError> {
        let scratch = parts.scratch.experts.as_ref();
        let (Some(experts), Some(scratch)) = (parts.config.experts, scratch) else { return Ok(None) };
        let Some(values) = &scratch.cache else { return Ok(None) };
        let CacheValues { slots, table, record, readbacks, staging, .. } = values;
        let mut layers = Vec::new();
        for layer in CachePlans::new(parts)?.layers {
            let mut matrices = Vec::new();
            for matrix in layer {
                let missing = || PlanError::Missing { name: matrix.name.clone() };
                let start = tensors.matrix(&matrix.name).ok_or_else(missing)?.range.start;
                let mut parts = Vec::new();
                for part in matrix.parts {
                    let program = gpu.bind(&part.plan, memory).await?;
                    parts.push((part, program));
                }
                matrices.push(LayerMatrix { start, bytes: matrix.bytes, parts });
            }
            layers.push(matrices);
        }
        let buffer = |value: &Value| memory.get(value).cloned();
        let staged = |[bytes, params]: &[Value; 2]| Ok::<_, GpuError>([buffer(bytes)?, buffer(params)?]);
        let mixture = experts.mixture;
        Ok(Some(Self {
            gpu: Rc::clone(gpu),
            source,
            mixture,
            slots: vec![Slots::new(mixture.experts, *slots, Scores::new(mixture.experts)); layers.len()]
                .into(),
            counted: vec![0; layers.len() * mixture.experts as usize].into(),
            layers,
            table: SlotBuffer::new(gpu, buffer(table)?),
            record: buffer(record)?,
            choices: buffer(&scratch.choices)?,
            read_record: Readback::new(buffer(&readbacks[0])?),
            read_choices: Readback::new(buffer(&readbacks[1])?),
            staging: staging.iter().map(staged).collect::<Result<_, _>>()?,
            // A load may have compared products.
            timed: true.into(),
            used: Cell::default(),
        }))
    }

    /// How it was used since the model was loaded.
    pub fn used(&self) -> ExpertUse {
        self.used.get()
    }

    /// Slots per layer.
    pub fn slots(&self) -> u32 {
        self.slots.borrow().first().map_or(0, |slots| slots.len() as u32)
    }

    /// Maps every expert to the first slot, so that no row ends early: for timing.
    pub fn assume_resident(&self) {
        self.table.write_for_now(0, &vec![0; self.layers.len() * self.mixture.experts as usize]);
        self.timed.set(true);
    }

    /// Prepares the device for a step of a few rows.
    pub fn begin_step(&self) {
        if self.timed.take() {
            // The tokens that were timed are no uses.
            let counts = vec![0_u32; self.record_bytes() as usize / 4];
            self.gpu.queue().write_buffer(&self.record, 0, bytemuck::cast_slice(&counts));
            self.counted.borrow_mut().fill(0);
        }
        self.gpu.queue().write_buffer(&self.record, 0, bytemuck::bytes_of(&0_u32));
        let (slots, experts) = (self.slots.borrow(), self.mixture.experts as usize);
        self.table.write(slots.len() * experts, |at| slots[at / experts].table()[at % experts]);
    }

    /// Encodes the copy that [`Self::missed`] reads.
    pub fn encode_record(&self, encoder: &mut wgpu::CommandEncoder) {
        self.read_record.encode(encoder, &self.record, 0, self.record_bytes());
    }

    /// Returns the layer whose experts the last step of `rows` rows missed, if any. They are loaded, and the step can go on from
    /// there with as many of its rows as their experts have slots for together: one at least.
    ///
    /// # Errors
    /// [`ExpertError`] when an expert cannot be read or uploaded.
    pub async fn missed(&self, rows: u32) -> Result<Option<Missed>, ExpertError> {
        let bytes = self.read_record.read(&self.gpu, self.record_bytes()).await?;
        let record: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
        let (header, counts) = record.split_at(locate::record_header(self.mixture) as usize);
        self.count(counts);
        let Some(layer) = (header[0] as usize).checked_sub(1) else { return Ok(None) };
        let chosen = header[1..].chunks(self.mixture.used as usize).take(rows as usize);
        let (wanted, rows) = within(chosen, self.slots() as usize);
        let missing = self.slots.borrow()[layer].missing(&wanted);
        let before = self.used.get();
        self.used.set(ExpertUse { misses: before.misses + missing.len() as u64, ..before });
        self.load(layer, &missing, &wanted).await?;
        let used = self.used.get();
        self.used.set(ExpertUse { missed_bytes: used.missed_bytes + used.bytes - before.bytes, ..used });
        self.begin_step();
        Ok(Some(Missed { layer, rows }))
    }

    /// Encodes the copy that [`Self::chosen`] reads, for a chunk of so many rows.
    pub fn encode_choices(&self, encoder: &mut wgpu::CommandEncoder, rows: u32) {
        self.read_choices.encode(encoder, &self.choices, 0, self.choice_bytes(rows));
    }

    /// Returns the experts of layer `layer` that rows of a chunk chose, in passes: as many at a time as there are slots, first
    /// those that are there.
    ///
    /// # Errors
    /// When the device was lost.
    pub async fn chosen(&self, layer: usize, rows: u32) -> Result<Vec<Vec<u32>>, ExpertError> {
        let bytes = self.read_choices.read(&self.gpu, self.choice_bytes(rows)).await?;
        let choices: Vec<Choice> = bytemuck::pod_collect_to_vec(&bytes);
        let mut uses = vec![0; self.mixture.experts as usize];
        for choice in choices {
            if let Some(uses) = uses.get_mut(choice.expert as usize) {
                *uses += 1;
            }
        }
        let mut slots = self.slots.borrow_mut();
        slots[layer].policy.count(rows, uses.iter().copied());
        let mut wanted: Vec<u32> = (0..self.mixture.experts).filter(|&e| uses[e as usize] > 0).collect();
        wanted.sort_by_key(|&expert| !slots[layer].holds(expert));
        Ok(wanted.chunks(slots[layer].len().max(1)).map(<[u32]>::to_vec).collect())
    }

    /// Loads the experts of a pass, and lets the products find these alone.
    ///
    /// # Errors
    /// [`ExpertError`] when an expert cannot be read or uploaded.
    pub async fn begin_pass(&self, layer: usize, experts: &[u32], chunk: Chunk) -> Result<(), ExpertError> {
        let missing = self.slots.borrow()[layer].missing(experts);
        let (before, loaded) = (self.used.get(), missing.len() as u64);
        self.used.set(match chunk {
            Chunk::Prompt => ExpertUse { for_prompts: before.for_prompts + loaded, ..before },
            Chunk::Canvas => ExpertUse {
                uses: before.uses + experts.len() as u64,
                misses: before.misses + loaded,
                ..before
            },
        });
        self.load(layer, &missing, experts).await?;
        if chunk == Chunk::Canvas {
            let used = self.used.get();
            self.used.set(ExpertUse { missed_bytes: used.missed_bytes + used.bytes - before.bytes, ..used });
        }
        // As if no other expert were there.
        let mut table = vec![locate::NONE; self.mixture.experts as usize];
        let slots = self.slots.borrow();
        experts.iter().for_each(|&e| table[e as usize] = slots[layer].table()[e as usize]);
        self.table.write_for_now(layer * table.len(), &table);
        Ok(())
    }

    fn record_bytes(&self) -> u64 {
        4 * (u64::from(locate::record_header(self.mixture)) + self.counted.borrow().len() as u64)
    }

    fn choice_bytes(&self, rows: u32) -> u64 {
        u64::from(rows * self.mixture.used) * size_of::<Choice>() as u64
    }

    /// Takes the numbers of uses into account.
    fn count(&self, counts: &[u32]) {
        let (experts, used) = (self.mixture.experts as usize, self.mixture.used);
        let (mut slots, mut counted) = (self.slots.borrow_mut(), self.counted.borrow_mut());
        let mut total = 0;
        let layers = counts.chunks_exact(experts).zip(counted.chunks_exact_mut(experts));
        for (slots, (now, before)) in slots.iter_mut().zip(layers) {
            let new: Vec<u32> =
                now.iter().zip(&*before).map(|(now, before)| now.wrapping_sub(*before)).collect();
            let uses = new.iter().sum::<u32>();
            if uses > 0 {
                slots.policy.count(uses / used, new);
                total += u64::from(uses);
            }
            before.copy_from_slice(now);
        }
        self.used.set(ExpertUse { uses: self.used.get().uses + total, ..self.used.get() });
    }

    /// Loads experts into slots whose experts are not in `keep`.
    async fn load(&self, layer: usize, experts: &[u32], keep: &[u32]) -> Result<(), ExpertError> {
        let reads = experts
            .iter()
            .map(|&expert| async move { Ok::<_, ExpertError>((expert, self.read(layer, expert).await?)) });
        let mut reads = std::pin::pin!(iter(reads).buffered(AHEAD));
        let mut since_wait = 0;
        let mut last = Instant::now();
        while let Some((expert, bytes)) = reads.try_next().await? {
            self.put(layer, expert, &bytes, keep)?;
            since_wait += 1;
            if since_wait == EXPERTS_PER_WAIT {
                since_wait = 0;
                self.gpu.drained().await?;
            }
            let (used, now) = (self.used.get(), Instant::now());
            self.used.set(ExpertUse { loading: used.loading + now.duration_since(last), ..used });
            last = now;
        }
        Ok(())
    }

    /// Returns the bytes of an expert, matrix by matrix.
    async fn read(&self, layer: usize, expert: u32) -> Result<Vec<Bytes>, ExpertError> {
        let mut all = Vec::new();
        for matrix in &self.layers[layer] {
            let start = matrix.start + u64::from(expert) * matrix.bytes;
            let range: Range<u64> = start..start + matrix.bytes;
            let failed = |source| ExpertError::Source { layer, expert, source };
            all.push(self.source.read(range).await.map_err(failed)?);
        }
        Ok(all)
    }

    /// Puts an expert into a slot. Nothing is awaited: slots and device agree at all times.
    fn put(&self, layer: usize, expert: u32, bytes: &[Bytes], keep: &[u32]) -> Result<(), ExpertError> {
        let Some(slot) = self.slots.borrow_mut()[layer].place(expert, keep) else { return Ok(()) };
        let mut encoder = self.gpu.encoder();
        for ((matrix, bytes), [staging, params]) in self.layers[layer].iter().zip(bytes).zip(&self.staging) {
            let part = matrix.parts.iter().rfind(|(part, _)| part.first <= slot);
            let Some((part, program)) = part else { continue };
            self.gpu.upload(bytes, staging, 0)?;
            self.gpu.queue().write_buffer(params, 0, bytemuck::bytes_of(&part.params(slot)?));
            program.encode(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()), 1);
            let used = self.used.get();
            self.used.set(ExpertUse { bytes: used.bytes + matrix.bytes, ..used });
        }
        self.gpu.submit(encoder);
        let changed = self.slots.borrow_mut()[layer].insert(expert, slot);
        self.table.change(changed.map(|expert| layer * self.mixture.experts as usize + expert as usize));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_rows_go_on_as_have_slots_for_their_experts() {
        let rows = [[4_u32, 1], [1, 4], [4, 2], [7, 1]];
        let of = |slots| within(rows.iter().map(<[u32; 2]>::as_slice), slots);
        assert_eq!(of(2), (vec![4, 1], 2));
        assert_eq!(of(3), (vec![4, 1, 2], 3));
        assert_eq!(of(4), (vec![4, 1, 2, 7], 4));
    }
}
