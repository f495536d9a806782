//! The self-test that nobody asks for, after a load.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use engine::store::Folder as _;
use engine::store::journal::Record;
use futures_util::FutureExt as _;
use protocol::failure::EngineFailure;
use protocol::{
    AdapterScale, AdapterSource, Cause, Code, Content, GenerateOptions, Media, ModelSource, Outcome, Request,
    RequestId, ToPage, ToWorker, TokenBudget,
};
use worker::Host;
use worker::choices::{FILE, FOLDER};

use crate::desk::server::{NOW, Server};
use crate::desk::{Desk, asks, generate, golden, load, pebble};

/// The kernels that are remembered to be right.
fn sound(desk: &Desk) -> BTreeSet<String> {
    let folder = desk.folders.borrow_mut().entry(FOLDER.to_owned()).or_default().clone();
    let bytes = folder.read(FILE).now_or_never().expect("memory").expect("memory").unwrap_or_default();
    let file: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let adapters = file["sound"].as_object().into_iter().flat_map(|all| all.values());
    adapters
        .flat_map(|kernels| serde_json::from_value::<BTreeSet<String>>(kernels.clone()))
        .flatten()
        .collect()
}

/// What a worker tries after its load, noted by the names that are doubted or not.
fn tried(host: &Host) -> Rc<RefCell<Vec<String>>> {
    let names = Rc::new(RefCell::new(Vec::new()));
    let noted = Rc::clone(&names);
    host.doubt(move |name| {
        noted.borrow_mut().push(name.to_owned());
        false
    });
    names
}

#[test]
fn kernels_of_a_model_are_tried_once_on_an_adapter() {
    let (desk, host) = Desk::new();
    let first = tried(&host);
    host.receive(load(1), Vec::new());
    desk.end_of(1).ok();
    assert!(first.borrow().is_empty(), "the load does not wait for it");
    // An answer goes before.
    host.receive(generate(2, "Hello"), Vec::new());
    assert!(matches!(desk.end_of(2), Ok(Outcome::Done { .. })));
    desk.run_until(|_| !sound(&desk).is_empty());
    let has = |part: &str| sound(&desk).iter().any(|name| name.contains(part));
    assert!(has("_rows1_") && has("sampling_sample") && has("repack"), "{:?}", sound(&desk));
    assert_eq!(sound(&desk).len(), first.borrow().len());

    let (desk, host) = desk.successor();
    let second = tried(&host);
    host.receive(load(1), Vec::new());
    desk.end_of(1).ok();
    host.receive(generate(2, "Hello"), Vec::new());
    desk.end_of(2).ok();
    host.receive(generate(3, "Hello"), Vec::new());
    desk.end_of(3).ok();
    assert!(second.borrow().is_empty(), "{:?}", second.borrow());
}

#[test]
fn kernels_of_towers_are_tried_when_they_are_first_used() {
    let (desk, host) = Desk::loaded();
    let tried = tried(&host);
    host.receive(generate(2, "Hello"), Vec::new());
    assert!(matches!(desk.end_of(2), Ok(Outcome::Done { .. })));
    desk.run_until(|_| !sound(&desk).is_empty());
    let samples = pebble().with_file_name("samples");
    let sample = |name: &str| std::fs::read(samples.join(name)).expect("a sample");
    desk.media.replace(vec![sample("digit.png"), sample("speech3.wav")]);
    let media = |place: u32| Media { key: u128::from(place), place };
    let image = Content::Image { media: media(0), budget: TokenBudget::T70 };
    for (id, content) in [(3, image), (4, Content::Audio { media: media(1) })] {
        let before = sound(&desk);
        tried.borrow_mut().clear();
        let mut messages = asks("What is this?");
        messages[0].content.insert(0, content);
        let options = GenerateOptions { max_tokens: 2, ..GenerateOptions::default() };
        host.receive(ToWorker::request(RequestId(id), Request::Generate { messages, options }), Vec::new());
        assert!(matches!(desk.end_of(id), Ok(Outcome::Done { .. })));
        desk.run_until(|_| sound(&desk).len() > before.len());
        assert_eq!(sound(&desk).len() - before.len(), tried.borrow().len(), "{:?}", tried.borrow());
    }
    // Of sound.
    assert!(tried.borrow().iter().any(|name| name.contains("conv")), "{:?}", tried.borrow());
}

