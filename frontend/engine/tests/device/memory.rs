//! What a plan says a model takes is what the device is asked for, to the byte. Training, towers and media say so in tests
//! of their own.

use std::rc::Rc;

use engine::adapter::{Adapter, Factors, Projection, Ranks, Shape, Target};
use engine::bytes::FileSource;
use engine::gguf::Header;
use engine::model::{Corrections, Decoder, DecoderPlans, Plans, Tuning};
use engine::session::{DeviceMemory, LoadOptions, ModelSpec, TablePlace};
use pollster::block_on;

use crate::common;

#[test]
fn a_load_takes_what_was_planned() {
    let gpu = common::gpu();
    for model in ["tiny-e2b.q4_k_m", "tiny-31b.q8_0", "tiny-moe.q4_k_m", "tiny-unified.f16.lcpp"] {
        let path = common::repository("frontend/engine/tests/golden/models").join(format!("{model}.gguf"));
        let packed = Tuning::packed(0);
        for (tuning, context, table) in
            [(Tuning::FLOATS, 512, TablePlace::Device), (packed, 2048, TablePlace::Host)]
        {
            let on_host = table == TablePlace::Host;
            // Some of the eight experts of the mixture, too.
            let expert_slots = if on_host { 3 } else { 0 };
            let options =
                LoadOptions { context, tuning: Some(tuning), table, expert_slots, ..LoadOptions::default() };
            let source = FileSource::open(&path).expect("the model opens");
            let header = block_on(Header::read(&source)).expect("a header");
            let plan = ModelSpec::with_options(&header, &options).expect("a plan");
            let needs = plan.needs(DeviceMemory::assumed(&gpu)).expect("its needs");
            let fit = needs.fit(context).expect("it fits");
            assert!(plan.table().is_none() || fit.storage.table == table, "{model}");
            assert_eq!(plan.expert_slots, (on_host && model.contains("moe")).then_some(3), "{model}");
            let planned = needs.memory(context, fit.storage);
            assert_eq!(planned.total(), fit.bytes);

            let before = gpu.bytes_in_use();
            let session = common::load(&gpu, &path, &options);
            assert!(session.decoder().tuning() == tuning || model.contains("f16"), "{model}");
            assert_eq!(gpu.bytes_in_use() - before, planned.loaded(), "{model} {tuning:?}");
            drop(session);
            assert_eq!(gpu.bytes_in_use(), before, "{model}");
        }
    }
    assert_eq!(Rc::strong_count(&gpu), 1);
}

/// An adapter of every projection.
fn adapter(decoder: &Decoder, rank: u32) -> Adapter {
    let mut adapter = Adapter::default();
    for layer in 0..decoder.config().layers.len() {
        for projection in Projection::ALL {
            let target = Target { layer, projection };
            let Some(Shape { experts, input, output }) = decoder.shape(target) else { continue };
            let [a, b] = [input, output].map(|length| vec![0.01; (experts * rank * length) as usize]);
            let factors = Factors { rank, input, output, a, b, scale: 1.0 };
            adapter.insert(target, factors).expect("factors");
        }
    }
    adapter
}

#[test]
fn adapters_take_what_was_planned() {
    let gpu = common::gpu();
    let limits = gpu.plan_limits();
    for model in ["tiny-e2b.q4_k_m", "tiny-31b.q8_0", "tiny-moe.q4_k_m"] {
        let path = common::repository("frontend/engine/tests/golden/models").join(format!("{model}.gguf"));
        let options = LoadOptions { context: 512, tuning: Some(Tuning::FLOATS), ..LoadOptions::default() };
        let mut session = common::load(&gpu, &path, &options);
        for ranks in [&[6][..], &[64, 64]] {
            let parts = session.decoder().parts();
            let corrections = Corrections::describe(
                parts,
                &ranks.iter().map(|&rank| Ranks::both(rank)).collect::<Vec<_>>(),
                &|_| true,
            )
            .expect("corrections");
            let plans = Plans::new(parts, Tuning::FLOATS, Some(&corrections)).expect("plans");
            let without = DecoderPlans::new(parts, options.tuning, None).expect("plans").layout(parts);
            let planned = plans.layout(&corrections).beyond(&without).total() + plans.params_bytes(limits);

            let before = gpu.bytes_in_use();
            let adapters = ranks.iter().map(|&rank| adapter(session.decoder(), rank));
            let adapters: Vec<_> = adapters.zip(["a", "b"]).collect();
            for (adapter, name) in adapters {
                block_on(session.add_adapter(name, adapter, 1.0)).expect("it fits");
            }
            assert_eq!(gpu.bytes_in_use() - before, planned, "{model} {ranks:?}");
            for name in ["a", "b"] {
                block_on(session.remove_adapter(name)).expect("it goes");
            }
            assert_eq!(gpu.bytes_in_use(), before, "{model} {ranks:?}");
        }
    }
}
