//! Pipelines: compiled once per text, and checked.

use std::rc::Rc;
use std::sync::Arc;

#[cfg(not(target_arch = "wasm32"))]
use futures_util::FutureExt as _;
use futures_util::future::join;
use shaders::{Access, Source};

use super::kernel::Pipeline;
use super::{Gpu, GpuError};

impl Gpu {
    /// Runs `work`, and reports validation errors during it.
    ///
    /// # Errors
    /// [`GpuError::Fault`], or what `work` returned.
    pub async fn validating<T>(
        &self,
        work: impl Future<Output = Result<T, GpuError>>,
    ) -> Result<T, GpuError> {
        match self.refusing(work).await {
            (_, Some(error)) => Err(GpuError::Fault { reason: error.to_string() }),
            (result, None) => result,
        }
    }

    /// Runs `work`, and reports rejections during it. If a driver cannot compile a valid kernel, that is an
    /// internal error, not a validation error.
    async fn refusing<T>(&self, work: impl Future<Output = T>) -> (T, Option<wgpu::Error>) {
        let invalid = self.scope(wgpu::ErrorFilter::Validation);
        let internal = self.scope(wgpu::ErrorFilter::Internal);
        let result = work.await;
        // Both scopes end here, the inner one first, before either is awaited.
        let internal = internal.pop();
        let (internal, invalid) = join(internal, invalid.pop()).await;
        (result, invalid.or(internal))
    }

    /// Returns the pipeline of a kernel, compiled on first use. A browser rejects a bad kernel silently and then leaves its
    /// output unchanged, so every kernel is checked.
    ///
    /// # Errors
    /// [`GpuError::Kernel`] when the device rejects it.
    pub async fn pipeline(&self, source: &Source) -> Result<Rc<Pipeline>, GpuError> {
        if let Some(pipeline) = self.pipelines.borrow().get(&source.wgsl) {
            return Ok(Rc::clone(pipeline));
        }
        let (made, refused) = self
            .refusing(async {
                #[cfg(test)]
                self.staged.happen(&self.fault);
                compile(&self.device, source)
            })
            .await;
        if let Some(error) = refused {
            return Err(GpuError::Kernel { kernel: source.name.clone(), reason: error.to_string() });
        }
        let pipeline = Rc::new(made);
        self.pipelines.borrow_mut().insert(Arc::clone(&source.wgsl), Rc::clone(&pipeline));
        Ok(pipeline)
    }
}

/// Compiles a kernel on the calling thread, to which error scopes belong. `None` if the device rejects it.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn try_compile(device: &wgpu::Device, source: &Source) -> Option<Pipeline> {
    let invalid = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
    let pipeline = compile(device, source);
    // Natively they are known at once.
    let refused = [internal.pop().now_or_never(), invalid.pop().now_or_never()];
    refused.iter().all(|error| matches!(error, Some(None))).then_some(pipeline)
}

/// Compiles a kernel. Error scopes of the caller get what the device rejects.
fn compile(device: &wgpu::Device, source: &Source) -> Pipeline {
    let module = module(device, &source.name, source.wgsl.to_string());
    let entries: Vec<_> = source
        .bindings
        .iter()
        .enumerate()
        .map(|(i, binding)| wgpu::BindGroupLayoutEntry {
            binding: i as u32,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: match binding.access {
                    Access::Uniform => wgpu::BufferBindingType::Uniform,
                    Access::Read => wgpu::BufferBindingType::Storage { read_only: true },
                    Access::ReadWrite => wgpu::BufferBindingType::Storage { read_only: false },
                },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        })
        .collect();
    let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some(&source.name),
        entries: &entries,
    });
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(&source.name),
        bind_group_layouts: &[Some(&layout)],
        ..wgpu::PipelineLayoutDescriptor::default()
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(&source.name),
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: false,
            ..wgpu::PipelineCompilationOptions::default()
        },
        cache: None,
    });
    Pipeline { name: source.name.clone(), pipeline, layout }
}

/// All loops in our kernels terminate. The loop counters and the guards of integer divisions that wgpu would
/// add cost a quarter of the decode speed (`shaders/MEASUREMENTS.md`). Bounds checks remain. A browser ignores
/// these settings.
#[allow(unsafe_code)]
fn module(device: &wgpu::Device, name: &str, wgsl: String) -> wgpu::ShaderModule {
    let descriptor =
        wgpu::ShaderModuleDescriptor { label: Some(name), source: wgpu::ShaderSource::Wgsl(wgsl.into()) };
    // SAFETY: the caller guarantees that all loops terminate and no divisor is zero. The loops of our kernels
    // have bounds set by their launchers and positive steps; divisors are shapes, which are checked at load.
    unsafe {
        let checks =
            wgpu::ShaderRuntimeChecks { bounds_checks: true, ..wgpu::ShaderRuntimeChecks::unchecked() };
        device.create_shader_module_trusted(descriptor, checks)
    }
}