#[test]
fn kernels_of_adapters_and_drafts_are_tried_when_they_are_first_used() {
    let (desk, host) = Desk::new();
    desk.model.replace(golden("models/tiny-e2b.q4_k_m.gguf"));
    desk.files.borrow_mut().insert("pirate.gguf".into(), golden("adapters/exported/adapter.gguf"));
    let tried = tried(&host);
    host.receive(load(1), Vec::new());
    desk.end_of(1).ok();
    // The adapter comes while those of the model are tried: its own stand before some that were.
    desk.run_until(|_| tried.borrow().iter().any(|name| !name.starts_with("repack")));
    let source = ModelSource::Local { names: vec!["pirate.gguf".into()], sizes: vec![1] };
    let source = AdapterSource::Files(source);
    let open = Request::OpenAdapter { key: "a".into(), source };
    host.receive(ToWorker::request(RequestId(2), open), Vec::new());
    assert!(matches!(desk.end_of(2), Ok(Outcome::AdapterOpened(_))));
    assert!(sound(&desk).is_empty(), "it is not over");
    let adapters = vec![AdapterScale { key: "a".into(), scale: 1.0 }];
    let plain = GenerateOptions { max_tokens: 4, ..GenerateOptions::default() };
    let adapted = GenerateOptions { adapters, ..plain.clone() };
    let drafting = GenerateOptions { drafts: true, ..plain };
    let answer = |id: u64, options: &GenerateOptions| {
        let (messages, options) = (asks("Count from 1 to 18."), options.clone());
        host.receive(ToWorker::request(RequestId(id), Request::Generate { messages, options }), Vec::new());
        assert!(matches!(desk.end_of(id), Ok(Outcome::Done { .. })));
    };
    for (id, options, part) in [(3, &adapted, "adapter_"), (4, &drafting, "sampling_look_up")] {
        let before = sound(&desk);
        answer(id, options);
        desk.run_until(|_| sound(&desk).len() > before.len());
        assert!(tried.borrow().iter().any(|name| name.contains(part)), "{:?}", tried.borrow());
        // What the base model has, too, is not tried again.
        assert_eq!(sound(&desk).len() - before.len(), tried.borrow().len(), "{:?}", tried.borrow());
        tried.borrow_mut().clear();
        // None was left out.
        (10 * id..10 * id + 3).for_each(|id| answer(id, options));
        assert!(tried.borrow().is_empty(), "{:?}", tried.borrow());
    }
}

#[test]
fn a_device_that_computes_wrongly_is_told_unasked() {
    let (desk, host) = Desk::new();
    let (copy, verified) = Server::of(&pebble()).verified_with(NOW, |_| ());
    desk.verified.replace(Some(verified));
    host.doubt(|name| name.starts_with("sampling_sample"));
    host.receive(load(1), Vec::new());
    assert!(matches!(desk.end_of(1), Ok(Outcome::Loaded(_))));
    desk.run_until(|posted| posted.iter().any(|message| matches!(message, ToPage::Warning(_))));
    let failure = desk.warnings().swap_remove(0);
    assert_eq!(failure.cause(), Cause::Internal);
    let Code::Engine(EngineFailure::Miscomputes { kernels, unloaded: true }) = &failure.code else {
        panic!("{failure:?}")
    };
    assert!(kernels.iter().any(|kernel| kernel.contains("sampling_sample")), "{kernels:?}");
    host.receive(generate(2, "Hello"), Vec::new());
    assert!(desk.end_of(2).is_err(), "nothing answers nonsense");
    assert!(sound(&desk).is_empty());
    let record = Record::last_of(&copy.journal.borrow()).expect("a line");
    assert_eq!(record.checked, 0.0, "the next load checks the kept copy");
}
