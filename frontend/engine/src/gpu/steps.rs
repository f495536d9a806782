//! A static list of dispatches: pipelines and bind groups made once, replayed for every token or chunk.

use std::rc::Rc;
use std::sync::Arc;

use shaders::Source;
use shaders::selftest::Form;

use super::buffers::Buffer;
use super::pipelines::Pipeline;
use super::{Gpu, GpuError};

/// How many workgroups a step has.
#[derive(Clone)]
pub enum Grid {
    /// Always the same.
    Fixed([u32; 3]),
    /// A function of the rows of this replay (prompt tokens of a chunk).
    Rows(Rc<dyn Fn(u32) -> [u32; 3]>),
}

impl Grid {
    fn of(&self, rows: u32) -> [u32; 3] {
        match self {
            Self::Fixed(grid) => *grid,
            Self::Rows(grid) => grid(rows),
        }
    }
}

/// Bytes that a step must read whatever its cache holds: weights, keys and values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reads {
    /// So few that they are not counted.
    #[default]
    Little,
    /// Always the same.
    Fixed(u64),
    /// Keys and values of the positions that are visible.
    Keys {
        /// Bytes of one position.
        bytes: u64,
        /// Most positions; 0 for all.
        window: u32,
    },
}

impl Reads {
    /// Bytes for a token at `position`.
    #[must_use]
    pub fn bytes(self, position: u32) -> u64 {
        match self {
            Self::Little => 0,
            Self::Fixed(bytes) => bytes,
            Self::Keys { bytes, window } => {
                let visible = position + 1;
                bytes * u64::from(if window == 0 { visible } else { visible.min(window) })
            }
        }
    }
}

/// All dispatches of one kernel with the same workgroups.
#[derive(Clone)]
pub struct Uses {
    /// The kernel.
    pub name: String,
    /// Workgroups of each of its dispatches.
    pub workgroups: [u32; 3],
    /// Its dispatches, in order.
    pub steps: Steps,
}

/// One dispatch.
#[derive(Clone)]
pub struct Step {
    pipeline: Rc<Pipeline>,
    bind_group: wgpu::BindGroup,
    grid: Grid,
    reads: Reads,
    /// How its kernel can be tried alone.
    form: Option<Form>,
    /// Kept: a dropped buffer is destroyed.
    _params: Arc<Buffer>,
}

/// Dispatches in order.
#[derive(Clone, Default)]
pub struct Steps(Vec<Step>);

impl Steps {
    /// Appends a dispatch of `source`: `params` are its binding 0, `buffers` those that follow. The buffers must
    /// outlive the list.
    ///
    /// # Errors
    /// [`GpuError::Kernel`] when the kernel is refused or binds another number of buffers. A buffer of the wrong kind
    /// shows at the end of [`Gpu::validating`].
    pub async fn push<P: bytemuck::Pod>(
        &mut self,
        gpu: &Gpu,
        source: &Source,
        params: &P,
        buffers: &[&wgpu::Buffer],
        grid: Grid,
    ) -> Result<(), GpuError> {
        if gpu.note(source) {
            return Ok(());
        }
        let params = gpu.uniform_with(&source.name, params)?;
        self.push_shared(gpu, source, &params, buffers, grid).await
    }

    /// As [`Self::push`], with a parameter buffer that the caller writes again later.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub async fn push_shared(
        &mut self,
        gpu: &Gpu,
        source: &Source,
        params: &Arc<Buffer>,
        buffers: &[&wgpu::Buffer],
        grid: Grid,
    ) -> Result<(), GpuError> {
        if gpu.note(source) {
            return Ok(());
        }
        let pipeline = gpu.pipeline(source).await?;
        if pipeline.bindings != buffers.len() + 1 {
            return Err(GpuError::Kernel {
                kernel: source.name.clone(),
                reason: format!("it binds {} buffers, {} were given", pipeline.bindings, buffers.len() + 1),
            });
        }
        let all = std::iter::once(&***params).chain(buffers.iter().copied());
        let entries: Vec<_> = all
            .enumerate()
            .map(|(i, buffer)| wgpu::BindGroupEntry {
                binding: i as u32,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let bind_group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(&source.name),
            layout: &pipeline.layout,
            entries: &entries,
        });
        let reads = Reads::default();
        self.0.push(Step { pipeline, bind_group, grid, reads, form: None, _params: Arc::clone(params) });
        Ok(())
    }

    /// Says what the last step reads.
    pub fn reading(&mut self, reads: Reads) {
        if let Some(step) = self.0.last_mut() {
            step.reads = reads;
        }
    }

    /// Says how the kernel of the last step can be tried alone.
    pub fn tried_as(&mut self, form: Form) {
        if let Some(step) = self.0.last_mut() {
            step.form = Some(form);
        }
    }

    /// The kernels that can be tried alone, in order.
    pub fn forms(&self) -> impl Iterator<Item = &Form> {
        self.0.iter().filter_map(|step| step.form.as_ref())
    }

    /// The kernels that cannot be tried alone.
    pub fn untried(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|step| step.form.is_none()).map(|step| step.pipeline.name.as_str())
    }

    /// Bytes that a replay for one row reads, the row being at `position`.
    #[must_use]
    pub fn bytes_read(&self, position: u32) -> u64 {
        self.0.iter().map(|step| step.reads.bytes(position)).sum()
    }

    /// The steps by kernel and workgroups for one row, in the order in which these come first.
    #[must_use]
    pub fn by_kernel(&self) -> Vec<Uses> {
        let mut all: Vec<Uses> = Vec::new();
        for step in &self.0 {
            let (name, workgroups) = (&step.pipeline.name, step.grid.of(1));
            match all.iter_mut().find(|uses| uses.workgroups == workgroups && uses.name == *name) {
                Some(uses) => uses.steps.0.push(step.clone()),
                None => {
                    all.push(Uses { name: name.clone(), workgroups, steps: Self(vec![step.clone()]) });
                }
            }
        }
        all
    }

    /// Appends the steps of another list.
    pub fn extend(&mut self, other: &Self) {
        self.0.extend(other.0.iter().cloned());
    }

    /// Number of dispatches.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names of the kernels, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|step| step.pipeline.name.as_str())
    }

    /// Records the dispatches for `rows` rows in one compute pass.
    pub fn encode(&self, pass: &mut wgpu::ComputePass<'_>, rows: u32) {
        for step in &self.0 {
            let [x, y, z] = step.grid.of(rows);
            if x == 0 || y == 0 || z == 0 {
                continue;
            }
            pass.set_pipeline(&step.pipeline.pipeline);
            pass.set_bind_group(0, &step.bind_group, &[]);
            pass.dispatch_workgroups(x, y, z);
        }
    }
}

impl Gpu {
    /// Submits the dispatches for `rows` rows, in one pass.
    pub fn run(&self, steps: &Steps, rows: u32) {
        let mut encoder = self.encoder();
        steps.encode(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()), rows);
        self.submit(encoder);
    }

    /// A command encoder.
    #[must_use]
    pub fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: None })
    }

    /// Waits until everything submitted so far is done.
    ///
    /// # Errors
    /// [`GpuError::Lost`], or a fault that was reported meanwhile.
    pub async fn drained(&self) -> Result<(), GpuError> {
        let (done, finished) = futures_channel::oneshot::channel();
        self.queue.on_submitted_work_done(move || {
            done.send(()).ok();
        });
        #[cfg(not(target_arch = "wasm32"))]
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|e| GpuError::Fault { reason: e.to_string() })?;
        // An error means that the device dropped the callback: it is lost, which the check says.
        finished.await.ok();
        self.check()
    }
}
