//! An audio tower on the device: its weights, its working buffers, and the plan that makes soft tokens of a
//! stretch of a clip.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use shaders::audio::{conv2d, unit_norm};
use shaders::selftest::Form;
use shaders::state::State;

use super::config::{Kind, TowerConfig};
use super::conformer::{self, Buffers, Stem};
use super::{AudioError, CLIP_SAMPLES, mel, tensors};
use crate::bytes::{ByteSource, CancelToken};
use crate::gguf::Header;
use crate::gpu::{Buffer, Gpu, GpuError, Memory, Program};
use crate::model::{TensorList, product};
use crate::plan::{Grid, Layout, Limits, Plan, PlanError, Value};
use crate::weights::{self, Weights};

/// Most tokens of a step: ten seconds. Enough rows for large tiles, and buffers of a moderate size.
pub const STEP_TOKENS: u32 = 256;
/// ε of every norm; files that say otherwise are wrong (specification §10.7).
pub const EPS: f32 = 1e-6;

/// What a tower is and what it costs, before a weight is read.
#[derive(Clone, Debug)]
pub struct TowerPlan {
    config: TowerConfig,
    tensors: TensorList,
    bytes: u64,
}

impl TowerPlan {
    /// Reads the plan of the tower in a file, if there is one: a model's own file, or its projector's. `width` is the
    /// model's.
    ///
    /// # Errors
    /// When the file contradicts itself, or the tower belongs to a model of another width.
    pub fn read(header: &Header, width: u32) -> Result<Option<Self>, AudioError> {
        let Some(config) = TowerConfig::read(header, width)? else { return Ok(None) };
        let tensors = tensors::find(header, &config)?;
        let bytes = weights::device_bytes(&tensors, &[])? + working_bytes(&config);
        Ok(Some(Self { config, tensors, bytes }))
    }

    /// What the file says.
    #[must_use]
    pub fn config(&self) -> &TowerConfig {
        &self.config
    }

    /// Where in the file its weights lie.
    #[must_use]
    pub fn ranges(&self) -> Vec<Range<u64>> {
        weights::ranges(&self.tensors)
    }

    /// What is done with a step of sound, described without a device. Bounds of its linears are in the file's data, not in
    /// its header: none are assumed.
    ///
    /// # Errors
    /// When a matrix has no layout on such a device.
    pub fn computation(&self, limits: Limits) -> Result<Plan, AudioError> {
        let weights = Weights::describe(&self.tensors, &[], limits)?;
        let state = Value::state("audio state", size_of::<State>() as u64);
        let [_, soft] = soft_bytes(&self.config);
        let soft = Value::state("soft tokens", soft);
        let plan = match &self.config.kind {
            Kind::Conformer(conformer) => {
                let buffers = Buffers::describe(conformer, &state);
                conformer::plan(conformer, &weights, &buffers, &soft).map(|(plan, _)| plan)
            }
            Kind::Raw { frame } => raw(*frame, &weights, &state, &soft).map(|(plan, _)| plan),
        };
        Ok(plan.map_err(GpuError::from)?)
    }

