//! Kernels compiled before they are asked for.
//!
//! [`Gpu::pipeline`] compiles a kernel while its caller waits, one after the other: wgpu can do nothing else. A browser can
//! compile many at once, beside other work ([`CompileAhead`]). Which they will be is found by a rehearsal: what makes
//! buffers and lists of dispatches is run once without making any, and the kernels that it asks for are noted.

use futures_util::FutureExt as _;
use shaders::{Binding, Source};

use super::Gpu;
use super::pipelines::platform_text;
use crate::bytes::LocalBoxFuture;

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
    /// Begins to compile the kernels that `work` asks for, if the platform can do that beside other work. `work` is run
    /// at once, and nothing that it makes is real: buffers are small and hold nothing, lists are empty. The future ends
    /// when all kernels are there.
    pub fn compile_ahead<T, E>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> LocalBoxFuture<'static, ()> {
        let Some(ahead) = &self.ahead else { return std::future::ready(()).boxed_local() };
        let kernels = self.rehearse(work);
        ahead.compile(kernels)
    }

    /// The kernels that `work` asks for and that are not there yet, each once.
    fn rehearse<T, E>(&self, work: impl Future<Output = Result<T, E>>) -> Vec<Kernel> {
        self.rehearsed.replace(Some(Vec::new()));
        // Nothing is waited for in a rehearsal. Should it fail, what really runs will fail likewise, and say so.
        drop(work.now_or_never());
        self.rehearsed.take().unwrap_or_default()
    }

    /// Whether what runs is a rehearsal.
    pub(super) fn is_rehearsal(&self) -> bool {
        self.rehearsed.borrow().is_some()
    }

    /// Notes a kernel in a rehearsal; false outside of one.
    pub(super) fn note(&self, source: &Source) -> bool {
        let mut rehearsed = self.rehearsed.borrow_mut();
        let Some(kernels) = rehearsed.as_mut() else { return false };
        let is_new = kernels.iter().all(|kernel| kernel.name != source.name);
        if is_new && !self.pipelines.borrow().contains_key(&source.name) {
            kernels.push(Kernel {
                name: source.name.clone(),
                wgsl: platform_text(source),
                bindings: source.bindings.clone(),
            });
        }
        true
    }

    /// Names of the kernels that are there, sorted.
    #[must_use]
    pub fn kernels(&self) -> Vec<String> {
        let mut names: Vec<_> = self.pipelines.borrow().keys().cloned().collect();
        names.sort_unstable();
        names
    }
}
