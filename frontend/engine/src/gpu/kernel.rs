//! A kernel: as the platform is given it, and compiled.

use std::sync::Arc;

use shaders::Binding;

use crate::bytes::LocalBoxFuture;

/// A kernel as the platform compiles it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The label of its pipeline.
    pub name: String,
    /// Its text, by which it is found later.
    pub wgsl: String,
    /// What it binds, in order.
    pub bindings: Arc<[Binding]>,
}

/// Compiles kernels beside other work.
pub trait CompileAhead: std::fmt::Debug {
    /// Begins to compile these at once, for the device opened last, and ends when that is done. A kernel that is refused is
    /// left to [`super::Gpu::pipeline`], which says why.
    fn compile(&self, kernels: Vec<Kernel>) -> LocalBoxFuture<'static, ()>;
}

/// A compiled kernel.
#[derive(Debug)]
pub struct Pipeline {
    /// The name of the kernel that it was made for.
    pub(super) name: String,
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) layout: wgpu::BindGroupLayout,
}
