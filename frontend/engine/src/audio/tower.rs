//! An audio tower on the device: its weights, its working buffers, and the list of dispatches that makes soft tokens of a
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
use crate::gpu::{Buffer, Gpu, GpuError, Grid, Steps};
use crate::model::{TensorList, product};
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
    /// Mel features; the convolution is told where in the clip they are.
    Mel { rows: Arc<Buffer>, stem: Stem, _buffers: Box<Buffers> },
    /// Samples.
    Raw { rows: Arc<Buffer>, _normed: Arc<Buffer> },
}

/// A loaded tower. It holds the past of one clip at a time, see [`super::Encoder`].
pub struct Tower {
    gpu: Rc<Gpu>,
    config: TowerConfig,
    front: Front,
    steps: Steps,
    state: Arc<Buffer>,
    /// Soft tokens of a step, and of the clip so far.
    soft: Arc<Buffer>,
    clip: Arc<Buffer>,
    /// Number of the encoder whose clip's past the rings hold, and of the last one that was made.
    held: Cell<u64>,
    encoders: Cell<u64>,
    _weights: Weights,
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
        let mut weights = weights::load(&gpu, source, &tensors, &[], cancel, progress).await?;
        let label = "working memory of the audio tower";
        let state = gpu.storage("audio state", size_of::<State>() as u64)?;
        let [clip, soft] = soft_bytes(&config);
        let (clip, soft) = gpu
            .allocating(label, clip + soft, || {
                Ok((gpu.storage("soft tokens of a clip", clip)?, gpu.storage("soft tokens", soft)?))
            })
            .await?;
        let (front, steps) = match &config.kind {
            Kind::Conformer(conformer) => {
                let bytes = Buffers::bytes(conformer);
                let made = gpu.allocating(label, bytes, || Buffers::new(&gpu, conformer, &state)).await;
                let buffers = Box::new(made?);
                gpu.validating(conformer::relatives(&gpu, conformer, &mut weights, &buffers)).await?;
                let build = || conformer::build(&gpu, conformer, &weights, &buffers, &soft);
                gpu.compile_ahead(build()).await;
                let (steps, stem) = gpu.validating(build()).await?;
                (Front::Mel { rows: Arc::clone(&buffers.mel), stem, _buffers: buffers }, steps)
            }
            Kind::Raw { frame } => gpu.validating(raw(&gpu, *frame, &weights, &state, &soft)).await?,
        };
        gpu.check()?;
        Ok(Self {
            gpu,
            config,
            front,
            steps,
            state,
            soft,
            clip,
            held: Cell::new(0),
            encoders: Cell::new(0),
            _weights: weights,
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
        self.steps.len()
    }

    /// The dispatches of a step.
    #[must_use]
    pub fn steps(&self) -> &Steps {
        &self.steps
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
            Front::Mel { rows, stem, .. } => {
                // The second convolution looks one position of the first one back, that one a frame further.
                let begin = 4 * i64::from(first) - 3;
                let params = conv2d::Params {
                    first: 2 * first as i32 - 1,
                    end: frames.div_ceil(2) as i32,
                    ..stem.params
                };
                queue.write_buffer(&stem.uniform, 0, bytemuck::bytes_of(&params));
                (rows, mel::BINS, begin..begin + 4 * i64::from(count) + 3)
            }
            Front::Raw { rows, .. } => {
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
        self.steps.encode(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()), count);
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

/// The embedder of raw samples: norm, projection.
async fn raw(
    gpu: &Gpu,
    frame: u32,
    weights: &Weights,
    state: &Arc<Buffer>,
    soft: &Arc<Buffer>,
) -> Result<(Front, Steps), GpuError> {
    let bytes = 4 * u64::from(STEP_TOKENS) * u64::from(frame);
    let (rows, normed) = (gpu.storage("samples", bytes)?, gpu.storage("normed samples", bytes)?);
    let mut steps = Steps::default();
    let params = unit_norm::Params::new(frame, None, EPS);
    let buffers: [&wgpu::Buffer; 4] = [state, &weights.vectors, &rows, &normed];
    steps
        .push(gpu, &unit_norm::source()?, &params, &buffers, Grid::Rows(Rc::new(unit_norm::dispatch)))
        .await?;
    steps.tried_as(Form::UnitNorm);
    let matrix = conformer::matrix(weights, "projection")?;
    product::push(gpu, &mut steps, matrix, None, [state, &normed, soft]).await?;
    Ok((Front::Raw { rows, _normed: normed }, steps))
}
