//! A kernel: its source for the platform, and its pipeline.

use std::sync::Arc;

use shaders::Binding;

use crate::bytes::LocalBoxFuture;

/// A kernel as the platform compiles it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The label of its pipeline.
    pub name: String,
    /// The WGSL text, which is also the key of the pipeline.
    pub wgsl: String,
    /// What it binds, in order.
    pub bindings: Arc<[Binding]>,
}

/// Compiles kernels in parallel with other work.
pub trait CompileAhead: std::fmt::Debug {
    /// Starts compiling these kernels, for the device that was opened last, and completes when all are done.
    /// Rejected kernels are left to [`super::Gpu::pipeline`], which reports the reason.
    fn compile(&self, kernels: Vec<Kernel>) -> LocalBoxFuture<'static, ()>;
}

/// A compiled kernel.
#[derive(Debug)]
pub struct Pipeline {
    /// The name of the kernel.
    pub(super) name: String,
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) layout: wgpu::BindGroupLayout,
}
