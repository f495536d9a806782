//! The plans that run layers, and the programs that they become.

use super::corrections::Corrections;
use super::{Parts, decode, embed, prefill};
use crate::gpu::{Gpu, GpuError, Memory, Program};
use crate::plan::{Plan, PlanError};

/// Plans beside the layers of one token, which [`super::forms`] chooses a form for: as they are, or with the corrections of
/// adapters.
pub struct Plans {
    /// Embeddings, for any number of rows.
    pub embed: Plan,
    /// Per-layer inputs of one token.
    pub per_layer: Plan,
    /// A chunk behind its embeddings: the layers that have keys of their own.
    pub chunk: Plan,
    /// The layers without keys of their own for one row of a chunk, then the head.
    pub tail: Plan,
}

impl Plans {
    /// Describes them.
    ///
    /// # Errors
    /// [`PlanError`].
    pub fn new(parts: &Parts, corrections: Option<&Corrections>) -> Result<Self, PlanError> {
        let first_shared = parts.config.first_shared;
        let mut chunk = embed::per_layer(parts, false)?;
        chunk.extend(&prefill::plan(parts, corrections, first_shared)?);
        Ok(Self {
            embed: embed::tokens(parts)?,
            per_layer: embed::per_layer(parts, true)?,
            chunk,
            tail: decode::plan(parts, corrections, first_shared)?,
        })
    }

    /// All of them.
    pub fn all(&self) -> [&Plan; 4] {
        [&self.embed, &self.per_layer, &self.chunk, &self.tail]
    }
}

/// A chunk behind its embeddings, through all layers.
///
/// # Errors
/// [`PlanError`].
pub fn whole_chunk(parts: &Parts, corrections: Option<&Corrections>) -> Result<Plan, PlanError> {
    let mut plan = embed::per_layer(parts, false)?;
    plan.extend(&prefill::plan(parts, corrections, parts.config.layers.len())?);
    Ok(plan)
}

/// The programs of [`Plans`].
pub struct Lists {
    /// One token: embedding, all layers, head.
    pub one: Program,
    /// Embeddings of a chunk. Soft tokens take their places before the next one runs.
    pub embed: Program,
    /// See [`Plans::chunk`].
    pub chunk: Program,
    /// [`whole_chunk`]; bound when logits of every row are asked for.
    pub whole_chunk: Option<Program>,
    /// See [`Plans::tail`].
    pub tail: Program,
}

impl Lists {
    /// Binds the plans; `layers` are those of one token. `progress` gets the programs done, of three.
    ///
    /// # Errors
    /// When the device refuses a kernel.
    pub async fn bind(
        gpu: &Gpu,
        plans: &Plans,
        memory: &Memory,
        layers: &Program,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Self, GpuError> {
        let embed = gpu.bind(&plans.embed, memory).await?;
        let mut one = embed.clone();
        one.extend(&gpu.bind(&plans.per_layer, memory).await?);
        one.extend(layers);
        progress(1);
        let chunk = gpu.bind(&plans.chunk, memory).await?;
        progress(2);
        let tail = gpu.bind(&plans.tail, memory).await?;
        progress(3);
        Ok(Self { one, embed, chunk, whole_chunk: None, tail })
    }
}
