//! The programs of a diffusion model, and what the host writes and reads between them.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use shaders::diffusion::{Pick, Row};
use shaders::state::State;

use super::DiffusionPlans;
use super::plans::Values;
use crate::bytes::CancelToken;
use crate::gpu::{Gpu, GpuError, Memory, PacedQueue, Program, Readback, Rows};
use crate::model::expert_cache::{Chunk, ExpertCache, ExpertSource, ExpertUse};
use crate::model::{Parts, StepError, chunk, ropes};
use crate::plan::{Tested, Value};

/// What a step makes of a canvas, position by position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Predicted {
    /// The likeliest ids.
    pub likeliest: Vec<u32>,
    /// Ids drawn by the probabilities.
    pub sampled: Vec<u32>,
    /// Entropies of the probabilities, in nats. One that is no finite number says that the logits were none.
    pub entropies: Vec<f32>,
}

/// A diffusion model on the device.
pub struct Diffuser {
    pub(super) gpu: Rc<Gpu>,
    pub(super) parts: Parts,
    pub(super) memory: Memory,
    pub(super) values: Values,
    encode: Program,
    canvas: Program,
    statistics: Program,
    weigh: Program,
    /// Submits prompts and canvases.
    queue: PacedQueue,
    rows: Readback,
    picks: Readback,
    /// The expert cache, if not all experts are on the device.
    experts: Option<ExpertCache>,
    /// The layers of the next step for this many rows, recorded while a step runs: the device would wait for it. None with an
    /// expert cache: the host loads experts in between.
    next: RefCell<Option<(u32, wgpu::CommandBuffer)>>,
}

impl Diffuser {
    /// Allocates cache and working memory beside loaded weights, for contexts of this length, and compiles every kernel.
    /// `experts` is where experts are read if there are places for only some, and the tensors there.
    ///
    /// # Errors
    /// When the device refuses a buffer or a kernel.
    pub async fn new(
        gpu: Rc<Gpu>,
        parts: Parts,
        weights: Memory,
        experts: Option<ExpertSource>,
        context: u32,
    ) -> Result<Self, GpuError> {
        let plans = DiffusionPlans::new(&parts)?;
        let mut memory = weights;
        let layout = plans.layout(&parts);
        gpu.allocate_layout("keys, values and working memory", &layout, &mut memory).await?;
        ropes::write(&gpu, &parts, &memory, context)?;
        let mut programs = gpu.bind_all(&plans.main(), &memory).await?.into_iter();
        let mut next = || programs.next().unwrap_or_default();
        let [encode, canvas, statistics, weigh] = [next(), next(), next(), next()];
        let experts = match experts {
            Some((source, tensors)) => ExpertCache::bind(&gpu, &parts, &memory, source, &tensors).await?,
            None => None,
        };
        gpu.check()?;
        let values = plans.values;
        let readback = |value: &Value| Ok::<_, GpuError>(Readback::new(Arc::clone(memory.get(value)?)));
        let [rows, picks] = [&values.readbacks[0], &values.readbacks[1]];
        let (rows, picks) = (readback(rows)?, readback(picks)?);
        let (queue, next) = (PacedQueue::new(gpu.idle_readback_ms().await?), RefCell::default());
        Ok(Self {
            gpu,
            parts,
            memory,
            values,
            encode,
            canvas,
            statistics,
            weigh,
            queue,
            rows,
            picks,
            experts,
            next,
        })
    }

    /// What the plans are made of.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Most positions of a canvas, and most tokens that are encoded at once.
    pub fn most_rows(&self) -> u32 {
        chunk(&self.parts.config)
    }

    /// Returns the kernels of this model with a self-test, each text once.
    pub fn tested(&self) -> Vec<Tested> {
        let programs = [&self.encode, &self.canvas, &self.statistics, &self.weigh];
        let bound = programs.into_iter().flat_map(|program| program.plan().tested());
        Tested::distinct(self.parts.weights.tested().chain(bound))
    }

    /// Returns the device it is on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Experts per layer that have a place on the device, and how they were used; `None` if all are there.
    pub fn expert_use(&self) -> Option<(u32, ExpertUse)> {
        self.experts.as_ref().map(|experts| (experts.slots(), experts.used()))
    }

    /// Maps every expert to the first slot, so that all are multiplied: for timing.
    pub fn assume_resident(&self) {
        if let Some(experts) = &self.experts {
            experts.assume_resident();
        }
    }

    /// What runs in a step of a canvas, one after the other.
    pub fn step_programs(&self) -> [&Program; 3] {
        [&self.canvas, &self.statistics, &self.weigh]
    }

