//! An audio tower on the device.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use shaders::audio::attention::{self, KEYS};
use shaders::audio::conv2d;
use shaders::state::State;

use super::config::{Conformer, Kind, TowerConfig};
use super::conformer::{self, Relatives, Stem};
use super::tower_plan::{Description, TowerPlan};
use super::{AudioError, mel};
use crate::bytes::{ByteSource, CancelToken};
use crate::gpu::{Buffer, Gpu, GpuError, Memory, Program};
use crate::plan::Tested;
use crate::weights::{self, Weights};

/// The input buffers of a step.
enum StepInput {
    /// Mel features. The first convolution needs their position in the clip.
    Mel { rows: Arc<Buffer>, params: Box<conv2d::Params>, uniform: Arc<Buffer> },
    /// Samples.
    Raw { rows: Arc<Buffer> },
}

/// A loaded tower. It stores the past of one clip at a time, see [`super::Encoder`].
pub struct Tower {
    gpu: Rc<Gpu>,
    config: TowerConfig,
    input: StepInput,
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
    /// The kernels that ran while it was loaded.
    loading: Vec<Tested>,
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
        let mut weights = Weights::describe(&tensors, gpu.plan_limits())?;
        let mut memory = weights::load(&gpu, source, &tensors, &mut weights, cancel, progress).await?;
        let description = Description::new(&config, &weights).map_err(GpuError::from)?;
        gpu.compile_ahead([&description.plan]).await;
        if let (Some((_, relatives)), Kind::Conformer(conformer)) = (&description.conformer, &config.kind) {
            compute_relatives(relatives, &gpu, conformer, &mut weights, &mut memory).await?;
        }
        let relatives = description.conformer.iter().flat_map(|(_, relatives)| relatives.plan.tested());
        let loading = weights.tested().chain(relatives).collect();
        let layout = description.layout();
        gpu.allocate_layout("working memory of the audio tower", &layout, &mut memory).await?;
        let Description { plan, state, rows, soft, clip, conformer } = description;
        let [state, rows, soft, clip] =
            [memory.get(&state)?, memory.get(&rows)?, memory.get(&soft)?, memory.get(&clip)?].map(Arc::clone);
        let input = match conformer {
            None => StepInput::Raw { rows },
            Some((stems, _)) => {
                for stem in &stems {
                    gpu.queue().write_buffer(memory.get(&stem.value)?, 0, bytemuck::bytes_of(&stem.params));
                }
                let [Stem { value, params }, _] = stems;
                StepInput::Mel { rows, params: Box::new(params), uniform: Arc::clone(memory.get(&value)?) }
            }
        };
        let program = gpu.bind(&plan, &memory).await?;
        gpu.check()?;
        Ok(Self {
            gpu,
            config,
            input,
            program,
            state,
            soft,
            clip,
            held: Cell::new(0),
            encoders: Cell::new(0),
            memory,
            loading,
        })
    }

    /// What the file says.
    pub fn config(&self) -> &TowerConfig {
        &self.config
    }

    /// Bytes that it uses on the device.
    pub fn bytes_in_use(&self) -> u64 {
        self.memory.bytes() + self.program.params_bytes()
    }

    /// Dispatches per step.
    pub fn dispatches(&self) -> usize {
        self.program.len()
    }

    /// Returns the program of a step.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Returns the kernels with a self-test, also those that ran only while it was loaded.
    pub fn tested(&self) -> impl Iterator<Item = Tested> {
        self.loading.iter().cloned().chain(self.program.plan().tested())
    }

    /// Returns the device.
    pub fn gpu(&self) -> &Rc<Gpu> {
        &self.gpu
    }

    /// Returns a new encoder id.
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
        let (rows, width, range) = match &self.input {
            StepInput::Mel { rows, params, uniform } => {
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
            StepInput::Raw { rows } => {
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
        queue.write_buffer(rows, 0, bytemuck::cast_slice(&values));
        let state = State { pos: first, len: count, ..State::default() };
        queue.write_buffer(&self.state, 0, bytemuck::bytes_of(&state));

        let mut encoder = self.gpu.encoder();
        self.program.encode(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()), count);
        let bytes = |tokens: u32| 4 * u64::from(tokens) * u64::from(self.config.width);
        encoder.copy_buffer_to_buffer(&self.soft, 0, &self.clip, bytes(first), bytes(count));
        queue.submit([encoder.finish()]);
    }

    /// Returns a copy of the first `tokens` soft tokens of the clip.
    pub(super) fn keep(&self, tokens: u32) -> Result<Arc<Buffer>, GpuError> {
        let bytes = 4 * u64::from(tokens) * u64::from(self.config.width);
        let kept = self.gpu.storage("soft tokens", bytes)?;
        let mut encoder = self.gpu.encoder();
        encoder.copy_buffer_to_buffer(&self.clip, 0, &kept, 0, bytes);
        self.gpu.queue().submit([encoder.finish()]);
        Ok(kept)
    }
}

/// Computes the projections of [`Relatives`], then frees the memory of the weights that only they use.
///
/// # Errors
/// When the device is out of memory or rejects a kernel.
async fn compute_relatives(
    relatives: &Relatives,
    gpu: &Gpu,
    c: &Conformer,
    weights: &mut Weights,
    memory: &mut Memory,
) -> Result<(), GpuError> {
    gpu.allocate("encodings of distances", relatives.plan.values(), memory).await?;
    let encodings = attention::encodings(c.width);
    gpu.queue().write_buffer(memory.get(&relatives.encodings)?, 0, bytemuck::cast_slice(&encodings));
    let state = State { len: KEYS, ..State::default() };
    gpu.queue().write_buffer(memory.get(&relatives.state)?, 0, bytemuck::bytes_of(&state));
    gpu.run(&gpu.bind(&relatives.plan, memory).await?, KEYS);
    gpu.drained().await?;
    memory.remove(&relatives.encodings);
    for matrix in conformer::take_relatives(c, weights) {
        matrix.parts.iter().for_each(|part| memory.remove(&part.value));
    }
    Ok(())
}
