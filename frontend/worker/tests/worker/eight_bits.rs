//! What is stored in 8 bits: because a person asks for it, because the model does not fit otherwise, or because the device has
//! less memory than it was taken to have.

use std::path::PathBuf;
use std::rc::Rc;

use engine::gguf::Header;
use engine::gpu::{Gpu, GpuOptions};
use engine::model::KvType;
use engine::session::{DeviceMemory, MemoryUse, ModelSpec, Storage, TablePlace};
use futures_util::FutureExt as _;
use probe::synth::{self, Quant, Shape};
use protocol::failure::{DeviceFailure, MemorySaving};
use protocol::{
    EightBits, Failure, FitVerdict, LoadOptions, LoadedModel, Outcome, Request, RequestId, ToWorker,
};
use worker::Host;

use crate::desk::server::Server;
use crate::desk::{Desk, generate, inspect, loaded_model, source, synthetic};

const CONTEXT: u32 = 8192;

/// A small model of the E2B kind whose per-layer table is in BF16.
fn model(name: &str) -> PathBuf {
    let shape: Shape = "e2b-small".parse().expect("a shape");
    let options = synth::Options { vocabulary: 32_768, ..synth::Options::new(shape, Quant::Q4KMBf16Table) };
    synthetic(name, &options)
}

/// A worker with the model, and what the model takes, stored in some way.
fn desk(name: &str) -> (Rc<Desk>, Rc<Host>, impl Fn(TablePlace, KvType) -> MemoryUse) {
    let (desk, host) = Desk::new();
    let model = model(name);
    let header = Header::read(&*Server::of(&model)).now_or_never().expect("memory").expect("a header");
    desk.model.replace(model);
    let plan = ModelSpec::read(&header).expect("a plan");
    let gpu = Gpu::open(&GpuOptions::default()).now_or_never().expect("natively no one is waited for");
    let memory = DeviceMemory::assumed(&gpu.expect("a device"));
    let takes = move |table, kv_type| {
        let needs = plan.needs(memory).expect("its needs");
        needs.memory(CONTEXT, Storage { table, kv_type })
    };
    (desk, host, takes)
}

fn options(eight_bits: EightBits) -> LoadOptions {
    LoadOptions { context: CONTEXT, use_memory: true, eight_bits, ..LoadOptions::default() }
}

/// Looks at the model and loads it: what is in 8 bits, and what it takes. Both say the same.
fn load(desk: &Desk, host: &Rc<Host>, id: u64, asked: EightBits) -> (EightBits, u64, u64) {
    host.receive(inspect(id, options(asked)), Vec::new());
    let Ok(Outcome::Inspected { details, verdict, .. }) = desk.end_of(id) else { panic!("no inspection") };
    let FitVerdict::Fits { context: CONTEXT, bytes, outside } = verdict else { panic!("{verdict:?}") };
    let load =
        ToWorker::request(RequestId(id + 1), Request::Load { source: source(), options: options(asked) });
    host.receive(load, Vec::new());
    let LoadedModel { details: loaded, context, gpu_bytes, .. } = loaded_model(desk.end_of(id + 1));
    assert_eq!(context, CONTEXT);
    assert_eq!((details.stored, bytes), (loaded.stored, gpu_bytes));
    assert_eq!(loaded.stored.asked, asked);
    host.receive(generate(id + 2, "Hello"), Vec::new());
    assert!(matches!(desk.end_of(id + 2), Ok(Outcome::Done { .. })));
    (loaded.stored.eight_bits, gpu_bytes, outside)
}

const NONE: EightBits = EightBits { table: false, kv_cache: false };
const TABLE: EightBits = EightBits { table: true, kv_cache: false };
const BOTH: EightBits = EightBits { table: true, kv_cache: true };

#[test]
fn a_person_may_ask_for_it() {
    let (desk, host, takes) = desk("eight_bits_asked.gguf");
    for (id, asked, table, kv_type) in [
        (10, NONE, TablePlace::Device, KvType::F16),
        (20, TABLE, TablePlace::Requantized, KvType::F16),
        (30, EightBits { kv_cache: true, ..NONE }, TablePlace::Device, KvType::Q8_0),
        (40, BOTH, TablePlace::Requantized, KvType::Q8_0),
    ] {
        assert_eq!(load(&desk, &host, id, asked), (asked, takes(table, kv_type).total(), 0));
    }
}

#[test]
fn what_does_not_fit_gives_up_one_after_the_other() {
    let (desk, host, takes) = desk("eight_bits_needed.gguf");
    let places = [TablePlace::Device, TablePlace::Requantized, TablePlace::Host];
    let [whole, requantised, outside] = places.map(|table| takes(table, KvType::F16).total());
    let smallest = takes(TablePlace::Host, KvType::Q8_0).total();
    for (id, available, stored, bytes, is_outside) in [
        (10, whole, NONE, whole, false),
        (20, whole - 1, TABLE, requantised, false),
        (30, requantised - 1, NONE, outside, true),
        (40, outside - 1, EightBits { kv_cache: true, ..NONE }, smallest, true),
    ] {
        host.state_memory(available).now_or_never().expect("nobody opens a device meanwhile");
        let (eight_bits, taken, beside) = load(&desk, &host, id, NONE);
        assert_eq!((eight_bits, taken, beside > 0), (stored, bytes, is_outside), "{available}");
    }
    assert_eq!(desk.warnings(), [], "all of it was planned");
}

#[test]
fn a_device_with_less_memory_than_assumed_says_what_it_gave_up() {
    let (desk, host, takes) = desk("eight_bits_found.gguf");
    host.receive(inspect(1, options(NONE)), Vec::new());
    assert!(matches!(desk.end_of(1), Ok(Outcome::Inspected { .. })));
    // A byte less than the weights take as planned. With a short context, all takes less than that the way after.
    let short = LoadOptions { context: 512, ..options(NONE) };
    let less = |table| takes(table, KvType::F16).weights - 1;
    for (id, limit, stored, told) in [
        (10, less(TablePlace::Device), TABLE, MemorySaving::TableInEightBits),
        (20, less(TablePlace::Requantized), NONE, MemorySaving::TableOutside),
    ] {
        host.limit_memory(limit).now_or_never().expect("nobody opens a device meanwhile");
        let load = ToWorker::request(RequestId(id), Request::Load { source: source(), options: short });
        host.receive(load, Vec::new());
        let end = desk.end_of(id);
        let LoadedModel { details, .. } = loaded_model(end);
        assert_eq!(details.stored.eight_bits, stored);
        let failure: Failure = DeviceFailure::Saved(told).into();
        assert_eq!(desk.warnings().last(), Some(&failure));
    }
}