    /// Bytes of graphics memory while the tower is loaded.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Bytes of the soft tokens of the longest clip, and of a step.
fn soft_bytes(config: &TowerConfig) -> [u64; 2] {
    let row = 4 * u64::from(config.width);
    [u64::from(config.tokens(CLIP_SAMPLES)) * row, u64::from(STEP_TOKENS) * row]
}

fn working_bytes(config: &TowerConfig) -> u64 {
    let own = match &config.kind {
        Kind::Conformer(conformer) => Buffers::bytes(conformer),
        Kind::Raw { frame } => 2 * 4 * u64::from(STEP_TOKENS) * u64::from(*frame),
    };
    own + soft_bytes(config).iter().sum::<u64>()
}

/// What takes a step's input.
enum Front {
    /// Mel features; the first convolution is told where in the clip they are.
    Mel { rows: Arc<Buffer>, params: Box<conv2d::Params>, uniform: Arc<Buffer> },
    /// Samples.
    Raw { rows: Arc<Buffer> },
}

/// A loaded tower. It holds the past of one clip at a time, see [`super::Encoder`].
pub struct Tower {
    gpu: Rc<Gpu>,
    config: TowerConfig,
    front: Front,
    program: Program,
    state: Arc<Buffer>,
    /// Soft tokens of a step, and of the clip so far.
    soft: Arc<Buffer>,
    clip: Arc<Buffer>,
    /// Number of the encoder whose clip's past the rings hold, and of the last one that was made.
    held: Cell<u64>,
    encoders: Cell<u64>,
    /// Kept: a dropped buffer is destroyed.
    _memory: Memory,
}

impl Tower {
    /// Loads a tower from the file whose header gave the plan.
    ///
    /// # Errors
    /// When the file cannot be read, or the device refuses a buffer or a kernel. A cancelled token shows as
    /// [`crate::bytes::SourceError::Cancelled`].
    pub async fn load(
        gpu: Rc<Gpu>,
        source: &Rc<dyn ByteSource>,
        plan: TowerPlan,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(weights::Progress),
    ) -> Result<Self, AudioError> {
        let TowerPlan { config, tensors, .. } = plan;
        let mut weights = Weights::describe(&tensors, &[], gpu.plan_limits())?;
        let mut memory = weights::load(&gpu, source, &tensors, &mut weights, cancel, progress).await?;
        let label = "working memory of the audio tower";
        let state = Value::state("audio state", size_of::<State>() as u64);
        let [clip, soft] = soft_bytes(&config);
        let clip = Value::state("soft tokens of a clip", clip);
        let soft = Value::state("soft tokens", soft);
        let (front, program) = match &config.kind {
            Kind::Conformer(conformer) => {
                let buffers = Buffers::describe(conformer, &state);
                let (plan, stems) =
                    conformer::plan(conformer, &weights, &buffers, &soft).map_err(GpuError::from)?;
                let relatives =
                    conformer::relatives(conformer, &weights, &buffers).map_err(GpuError::from)?;
                gpu.compile_ahead([&plan]).await;
                relatives.compute(&gpu, conformer, &mut weights, &mut memory).await?;
                gpu.allocate_layout(label, &Layout::of(&[vec![&plan]]).with([&clip]), &mut memory).await?;
                for stem in &stems {
                    gpu.queue().write_buffer(memory.get(&stem.value)?, 0, bytemuck::bytes_of(&stem.params));
                }
                let [Stem { value, params }, _] = stems;
                let front = Front::Mel {
                    rows: Arc::clone(memory.get(&buffers.mel)?),
                    params: Box::new(params),
                    uniform: Arc::clone(memory.get(&value)?),
                };
                (front, gpu.bind(&plan, &memory).await?)
            }
            Kind::Raw { frame } => {
                let (plan, rows) = raw(*frame, &weights, &state, &soft).map_err(GpuError::from)?;
                gpu.allocate_layout(label, &Layout::of(&[vec![&plan]]).with([&clip]), &mut memory).await?;
                let front = Front::Raw { rows: Arc::clone(memory.get(&rows)?) };
                (front, gpu.bind(&plan, &memory).await?)
            }
        };
        let [state, clip, soft] =
            [memory.get(&state)?, memory.get(&clip)?, memory.get(&soft)?].map(Arc::clone);
        gpu.check()?;
        Ok(Self {
            gpu,
            config,
            front,
            program,
            state,
            soft,
            clip,
            held: Cell::new(0),
            encoders: Cell::new(0),
            _memory: memory,
        })
    }

    /// What the file says.
    #[must_use]
    pub fn config(&self) -> &TowerConfig {
        &self.config
    }

    /// Dispatches of a step.
    #[must_use]
    pub fn dispatches(&self) -> usize {
        self.program.len()
    }

