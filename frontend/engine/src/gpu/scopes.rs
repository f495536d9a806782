//! Error scopes: what a device reports while work is done. Drivers do not report internal errors on request, so
//! tests inject them.

#[cfg(not(test))]
impl super::Gpu {
    /// Opens a scope for errors of one kind. Scopes must end in reverse order.
    pub(super) fn scope(&self, filter: wgpu::ErrorFilter) -> wgpu::ErrorScopeGuard {
        self.device.push_error_scope(filter)
    }
}

#[cfg(test)]
pub(super) use staged::Staged;

#[cfg(test)]
mod staged {
    use std::cell::{Cell, RefCell};
    use std::sync::{Arc, Mutex};

    use wgpu::ErrorFilter;

    use crate::gpu::Gpu;

    /// An open scope, here and on the device.
    pub struct Scope<'a> {
        guard: wgpu::ErrorScopeGuard,
        staged: &'a Staged,
    }

    impl Gpu {
        pub(in crate::gpu) fn scope(&self, filter: ErrorFilter) -> Scope<'_> {
            self.staged.open(filter);
            Scope { guard: self.device.push_error_scope(filter), staged: &self.staged }
        }
    }

    impl Scope<'_> {
        pub fn pop(self) -> impl Future<Output = Option<wgpu::Error>> {
            let staged = self.staged.close();
            let reported = self.guard.pop();
            async move { reported.await.or(staged) }
        }
    }

    /// Injected errors, and the scopes that receive them.
    #[derive(Debug, Default)]
    pub struct Staged {
        next: Cell<Option<ErrorFilter>>,
        open: RefCell<Vec<(ErrorFilter, Option<wgpu::Error>)>>,
    }

    impl Staged {
        /// Makes the next creation fail with this kind of error.
        pub fn stage(&self, kind: ErrorFilter) {
            self.next.set(Some(kind));
        }

        fn open(&self, filter: ErrorFilter) {
            self.open.borrow_mut().push((filter, None));
        }

        fn close(&self) -> Option<wgpu::Error> {
            self.open.borrow_mut().pop().expect("an open scope").1
        }

        /// Reports an injected error like WebGPU does: to the innermost scope for its kind, otherwise as an
        /// uncaptured error.
        pub fn happen(&self, uncaptured: &Arc<Mutex<Option<String>>>) {
            let Some(kind) = self.next.take() else { return };
            let (source, description) = (Box::from("staged"), String::from("staged"));
            let error = match kind {
                ErrorFilter::OutOfMemory => wgpu::Error::OutOfMemory { source },
                ErrorFilter::Validation => wgpu::Error::Validation { source, description },
                ErrorFilter::Internal => wgpu::Error::Internal { source, description },
            };
            match self.open.borrow_mut().iter_mut().rev().find(|(filter, _)| *filter == kind) {
                Some((_, caught)) => *caught = Some(error),
                None => *uncaptured.lock().expect("no panic") = Some(error.to_string()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use shaders::{Kernel as _, Source};
    use wgpu::ErrorFilter;

    use crate::gpu::{Gpu, GpuError, GpuOptions};

    fn gpu() -> Gpu {
        pollster::block_on(Gpu::open(&GpuOptions::default())).expect("these tests need a GPU adapter")
    }

    fn copy() -> Source {
        shaders::bandwidth::copy::BandwidthCopy.source().expect("a kernel")
    }

    #[test]
    fn a_kernel_that_the_driver_cannot_compile_is_an_error() {
        let gpu = gpu();
        for kind in [ErrorFilter::Internal, ErrorFilter::Validation] {
            gpu.staged.stage(kind);
            let made = pollster::block_on(gpu.pipeline(&copy()));
            assert!(
                matches!(&made, Err(GpuError::Kernel { reason, .. }) if reason.contains("staged")),
                "{made:?}"
            );
        }
        // While a plan is bound, it is a kernel error: packed products are then not used.
        gpu.staged.stage(ErrorFilter::Internal);
        let made = pollster::block_on(gpu.validating(gpu.pipeline(&copy())));
        assert!(matches!(made, Err(GpuError::Kernel { .. })), "{made:?}");
        // A rejected pipeline is not cached.
        pollster::block_on(gpu.pipeline(&copy())).expect("a kernel");
        gpu.check().expect("nothing that nobody waits for");
    }

    #[test]
    fn pipelines_are_kept_by_text() {
        let gpu = gpu();
        let pipeline = |source: &Source| pollster::block_on(gpu.pipeline(source)).expect("a pipeline");
        let (copy, renamed) = (copy(), Source { name: "another name".to_owned(), ..copy() });
        let wider = Source { wgsl: copy.wgsl.replace("= id.x;", "= id.x + 0u;").into(), ..copy.clone() };
        assert_ne!(wider.wgsl, copy.wgsl);
        assert!(Rc::ptr_eq(&pipeline(&copy), &pipeline(&renamed)));
        assert!(!Rc::ptr_eq(&pipeline(&copy), &pipeline(&wider)));
        assert_eq!(gpu.kernels(), [copy.name.clone(), copy.name]);
    }

    #[test]
    fn a_kernel_that_is_no_wgsl_is_an_error() {
        let gpu = gpu();
        let source = Source { wgsl: "fn main( {".into(), ..copy() };
        let made = pollster::block_on(gpu.pipeline(&source));
        assert!(matches!(&made, Err(GpuError::Kernel { kernel, .. }) if *kernel == source.name), "{made:?}");
        gpu.check().expect("nothing that nobody waits for");
    }

    #[test]
    fn a_buffer_that_the_device_cannot_make_is_an_error() {
        let gpu = gpu();
        let make = |kind| {
            gpu.staged.stage(kind);
            pollster::block_on(gpu.allocating("a buffer", 4096, || gpu.storage("a buffer", 4096)))
        };
        let full = make(ErrorFilter::OutOfMemory);
        assert!(matches!(full, Err(GpuError::OutOfMemory { bytes: 4096, .. })), "{full:?}");
        let broken = make(ErrorFilter::Internal);
        assert!(
            matches!(&broken, Err(GpuError::Fault { reason }) if reason.contains("staged")),
            "{broken:?}"
        );
        gpu.check().expect("nothing that nobody waits for");
        assert_eq!(gpu.bytes_in_use(), 0);
    }

    #[test]
    fn what_nobody_waits_for_is_a_fault_of_the_next_answer() {
        let gpu = gpu();
        gpu.staged.stage(ErrorFilter::Internal);
        let buffer = gpu.storage("a buffer", 16).expect("a size that is allowed");
        let read = pollster::block_on(gpu.read_once(&buffer, 0, 16));
        assert!(matches!(read, Err(GpuError::Fault { .. })), "{read:?}");
    }
}
