//! Pipelines, one for each text of a kernel, made once and checked.

use std::rc::Rc;
use std::sync::Arc;

use futures_util::future::join;
use shaders::{Access, Source};

use super::kernel::Pipeline;
use super::{Gpu, GpuError};

impl Gpu {
    /// Runs `work` and reports anything in it that the device refused.
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

    /// Runs `work`, and what the device refused in it. A driver that cannot compile what WebGPU finds valid is an internal
    /// error, not one of validation.
    async fn refusing<T>(&self, work: impl Future<Output = T>) -> (T, Option<wgpu::Error>) {
        let invalid = self.scope(wgpu::ErrorFilter::Validation);
        let internal = self.scope(wgpu::ErrorFilter::Internal);
        let result = work.await;
        // Both end here, the inner one first; only then are they waited for.
        let internal = internal.pop();
        let (internal, invalid) = join(internal, invalid.pop()).await;
        (result, invalid.or(internal))
    }

    /// The pipeline of a kernel's text, compiled on first use. A browser refuses a bad kernel in silence and then leaves its
    /// output untouched, so every one is asked about.
    ///
    /// # Errors
    /// [`GpuError::Kernel`].
    pub async fn pipeline(&self, source: &Source) -> Result<Rc<Pipeline>, GpuError> {
        if let Some(pipeline) = self.pipelines.borrow().get(&source.wgsl) {
            return Ok(Rc::clone(pipeline));
        }
        let (made, refused) = self.refusing(async { self.compile(source) }).await;
        if let Some(error) = refused {
            return Err(GpuError::Kernel { kernel: source.name.clone(), reason: error.to_string() });
        }
        let pipeline = Rc::new(made);
        self.pipelines.borrow_mut().insert(Arc::clone(&source.wgsl), Rc::clone(&pipeline));
        Ok(pipeline)
    }

    fn compile(&self, source: &Source) -> Pipeline {
        #[cfg(test)]
        self.staged.happen(&self.fault);
        let module = self.module(&source.name, source.wgsl.to_string());
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
        let layout = self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(&source.name),
            entries: &entries,
        });
        let pipeline_layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(&source.name),
            bind_group_layouts: &[Some(&layout)],
            ..wgpu::PipelineLayoutDescriptor::default()
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
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

    /// The kernels are this project's own, and each loop of theirs ends: the counters that wgpu would add to every loop,
    /// and its guards of integer divisions, cost a quarter of the speed of decode (`shaders/MEASUREMENTS.md`). Accesses
    /// stay checked. A browser adds what it wants whatever is said here.
    #[allow(unsafe_code)]
    fn module(&self, name: &str, wgsl: String) -> wgpu::ShaderModule {
        let descriptor =
            wgpu::ShaderModuleDescriptor { label: Some(name), source: wgpu::ShaderSource::Wgsl(wgsl.into()) };
        // SAFETY: it is on the caller that no loop is infinite and no divisor zero. Loops of the kernels run to bounds
        // that their launchers set, with steps above zero; divisors are shapes, which the engine checks at load.
        unsafe {
            let checks =
                wgpu::ShaderRuntimeChecks { bounds_checks: true, ..wgpu::ShaderRuntimeChecks::unchecked() };
            self.device.create_shader_module_trusted(descriptor, checks)
        }
    }
}
