//! The programs of a model that makes embeddings, and what the host writes and reads.

use std::rc::Rc;
use std::sync::Arc;

use shaders::state::State;

use super::EncoderPlans;
use super::plans::{MAX_TEXTS, Values};
use crate::bytes::CancelToken;
use crate::gpu::{Gpu, GpuError, Memory, PacedQueue, Program, Readback, Rows};
use crate::media::Input;
use crate::model::embed::place;
use crate::model::{Parts, StepError, ropes};
use crate::plan::{Tested, Value};

/// A model that makes embeddings, on the device.
pub struct TextEncoder {
    gpu: Rc<Gpu>,
    parts: Parts,
    memory: Memory,
    values: Values,
    embed: Program,
    layers: Program,
    head: Program,
    queue: PacedQueue,
    readback: Readback,
    rows: u32,
    pad: u32,
}

impl TextEncoder {
    /// Allocates working memory beside loaded weights, for batches of `rows` tokens, and compiles every kernel. `pad` is the
    /// token in place of media.
    ///
    /// # Errors
    /// When the device refuses a buffer or a kernel.
    pub async fn new(
        gpu: Rc<Gpu>,
        parts: Parts,
        weights: Memory,
        rows: u32,
        pad: u32,
    ) -> Result<Self, GpuError> {
        let plans = EncoderPlans::new(&parts)?;
        let mut memory = weights;
        gpu.allocate_layout("working memory of embeddings", &plans.layout(&parts), &mut memory).await?;
        ropes::write(&gpu, &parts, &memory, rows)?;
        let mut programs = gpu.bind_all(&plans.all(), &memory).await?.into_iter();
        let mut next = || programs.next().unwrap_or_default();
        let [embed, layers, head] = [next(), next(), next()];
        gpu.check()?;
        let readback = Readback::new(Arc::clone(memory.get(&plans.values.readback)?));
        let (queue, values) = (PacedQueue::new(gpu.idle_readback_ms().await?), plans.values);
        Ok(Self { gpu, parts, memory, values, embed, layers, head, queue, readback, rows, pad })
    }

    /// Elements of an embedding.
    pub fn elements(&self) -> u32 {
        self.values.elements
    }

    /// Returns the kernels of this model with a self-test, each text once.
    pub fn tested(&self) -> Vec<Tested> {
        let programs = [&self.embed, &self.layers, &self.head];
        let bound = programs.into_iter().flat_map(|program| program.plan().tested());
        Tested::distinct(self.parts.weights.tested().chain(bound))
    }

    /// Returns how many of these texts, from the first on, make a batch.
    pub fn batch(&self, texts: &[Input]) -> usize {
        let mut rows = 0;
        let fits = |text: &&Input| {
            rows += text.len();
            rows <= self.rows as usize
        };
        texts.iter().take(MAX_TEXTS as usize).take_while(fits).count()
    }

    /// Returns a vector for each text of a [batch](Self::batch), before its norm: `[texts, elements]`.
    ///
    /// # Errors
    /// When it is cancelled, soft tokens are missing, or the device was lost.
    pub async fn run(&self, texts: &[Input], cancel: &CancelToken) -> Result<Vec<f32>, StepError> {
        let (mut ids, mut spans) = (Vec::new(), Vec::new());
        let (mut ends, mut begins) = (Vec::new(), Vec::new());
        for text in texts {
            let first = ids.len() as u32;
            ids.extend_from_slice(text.ids());
            let end = ids.len() as u32;
            for block in text.blocks() {
                let range = block.range();
                ids[(first + range.start) as usize..(first + range.end) as usize].fill(self.pad);
            }
            spans.extend([first, end]);
            ends.resize(end as usize, end);
            begins.resize(end as usize, first);
        }
        let (rows, count) = (ids.len() as u32, texts.len() as u32);
        ends.extend(begins);
        let s = &self.parts.scratch;
        let state = |len| State { len, ..State::default() };
        self.write(&s.state, &[state(rows)])?;
        self.write(&self.values.count, &[state(count)])?;
        self.write(&s.tokens, &ids)?;
        self.write(&s.visible_until, &ends)?;
        self.write(&self.values.texts, &spans)?;

        let (stream, width) = (self.memory.get(&s.h[0])?, self.parts.config.width);
        let mut encoder = self.gpu.encoder();
        self.embed.encode(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()), rows);
        for (text, span) in texts.iter().zip(spans.chunks_exact(2)) {
            for block in text.blocks() {
                let part = block.range();
                place(&mut encoder, stream, width, block, (&part, span[0] + part.start))?;
            }
        }
        if self.memory.holds(&s.h[1]) {
            let bytes = 4 * u64::from(rows) * u64::from(width);
            encoder.copy_buffer_to_buffer(stream, 0, self.memory.get(&s.h[1])?, 0, bytes);
        }
        // What attention takes depends on the length of texts, not of the batch.
        let longest = texts.iter().map(|text| text.len() as u32).max().unwrap_or(1);
        let of_layers = Rows { count: rows, last: longest.saturating_sub(1) };
        self.queue.run::<StepError>(&self.gpu, Some(encoder), [self.layers.all()], of_layers, cancel).await?;
        self.queue.run::<StepError>(&self.gpu, None, [self.head.all()], Rows::at(0, count), cancel).await?;
        let bytes = 4 * u64::from(count * self.elements());
        let vectors = self.memory.get(&self.values.vectors)?;
        self.readback.submit(&self.gpu, self.gpu.encoder(), vectors, 0, bytes);
        Ok(bytemuck::pod_collect_to_vec(&self.readback.read(&self.gpu, bytes).await?))
    }

    fn write<T: bytemuck::Pod>(&self, value: &Value, content: &[T]) -> Result<(), GpuError> {
        self.gpu.queue().write_buffer(self.memory.get(value)?, 0, bytemuck::cast_slice(content));
        Ok(())
    }
}
