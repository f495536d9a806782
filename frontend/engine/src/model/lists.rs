//! The plans of a decoder, and the programs that they become.

use super::corrections::Corrections;
use super::forms::Choices;
use super::{Parts, decode, embed, prefill};
use crate::gpu::{Gpu, GpuError, Memory, Program};
use crate::plan::{Plan, PlanError, Schedule};

/// What a decoder does but for sampling: as it is, or with the corrections of adapters.
pub struct Plans {
    /// One token: embedding, all layers, head.
    pub one: Plan,
    /// Embeddings of a chunk. Soft tokens take their places before the next plan runs.
    pub embed: Plan,
    /// A chunk behind its embeddings: the layers that have keys of their own.
    pub chunk: Plan,
    /// A chunk behind its embeddings, through all layers: where logits of every row are asked for.
    pub whole_chunk: Plan,
    /// The layers without keys of their own for one row of a chunk, then the head.
    pub tail: Plan,
    /// The head for one row of a chunk that went through all layers.
    pub head: Plan,
}

impl Plans {
    /// Describes them.
    ///
    /// # Errors
    /// [`PlanError`].
    pub fn new(
        parts: &Parts,
        choices: Choices,
        corrections: Option<&Corrections>,
    ) -> Result<Self, PlanError> {
        let (first_shared, layers) = (parts.config.first_shared, parts.config.layers.len());
        let embed = embed::tokens(parts)?;
        let mut one = embed.clone();
        one.extend(&embed::per_layer_of_one(parts, choices)?);
        one.extend(&decode::plan(parts, choices, corrections, 0)?);
        let chunk = |last| {
            let mut chunk = embed::per_layer(parts)?;
            chunk.extend(&prefill::plan(parts, corrections, last)?);
            Ok::<_, PlanError>(chunk)
        };
        Ok(Self {
            one,
            embed,
            chunk: chunk(first_shared)?,
            whole_chunk: chunk(layers)?,
            tail: decode::plan(parts, choices, corrections, first_shared)?,
            head: decode::plan(parts, choices, corrections, layers)?,
        })
    }

    /// All but the one that few sessions run.
    pub fn usual(&self) -> [&Plan; 5] {
        [&self.one, &self.embed, &self.chunk, &self.tail, &self.head]
    }

    /// What runs one after the other, with `sampling` behind each head.
    pub fn schedules<'p>(&'p self, sampling: impl Iterator<Item = &'p Plan>) -> Vec<Schedule<'p>> {
        let mut schedules: Vec<Schedule<'p>> =
            vec![vec![&self.embed, &self.chunk], vec![&self.embed, &self.whole_chunk], vec![&self.head]];
        for sampling in sampling {
            schedules.extend([&self.one, &self.tail].map(|plan| vec![plan, sampling]));
        }
        schedules
    }
}

/// The programs of [`Plans`].
pub struct Programs {
    /// See [`Plans::one`].
    pub one: Program,
    /// See [`Plans::embed`].
    pub embed: Program,
    /// See [`Plans::chunk`].
    pub chunk: Program,
    /// See [`Plans::whole_chunk`]; bound when it is first run.
    pub whole_chunk: Option<Program>,
    /// See [`Plans::tail`].
    pub tail: Program,
    /// See [`Plans::head`].
    pub head: Program,
}

impl Programs {
    /// Programs that [`Self::bind`] makes, in whose number its progress is told.
    pub const COUNT: u64 = 5;

    /// Binds the plans. `progress` gets the programs done.
    ///
    /// # Errors
    /// When the device refuses a kernel.
    pub async fn bind(
        gpu: &Gpu,
        plans: &Plans,
        memory: &Memory,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Self, GpuError> {
        let mut programs = Vec::with_capacity(Self::COUNT as usize);
        for plan in plans.usual() {
            programs.push(gpu.bind(plan, memory).await?);
            progress(programs.len() as u64);
        }
        let mut programs = programs.into_iter();
        let mut next = || programs.next().unwrap_or_default();
        Ok(Self { one: next(), embed: next(), chunk: next(), whole_chunk: None, tail: next(), head: next() })
    }
}