    /// The dispatches of a step.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The device.
    #[must_use]
    pub fn gpu(&self) -> &Rc<Gpu> {
        &self.gpu
    }

    /// A number for a new encoder.
    pub(super) fn enrol(&self) -> u64 {
        self.encoders.set(self.encoders.get() + 1);
        self.encoders.get()
    }

    /// Takes the rings for an encoder's clip. False when they held another one's, which is then lost.
    pub(super) fn take(&self, encoder: u64) -> bool {
        self.held.replace(encoder) == encoder
    }

    /// Encodes tokens `first..first + count` of the clip from their frames: `frame(i)` are the features (or samples) of
    /// frame `i` of the clip, none for one that it does not have; it has `frames`.
    pub(super) fn step<'a>(
        &self,
        first: u32,
        count: u32,
        frames: usize,
        frame: impl Fn(i64) -> Option<&'a [f32]>,
    ) {
        let queue = self.gpu.queue();
        let (input, width, range) = match &self.front {
            Front::Mel { rows, params, uniform } => {
                // The second convolution looks one position of the first one back, that one a frame further.
                let begin = 4 * i64::from(first) - 3;
                let params = conv2d::Params {
                    first: 2 * first as i32 - 1,
                    end: frames.div_ceil(2) as i32,
                    ..**params
                };
                queue.write_buffer(uniform, 0, bytemuck::bytes_of(&params));
                (rows, mel::BINS, begin..begin + 4 * i64::from(count) + 3)
            }
            Front::Raw { rows } => {
                let Kind::Raw { frame } = self.config.kind else { return };
                (rows, frame as usize, first.into()..i64::from(first + count))
            }
        };
        let mut values = Vec::with_capacity(width * (range.end - range.start) as usize);
        for (row, i) in range.enumerate() {
            values.extend_from_slice(frame(i).unwrap_or_default());
            // A frame that is missing, or cut by the end of the clip.
            values.resize((row + 1) * width, 0.0);
        }
        queue.write_buffer(input, 0, bytemuck::cast_slice(&values));
        let state = State { pos: first, len: count, ..State::default() };
        queue.write_buffer(&self.state, 0, bytemuck::bytes_of(&state));

        let mut encoder = self.gpu.encoder();
        self.program.encode(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()), count);
        let bytes = |tokens: u32| 4 * u64::from(tokens) * u64::from(self.config.width);
        encoder.copy_buffer_to_buffer(&self.soft, 0, &self.clip, bytes(first), bytes(count));
        queue.submit([encoder.finish()]);
    }

    /// A copy of the first `tokens` soft tokens of the clip, to keep.
    pub(super) fn keep(&self, tokens: u32) -> Result<Arc<Buffer>, GpuError> {
        let bytes = 4 * u64::from(tokens) * u64::from(self.config.width);
        let kept = self.gpu.storage("soft tokens", bytes)?;
        let mut encoder = self.gpu.encoder();
        encoder.copy_buffer_to_buffer(&self.clip, 0, &kept, 0, bytes);
        self.gpu.queue().submit([encoder.finish()]);
        Ok(kept)
    }
}

/// The embedder of raw samples: norm, projection; and what takes the samples of a step.
fn raw(frame: u32, weights: &Weights, state: &Value, soft: &Value) -> Result<(Plan, Value), PlanError> {
    let bytes = 4 * u64::from(STEP_TOKENS) * u64::from(frame);
    let (rows, normed) = (Value::state("samples", bytes), Value::temporary("normed samples", bytes));
    let mut plan = Plan::default();
    let params = unit_norm::Params::new(frame, None, EPS);
    let operands = [state, &weights.vectors, &rows, &normed];
    plan.push(&unit_norm::source()?, &params, &operands, Grid::Rows(Rc::new(unit_norm::dispatch)))?;
    plan.tried_as(Form::UnitNorm);
    let matrix = conformer::matrix(weights, "projection")?;
    product::push(&mut plan, matrix, None, [state, &normed, soft])?;
    Ok((plan, rows))
}
