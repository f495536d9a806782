//! A loaded decoder: prompt tokens in, sampled tokens out.

mod adapters;
mod choose;
mod costs;
mod drafting;
mod gain;
mod logits;
mod masked;
mod pace;
mod plans;
mod programs;
mod prompt;
mod speculation;
mod steps;
mod token_source;
mod tuning;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use shaders::repack::Repack;
use shaders::sampling::Settings;
use shaders::state::State;

use adapters::AdapterPrograms;
use choose::{Chosen, choose};
use pace::Pace;
use programs::Programs;
use speculation::Rounds;

use super::drafter::Drafter;
use super::expert_cache::{ExpertCache, ExpertUse};
use super::host_table::HostTable;
use super::row_cache::RowCache;
use super::sampler::Sampler;
use super::sampling_plans::SamplingPlans;
use super::{Config, KvCache, Parts, StepError, Tuning, ropes, scratch};
use crate::bytes::LocalSource;
use crate::gpu::{Buffer, Gpu, GpuError, Memory, PacedQueue, Program};
use crate::plan::{Tested, Value};
use crate::weights::TensorList;

pub use costs::{Costs, DraftSource, TIMED_POSITIONS};
pub use drafting::{DraftReader, DraftStep};
pub use gain::Drafts;
use gain::Gain;
pub use logits::LogitsReader;
pub use masked::MaskedSource;
use masked::Masking;
pub use plans::{DecoderPlans, LogitsPlans, Plans};
pub use token_source::{Speculation, TokenSource};

/// Buffers that the host reads and writes between runs.
struct Io {
    state: Arc<Buffer>,
    tokens: Arc<Buffer>,
    visible_until: Option<Arc<Buffer>>,
    /// The residual stream of a chunk, and a buffer to move a row of it.
    stream: [Arc<Buffer>; 2],
    /// The same for the per-layer inputs.
    ple: Option<[Arc<Buffer>; 2]>,
    logits: Arc<Buffer>,
}

impl Io {
    fn new(parts: &Parts, memory: &Memory) -> Result<Self, GpuError> {
        let s = &parts.scratch;
        let get = |value: &Value| memory.get(value).cloned();
        let if_any = |value: &Value| if memory.holds(value) { get(value).map(Some) } else { Ok(None) };
        Ok(Self {
            state: get(&s.state)?,
            tokens: get(&s.tokens)?,
            visible_until: if_any(&s.visible_until)?,
            stream: [get(&s.h[0])?, get(&s.x)?],
            ple: if parts.config.ple > 0 { Some([get(&s.ple)?, get(&s.ple_projected)?]) } else { None },
            logits: get(&s.logits)?,
        })
    }
}

/// The decoder on the device.
pub struct Decoder {
    gpu: Rc<Gpu>,
    parts: Parts,
    memory: Memory,
    /// The weights.
    weights: Memory,
    io: Io,
    tuning: Tuning,
    plain: Programs,
    adapters: Option<AdapterPrograms>,
    /// Whether several tunings were compared by timing.
    timed: bool,
    sampling: Rc<SamplingPlans>,
    sampler: Sampler,
    /// The mask before it, if one was needed.
    masking: Option<Masking>,
    /// The drafter, if there is one.
    drafter: Option<Drafter>,
    /// The programs that draft and verify tokens, if they are bound.
    rounds: Option<Rounds>,
    /// Whether there was too little memory to bind them.
    lacks_memory_for_rounds: bool,
    /// Whether rounds are timed before they are used.
    times_rounds: bool,
    /// What tokens and rounds cost, and what drafts gained in the last answers.
    gain: Cell<Gain>,
    /// Submits chunks of prompts.
    prompt_queue: PacedQueue,
    /// Tokens per submit, and pending submits.
    pace: RefCell<Pace>,
    /// The per-layer table and the cache of its rows, if it is on the host.
    table: Option<(Rc<HostTable>, RowCache)>,
    /// The expert cache, if not all experts are on the device.
    experts: Option<ExpertCache>,
    /// The token whose per-layer embedding soft tokens use.
    pad: u32,
    seed: u64,
    /// Number of tokens before the next one.
    history: u32,
}

/// The input of [`Decoder::new`].
pub struct LoadedModel {
    /// The description of the model, whose weights are on the device.
    pub parts: Parts,
    /// The buffers of the weights.
    pub weights: Memory,
    /// The per-layer table, if it is on the host.
    pub table: Option<HostTable>,
    /// Where the experts are read if there are places for only some, and the tensors there.
    pub experts: Option<(Rc<dyn LocalSource>, TensorList)>,
    /// Context length in tokens.
    pub context: u32,
    /// The token whose per-layer embedding soft tokens use: `<pad>`.
    pub pad: u32,
    /// The tuning that is asked for; `None` to measure several.
    pub tuning: Option<Tuning>,
    /// Whether other forms are tried if the tuning is measured.
    pub tries_forms: bool,
}

