//! A model whose per-layer table or experts the device has no room for, on a server that writes down what it is asked
//! for: what is asked for after a load says nothing of a conversation.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine::bytes::ByteSource as _;
use engine::gguf::Header;
use engine::model::KvType;
use engine::session::ModelSpec;
use futures_util::FutureExt as _;
use probe::synth::{self, Quant, Shape};
use protocol::{
    Cause, FitVerdict, LoadOptions, LoadPhase, Outcome, Progress, Remedy, Request, RequestId, ToPage,
    ToWorker,
};
use worker::Host;

use crate::desk::server::Server;
use crate::desk::{Desk, generate, inspect, load, needed, source, synthetic};

/// A small model of the E2B kind.
fn model(name: &str) -> PathBuf {
    let shape: Shape = "e2b-small".parse().expect("a shape");
    // So many rows that the table is larger than the buffer which takes its place for a chunk of the prompt.
    let options = synth::Options { vocabulary: 16_384, ..synth::Options::new(shape, Quant::Q4KM) };
    synthetic(name, &options)
}

/// A worker whose device has a byte too little for all of a model with such a cache, the server, and the model.
fn without_a_byte(
    model: &Path,
    context: u32,
    kv_type: KvType,
) -> (Rc<Desk>, Rc<Host>, Rc<Server>, ModelSpec) {
    let (desk, host) = Desk::new();
    let server = Server::of(model);
    let header = Header::read(&*server).now_or_never().expect("memory").expect("a header");
    let mut plan = ModelSpec::read(&header).expect("a plan");
    plan.storage.kv_type = kv_type;
    let stated = host.state_memory(needed(&plan, context) - 1);
    stated.now_or_never().expect("nobody opens a device meanwhile");
    server.log.take();
    desk.server.replace(Some(Rc::clone(&server)));
    (desk, host, server, plan)
}

/// The same for a model with a table, and where the table lies in its file.
fn crowded(name: &str) -> (Rc<Desk>, Rc<Host>, Rc<Server>, Range<u64>) {
    let (desk, host, server, plan) = without_a_byte(&model(name), 8192, KvType::F16);
    let table = plan.table().expect("a table").range.clone();
    (desk, host, server, table)
}

fn load_with_memory(id: u64) -> ToWorker {
    let options = LoadOptions { use_memory: true, ..LoadOptions::default() };
    ToWorker::request(RequestId(id), Request::Load { source: source(), options })
}

/// An answer, whatever it says: the weights are random.
fn answer(desk: &Desk, host: &Rc<Host>, id: u64) {
    host.receive(generate(id, "Hello"), Vec::new());
    let end = desk.end_of(id);
    assert!(matches!(end, Ok(Outcome::Done { timings, .. }) if timings.decode_tokens > 0), "{end:?}");
}

fn lies_in(log: &[Range<u64>], table: &Range<u64>) -> bool {
    log.iter().any(|read| read.start < table.end && table.start < read.end)
}

#[test]
fn ordinary_memory_is_asked_for_and_then_nothing_of_the_server() {
    let (desk, host, server, table) = crowded("crowded.gguf");
    let bytes = table.end - table.start;
    host.receive(inspect(1, LoadOptions::default()), Vec::new());
    let Ok(Outcome::Inspected { verdict, .. }) = desk.end_of(1) else { panic!("no inspection") };
    assert!(
        matches!(verdict, FitVerdict::Fits { context: 8192, outside, .. } if outside == bytes),
        "{verdict:?}"
    );

    // Without leave no weight is read.
    host.receive(load(2), Vec::new());
    let Err(failure) = desk.end_of(2) else { panic!("it was loaded without leave") };
    assert_eq!((failure.cause(), &failure.remedies()[0]), (Cause::OutOfMemory, &Remedy::UseMemory(bytes)));
    assert!(!lies_in(&server.log.take(), &table));
    let phases = |desk: &Desk| -> Vec<LoadPhase> {
        let phase = |event: &ToPage| match event.as_progress() {
            Some((_, Progress::Loading(progress))) => Some(progress.phase),
            _ => None,
        };
        desk.posted().iter().filter_map(phase).collect()
    };
    assert!(phases(&desk).iter().all(|&phase| phase == LoadPhase::Header));

    host.receive(load_with_memory(3), Vec::new());
    assert!(matches!(desk.end_of(3), Ok(Outcome::Loaded(it)) if it.context == 8192));
    assert!(phases(&desk).contains(&LoadPhase::Table));
    assert!(lies_in(&server.log.take(), &table));

    answer(&desk, &host, 4);
    assert_eq!(server.log.take(), []);

    // After a loss the weights are loaded again, in the order of the file; the table is still here.
    host.lose_device().now_or_never().expect("nobody opens a device meanwhile");
    answer(&desk, &host, 5);
    let log = server.log.take();
    assert!(!log.is_empty() && !lies_in(&log, &table), "{log:?}");
    answer(&desk, &host, 6);
    assert_eq!(server.log.take(), []);
}

