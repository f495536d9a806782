//! The programs that the plans of a training become.

use super::lists::Lists;
use super::pace::Segment;
use crate::gpu::{Gpu, GpuError, Memory};
use crate::plan::Plan;

impl Lists<Plan> {
    /// Binds all plans to programs.
    pub async fn bind(&self, gpu: &Gpu, memory: &Memory) -> Result<Lists, GpuError> {
        let mut programs = gpu.bind_all(&self.plans(), memory).await?.into_iter();
        let mut next = || programs.next().unwrap_or_default();
        let mut bound = |segments: &Vec<Segment<Plan>>| -> Vec<Segment> {
            segments.iter().map(|segment| Segment { steps: next(), cost: segment.cost }).collect()
        };
        Ok(Lists {
            embed: bound(&self.embed),
            per_layer: bound(&self.per_layer),
            forward: self.forward.iter().map(&mut bound).collect(),
            plain: self.plain.iter().map(&mut bound).collect(),
            loss: bound(&self.loss),
            loss_back: bound(&self.loss_back),
            spread: bound(&self.spread),
            backward: self.backward.iter().map(&mut bound).collect(),
            squares: next(),
            update: next(),
        })
    }
}
