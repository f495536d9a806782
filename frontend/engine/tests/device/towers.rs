//! Every kernel of a tower can be tried by itself, and computes what its twin does.

use std::collections::{HashMap, HashSet};

use engine::bytes::CancelToken;
use engine::plan::Tested;
use probe::synth::{self, Quant, Shape};
use shaders::matmul::Matmul;
use shaders::{Kernel, selftest};

use crate::common;
use crate::vision::{budget, carried, colours, see};

/// A small model of the 12B kind, which has no tower: it cuts pictures into patches of 48 pixels, and reads samples as they
/// are.
pub fn without_towers() -> synth::Options {
    let shape = Shape {
        layers: 1,
        width: 128,
        heads: 1,
        kv_heads_sliding: 1,
        kv_heads_global: 1,
        feed_forward: 256,
        ..("12b".parse::<Shape>().expect("a shape"))
    };
    synth::Options { vocabulary: 1024, towers: true, ..synth::Options::new(shape, Quant::F16) }
}

fn written(options: &synth::Options) -> std::path::PathBuf {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("without_towers.gguf");
    synth::write(std::fs::File::create(&path).expect("a file"), options).expect("a model");
    path
}

#[test]
fn every_kernel_of_a_tower_is_verified() {
    let gpu = common::gpu();
    let files = [
        (common::repository("server/models/pebble.gguf"), None),
        (carried("models/tiny-e2b.q4_0.lcpp.gguf"), Some(carried("models/tiny-e2b.mmproj.q8_0.gguf"))),
        (written(&without_towers()), None),
    ];
    let kind = |kernel: &dyn Kernel| {
        let is_clamped = kernel.downcast_ref().map(|kernel: &Matmul| kernel.clamped);
        (kernel.type_id(), is_clamped)
    };
    let mut tried = HashMap::new();
    for (model, projector) in files {
        let label = model.display();
        let mut session = common::with_projector(&gpu, &model, projector.as_deref());
        see(&mut session, &colours(20), budget(70));
        let seeing = session.vision().expect("a tower").plan_of_pictures();
        let hearing = session.audio_mut().expect("a tower");
        let (cancel, mut quiet) = (CancelToken::new(), |_| ());
        let tower = pollster::block_on(hearing.tower(&cancel, &mut quiet)).expect("a tower");
        let hearing = tower.program().plan().clone();
        for plan in [seeing, hearing] {
            let untested = plan.untested().collect::<HashSet<_>>();
            assert!(!plan.is_empty() && untested.is_empty(), "{label}: {untested:?}");
            for Tested { kernel, source } in plan.tested() {
                // Short runs see that each has a self-test; the kernels are held to their twins elsewhere.
                let is_new = tried.insert(source.name.clone(), kind(&*kernel)).is_none();
                if is_new && common::is_thorough() {
                    let check =
                        pollster::block_on(engine::check::check(&gpu, &*kernel)).expect("the device answers");
                    assert_eq!(check.problem, None, "{check:?}");
                }
            }
        }
    }
    assert!(tried.len() > 20, "{tried:?}");
    // What the page of diagnostics tries without a model has each of them but the sizes of these small heads.
    let standard: HashSet<_> = selftest::standard().iter().map(|kernel| kind(&**kernel)).collect();
    assert!(tried.values().all(|kind| standard.contains(kind)), "{tried:?}");
}
