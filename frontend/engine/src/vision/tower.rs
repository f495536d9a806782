//! The tower on the device: pixels in, soft tokens out.

use std::ops::Range;
use std::rc::Rc;

use shaders::state::State;
use shaders::vision::PatchGrid;

use super::config::{Kind, TowerConfig};
use super::room::{Room, RoomPlan};
use super::{Budget, Picture, PictureError, Pixels, VisionError, image_tokens, tensors};
use crate::bytes::{ByteSource, CancelToken};
use crate::gguf::Header;
use crate::gpu::{Gpu, GpuError, Memory};
use crate::media::{ContentHash, Media, Medium, SoftTokens};
use crate::plan::{Limits, Plan};
use crate::weights::{self, TensorList, Weights};

/// What a tower is and what it costs, from a header.
#[derive(Clone, Debug)]
pub struct TowerPlan {
    /// Its configuration.
    pub config: TowerConfig,
    tensors: TensorList,
}

impl TowerPlan {
    /// Reads the plan of the tower in a file, if there is one.
    ///
    /// # Errors
    /// When the file contradicts itself, or the tower belongs to a model of another width.
    pub fn read(header: &Header, model_width: u32) -> Result<Option<Self>, VisionError> {
        let Some(config) = TowerConfig::read(header, model_width)? else { return Ok(None) };
        let tensors = tensors::find(header, &config)?;
        weights::check_layouts(&tensors)?;
        Ok(Some(Self { config, tensors }))
    }

    /// Where in the file its weights lie.
    #[must_use]
    pub fn ranges(&self) -> Vec<Range<u64>> {
        weights::ranges(&self.tensors)
    }

    /// What is done with a picture of the usual budget, described without a device. Bounds of its linears are in the
    /// file's data, not in its header: none are assumed.
    ///
    /// # Errors
    /// When a matrix has no layout on such a device.
    pub fn computation(&self, limits: Limits) -> Result<Plan, VisionError> {
        let (_, room) = self.describe(Budget::default(), limits)?;
        let mut plan = Plan::default();
        room.plans().for_each(|part| plan.extend(part));
        Ok(plan)
    }

    fn describe(&self, budget: Budget, limits: Limits) -> Result<(Weights, RoomPlan), VisionError> {
        let weights = Weights::describe(&self.tensors, &[], limits)?;
        let rows = self.config.rows(budget);
        let room = RoomPlan::new(&weights, &self.config, rows).map_err(GpuError::from)?;
        Ok((weights, room))
    }

    /// Bytes on the device while pictures of this budget are encoded: weights and working memory.
    ///
    /// # Errors
    /// As [`Self::computation`].
    pub fn bytes(&self, budget: Budget, limits: Limits) -> Result<u64, VisionError> {
        let (weights, room) = self.describe(budget, limits)?;
        Ok(room.bytes(&weights, limits))
    }
}

/// What encoding is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Copying the tower's weights: bytes done, bytes in all.
    Weights(u64, u64),
    /// Looking at the picture: layers done, layers in all.
    Layers(u32, u32),
}

/// A model's eyes: where its tower is, and the tower once it is loaded.
pub struct Vision {
    gpu: Rc<Gpu>,
    source: Rc<dyn ByteSource>,
    plan: TowerPlan,
    tower: Option<Tower>,
}

struct Tower {
    weights: Weights,
    memory: Memory,
    room: Option<Room>,
}

/// The medium that a picture file is with a budget, from its header alone.
///
/// # Errors
/// As [`Picture::decode`].
pub fn medium(file: &[u8], budget: Budget) -> Result<Medium, PictureError> {
    let head = super::Head::read(file)?;
    let tokens = image_tokens(head.width, head.height, budget)?;
    Ok(Medium { media: Media::Image, content: ContentHash::of(file, &[budget.tokens()]), tokens })
}

impl Vision {
    /// The tower of `plan`, whose weights are in `source`. Nothing is loaded yet.
    #[must_use]
    pub fn new(gpu: Rc<Gpu>, source: Rc<dyn ByteSource>, plan: TowerPlan) -> Self {
        Self { gpu, source, plan, tower: None }
    }

