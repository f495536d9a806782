//! Compiling kernels before they are bound.
//!
//! [`Gpu::pipeline`] compiles a kernel while its caller waits, one after the other, because wgpu has no other way.
//! A browser can compile many at once, in parallel with other work ([`super::CompileAhead`]).

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::FutureExt as _;

use super::{Gpu, Kernel};
use crate::bytes::LocalBoxFuture;
use crate::plan::Plan;

impl Gpu {
    /// Starts compiling the kernels of plans, if the platform can do so in parallel with other work. The future
    /// completes when all kernels are compiled.
    pub fn compile_ahead<'p>(
        &self,
        plans: impl IntoIterator<Item = &'p Plan>,
    ) -> LocalBoxFuture<'static, ()> {
        let Some(ahead) = &self.ahead else { return std::future::ready(()).boxed_local() };
        let (pipelines, mut seen) = (self.pipelines.borrow(), HashSet::new());
        let new = plans
            .into_iter()
            .flat_map(Plan::kernels)
            .filter(|source| !pipelines.contains_key(&source.wgsl) && seen.insert(Arc::clone(&source.wgsl)));
        let kernels = new.map(|source| Kernel {
            name: source.name.clone(),
            wgsl: source.wgsl.to_string(),
            bindings: Arc::clone(&source.bindings),
        });
        ahead.compile(kernels.collect())
    }

    /// Names of the compiled kernels, sorted.
    #[must_use]
    pub fn kernels(&self) -> Vec<String> {
        let mut names: Vec<_> = self.pipelines.borrow().values().map(|made| made.name.clone()).collect();
        names.sort_unstable();
        names
    }
}
