//! Kernels compiled before they are bound.
//!
//! [`Gpu::pipeline`] compiles a kernel while its caller waits, one after the other: wgpu can do nothing else. A browser can
//! compile many at once, beside other work ([`CompileAhead`]).

use futures_util::FutureExt as _;
use shaders::Binding;

use super::Gpu;
use super::pipelines::platform_text;
use crate::bytes::LocalBoxFuture;
use crate::plan::Plan;

/// A kernel as the platform compiles it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The label of its pipeline, by which it is found later.
    pub name: String,
    /// Its text.
    pub wgsl: String,
    /// Kinds of its bindings, in order.
    pub bindings: Vec<Binding>,
}

/// Compiles kernels beside other work.
pub trait CompileAhead: std::fmt::Debug {
    /// Begins to compile these at once, for the device opened last, and ends when that is done. A kernel that is refused is
    /// left to [`Gpu::pipeline`], which says why.
    fn compile(&self, kernels: Vec<Kernel>) -> LocalBoxFuture<'static, ()>;
}

impl Gpu {
    /// Begins to compile the kernels of plans, if the platform can do that beside other work. The future ends when all
    /// kernels are there.
    pub fn compile_ahead<'p>(
        &self,
        plans: impl IntoIterator<Item = &'p Plan>,
    ) -> LocalBoxFuture<'static, ()> {
        let Some(ahead) = &self.ahead else { return std::future::ready(()).boxed_local() };
        let mut kernels: Vec<Kernel> = Vec::new();
        for source in plans.into_iter().flat_map(Plan::kernels) {
            let is_known = self.pipelines.borrow().contains_key(&source.name);
            if !is_known && kernels.iter().all(|kernel| kernel.name != source.name) {
                kernels.push(Kernel {
                    name: source.name.clone(),
                    wgsl: platform_text(source),
                    bindings: source.bindings.clone(),
                });
            }
        }
        ahead.compile(kernels)
    }

    /// Names of the kernels that are there, sorted.
    #[must_use]
    pub fn kernels(&self) -> Vec<String> {
        let mut names: Vec<_> = self.pipelines.borrow().keys().cloned().collect();
        names.sort_unstable();
        names
    }
}
