//! An audio tower on the device: weights, working buffers, and the plan that computes the soft tokens of a step.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use shaders::audio::{conv2d, unit_norm};
use shaders::selftest::Form;
use shaders::state::State;

use super::config::{EPS, Kind, STEP_TOKENS, TowerConfig};
use super::conformer::{self, Buffers, Relatives, Stem};
use super::{AudioError, CLIP_SAMPLES, mel, tensors};
use crate::bytes::{ByteSource, CancelToken};
use crate::gguf::Header;
use crate::gpu::{Buffer, Gpu, GpuError, Memory, Program};
use crate::model::product;
use crate::plan::{Layout, Limits, ParamsArena, Plan, PlanError, Value};
use crate::weights::{self, TensorList, Weights};

/// The configuration and the tensors of a tower, before loading.
#[derive(Clone, Debug)]
pub struct TowerPlan {
    config: TowerConfig,
    tensors: TensorList,
}

impl TowerPlan {
    /// Reads the tower of a file, if it has one. The file is a model or a projector; `width` is the model's.
    ///
    /// # Errors
    /// When the file is inconsistent, or the tower is for a model of another width.
    pub fn read(header: &Header, width: u32) -> Result<Option<Self>, AudioError> {
        let Some(config) = TowerConfig::read(header, width)? else { return Ok(None) };
        let tensors = tensors::find(header, &config)?;
        weights::check_layouts(&tensors)?;
        Ok(Some(Self { config, tensors }))
    }

    /// What the file says.
    #[must_use]
    pub fn config(&self) -> &TowerConfig {
        &self.config
    }

    /// Byte ranges of its weights in the file.
    #[must_use]
    pub fn ranges(&self) -> Vec<Range<u64>> {
        weights::ranges(&self.tensors)
    }

    /// The plan of a step, without a device. The bounds of its clipped linears are in the file's data, not in its
    /// header, so none are assumed.
    ///
    /// # Errors
    /// When a matrix has no layout on such a device.
    pub fn computation(&self, limits: Limits) -> Result<Plan, AudioError> {
        let weights = Weights::describe(&self.tensors, &[], limits)?;
        Ok(Description::new(&self.config, &weights).map_err(GpuError::from)?.plan)
    }

    /// Bytes on the device while the tower is loaded.
    ///
    /// # Errors
    /// Same as [`Self::computation`].
    pub fn bytes(&self, limits: Limits) -> Result<u64, AudioError> {
        let mut weights = Weights::describe(&self.tensors, &[], limits)?;
        let description = Description::new(&self.config, &weights).map_err(GpuError::from)?;
        if let Kind::Conformer(conformer) = &self.config.kind {
            conformer::take_relatives(conformer, &mut weights);
        }
        let params = ParamsArena::of(&[&description.plan], limits).buffer_bytes();
        Ok(description.layout().with(weights.values()).total() + params)
    }
}

/// The plan of a step, and the values that the host writes and reads.
struct Description {
    plan: Plan,
    /// `State`.
    state: Value,
    /// Features or samples of the step.
    rows: Value,
    /// Soft tokens of the step, and of the longest clip.
    soft: Value,
    clip: Value,
    /// Additional parts of a conformer.
    conformer: Option<([Stem; 2], Relatives)>,
}

impl Description {
    fn new(config: &TowerConfig, weights: &Weights) -> Result<Self, PlanError> {
        let row = 4 * u64::from(config.width);
        let state = Value::state("audio state", size_of::<State>() as u64);
        let clip = Value::state("soft tokens of a clip", u64::from(config.tokens(CLIP_SAMPLES)) * row);
        let soft = Value::state("soft tokens", u64::from(STEP_TOKENS) * row);
        let (plan, rows, conformer) = match &config.kind {
            Kind::Conformer(conformer) => {
                let buffers = Buffers::describe(conformer, &state);
                let (plan, stems) = conformer::plan(conformer, weights, &buffers, &soft)?;
                let relatives = conformer::relatives(conformer, weights, &buffers)?;
                (plan, buffers.mel, Some((stems, relatives)))
            }
            Kind::Raw { frame } => {
                let (plan, rows) = raw(*frame, weights, &state, &soft)?;
                (plan, rows, None)
            }
        };
        Ok(Self { plan, state, rows, soft, clip, conformer })
    }

    fn layout(&self) -> Layout {
        Layout::of(&[vec![&self.plan]]).with([&self.clip])
    }
}

/// The input buffers of a step.
enum Front {
    /// Mel features. The first convolution needs their position in the clip.
    Mel { rows: Arc<Buffer>, params: Box<conv2d::Params>, uniform: Arc<Buffer> },
    /// Samples.
    Raw { rows: Arc<Buffer> },
}

