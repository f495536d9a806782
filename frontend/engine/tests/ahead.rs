//! Kernels compiled ahead are those that a load then asks for, and nothing stays of the rehearsal that finds them.

mod common;

use std::cell::RefCell;
use std::rc::Rc;

use engine::bytes::LocalBoxFuture;
use engine::gpu::{CompileAhead, Gpu, GpuOptions, Kernel};
use engine::model::Products;
use engine::session::LoadOptions;

const MODELS: [&str; 3] = [
    "frontend/engine/tests/golden/models/tiny-e2b.q4_k_m.gguf",
    "frontend/engine/tests/golden/models/tiny-31b.q4_k_m.lcpp.gguf",
    "frontend/engine/tests/golden/models/tiny-moe.q4_k_m.gguf",
];

/// Compiles nothing, and remembers what it was to compile.
#[derive(Debug, Default)]
struct Asked(RefCell<Vec<Kernel>>);

impl CompileAhead for Asked {
    fn compile(&self, kernels: Vec<Kernel>) -> LocalBoxFuture<'static, ()> {
        self.0.borrow_mut().extend(kernels);
        Box::pin(std::future::ready(()))
    }
}

fn gpu(ahead: Option<Rc<dyn CompileAhead>>) -> Rc<Gpu> {
    let options = GpuOptions { ahead, ..GpuOptions::default() };
    Rc::new(pollster::block_on(Gpu::open(&options)).expect("a device"))
}

#[test]
fn what_is_compiled_ahead_is_what_a_load_asks_for() {
    for model in MODELS {
        for products in [Products::Floats, Products::Packed { least_rows: 0 }] {
            let asked = Rc::new(Asked::default());
            let gpu = gpu(Some(Rc::clone(&asked) as Rc<dyn CompileAhead>));
            let options = LoadOptions { context: 2048, products, ..LoadOptions::default() };
            let _session = common::load(&gpu, &common::repository(model), &options);

            let ahead: Vec<_> = asked.0.borrow().iter().map(|kernel| kernel.name.clone()).collect();
            // Those that bring the weights into place run while the others are compiled.
            let later: Vec<_> =
                gpu.kernels().into_iter().filter(|name| !name.starts_with("repack")).collect();
            assert!(later.len() > 20, "{model}: {later:?}");
            let missing: Vec<_> = later.iter().filter(|name| !ahead.contains(name)).collect();
            let in_vain = ahead.iter().filter(|name| !later.contains(name)).count();
            if products == Products::Floats {
                assert_eq!((missing.len(), in_vain), (0, 0), "{model}: {missing:?}");
            } else {
                // Whether the device takes packed products shows only when they are built, so the float ones come ahead
                // too; and the layers that one row of a chunk goes through begin with a product of their own.
                assert!(missing.len() <= 1, "{model}: {missing:?}");
            }
        }
    }
}

#[test]
fn a_rehearsal_leaves_nothing() {
    let options = LoadOptions { context: 2048, ..LoadOptions::default() };
    let bytes = |ahead| {
        let gpu = gpu(ahead);
        let _session = common::load(&gpu, &common::repository(MODELS[0]), &options);
        gpu.bytes_in_use()
    };
    assert_eq!(bytes(Some(Rc::new(Asked::default()))), bytes(None));
}

#[test]
fn a_second_load_compiles_ahead_what_is_new_alone() {
    let asked = Rc::new(Asked::default());
    let gpu = gpu(Some(Rc::clone(&asked) as Rc<dyn CompileAhead>));
    let options = LoadOptions { context: 2048, ..LoadOptions::default() };
    drop(common::load(&gpu, &common::repository(MODELS[0]), &options));
    asked.0.borrow_mut().clear();
    drop(common::load(&gpu, &common::repository(MODELS[0]), &options));
    assert_eq!(*asked.0.borrow(), []);
}
