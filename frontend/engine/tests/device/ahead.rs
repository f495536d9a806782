//! Kernels compiled ahead are those that a load then asks for, and they take no memory.

use std::cell::RefCell;
use std::rc::Rc;

use engine::adapter;
use engine::bytes::{CancelToken, LocalBoxFuture};
use engine::gpu::{CompileAhead, Gpu, GpuOptions, Kernel};
use engine::model::Tuning;
use engine::session::LoadOptions;
use engine::train::{Settings, Trainer};
use engine::vision::Budget;
use pollster::block_on;

use crate::common;

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

impl Asked {
    /// The kernels that `work` had compiled and that were not compiled ahead.
    fn not_ahead(&self, gpu: &Gpu, work: impl FnOnce()) -> Vec<String> {
        let before = gpu.kernels();
        self.0.borrow_mut().clear();
        work();
        let ahead = self.0.take();
        let new: Vec<_> = gpu.kernels().into_iter().filter(|name| !before.contains(name)).collect();
        assert!(new.len() > 5, "{new:?}");
        let is_ahead = |name: &String| ahead.iter().any(|kernel| kernel.name == *name);
        // Those that bring weights into place run while the others are compiled.
        new.into_iter().filter(|name| !name.starts_with("repack") && !is_ahead(name)).collect()
    }
}

fn gpu(ahead: Option<Rc<dyn CompileAhead>>) -> Rc<Gpu> {
    // A load tries matrix units before it compiles anything else.
    let options = GpuOptions { ahead, no_matrix_units: true, ..GpuOptions::default() };
    Rc::new(block_on(Gpu::open(&options)).expect("a device"))
}

#[test]
fn what_is_compiled_ahead_is_what_a_load_asks_for() {
    for model in MODELS {
        for tuning in [Tuning::FLOATS, Tuning::packed(0)] {
            let asked = Rc::new(Asked::default());
            let gpu = gpu(Some(Rc::clone(&asked) as Rc<dyn CompileAhead>));
            let options = LoadOptions { context: 2048, tuning: Some(tuning), ..LoadOptions::default() };
            let _session = common::load(&gpu, &common::repository(model), &options);

            let ahead: Vec<_> = asked.0.borrow().iter().map(|kernel| kernel.name.clone()).collect();
            // Those that bring the weights into place run while the others are compiled.
            let later: Vec<_> =
                gpu.kernels().into_iter().filter(|name| !name.starts_with("repack")).collect();
            assert!(later.len() > 20, "{model}: {later:?}");
            let missing: Vec<_> = later.iter().filter(|name| !ahead.contains(name)).collect();
            let in_vain = ahead.iter().filter(|name| !later.contains(name)).count();
            if tuning == Tuning::FLOATS {
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
fn compiling_ahead_takes_no_memory() {
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

#[test]
fn towers_and_training_are_compiled_ahead() {
    let asked = Rc::new(Asked::default());
    let gpu = gpu(Some(Rc::clone(&asked) as Rc<dyn CompileAhead>));
    let options = LoadOptions { context: 512, ..LoadOptions::default() };
    let mut session = common::load(&gpu, &common::repository("server/models/pebble.gguf"), &options);
    let cancel = CancelToken::new();

    let picture = common::repository("server/models/samples/digit.png");
    let picture = std::fs::read(picture).expect("a picture");
    let missing = asked.not_ahead(&gpu, || {
        let vision = session.vision_mut().expect("a tower");
        let budget = Budget::new(70).expect("a budget");
        block_on(vision.soft_tokens(&picture, budget, &cancel, &mut |_| ())).expect("soft tokens");
    });
    assert_eq!(missing, [""; 0]);

    let missing = asked.not_ahead(&gpu, || {
        let hearing = session.audio_mut().expect("a tower");
        block_on(hearing.tower(&cancel, &mut |_| ())).expect("a tower");
    });
    assert_eq!(missing, [""; 0]);

    let missing = asked.not_ahead(&gpu, || {
        let settings = Settings { rank: 4, max_tokens: 32, ..Settings::default() };
        block_on(Trainer::new(Rc::clone(&gpu), session.training_base(), settings, None)).expect("a trainer");
    });
    assert_eq!(missing, [""; 0]);
}

#[test]
fn adapters_are_compiled_ahead() {
    let asked = Rc::new(Asked::default());
    let gpu = gpu(Some(Rc::clone(&asked) as Rc<dyn CompileAhead>));
    let options = LoadOptions { context: 512, ..LoadOptions::default() };
    let mut session = common::load(&gpu, &common::repository(MODELS[0]), &options);
    let folder = common::repository("frontend/engine/tests/golden/adapters/peft");
    let adapter = block_on(adapter::open(&folder)).expect("an adapter");
    let missing = asked.not_ahead(&gpu, || {
        block_on(session.add_adapter("a", adapter, 1.0)).expect("an adapter that fits");
    });
    assert_eq!(missing, [""; 0]);
}
