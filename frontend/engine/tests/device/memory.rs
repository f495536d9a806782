//! What a plan says a model takes is what the device is asked for, to the byte. Training, towers and media say so in tests
//! of their own.

use std::rc::Rc;

use engine::bytes::FileSource;
use engine::gguf::Header;
use engine::model::Products;
use engine::session::{DeviceMemory, LoadOptions, ModelSpec};

use crate::common;

#[test]
fn a_load_takes_what_was_planned() {
    let gpu = common::gpu();
    for model in ["tiny-e2b.q4_k_m", "tiny-31b.q8_0", "tiny-moe.q4_k_m", "tiny-unified.f16.lcpp"] {
        let path = common::repository("frontend/engine/tests/golden/models").join(format!("{model}.gguf"));
        for (products, context, ple_on_host) in
            [(Products::Floats, 512, false), (Products::Packed { least_rows: 0 }, 2048, true)]
        {
            let options = LoadOptions { context, products, ple_on_host, ..LoadOptions::default() };
            let source = FileSource::open(&path).expect("the model opens");
            let header = pollster::block_on(Header::read(&source)).expect("a header");
            let plan = ModelSpec::with_options(&header, &options).expect("a plan");
            let needs = plan.needs(DeviceMemory::assumed(&gpu)).expect("its needs");
            let fit = needs.fit(context).expect("it fits");
            assert_eq!(fit.table_on_host, ple_on_host && plan.table().is_some(), "{model}");
            let planned = needs.memory(context, fit.table_on_host);
            assert_eq!(planned.total(), fit.bytes);

            let before = gpu.bytes_in_use();
            let session = common::load(&gpu, &path, &options);
            assert!(session.decoder().products() == products || model.contains("f16"), "{model}");
            assert_eq!(gpu.bytes_in_use() - before, planned.loaded(), "{model} {products:?}");
            drop(session);
            assert_eq!(gpu.bytes_in_use(), before, "{model}");
        }
    }
    assert_eq!(Rc::strong_count(&gpu), 1);
}