    /// What the tower is and costs.
    #[must_use]
    pub fn plan(&self) -> &TowerPlan {
        &self.plan
    }

    /// Whether its weights are on the device.
    #[must_use]
    pub fn is_loaded(&self) -> bool {
        self.tower.is_some()
    }

    /// Bytes that it has on the device.
    #[must_use]
    pub fn bytes_in_use(&self) -> u64 {
        let bytes = |tower: &Tower| tower.room.as_ref().map_or(tower.memory.bytes(), Room::bytes_in_use);
        self.tower.as_ref().map_or(0, bytes)
    }

    /// The dispatches of the tower for pictures of the largest size that was seen; none before the first picture.
    #[must_use]
    pub fn plan_of_pictures(&self) -> Plan {
        let mut all = Plan::default();
        let room = self.tower.as_ref().and_then(|tower| tower.room.as_ref());
        room.iter().flat_map(|room| &room.stages).for_each(|stage| all.extend(stage.program().plan()));
        all
    }

    /// Gives its memory back. The next picture loads it again.
    pub fn unload(&mut self) {
        self.tower = None;
    }

    /// Soft tokens of a picture file; the tower is loaded first if it is not.
    ///
    /// # Errors
    /// When the file is no picture, when the tower cannot be loaded or run, or when `cancel` was cancelled.
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

    /// Soft tokens of pixels that [`Picture::resized`] gave.
    ///
    /// # Errors
    /// As [`Self::soft_tokens`].
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
        self.make_room(grid.patches()).await?;
        let room = self.tower.as_ref().and_then(|tower| tower.room.as_ref());
        let room = room.ok_or_else(|| GpuError::Fault { reason: "there is no room".into() })?;
        let layers = room.stages.iter().filter(|stage| stage.ends_layer()).count() as u32;
        let tokens = size.tokens();
        self.write(room, pixels, grid, tokens);
        let mut done = 0;
        progress(Encoding::Layers(done, layers));
        for stage in &room.stages {
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
        encoder.copy_buffer_to_buffer(&room.out, 0, &rows, 0, bytes);
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
            let mut weights = Weights::describe(tensors, &[], self.gpu.plan_limits())?;
            let memory =
                weights::load(&self.gpu, &self.source, tensors, &mut weights, cancel, &mut told).await?;
            self.tower = Some(Tower { weights, memory, room: None });
        }
        Ok(())
    }

    /// Room for so many rows: what there is, or a new one for the smallest budget that holds them.
    async fn make_room(&mut self, rows: u32) -> Result<(), GpuError> {
        let Some(tower) = &mut self.tower else { return Ok(()) };
        if tower.room.as_ref().is_none_or(|room| room.rows < rows) {
            // The old one's memory is for the new one.
            tower.room = None;
            let config = &self.plan.config;
            let fits = Budget::ALL.into_iter().map(|budget| config.rows(budget)).find(|&most| most >= rows);
            let plan = RoomPlan::new(&tower.weights, config, fits.unwrap_or(rows))?;
            self.gpu.compile_ahead(plan.plans()).await;
            tower.room = Some(Room::bind(&self.gpu, &plan, &tower.memory, config).await?);
        }
        Ok(())
    }

    fn write(&self, room: &Room, pixels: &Pixels, grid: PatchGrid, tokens: u32) {
        let queue = self.gpu.queue();
        let state = |len: u32| State { len, ..State::default() };
        let patches = grid.patches();
        queue.write_buffer(&room.picture, 0, bytemuck::bytes_of(&grid));
        queue.write_buffer(&room.state, 0, bytemuck::bytes_of(&state(patches)));
        queue.write_buffer(&room.pooled_state, 0, bytemuck::bytes_of(&state(tokens)));
        if let Some(until) = &room.until {
            queue.write_buffer(until, 0, bytemuck::cast_slice(&vec![patches; patches as usize]));
        }
        // Sides are multiples of 48 pixels: the bytes are whole words.
        queue.write_buffer(&room.pixels, 0, &pixels.rgb);
    }
}