#[test]
fn what_the_browser_keeps_is_whole_before_the_first_answer() {
    let (desk, host, server, table) = crowded("crowded_kept.gguf");
    desk.room.set(Some(server.len()));
    host.receive(load(1), Vec::new());
    assert!(matches!(desk.end_of(1), Ok(Outcome::Loaded(_))));
    assert!(lies_in(&server.log.take(), &table));
    for id in 2..4 {
        answer(&desk, &host, id);
        assert!(!lies_in(&server.log.take(), &table));
    }
    host.lose_device().now_or_never().expect("nobody opens a device meanwhile");
    answer(&desk, &host, 4);
    assert!(!lies_in(&server.log.take(), &table));
}

#[test]
fn storage_that_is_full_leaves_the_question() {
    let (desk, host, server, table) = crowded("crowded_full.gguf");
    desk.room.set(Some((table.end - table.start) / 2));
    host.receive(load(1), Vec::new());
    let Err(failure) = desk.end_of(1) else { panic!("it was loaded without leave") };
    assert_eq!(failure.remedies()[0], Remedy::UseMemory(table.end - table.start));
    host.receive(load_with_memory(2), Vec::new());
    assert!(matches!(desk.end_of(2), Ok(Outcome::Loaded(_))));
    server.log.take();
    answer(&desk, &host, 3);
    assert!(!lies_in(&server.log.take(), &table));
}

#[test]
fn experts_without_a_place_on_the_device_are_read_here() {
    let mixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/golden/models/tiny-moe.q4_k_m.gguf");
    let (desk, host, server, plan) = without_a_byte(&mixture, 512, KvType::Q8_0);
    let bytes: u64 = plan.experts().map(|matrix| matrix.range.end - matrix.range.start).sum();
    host.receive(inspect(1, LoadOptions { context: 512, ..LoadOptions::default() }), Vec::new());
    let Ok(Outcome::Inspected { verdict, .. }) = desk.end_of(1) else { panic!("no inspection") };
    // One of eight, in every layer, as no context is short enough for all.
    assert!(
        matches!(verdict, FitVerdict::Fits { context: 512, outside, .. } if outside == bytes / 8),
        "{verdict:?}"
    );
    let with = |id, use_memory| {
        let options = LoadOptions { use_memory, context: 512, ..LoadOptions::default() };
        host.receive(
            ToWorker::request(RequestId(id), Request::Load { source: source(), options }),
            Vec::new(),
        );
        desk.end_of(id)
    };
    let Err(failure) = with(2, false) else { panic!("it was loaded without leave") };
    assert!(matches!(failure.remedies()[0], Remedy::UseMemory(needed) if needed >= bytes), "{failure:?}");
    let loaded = with(3, true);
    assert!(matches!(loaded, Ok(Outcome::Loaded(ref it)) if it.context == 512), "{loaded:?}");
    server.log.take();
    answer(&desk, &host, 4);
    assert_eq!(server.log.take(), []);
}
