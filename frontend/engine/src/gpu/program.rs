//! A plan on the device: kernels compiled, values allocated, bind groups created, so that it runs without
//! allocation.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use super::buffers::Buffer;
use super::kernel::Pipeline;
use super::memory::Memory;
use super::{Gpu, GpuError};
use crate::plan::{ParamsArena, Plan, Step};

/// All dispatches of one kernel with the same number of workgroups.
#[derive(Clone)]
pub struct Uses {
    /// The kernel.
    pub name: String,
    /// Workgroups of each of its dispatches.
    pub workgroups: [u32; 3],
    /// Its dispatches, in order.
    pub program: Program,
}

/// A step that is ready to be dispatched.
#[derive(Clone)]
struct Dispatch {
    pipeline: Rc<Pipeline>,
    bind_group: wgpu::BindGroup,
}

/// A plan bound to buffers.
#[derive(Clone, Default)]
pub struct Program {
    plan: Plan,
    dispatches: Vec<Dispatch>,
    /// Kept alive: dropping a buffer destroys it.
    params: Vec<Arc<Buffer>>,
}

impl Program {
    /// Returns the plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the dispatches by kernel and workgroups for one row, in order of first use.
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

    /// Total size of the parameter buffers.
    pub fn params_bytes(&self) -> u64 {
        self.params.iter().map(|buffer| buffer.size()).sum()
    }

    /// Returns the number of dispatches.
    pub fn len(&self) -> usize {
        self.dispatches.len()
    }

    /// Returns whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.dispatches.is_empty()
    }

    /// Returns the program and the range of all its steps.
    pub fn all(&self) -> (&Self, Range<usize>) {
        (self, 0..self.len())
    }

    /// Encodes the dispatches for `rows` rows in one compute pass.
    pub fn encode(&self, pass: &mut wgpu::ComputePass<'_>, rows: u32) {
        self.encode_steps(pass, rows, 0..self.len());
    }

    /// Same as [`Self::encode`], for these steps only, which must be within the program.
    pub fn encode_steps(&self, pass: &mut wgpu::ComputePass<'_>, rows: u32, steps: Range<usize>) {
        let of =
            |range: Range<usize>| Some((self.plan.steps().get(range.clone())?, self.dispatches.get(range)?));
        let (steps, dispatches) = of(steps).unwrap_or_default();
        for (step, dispatch) in steps.iter().zip(dispatches) {
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
    /// Binds a plan to memory that has all of its values. Kernels are compiled if necessary.
    ///
    /// # Errors
    /// [`GpuError::Kernel`] when the device rejects a kernel, [`GpuError::Unallocated`] when a value has no buffer,
    /// [`GpuError::Fault`] when a buffer cannot be bound.
    pub async fn bind(&self, plan: &Plan, memory: &Memory) -> Result<Program, GpuError> {
        let mut bound = self.bind_all(&[plan], memory).await?;
        Ok(bound.pop().unwrap_or_default())
    }

    /// Binds several plans, with one buffer for all parameters. Returns the programs in the same order.
    ///
    /// # Errors
    /// Same as [`Self::bind`].
    pub async fn bind_all(&self, plans: &[&Plan], memory: &Memory) -> Result<Vec<Program>, GpuError> {
        self.validating(self.bind_unchecked(plans, memory)).await
    }

    /// Same as [`Self::bind_all`], but does not wait for errors of buffers, which are reported by [`Self::check`].
    ///
    /// # Errors
    /// Same as [`Self::bind`].
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
                let pipeline = self.pipeline(&step.source).await?;
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

    /// Records the dispatches for `rows` rows, in one pass, for [`Self::submit_recorded`].
    pub fn record(&self, program: &Program, rows: u32) -> wgpu::CommandBuffer {
        let mut encoder = self.encoder();
        program.encode(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()), rows);
        encoder.finish()
    }

    /// Returns a command encoder with a compute pass in which `encode` records.
    pub fn encode_pass(&self, encode: impl FnOnce(&mut wgpu::ComputePass<'_>)) -> wgpu::CommandEncoder {
        let mut encoder = self.encoder();
        encode(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
        encoder
    }

    /// Returns a command encoder.
    pub fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: None })
    }

    /// Waits until all submitted work is done.
    ///
    /// # Errors
    /// [`GpuError::Lost`], or an error that was reported meanwhile.
    pub async fn drained(&self) -> Result<(), GpuError> {
        let (done, finished) = futures_channel::oneshot::channel();
        self.queue.on_submitted_work_done(move || {
            done.send(()).ok();
        });
        #[cfg(not(target_arch = "wasm32"))]
        self.wait_for(None)?;
        // An error means that the device dropped the callback because it is lost, which the check reports.
        finished.await.ok();
        self.check()
    }
}
