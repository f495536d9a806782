//! Packed products in the worker: a kept tuning is taken up, and where they compute wrongly the model goes on without them.

use std::path::PathBuf;
use std::rc::Rc;

use engine::bytes::FileSource;
use engine::gguf::Header;
use engine::gpu::{Gpu, GpuOptions};
use engine::model::{LARGE, Tuning};
use engine::session::ModelSpec;
use engine::store::{Folder as _, MemoryFolder};
use futures_util::FutureExt as _;
use probe::synth::{self, Quant};
use protocol::diagnosis::SwitchedOff;
use protocol::{Cause, Diagnosis, Finding, Outcome, Request, RequestId, SelfTest, ToWorker};
use worker::Host;
use worker::choices::{FILE, FOLDER, Subject, VERSION};
use worker::device::AdapterNames;

use crate::desk::{Desk, generate, load, loaded_model, small, synthetic};

/// The head with 8192 rows, packed or not: nothing else of the model has Q6_K and 256 columns.
const HEAD: &str = "matvec_q6_k_k256";

fn is_packed(name: &str) -> bool {
    name.starts_with("matvec") && name.ends_with('p')
}

/// A model whose head is large, and nothing else.
fn model(name: &str) -> PathBuf {
    let options = synth::Options { vocabulary: 8192, ..synth::Options::new(small("31b"), Quant::Q4KM) };
    synthetic(name, &options)
}

/// What waits for nothing.
fn now<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("files, memory and native devices answer at once")
}

fn kept(desk: &Desk) -> Rc<MemoryFolder> {
    desk.folders.borrow_mut().entry(FOLDER.to_owned()).or_default().clone()
}

fn read(desk: &Desk) -> serde_json::Value {
    let bytes = now(kept(desk).read(FILE)).expect("memory").expect("a file");
    serde_json::from_slice(&bytes).expect("JSON")
}

/// Returns a worker with the model loaded that remembers packed products of it, and the key of that.
fn loaded(name: &str, version: u32) -> (Rc<Desk>, Rc<Host>, String) {
    let path = model(name);
    let source = FileSource::open(&path).expect("the model opens");
    let header = now(Header::read(&source)).expect("a header");
    let plan = ModelSpec::read(&header).expect("a plan");
    let gpu = now(Gpu::open(&GpuOptions::default())).expect("a device");
    let subject = Subject::new(&gpu, &AdapterNames::default(), &plan).expect("a large head");
    let key = subject.key().to_owned();
    assert!(key.ends_with(": Q6_K 256x8192"), "{key}");

    let (desk, host) = Desk::new();
    desk.model.replace(path);
    let known = serde_json::json!({
        "tuning": Tuning::packed(LARGE), "packs_prompts": false, "packed_is_wrong": false
    });
    let file = serde_json::json!({ "version": version, "tunings": { &key: known } }).to_string();
    now(kept(&desk).write(FILE, file.as_bytes())).expect("memory");
    host.receive(load(1), Vec::new());
    let end = desk.end_of(1);
    assert!(matches!(end, Ok(Outcome::Loaded(_))), "{end:?}");
    (desk, host, key)
}

fn self_test(desk: &Desk, host: &Rc<Host>, id: u64) -> SelfTest {
    host.receive(ToWorker::request(RequestId(id), Request::Diagnose(Diagnosis::SelfTest)), Vec::new());
    match desk.end_of(id) {
        Ok(Outcome::Diagnosed(Finding::SelfTest(told))) => told,
        other => panic!("no self-test: {other:?}"),
    }
}

fn packed(told: &SelfTest) -> usize {
    told.checks.iter().filter(|check| is_packed(&check.name)).count()
}