/// What [`Decoder::new`] is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preparing {
    /// Timing which tuning is the fastest.
    Tuning,
    /// Binding programs: how many of [`Decoder::PROGRAMS`] are done.
    Programs(u64),
}

impl Decoder {
    /// Number of programs that [`Self::new`] binds.
    pub const PROGRAMS: u64 = Programs::COUNT + 1;

    /// Allocates cache and working memory, and compiles all kernels.
    ///
    /// # Errors
    /// When the device rejects a buffer or a kernel.
    pub async fn new(
        gpu: Rc<Gpu>,
        loaded: LoadedModel,
        progress: &mut dyn FnMut(Preparing),
    ) -> Result<Self, GpuError> {
        let LoadedModel { parts, weights, table, experts, context, pad, tuning, tries_forms } = loaded;
        let plans = DecoderPlans::new(&parts, tuning, None)?;
        let mut memory = weights.clone();
        let layout = plans.layout(&parts);
        gpu.allocate_layout("keys, values and working memory", &layout, &mut memory).await?;
        ropes::write(&gpu, &parts, &memory, context)?;

        progress(Preparing::Programs(0));
        let Chosen { tuning, programs, timed } =
            choose(&gpu, &parts, &plans, &memory, tries_forms, progress).await?;
        let sampler = Sampler::bind(&gpu, &plans.sampling, &memory).await?;
        let table = match table.map(Rc::new).zip(parts.scratch.row_cache.as_ref()) {
            Some((table, values)) => {
                let cache = RowCache::bind(&gpu, values, &memory, Rc::clone(&table)).await?;
                Some((table, cache))
            }
            None => None,
        };
        let experts = match experts {
            Some((source, tensors)) => ExpertCache::bind(&gpu, &parts, &memory, source, &tensors).await?,
            None => None,
        };
        let readback_ms = gpu.idle_readback_ms().await?;
        progress(Preparing::Programs(Self::PROGRAMS));
        gpu.check()?;
        let io = Io::new(&parts, &memory)?;
        let pace = Pace::new(readback_ms);
        let times_rounds = !parts.limits.software && !pace.is_late();
        Ok(Self {
            gpu,
            parts,
            memory,
            weights,
            io,
            tuning,
            plain: programs,
            adapters: None,
            timed,
            sampling: plans.sampling,
            sampler,
            masking: None,
            drafter: None,
            rounds: None,
            lacks_memory_for_rounds: false,
            times_rounds,
            gain: Cell::default(),
            prompt_queue: PacedQueue::new(readback_ms),
            pace: RefCell::new(pace),
            table,
            experts,
            pad,
            seed: 0,
            history: 0,
        })
    }

    /// Returns the active programs.
    fn programs(&self) -> &Programs {
        self.active().map_or(&self.plain, |adapters| &adapters.programs)
    }

    /// Returns the configuration.
    pub fn config(&self) -> &Config {
        &self.parts.config
    }

    /// Returns the parts of the plans.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Returns the buffers of its values.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Returns the buffers of its weights.
    pub fn weights(&self) -> &Memory {
        &self.weights
    }

    /// Returns the per-layer table, if it is on the host.
    pub fn table(&self) -> Option<&Rc<HostTable>> {
        self.table.as_ref().map(|(table, _)| table)
    }

    /// Fetches the rows of frequent tokens, if the per-layer table is on the host.
    ///
    /// # Errors
    /// When the device or the table fails.
    pub async fn warm_rows(&self) -> Result<(), StepError> {
        match &self.table {
            Some((_, rows)) => rows.warm().await,
            None => Ok(()),
        }
    }

    /// Returns the token whose per-layer embedding soft tokens use.
    pub fn pad(&self) -> u32 {
        self.pad
    }

    /// Vocabulary size.
    pub fn vocabulary(&self) -> u32 {
        self.parts.vocabulary
    }

    /// Returns the KV cache.
    pub fn kv(&self) -> &KvCache {
        &self.parts.kv
    }

    /// Returns the layers of a prefill chunk, for timing.
    pub fn chunk(&self) -> &Program {
        &self.programs().chunk
    }

    /// Returns the maximum number of tokens of a chunk.
    pub fn chunk_len(&self) -> u32 {
        scratch::chunk(&self.parts.config)
    }

    /// Returns the number of tokens of the text chunk at `position`: fewer than [`TEXT_CHUNK`](scratch::TEXT_CHUNK) on a device that is
    /// slow.
    pub fn paced_chunk_len(&self, position: u32) -> u32 {
        self.prompt_queue.rows(self.chunk().plan(), position, scratch::TEXT_CHUNK)
    }

    /// Sets the drafter, or removes it: drafts then come from a look-up. The KV cache remains valid, but a drafter
    /// drafts only behind tokens that were generated since.
    ///
    /// # Errors
    /// When the device is out of memory or rejects a kernel. The drafter before, if any, is kept then.
    pub async fn set_drafter(&mut self, drafter: Option<Drafter>) -> Result<(), GpuError> {
        let (tuning, timed) = (self.tuning, self.timed);
        let before = std::mem::replace(&mut self.drafter, drafter);
        self.parts.keeps_hidden = self.drafter.is_some();
        let set = self.set_tuning(tuning).await;
        if set.is_err() {
            self.drafter = before;
            self.parts.keeps_hidden = self.drafter.is_some();
        }
        self.timed = timed;
        set
    }

