//! The tower on the device: pixels in, soft tokens out.

use shaders::state::State;
use shaders::vision::PatchGrid;

use super::config::Kind;
use super::programs::Stages;
use super::stages::StagePlans;
use super::tower_plan::TowerPlan;
use super::{Budget, Picture, PictureError, Pixels, VisionError, image_tokens};
use crate::bytes::CancelToken;
use crate::gpu::{GpuError, Memory};
use crate::media::{ContentHash, Media, Medium, OnDemand, SoftTokens};
use crate::plan::{Plan, Tested};
use crate::weights::{self, Weights};

/// Progress of encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Copying the tower's weights: bytes done, total bytes.
    Weights(u64, u64),
    /// Running the layers: layers done, total layers.
    Layers(u32, u32),
}

/// The vision tower of a model, loaded on demand.
pub type Vision = OnDemand<TowerPlan, Tower>;

/// The tower on the device.
pub struct Tower {
    weights: Weights,
    memory: Memory,
    stages: Option<Stages>,
}

/// Returns the medium of an image file with a budget, from its header only.
///
/// # Errors
/// Same as [`Picture::decode`].
pub fn medium(file: &[u8], budget: Budget) -> Result<Medium, PictureError> {
    let head = super::Head::read(file)?;
    let tokens = image_tokens(head.width, head.height, budget)?;
    Ok(Medium { media: Media::Image, content: ContentHash::of(file, &[budget.tokens()]), tokens })
}

impl Vision {
    /// Bytes that it uses on the device.
    pub fn bytes_in_use(&self) -> u64 {
        let bytes = |tower: &Tower| tower.stages.as_ref().map_or(tower.memory.bytes(), Stages::bytes_in_use);
        self.tower.as_ref().map_or(0, bytes)
    }

    /// Returns the steps of the tower for the largest image so far; empty before the first image.
    pub fn plan_of_pictures(&self) -> Plan {
        let mut all = Plan::default();
        let stages = self.tower.as_ref().and_then(|tower| tower.stages.as_ref());
        stages.iter().flat_map(|stages| &stages.stages).for_each(|stage| all.extend(stage.program().plan()));
        all
    }

    /// Returns the kernels with a self-test, also those that ran only while it was loaded. Empty before the first image.
    pub fn tested(&self) -> impl Iterator<Item = Tested> {
        let run: Vec<_> = self.plan_of_pictures().tested().collect();
        self.tower.iter().flat_map(|tower| tower.weights.tested()).chain(run)
    }

    /// Returns the soft tokens of an image file. The tower is loaded on first use.
    ///
    /// # Errors
    /// When the file is not an image, when the tower cannot be loaded or run, or on cancellation.
    pub async fn soft_tokens(
        &mut self,
        file: &[u8],
        budget: Budget,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Encoding),
    ) -> Result<SoftTokens, VisionError> {
        let content = ContentHash::of(file, &[budget.tokens()]);
        let pixels = Picture::decode(file)?.resized(budget)?;
        self.encode(&pixels, content, cancel, progress).await
    }

    /// Returns the soft tokens of pixels from [`Picture::resized`].
    ///
    /// # Errors
    /// Same as [`Self::soft_tokens`].
    pub async fn encode(
        &mut self,
        pixels: &Pixels,
        content: ContentHash,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Encoding),
    ) -> Result<SoftTokens, VisionError> {
        let config = self.plan.config;
        let cells = match config.kind {
            Kind::Encoder(_) => 1,
            Kind::Direct(_) => 3,
        };
        let size = pixels.size;
        let grid =
            PatchGrid { columns: size.columns() / cells, rows: size.patches() / size.columns() / cells };
        let longest = grid.columns.max(grid.rows);
        if longest > config.positions {
            return Err(PictureError::Positions { patches: longest, most: config.positions }.into());
        }
        self.load(cancel, progress).await?;
        self.prepare(grid.patches()).await?;
        let stages = self.tower.as_ref().and_then(|tower| tower.stages.as_ref());
        let stages = stages.ok_or_else(|| GpuError::Fault { reason: "the stages are missing".into() })?;
        let layers = stages.stages.iter().filter(|stage| stage.ends_layer()).count() as u32;
        let tokens = size.tokens();
        self.write(stages, pixels, grid, tokens);
        let mut done = 0;
        progress(Encoding::Layers(done, layers));
        for stage in &stages.stages {
            stage.run(&self.gpu, grid.patches(), tokens);
            if stage.ends_layer() {
                self.gpu.drained().await?;
                cancel.check()?;
                done += 1;
                progress(Encoding::Layers(done, layers));
            }
        }
        let bytes = 4 * u64::from(tokens) * u64::from(config.model_width);
        let rows =
            self.gpu.allocating("soft tokens", bytes, || self.gpu.storage("soft tokens", bytes)).await?;
        let mut encoder = self.gpu.encoder();
        encoder.copy_buffer_to_buffer(&stages.out, 0, &rows, 0, bytes);
        self.gpu.submit(encoder);
        let medium = Medium { media: Media::Image, content, tokens };
        Ok(SoftTokens::new(medium, config.model_width, rows))
    }

    async fn load(
        &mut self,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Encoding),
    ) -> Result<(), VisionError> {
        if self.tower.is_none() {
            let mut told = |p: weights::Progress| progress(Encoding::Weights(p.done, p.total));
            let tensors = &self.plan.tensors;
            let mut weights = Weights::describe(tensors, self.gpu.plan_limits())?;
            let memory =
                weights::load(&self.gpu, &self.source, tensors, &mut weights, cancel, &mut told).await?;
            self.tower = Some(Tower { weights, memory, stages: None });
        }
        Ok(())
    }

    /// Prepares stages for `rows` rows: the current ones, or new ones for the smallest sufficient budget.
    async fn prepare(&mut self, rows: u32) -> Result<(), GpuError> {
        let Some(tower) = &mut self.tower else { return Ok(()) };
        if tower.stages.as_ref().is_none_or(|stages| stages.rows < rows) {
            // Frees the old stages first.
            tower.stages = None;
            let config = &self.plan.config;
            let fits = Budget::ALL.into_iter().map(|budget| config.rows(budget)).find(|&most| most >= rows);
            let plan = StagePlans::new(&tower.weights, config, fits.unwrap_or(rows))?;
            self.gpu.compile_ahead(plan.plans()).await;
            tower.stages = Some(Stages::bind(&self.gpu, &plan, &tower.memory, config).await?);
        }
        Ok(())
    }

    fn write(&self, stages: &Stages, pixels: &Pixels, grid: PatchGrid, tokens: u32) {
        let queue = self.gpu.queue();
        let state = |len: u32| State { len, ..State::default() };
        let patches = grid.patches();
        queue.write_buffer(&stages.patch_grid, 0, bytemuck::bytes_of(&grid));
        queue.write_buffer(&stages.state, 0, bytemuck::bytes_of(&state(patches)));
        queue.write_buffer(&stages.pooled_state, 0, bytemuck::bytes_of(&state(tokens)));
        if let Some(until) = &stages.until {
            queue.write_buffer(until, 0, bytemuck::cast_slice(&vec![patches; patches as usize]));
        }
        // Sides are multiples of 48 pixels, so the size is a whole number of words.
        queue.write_buffer(&stages.pixels, 0, &pixels.rgb);
    }
}
