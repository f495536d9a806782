//! The lists of dispatches that run layers.

use super::corrections::Corrections;
use super::{Parts, decode, embed, prefill};
use crate::gpu::{Gpu, GpuError, Steps};

/// The lists that run layers: as they are, or with the corrections of adapters.
pub struct Lists {
    /// One token: embedding, all layers, head.
    pub one: Steps,
    /// Embeddings of a chunk. Soft tokens take their places before the next list runs.
    pub embed: Steps,
    /// A chunk behind its embeddings: the layers that have keys of their own.
    pub chunk: Steps,
    /// The same through all layers; built when logits of every row are asked for.
    pub whole_chunk: Option<Steps>,
    /// The layers without keys of their own for one row of a chunk, then the head.
    pub tail: Steps,
}

impl Lists {
    /// `layers_of_one` is what [`decode::build`] makes of all layers. `progress` gets the lists done, of three.
    ///
    /// # Errors
    /// When the device refuses a kernel.
    pub async fn new(
        gpu: &Gpu,
        parts: &Parts,
        corrections: Option<&Corrections>,
        layers_of_one: Steps,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Self, GpuError> {
        let first_shared = parts.config.first_shared;
        let embed = embed::tokens(gpu, parts).await?;
        let mut one = embed.clone();
        one.extend(&gpu.validating(embed::per_layer(gpu, parts, true)).await?);
        one.extend(&layers_of_one);
        progress(1);
        let mut chunk = gpu.validating(embed::per_layer(gpu, parts, false)).await?;
        chunk.extend(&gpu.validating(prefill::build(gpu, parts, corrections, first_shared)).await?);
        progress(2);
        let tail = gpu.validating(decode::build(gpu, parts, corrections, first_shared)).await?;
        progress(3);
        Ok(Self { one, embed, chunk, whole_chunk: None, tail })
    }

    /// Builds the list that runs a chunk through all layers, where it is not there yet.
    ///
    /// # Errors
    /// When the device refuses a kernel.
    pub async fn whole_chunk(
        &mut self,
        gpu: &Gpu,
        parts: &Parts,
        corrections: Option<&Corrections>,
    ) -> Result<(), GpuError> {
        if self.whole_chunk.is_none() {
            let mut steps = embed::per_layer(gpu, parts, false).await?;
            let layers = parts.config.layers.len();
            steps.extend(&gpu.validating(prefill::build(gpu, parts, corrections, layers)).await?);
            self.whole_chunk = Some(steps);
        }
        Ok(())
    }
}
