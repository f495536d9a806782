//! The programs that the plans of a training become.

use std::vec::IntoIter;

use super::lists::Lists;
use crate::gpu::{Gpu, GpuError, Memory, Program};
use crate::plan::Plan;

/// Programs in the order of [`Lists::plans`].
struct Bound(IntoIter<Program>);

impl Bound {
    fn one(&mut self) -> Program {
        self.0.next().unwrap_or_default()
    }

    fn of(&mut self, plans: &[Plan]) -> Vec<Program> {
        self.0.by_ref().take(plans.len()).collect()
    }
}

impl Lists<Plan> {
    /// Binds all plans to programs.
    pub async fn bind(&self, gpu: &Gpu, memory: &Memory) -> Result<Lists, GpuError> {
        let mut bound = Bound(gpu.bind_all(&self.plans(), memory).await?.into_iter());
        Ok(Lists {
            embed: bound.one(),
            per_layer: bound.one(),
            forward: bound.of(&self.forward),
            plain: bound.of(&self.plain),
            loss: bound.one(),
            loss_back: bound.one(),
            spread: bound.one(),
            backward: bound.of(&self.backward),
            squares: bound.one(),
            update: bound.one(),
        })
    }
}