    /// Returns whether there is a drafter.
    pub fn has_drafter(&self) -> bool {
        self.drafter.is_some()
    }

    /// Measures again whether readbacks are late, where that is in doubt.
    pub async fn look_at_pace_again(&self) {
        if !self.pace.borrow().is_doubtful() {
            return;
        }
        // A lost device is handled by the next request.
        if let Ok(readback_ms) = self.gpu.one_idle_readback_ms().await {
            self.pace.borrow_mut().look_again(readback_ms);
        }
    }

    /// Returns the number of dispatches per generated token.
    pub fn dispatches_per_token(&self) -> usize {
        self.programs().one.len() + self.sampler.program().len()
    }

    /// Returns the dispatches of one generated token.
    pub fn token(&self) -> Program {
        let mut program = self.programs().one.clone();
        program.extend(self.sampler.program());
        program
    }

    /// Returns the kernels of this model and its active adapters that have a self-test, each text once: also those that ran only
    /// while these were loaded.
    pub fn tested(&self) -> Vec<Tested> {
        let cache = self.parts.scratch.row_cache.iter();
        let of_cache = cache.flat_map(|cache| Tested::new(Repack(cache.layout.dtype)));
        let ahead = self.active().into_iter().flat_map(|adapters| adapters.corrections.all_ahead());
        let of_adapters = ahead.flat_map(|ahead| ahead.plan.tested());
        let bound = self.all().flat_map(|program| program.plan().tested());
        Tested::distinct(self.parts.weights.tested().chain(of_cache).chain(of_adapters).chain(bound))
    }

    /// Returns the kernels of this model and its active adapters that have no self-test.
    pub fn untested(&self) -> BTreeSet<&str> {
        self.all().flat_map(|program| program.plan().untested()).collect()
    }

    /// Returns the programs of prefill, decode, all sampling variants, and rounds and the mask if they are bound.
    fn all(&self) -> impl Iterator<Item = &Program> {
        let lists = self.programs();
        let lists = [&lists.embed, &lists.one, &lists.chunk, &lists.tail];
        let rounds = self.rounds.iter().flat_map(Rounds::programs);
        let mask = self.masking.iter().map(Masking::program);
        lists.into_iter().chain(self.sampler.all()).chain(rounds).chain(mask)
    }

    /// Prepares the device for timing runs of [`Self::token`] at this position. The results are meaningless and
    /// overwrite the cache, which must be cleared afterwards.
    pub fn prepare_timing(&self, position: u32, rows: u32) {
        if let Some((_, rows)) = &self.table {
            rows.assume_resident();
        }
        if let Some(experts) = &self.experts {
            experts.assume_resident();
        }
        self.write_state(position, rows, 0);
    }

    /// Returns whether the per-layer table is on the host: then tokens wait for rows that are not in its cache.
    pub fn needs_host(&self) -> bool {
        self.table.is_some()
    }

    /// Experts per layer that have a place on the device, and how they were used; `None` if all are there.
    pub fn expert_use(&self) -> Option<(u32, ExpertUse)> {
        self.experts.as_ref().map(|experts| (experts.slots(), experts.used()))
    }

    /// Sets how the next tokens are sampled. `history` is the sequence so far.
    pub fn begin(&mut self, settings: Settings, seed: u64, history: &[u32]) {
        self.history = self.sampler.begin(&self.gpu, settings, history);
        self.seed = seed;
    }

    fn write_state(&self, pos: u32, len: u32, step: u32) {
        let state = State {
            pos,
            len,
            step,
            history_len: self.history,
            seed_lo: self.seed as u32,
            seed_hi: (self.seed >> 32) as u32,
            ..State::default()
        };
        self.gpu.queue().write_buffer(&self.io.state, 0, bytemuck::bytes_of(&state));
    }

    /// Sets the number of rows of the following steps.
    fn write_rows_of_step(&self, rows: u32) {
        let at = std::mem::offset_of!(State, len) as u64;
        self.gpu.queue().write_buffer(&self.io.state, at, bytemuck::bytes_of(&rows));
    }

    /// Returns whether the per-layer row of a token is on the device.
    fn has_row(&self, id: Option<u32>) -> bool {
        let missing = self.table.as_ref().zip(id).is_some_and(|((_, rows), id)| !rows.holds(id));
        !missing
    }

    /// Fetches the per-layer rows of these tokens, where they are missing.
    async fn fetch_rows(&self, ids: &[u32]) -> Result<(), StepError> {
        match &self.table {
            Some((_, rows)) => rows.fetch(ids).await,
            None => Ok(()),
        }
    }
}