#[test]
fn packed_products_that_compute_wrongly_are_switched_off() {
    let (desk, host, key) = loaded("switched_off.gguf", VERSION);
    let told = self_test(&desk, &host, 2);
    assert!(packed(&told) > 0 && told.failed().next().is_none() && told.switched_off.is_none(), "{told:?}");

    host.doubt(is_packed);
    let tried = told.checks.len();
    let told = self_test(&desk, &host, 3);
    assert!(told.failed().count() > 0 && told.failed().all(|check| is_packed(&check.name)), "{told:?}");
    assert_eq!(told.switched_off, Some(SwitchedOff::PackedProducts));
    // What has taken their place was tried, too.
    let new = &told.checks[tried..];
    assert!(new.iter().any(|check| check.name.starts_with(HEAD) && !is_packed(&check.name)), "{new:?}");
    let known = &read(&desk)["tunings"][&key];
    assert_eq!(
        (&known["packed_is_wrong"], &known["tuning"]["packed"]),
        (&true.into(), &serde_json::Value::Null)
    );

    // The model is there, and none of its kernels is doubted any more.
    host.receive(generate(4, "Hello"), Vec::new());
    assert!(matches!(desk.end_of(4), Ok(Outcome::Done { .. })));
    let told = self_test(&desk, &host, 5);
    assert!(told.of_model && packed(&told) == 0 && told.failed().next().is_none(), "{told:?}");

    // Nor are they after a lost device, which natively shows when it is used, or after a reload.
    now(host.lose_device());
    host.receive(generate(6, "Hello"), Vec::new());
    assert!(matches!(desk.end_of(6), Ok(Outcome::Done { .. })));
    assert_eq!(packed(&self_test(&desk, &host, 7)), 0);
    let (again, host) = desk.successor();
    again.model.replace(desk.model.borrow().clone());
    host.receive(load(1), Vec::new());
    assert!(matches!(again.end_of(1), Ok(Outcome::Loaded(_))));
    assert_eq!(packed(&self_test(&again, &host, 2)), 0);
}

#[test]
fn prompts_are_read_in_floats_where_packed_tiles_compute_wrongly() {
    let is_tile = |name: &str| name.starts_with("matmul_packed");
    let tiles = |told: &SelfTest| told.checks.iter().filter(|check| is_tile(&check.name)).count();
    let (desk, host) = Desk::new();
    desk.model.replace(model("tiles.gguf"));
    host.pack_prompts();
    host.receive(load(1), Vec::new());
    assert!(loaded_model(desk.end_of(1)).details.packed_prompts);
    let told = self_test(&desk, &host, 2);
    assert!(tiles(&told) > 0 && told.failed().next().is_none(), "{told:?}");

    host.doubt(is_tile);
    let told = self_test(&desk, &host, 3);
    assert_eq!(told.switched_off, Some(SwitchedOff::PackedProducts));
    host.receive(generate(4, "Hello"), Vec::new());
    assert!(matches!(desk.end_of(4), Ok(Outcome::Done { .. })));
    let told = self_test(&desk, &host, 5);
    assert!(told.of_model && tiles(&told) == 0 && told.failed().next().is_none(), "{told:?}");

    // Which is remembered.
    let (again, host) = desk.successor();
    host.pack_prompts();
    host.receive(load(1), Vec::new());
    assert!(!loaded_model(again.end_of(1)).details.packed_prompts);
}

#[test]
fn a_model_without_another_form_is_unloaded() {
    let gone = |desk: &Desk, host: &Rc<Host>| {
        host.receive(generate(9, "Hello"), Vec::new());
        match desk.end_of(9) {
            Err(failure) => assert_eq!(failure.cause(), Cause::Invalid),
            other => panic!("it has answered: {other:?}"),
        }
    };
    // A kernel of attention.
    let (desk, host, key) = loaded("unloaded.gguf", VERSION);
    host.doubt(|name| is_packed(name) || name.starts_with("attention_decode"));
    let told = self_test(&desk, &host, 2);
    assert_eq!(told.switched_off, None);
    assert!(told.failed().any(|check| check.name.starts_with("attention_decode")), "{told:?}");
    assert_eq!(read(&desk)["tunings"][&key]["packed_is_wrong"], false);
    gone(&desk, &host);

    // The floats that take the place of packed products.
    let (desk, host, _) = loaded("unloaded.gguf", VERSION);
    host.doubt(|name| name.starts_with(HEAD));
    let told = self_test(&desk, &host, 2);
    assert_eq!(told.switched_off, None);
    let failed: Vec<_> = told.failed().map(|check| is_packed(&check.name)).collect();
    assert!(failed.contains(&true) && failed.contains(&false), "{told:?}");
    gone(&desk, &host);
}

#[test]
fn what_an_older_worker_has_kept_does_not_count() {
    // A processor that plays a device has floats where nothing is known.
    let (desk, host, _) = loaded("older.gguf", VERSION - 1);
    let told = self_test(&desk, &host, 2);
    assert_eq!(packed(&told), 0);
}
