//! A plan on the device: kernels compiled, values allocated, bind groups made once, replayed without allocation.

use std::rc::Rc;
use std::sync::Arc;

use super::buffers::Buffer;
use super::kernel::Pipeline;
use super::memory::Memory;
use super::{Gpu, GpuError};
use crate::plan::{ParamsArena, Plan, Step};

/// All dispatches of one kernel with the same workgroups.
#[derive(Clone)]
pub struct Uses {
    /// The kernel.
    pub name: String,
    /// Workgroups of each of its dispatches.
    pub workgroups: [u32; 3],
    /// Its dispatches, in order.
    pub program: Program,
}

/// A step that can be dispatched.
#[derive(Clone)]
struct Dispatch {
    pipeline: Rc<Pipeline>,
    bind_group: wgpu::BindGroup,
}

/// A plan that was bound to memory.
#[derive(Clone, Default)]
pub struct Program {
    plan: Plan,
    dispatches: Vec<Dispatch>,
    /// Kept: a dropped buffer is destroyed.
    params: Vec<Arc<Buffer>>,
}

impl Program {
    /// What it does.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The dispatches by kernel and workgroups for one row, in the order in which these come first.
    #[must_use]
    pub fn by_kernel(&self) -> Vec<Uses> {
        let mut all: Vec<Uses> = Vec::new();
        for (step, dispatch) in self.plan.steps().iter().zip(&self.dispatches) {
            let (name, workgroups) = (step.name(), step.grid.of(1));
            let known = all.iter().position(|uses| uses.workgroups == workgroups && uses.name == name);
            let index = known.unwrap_or_else(|| {
                let program = Self { params: self.params.clone(), ..Self::default() };
                all.push(Uses { name: name.to_owned(), workgroups, program });
                all.len() - 1
            });
            let program = &mut all[index].program;
            program.plan.append(step.clone());
            program.dispatches.push(dispatch.clone());
        }
        all
    }

    /// Appends another program.
    pub fn extend(&mut self, other: &Self) {
        self.plan.extend(&other.plan);
        self.dispatches.extend(other.dispatches.iter().cloned());
        self.params.extend(other.params.iter().cloned());
    }

    /// Bytes of the buffers that hold its parameters.
    #[must_use]
    pub fn params_bytes(&self) -> u64 {
        self.params.iter().map(|buffer| buffer.size()).sum()
    }

    /// Number of dispatches.
    #[must_use]
    pub fn len(&self) -> usize {
        self.dispatches.len()
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.dispatches.is_empty()
    }

    /// Records the dispatches for `rows` rows in one compute pass.
    pub fn encode(&self, pass: &mut wgpu::ComputePass<'_>, rows: u32) {
        for (step, dispatch) in self.plan.steps().iter().zip(&self.dispatches) {
            let [x, y, z] = step.grid.of(rows);
            if x == 0 || y == 0 || z == 0 {
                continue;
            }
            pass.set_pipeline(&dispatch.pipeline.pipeline);
            pass.set_bind_group(0, &dispatch.bind_group, &[]);
            pass.dispatch_workgroups(x, y, z);
        }
    }
}

impl Gpu {
    /// Binds a plan to memory that holds all of its values; kernels that are not compiled yet are compiled.
    ///
    /// # Errors
    /// [`GpuError::Kernel`] when the device refuses a kernel, [`GpuError::Unallocated`] when a value has no buffer,
    /// [`GpuError::Fault`] when a buffer cannot be bound.
    pub async fn bind(&self, plan: &Plan, memory: &Memory) -> Result<Program, GpuError> {
        let mut bound = self.bind_all(&[plan], memory).await?;
        Ok(bound.pop().unwrap_or_default())
    }

    /// Binds plans at once; their parameters share one buffer. The programs are in their order.
    ///
    /// # Errors
    /// As [`Self::bind`].
    pub async fn bind_all(&self, plans: &[&Plan], memory: &Memory) -> Result<Vec<Program>, GpuError> {
        self.validating(self.bind_unchecked(plans, memory)).await
    }

    /// As [`Self::bind_all`], without waiting for what the device says of the buffers: that shows in [`Self::check`].
    ///
    /// # Errors
    /// As [`Self::bind`].
    pub async fn bind_unchecked(&self, plans: &[&Plan], memory: &Memory) -> Result<Vec<Program>, GpuError> {
        let arena = ParamsArena::of(plans, self.plan_limits());
        let params = match arena.bytes.is_empty() {
            true => None,
            false => Some(self.uniform_with("parameters", &arena.bytes)?),
        };
        let mut places = arena.places.iter();
        let mut programs = Vec::with_capacity(plans.len());
        for &plan in plans {
            let mut dispatches = Vec::with_capacity(plan.len());
            for (step, place) in plan.steps().iter().zip(&mut places) {
                let pipeline = self.pipeline(&step.kernel).await?;
                let fixed = params
                    .as_deref()
                    .zip(*place)
                    .map(|(buffer, (offset, size))| wgpu::BufferBinding { buffer, offset, size: Some(size) });
                let bind_group = self.bind_group(step, &pipeline, fixed, memory)?;
                dispatches.push(Dispatch { pipeline, bind_group });
            }
            programs.push(Program {
                plan: plan.clone(),
                dispatches,
                params: params.iter().cloned().collect(),
            });
        }
        Ok(programs)
    }

    fn bind_group(
        &self,
        step: &Step,
        pipeline: &Pipeline,
        fixed: Option<wgpu::BufferBinding<'_>>,
        memory: &Memory,
    ) -> Result<wgpu::BindGroup, GpuError> {
        let mut entries = Vec::with_capacity(step.operands.len() + 1);
        entries.extend(fixed.map(wgpu::BindingResource::Buffer));
        for value in step.values() {
            entries.push(memory.get(value)?.as_entire_binding());
        }
        let entries: Vec<_> = (0..)
            .zip(entries)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
            .collect();
        Ok(self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(step.name()),
            layout: &pipeline.layout,
            entries: &entries,
        }))
    }

    /// Submits the dispatches for `rows` rows, in one pass.
    pub fn run(&self, program: &Program, rows: u32) {
        let mut encoder = self.encoder();
        program.encode(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()), rows);
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
