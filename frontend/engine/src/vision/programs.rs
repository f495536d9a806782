//! The stages of a vision tower, bound to buffers.

use std::sync::Arc;

use shaders::vision::heads;

use super::config::{Kind, TowerConfig};
use super::stages::{Condition, StageInfo, StagePlans, THETA, WHOLE_ATTENTION};
use crate::gpu::{Buffer, Gpu, GpuError, Memory, Program};
use crate::plan::Value;

/// A bound stage.
pub struct Stage {
    program: Program,
    info: StageInfo,
}

impl Stage {
    /// Its dispatches.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Returns whether it is the last stage of a layer.
    pub fn ends_layer(&self) -> bool {
        self.info.ends_layer
    }

    /// Submits the stage, if the image needs it.
    pub fn run(&self, gpu: &Gpu, patches: u32, tokens: u32) {
        let StageInfo { condition, pooled, .. } = self.info;
        let long = patches > WHOLE_ATTENTION;
        if condition == Condition::Always || (condition == Condition::Long) == long {
            gpu.run(&self.program, if pooled { tokens } else { patches });
        }
    }
}

/// The stages, bound to buffers.
pub struct Stages {
    /// Maximum number of patch rows.
    pub rows: u32,
    /// The patch grid of the image.
    pub patch_grid: Arc<Buffer>,
    /// `State` whose length is the number of patches.
    pub state: Arc<Buffer>,
    /// `State` whose length is the number of soft tokens.
    pub pooled_state: Arc<Buffer>,
    /// RGB bytes.
    pub pixels: Arc<Buffer>,
    /// For each patch, one past the last patch that it attends to; `None` if no stage reads it.
    pub until: Option<Arc<Buffer>>,
    /// Soft tokens of the image.
    pub out: Arc<Buffer>,
    /// The stages in order.
    pub stages: Vec<Stage>,
    /// All buffers, including weights.
    memory: Memory,
}

impl Stages {
    /// Bytes on the device, including the weights of the tower.
    pub fn bytes_in_use(&self) -> u64 {
        // The stages share one parameter buffer.
        self.memory.bytes() + self.stages.first().map_or(0, |stage| stage.program.params_bytes())
    }

    /// Allocates the working memory of the plans and binds them; `weights` has the buffers of the tower's weights.
    ///
    /// # Errors
    /// When the device is out of memory or rejects a kernel.
    pub async fn bind(
        gpu: &Gpu,
        plan: &StagePlans,
        weights: &Memory,
        config: &TowerConfig,
    ) -> Result<Self, GpuError> {
        let values = &plan.values;
        let mut memory = weights.clone();
        gpu.allocate_layout("the memory to look at a picture", &plan.layout(), &mut memory).await?;
        if let Kind::Encoder(e) = config.kind {
            let rotations = heads::table(THETA, e.head_dim, config.positions);
            let rope = memory.get(&values.rope)?;
            gpu.queue().write_buffer(rope, 0, bytemuck::cast_slice(&rotations));
        }
        let programs = gpu.bind_all(&plan.plans().collect::<Vec<_>>(), &memory).await?;
        let infos = plan.stages.iter().map(|(_, info)| *info);
        let stages = programs.into_iter().zip(infos).map(|(program, info)| Stage { program, info }).collect();
        let get = |value: &Value| memory.get(value).cloned();
        Ok(Self {
            rows: plan.rows,
            patch_grid: get(&values.patch_grid)?,
            state: get(&values.state)?,
            pooled_state: get(&values.pooled_state)?,
            pixels: get(&values.pixels)?,
            until: get(&values.until).ok(),
            out: get(&values.out)?,
            stages,
            memory,
        })
    }
}
