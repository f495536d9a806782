//! The training loop, one step at a time. It never blocks, and a failed or cancelled step is discarded.

use std::iter;
use std::ops::Range;
use std::rc::Rc;

use shaders::backward::attention::Span;
use shaders::backward::cross_entropy::Stat;
use shaders::state::State;
use shaders::train::optimiser::{AdamW, PARTIAL_SUMS};
use shaders::train::rows::NONE;
use web_time::Instant;

use super::factors::{self, LayerFactors};
use super::lists::{ATTENTIONS, Computation, Lists};
use super::working::{SPANS_AT, Working};
use super::{Base, Example, MemoryPlan, Setting, Settings, SoftTokenStore, StepReport, TrainError};
use crate::adapter::Adapter;
use crate::bytes::CancelToken;
use crate::gpu::{Gpu, GpuError, Memory, PacedQueue, Program, Rows};
use crate::model::Rope;
use crate::plan::{Plan, Value};
use crate::split_mix::mix;

/// A training run.
pub struct Trainer {
    pub(super) gpu: Rc<Gpu>,
    base: Base,
    pub(super) settings: Settings,
    plan: MemoryPlan,
    work: Working,
    pub(super) memory: Memory,
    /// By layer; `None` if nothing is trained.
    pub(super) factors: Vec<Option<LayerFactors>>,
    lists: Lists,
    optimiser: Value,
    queue: PacedQueue,
    /// The soft tokens of examples; `None` if all are text.
    soft_tokens: Option<Rc<dyn SoftTokenStore>>,
    /// Number of steps so far.
    pub(super) step: u32,
}

impl Trainer {
    /// Returns the memory of a training in addition to the weights.
    ///
    /// # Errors
    /// [`TrainError::Setting`], [`TrainError::NoTarget`] or [`TrainError::NotYet`].
    pub fn plan(base: &Base, settings: &Settings) -> Result<MemoryPlan, TrainError> {
        Self::check_settings(base, settings)?;
        Ok(Computation::new(base, settings)?.memory(base))
    }

    fn check_settings(base: &Base, settings: &Settings) -> Result<(), TrainError> {
        settings.check()?;
        if base.config.diffusion.is_some() {
            return Err(TrainError::NotYet { what: "a model that decodes by diffusion" });
        }
        if base.config.encoder.is_some() {
            return Err(TrainError::NotYet { what: "a model that makes embeddings" });
        }
        if base.weights.expert_slots.is_some() {
            return Err(TrainError::NotYet { what: "a mixture whose experts are not all on the device" });
        }
        if settings.max_tokens > base.config.max_context {
            return Err(TrainError::Setting {
                setting: Setting::MaxTokens,
                value: settings.max_tokens.to_string(),
            });
        }
        Ok(())
    }

    /// Returns the plan of a step with one example: forward, backward, optimiser; without a device.
    ///
    /// # Errors
    /// Same as [`Self::plan`].
    pub fn computation(base: &Base, settings: &Settings) -> Result<Plan, TrainError> {
        Self::check_settings(base, settings)?;
        let Computation { lists, .. } = Computation::new(base, settings)?;
        let mut plan = Plan::default();
        let [step, _, update] = lists.schedules();
        step.into_iter().chain(update).for_each(|part| plan.extend(part));
        Ok(plan)
    }

    /// Allocates buffers and compiles all kernels. `start` has initial factors; projections that it does not have
    /// start with random factors.
    ///
    /// # Errors
    /// Same as [`Self::plan`], and when the device is out of memory or rejects a kernel.
    pub async fn new(
        gpu: Rc<Gpu>,
        base: Base,
        settings: Settings,
        start: Option<&Adapter>,
    ) -> Result<Self, TrainError> {
        Self::check_settings(&base, &settings)?;
        let starts = factors::layouts(&base, &settings)?;
        let starts: Vec<_> =
            starts.iter().map(|layout| layout.start(&settings, start)).collect::<Result<_, _>>()?;
        let computation = Computation::new(&base, &settings)?;
        let (plan, layout) = (computation.memory(&base), computation.layout());
        let Computation { work, factors, ropes, optimiser, lists } = computation;
        gpu.compile_ahead(lists.plans()).await;
        let mut memory = base.memory.clone();
        gpu.allocate_layout("training", &layout, &mut memory).await?;
        for (factors, start) in factors.iter().zip(&starts) {
            if let Some(factors) = factors {
                gpu.queue().write_buffer(memory.get(&factors.theta)?, 0, bytemuck::cast_slice(start));
            }
        }
        for (attention, rope) in ATTENTIONS.into_iter().zip(&ropes) {
            if memory.holds(&rope.table) {
                let factors = base.weights.rope_factors.as_deref();
                let content = Rope::content(&base.config, attention, factors, settings.max_tokens);
                gpu.queue().write_buffer(memory.get(&rope.table)?, 0, bytemuck::cast_slice(&content));
            }
        }
        let lists = lists.bind(&gpu, &memory).await?;
        gpu.check()?;
        let queue = PacedQueue::new(gpu.idle_readback_ms().await?);
        Ok(Self {
            gpu,
            base,
            settings,
            plan,
            work,
            memory,
            factors,
            lists,
            optimiser,
            queue,
            soft_tokens: None,
            step: 0,
        })
    }