    /// Appends final tokens, at most [`Self::most_rows`], from position `pos` on to the cache.
    ///
    /// # Errors
    /// When it is cancelled, the device was lost, or an expert cannot be read.
    pub async fn encode(&self, ids: &[u32], pos: u32, cancel: &CancelToken) -> Result<(), StepError> {
        self.write_rows(ids, pos, 0)?;
        let rows = Rows::at(pos, ids.len() as u32);
        self.run(&self.encode, rows, Chunk::Prompt, cancel).await
    }

    /// Runs the layers of a chunk.
    async fn run(
        &self,
        layers: &Program,
        rows: Rows,
        chunk: Chunk,
        cancel: &CancelToken,
    ) -> Result<(), StepError> {
        match &self.experts {
            Some(experts) => experts.run(&self.queue, None, layers, rows, chunk, cancel).await,
            None => self.queue.run(&self.gpu, None, [layers.all()], rows, cancel).await,
        }
    }

    /// Begins a block: its first step has no self-conditioning.
    ///
    /// # Errors
    /// A fault of this program.
    pub fn begin(&self) -> Result<(), GpuError> {
        let mut encoder = self.gpu.encoder();
        encoder.clear_buffer(self.memory.get(&self.values.soft)?, 0, None);
        self.gpu.submit(encoder);
        Ok(())
    }

    /// A step of a canvas behind the `pos` tokens of the cache, by as many `uniform` draws. The next step is
    /// conditioned on what this one predicts.
    ///
    /// # Errors
    /// When it is cancelled, the device was lost, or an expert cannot be read.
    pub async fn step(
        &self,
        canvas: &[u32],
        pos: u32,
        temperature: f32,
        uniform: &[f32],
        cancel: &CancelToken,
    ) -> Result<Predicted, StepError> {
        let len = canvas.len() as u32;
        self.write_rows(canvas, pos, pos + len)?;
        let write = |value: &Value, content: &[f32]| {
            let buffer = self.memory.get(value)?;
            self.gpu.queue().write_buffer(buffer, 0, bytemuck::cast_slice(content));
            Ok::<_, GpuError>(())
        };
        write(&self.values.temperature, &[temperature])?;
        write(&self.values.uniform, uniform)?;
        let (gpu, queue, rows) = (&self.gpu, &self.queue, Rows::at(pos, len));
        let work = self.canvas.plan().work(rows.count, rows.last);
        match self.next.take().filter(|(recorded, _)| *recorded == len) {
            Some((_, commands)) => queue.submit(gpu, commands, work).await?,
            None => self.run(&self.canvas, rows, Chunk::Canvas, cancel).await?,
        }
        let behind = [self.statistics.all(), self.weigh.all()];
        queue.run::<StepError>(gpu, None, behind, rows, cancel).await?;
        let [row_bytes, pick_bytes] =
            [size_of::<Row>(), size_of::<Pick>()].map(|bytes| u64::from(len) * bytes as u64);
        let rows = self.memory.get(&self.values.rows)?;
        self.rows.submit(&self.gpu, self.gpu.encoder(), rows, 0, row_bytes);
        let picks = self.memory.get(&self.values.picks)?;
        self.picks.submit(&self.gpu, self.gpu.encoder(), picks, 0, pick_bytes);
        if self.experts.is_none() && queue.fits_one_submit(work) {
            self.next.replace(Some((len, gpu.record(&self.canvas, len))));
        }
        let rows: Vec<Row> = bytemuck::pod_collect_to_vec(&self.rows.read(&self.gpu, row_bytes).await?);
        let picks: Vec<Pick> = bytemuck::pod_collect_to_vec(&self.picks.read(&self.gpu, pick_bytes).await?);
        Ok(Predicted {
            likeliest: rows.iter().map(|row| row.best).collect(),
            sampled: picks.iter().map(|pick| pick.id).collect(),
            entropies: rows.iter().map(Row::entropy).collect(),
        })
    }

    /// Writes what every program reads; rows see each other up to the position `until`.
    ///
    /// # Errors
    /// A fault of this program.
    pub fn write_rows(&self, ids: &[u32], pos: u32, until: u32) -> Result<(), GpuError> {
        let (s, queue) = (&self.parts.scratch, self.gpu.queue());
        let state = State { pos, len: ids.len() as u32, ..State::default() };
        queue.write_buffer(self.memory.get(&s.state)?, 0, bytemuck::bytes_of(&state));
        queue.write_buffer(self.memory.get(&s.tokens)?, 0, bytemuck::cast_slice(ids));
        let until = vec![until; ids.len()];
        queue.write_buffer(self.memory.get(&s.visible_until)?, 0, bytemuck::cast_slice(&until));
        Ok(())
    }
}
