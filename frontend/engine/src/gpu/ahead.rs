//! Compiling kernels before they are bound, many at once and in parallel with other work: by the browser
//! ([`super::CompileAhead`]), natively on threads.

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::FutureExt as _;
use shaders::Source;

use super::{Gpu, Kernel};
use crate::bytes::LocalBoxFuture;
use crate::plan::Plan;

impl Gpu {
    /// Starts compiling the kernels of plans that are not compiled yet. The future completes when all are. What the device
    /// rejects is left to [`Self::pipeline`], which reports the reason.
    pub fn compile_ahead<'p>(
        &self,
        plans: impl IntoIterator<Item = &'p Plan>,
    ) -> LocalBoxFuture<'static, ()> {
        let (pipelines, mut seen) = (self.pipelines.borrow(), HashSet::new());
        let new = plans
            .into_iter()
            .flat_map(Plan::sources)
            .filter(|source| !pipelines.contains_key(&source.wgsl) && seen.insert(Arc::clone(&source.wgsl)));
        match &self.ahead {
            Some(ahead) => ahead.compile(new.map(|source| kernel(source)).collect()),
            #[cfg(not(target_arch = "wasm32"))]
            None => self.compile_on_threads(new.map(|source| Source::clone(source)).collect()),
            #[cfg(target_arch = "wasm32")]
            None => std::future::ready(()).boxed_local(),
        }
    }

    /// Starts compiling on a thread for each core. Threads end early when the future is dropped.
    #[cfg(not(target_arch = "wasm32"))]
    fn compile_on_threads(&self, sources: Vec<Source>) -> LocalBoxFuture<'static, ()> {
        use std::num::NonZero;
        use std::rc::Rc;
        use std::sync::atomic::{AtomicUsize, Ordering};
        use std::thread;

        use futures_channel::mpsc;
        use futures_util::StreamExt as _;

        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(sources.len());
        let work = Arc::new((sources, AtomicUsize::new(0)));
        let (sender, mut made) = mpsc::unbounded();
        for _ in 0..threads {
            let (device, work, sender) = (self.device.clone(), Arc::clone(&work), sender.clone());
            let compile = move || {
                let (sources, next) = &*work;
                while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let compiled = super::pipelines::try_compile(&device, source);
                    let sent = compiled.map(|it| sender.unbounded_send((Arc::clone(&source.wgsl), it)));
                    if sent.is_some_and(|sent| sent.is_err()) {
                        return;
                    }
                }
            };
            // Without a thread, kernels are compiled when they are bound.
            thread::Builder::new().name("compile".to_owned()).spawn(compile).ok();
        }
        drop(sender);
        let pipelines = Rc::clone(&self.pipelines);
        async move {
            while let Some((text, pipeline)) = made.next().await {
                pipelines.borrow_mut().insert(text, Rc::new(pipeline));
            }
        }
        .boxed_local()
    }

    /// Names of the compiled kernels, sorted.
    pub fn kernels(&self) -> Vec<String> {
        let mut names: Vec<_> = self.pipelines.borrow().values().map(|made| made.name.clone()).collect();
        names.sort_unstable();
        names
    }
}

/// Returns a kernel as the browser compiles it.
fn kernel(source: &Source) -> Kernel {
    Kernel {
        name: source.name.clone(),
        wgsl: source.wgsl.to_string(),
        bindings: Arc::clone(&source.bindings),
    }
}