    /// Sets the source of soft tokens.
    pub fn set_soft_tokens(&mut self, store: Rc<dyn SoftTokenStore>) {
        self.soft_tokens = Some(store);
    }

    /// Returns the model.
    pub fn base(&self) -> &Base {
        &self.base
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Its memory in addition to the weights.
    pub fn memory(&self) -> MemoryPlan {
        self.plan
    }

    /// Returns the number of steps so far.
    pub fn steps_done(&self) -> u32 {
        self.step
    }

    /// One optimiser step over a batch, one example after the other.
    ///
    /// # Errors
    /// See [`TrainError`]. The step is discarded then: factors and moments are unchanged.
    pub async fn step(&mut self, batch: &[Example], cancel: &CancelToken) -> Result<StepReport, TrainError> {
        let started = Instant::now();
        let (loss, grad_norm) = self.gradients_of(batch, cancel).await?;
        if !loss.is_finite() || !grad_norm.is_finite() {
            return Err(TrainError::NotFinite { step: self.step + 1, loss, grad_norm });
        }
        let clip = self.settings.clip;
        let scale = if clip > 0.0 && grad_norm > clip { clip / (grad_norm + 1e-6) } else { 1.0 };
        let rate = self.settings.rate(self.step);
        let params = AdamW::new(self.step, rate, self.settings.weight_decay, scale);
        self.gpu.queue().write_buffer(self.memory.get(&self.optimiser)?, 0, bytemuck::bytes_of(&params));
        self.gpu.run(&self.lists.update, 1);
        self.gpu.drained().await?;
        self.step += 1;
        Ok(StepReport {
            step: self.step,
            loss,
            grad_norm,
            learning_rate: rate,
            tokens: batch.iter().map(|example| example.input.len() as u32).sum(),
            learned: batch.iter().map(|example| example.learned() as u32).sum(),
            milliseconds: started.elapsed().as_secs_f64() * 1000.0,
        })
    }

    /// Loss of a batch and the norm of its gradients, which remain in their buffers. Nothing is updated.
    ///
    /// # Errors
    /// See [`TrainError`].
    pub async fn gradients_of(
        &mut self,
        batch: &[Example],
        cancel: &CancelToken,
    ) -> Result<(f64, f64), TrainError> {
        let learned = self.check(batch)?;
        let mut encoder = self.gpu.encoder();
        for factors in self.factors.iter().flatten() {
            encoder.clear_buffer(self.memory.get(&factors.gradients)?, 0, None);
        }
        self.gpu.queue().submit([encoder.finish()]);
        let mut loss = 0.0;
        for (index, example) in batch.iter().enumerate().filter(|(_, example)| example.learned() > 0) {
            let seed = mix(self.settings.seed ^ mix(u64::from(self.step) << 32 | index as u64));
            loss += self.forward(example, learned, Some(seed), cancel).await?;
            self.backward(example, cancel).await?;
        }
        self.gpu.run(&self.lists.squares, 1);
        let count = self.factors.len() as u64 * u64::from(PARTIAL_SUMS);
        let sums = self.gpu.read_once(self.memory.get(&self.work.squares)?, 0, 4 * count).await?;
        let sums: Vec<f32> = bytemuck::pod_collect_to_vec(&sums);
        let squares: f64 = sums.iter().map(|&sum| f64::from(sum)).sum();
        Ok((loss / f64::from(learned), squares.sqrt()))
    }

    /// Mean loss of examples over their targets, without dropout.
    ///
    /// # Errors
    /// See [`TrainError`].
    pub async fn evaluate(&mut self, batch: &[Example], cancel: &CancelToken) -> Result<f64, TrainError> {
        let learned = self.check(batch)?;
        let mut loss = 0.0;
        for example in batch.iter().filter(|example| example.learned() > 0) {
            loss += self.forward(example, learned, None, cancel).await?;
        }
        Ok(loss / f64::from(learned))
    }

    /// Returns the current adapter.
    ///
    /// # Errors
    /// When the device was lost.
    pub async fn adapter(&self) -> Result<Adapter, TrainError> {
        self.collect(|factors| &factors.theta).await
    }

    /// Returns the gradients of the last step, before clipping, in the form of an adapter.
    ///
    /// # Errors
    /// When the device was lost.
    pub async fn gradients(&self) -> Result<Adapter, TrainError> {
        self.collect(|factors| &factors.gradients).await
    }

    async fn collect(&self, which: impl Fn(&LayerFactors) -> &Value) -> Result<Adapter, TrainError> {
        let mut adapter = Adapter::default().of(self.base.config.family);
        for factors in self.factors.iter().flatten() {
            let values = self.read(which(factors), factors.layout.count).await?;
            factors.layout.read(&self.settings, &values, &mut adapter)?;
        }
        Ok(adapter)
    }

    /// Returns the first `count` elements of a value.
    pub(super) async fn read(&self, value: &Value, count: u32) -> Result<Vec<f32>, GpuError> {
        let buffer = self.memory.get(value)?;
        Ok(bytemuck::pod_collect_to_vec(&self.gpu.read_once(buffer, 0, 4 * u64::from(count)).await?))
    }

    /// Checks every example, and counts the targets.
    fn check(&self, batch: &[Example]) -> Result<u32, TrainError> {
        if batch.is_empty() {
            return Err(TrainError::NoExamples);
        }
        let (vocabulary, most) = (self.base.vocabulary, self.settings.max_tokens);
        for (index, example) in batch.iter().enumerate() {
            let (ids, labels) = (example.input.len(), example.labels.len());
            if ids != labels {
                return Err(TrainError::Labels { index, ids, labels });
            }
            if ids > most as usize {
                return Err(TrainError::TooLong { index, tokens: ids, most });
            }
            let ids = example.ids().iter().map(|&id| i64::from(id));
            let mut all = ids.chain(example.labels.iter().map(|&label| i64::from(label)));
            if let Some(id) = all.find(|&id| id >= i64::from(vocabulary)) {
                return Err(TrainError::NoToken { index, id, vocabulary });
            }
            if let Some(at) = example.learned_slot() {
                return Err(TrainError::LearnedSlot { index, at });
            }
        }
        match batch.iter().map(Example::learned).sum::<usize>() {
            0 => Err(TrainError::AllMasked),
            learned => Ok(learned as u32),
        }
    }

    /// Runs an example forward, and returns the sum of its losses. `learned` is the number of targets of the batch,
    /// by which gradients are divided. Without a seed there is no dropout.
    async fn forward(
        &mut self,
        example: &Example,
        learned: u32,
        seed: Option<u64>,
        cancel: &CancelToken,
    ) -> Result<f64, TrainError> {
        let rows = example.input.len() as u32;
        // The row before a token predicts it.
        let picked: Vec<u32> =
            (1..rows).filter(|&t| example.labels[t as usize] >= 0).map(|t| t - 1).collect();
        let targets: Vec<u32> = picked.iter().map(|&t| example.labels[t as usize + 1] as u32).collect();
        let mut places = vec![NONE; rows as usize];
        for (index, &row) in (0u32..).zip(&picked) {
            places[row as usize] = index;
        }
        let weights = vec![1.0 / learned as f32; picked.len()];
        let count = picked.len() as u32;
        let seed_bits = seed.unwrap_or(0);
        let state = |len| State {
            len,
            seed_lo: seed_bits as u32,
            seed_hi: (seed_bits >> 32) as u32,
            ..State::default()
        };
        let work = &self.work;
        self.write(&work.state, 0, &[state(rows)])?;
        self.write(&work.head_state, 0, &[state(count)])?;
        self.write_spans(example)?;
        // Soft tokens have the per-layer inputs of the padding token.
        let mut ids = example.ids().to_vec();
        for block in example.blocks() {
            ids[block.range().start as usize..block.range().end as usize].fill(self.base.pad);
        }
        self.write(&work.tokens, 0, &ids)?;
        self.write(&work.picked, 0, &picked)?;
        self.write(&work.places, 0, &places)?;
        self.write(&work.targets, 0, &targets)?;
        self.write(&work.weights, 0, &weights)?;
        if let Some(table) = &self.base.table {
            // Write the rows before submitting the plan that reads them.
            let rows = async { Ok::<_, TrainError>(table.rows(&ids).await?) };
            let table = cancel.guard(rows).await?;
            self.write(&work.up, 0, &table)?;
        }
        let lists = &self.lists;
        self.run([&lists.embed], rows, cancel).await?;
        self.place_soft_tokens(example).await?;
        let forward = if seed.is_none() && !lists.plain.is_empty() { &lists.plain } else { &lists.forward };
        self.run(iter::once(&lists.per_layer).chain(forward), rows, cancel).await?;
        self.run([&lists.loss], count, cancel).await?;
        let stats = self.gpu.read_once(self.memory.get(&self.work.stats)?, 0, 16 * u64::from(count)).await?;
        let stats: Vec<Stat> = bytemuck::pod_collect_to_vec(&stats);
        Ok(stats.iter().map(Stat::loss).sum())
    }

    /// Runs programs for this many rows.
    async fn run(
        &self,
        programs: impl IntoIterator<Item = &Program>,
        rows: u32,
        cancel: &CancelToken,
    ) -> Result<(), TrainError> {
        let parts = programs.into_iter().map(Program::all);
        self.queue.run(&self.gpu, None, parts, Rows::at(0, rows), cancel).await
    }

    /// Writes the spans of images for bidirectional attention.
    fn write_spans(&self, example: &Example) -> Result<(), GpuError> {
        if !self.base.config.sees_pictures_whole() {
            return Ok(());
        }
        let rows = example.input.len() as u32;
        let mut spans: Vec<Span> = (0..rows).map(|t| Span { since: t, until: t + 1 }).collect();
        let mut until = vec![0; rows as usize];
        for block in example.blocks().iter().filter(|block| block.is_picture()) {
            let Range { start, end } = block.range();
            spans[start as usize..end as usize].fill(Span { since: start, until: end });
            until[start as usize..end as usize].fill(end);
        }
        self.write(&self.work.state, SPANS_AT, &spans)?;
        self.write(&self.work.visible_until, 0, &until)
    }

    fn write<T: bytemuck::NoUninit>(&self, value: &Value, at: u64, content: &[T]) -> Result<(), GpuError> {
        self.gpu.queue().write_buffer(self.memory.get(value)?, at, bytemuck::cast_slice(content));
        Ok(())
    }

    /// Writes the soft tokens of an example over the embeddings of their slots.
    async fn place_soft_tokens(&self, example: &Example) -> Result<(), TrainError> {
        let width = self.base.config.width;
        for block in example.blocks() {
            let medium = block.medium();
            let tokens = medium.tokens;
            let store = self.soft_tokens.as_ref().ok_or(TrainError::NotEncoded { tokens })?;
            let rows = store.rows(&medium).await?;
            if rows.len() as u64 != u64::from(tokens) * u64::from(width) {
                return Err(TrainError::SoftTokens { found: rows.len(), tokens, width });
            }
            let at = 4 * u64::from(block.range().start) * u64::from(width);
            self.write(&self.work.inputs[0], at, &rows)?;
        }
        Ok(())
    }

    /// Accumulates the gradients of the example of the last forward pass.
    async fn backward(&mut self, example: &Example, cancel: &CancelToken) -> Result<(), TrainError> {
        let mut encoder = self.gpu.encoder();
        for donor in self.work.donors.iter().flatten() {
            for gradient in [&donor.dk, &donor.dv] {
                // Without trained layers below, nothing reads it.
                if let Ok(buffer) = self.memory.get(gradient) {
                    encoder.clear_buffer(buffer, 0, None);
                }
            }
        }
        self.gpu.queue().submit([encoder.finish()]);
        let rows = example.input.len() as u32;
        let lists = &self.lists;
        self.run([&lists.loss_back], example.learned() as u32, cancel).await?;
        let layers = lists.forward.iter().zip(&lists.backward).rev().filter(|(_, back)| !back.is_empty());
        let layers = layers.flat_map(|(again, back)| [again, back]);
        self.run(iter::once(&lists.spread).chain(layers), rows, cancel).await
    }
}