/// A loaded tower. It stores the past of one clip at a time, see [`super::Encoder`].
pub struct Tower {
    gpu: Rc<Gpu>,
    config: TowerConfig,
    front: Front,
    program: Program,
    state: Arc<Buffer>,
    /// Soft tokens of a step, and of the clip so far.
    soft: Arc<Buffer>,
    clip: Arc<Buffer>,
    /// The id of the encoder whose past the rings hold, and the last id that was assigned.
    held: Cell<u64>,
    encoders: Cell<u64>,
    /// All buffers, including weights.
    memory: Memory,
}

impl Tower {
    /// Loads a tower from the file whose header gave the plan.
    ///
    /// # Errors
    /// When the file cannot be read, or the device rejects a buffer or a kernel. Cancellation is reported as
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
        let description = Description::new(&config, &weights).map_err(GpuError::from)?;
        gpu.compile_ahead([&description.plan]).await;
        if let (Some((_, relatives)), Kind::Conformer(conformer)) = (&description.conformer, &config.kind) {
            relatives.compute(&gpu, conformer, &mut weights, &mut memory).await?;
        }
        let layout = description.layout();
        gpu.allocate_layout("working memory of the audio tower", &layout, &mut memory).await?;
        let Description { plan, state, rows, soft, clip, conformer } = description;
        let [state, rows, soft, clip] =
            [memory.get(&state)?, memory.get(&rows)?, memory.get(&soft)?, memory.get(&clip)?].map(Arc::clone);
        let front = match conformer {
            None => Front::Raw { rows },
            Some((stems, _)) => {
                for stem in &stems {
                    gpu.queue().write_buffer(memory.get(&stem.value)?, 0, bytemuck::bytes_of(&stem.params));
                }
                let [Stem { value, params }, _] = stems;
                Front::Mel { rows, params: Box::new(params), uniform: Arc::clone(memory.get(&value)?) }
            }
        };
        let program = gpu.bind(&plan, &memory).await?;
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
            memory,
        })
    }

    /// What the file says.
    #[must_use]
    pub fn config(&self) -> &TowerConfig {
        &self.config
    }

    /// Bytes that it uses on the device.
    #[must_use]
    pub fn bytes_in_use(&self) -> u64 {
        self.memory.bytes() + self.program.params_bytes()
    }

    /// Dispatches per step.
    #[must_use]
    pub fn dispatches(&self) -> usize {
        self.program.len()
    }

    /// The program of a step.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The device.
    #[must_use]
    pub fn gpu(&self) -> &Rc<Gpu> {
        &self.gpu
    }

    /// A new encoder id.
    pub(super) fn new_encoder_id(&self) -> u64 {
        self.encoders.set(self.encoders.get() + 1);
        self.encoders.get()
    }

    /// Takes over the rings for an encoder's clip. Returns false if they held another clip, which is then lost.
    pub(super) fn take(&self, encoder: u64) -> bool {
        self.held.replace(encoder) == encoder
    }

    /// Encodes tokens `first..first + count` of the clip. `frame(i)` returns the features (or samples) of frame `i`
    /// of the clip, `None` if there is no such frame; the clip has `frames` frames.
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
                // The second convolution needs one earlier position of the first, which needs one earlier frame.
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
            // A frame that is missing, or truncated by the end of the clip.
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

    /// A copy of the first `tokens` soft tokens of the clip.
    pub(super) fn keep(&self, tokens: u32) -> Result<Arc<Buffer>, GpuError> {
        let bytes = 4 * u64::from(tokens) * u64::from(self.config.width);
        let kept = self.gpu.storage("soft tokens", bytes)?;
        let mut encoder = self.gpu.encoder();
        encoder.copy_buffer_to_buffer(&self.clip, 0, &kept, 0, bytes);
        self.gpu.queue().submit([encoder.finish()]);
        Ok(kept)
    }
}

/// The embedder of raw samples (norm and projection), and the input buffer of a step.
fn raw(frame: u32, weights: &Weights, state: &Value, soft: &Value) -> Result<(Plan, Value), PlanError> {
    let bytes = 4 * u64::from(STEP_TOKENS) * u64::from(frame);
    let (rows, normed) = (Value::state("samples", bytes), Value::temporary("normed samples", bytes));
    let mut plan = Plan::default();
    let params = unit_norm::Params::new(frame, None, EPS);
    let operands = [state, &weights.vectors, &rows, &normed];
    plan.push_rows((unit_norm::source()?, Form::UnitNorm), &params, &operands, unit_norm::dispatch)?;
    let matrix = conformer::matrix(weights, "projection")?;
    product::push(&mut plan, weights.limits, matrix, None, [state, &normed, soft])?;
    Ok((plan, rows))
}
