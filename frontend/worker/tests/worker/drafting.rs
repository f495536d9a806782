//! A model with a drafter: it drafts when asked to, nothing is fetched for it then, and one that does not fit is told.

use std::path::PathBuf;
use std::rc::Rc;

use protocol::failure::{ModelFailure, ReadFailure};
use protocol::{
    Code, GenerateOptions, LoadOptions, LoadedModel, Outcome, Request, RequestId, Sampling, Timings, ToWorker,
};
use worker::Host;

use crate::desk::server::Server;
use crate::desk::{Desk, asks, golden, load, loaded_model, pebble, source};

fn drafter() -> PathBuf {
    pebble().with_file_name("pebble-drafter.gguf")
}

/// A greedy answer.
fn answer(desk: &Desk, host: &Rc<Host>, id: u64, drafts: bool) -> (String, Timings) {
    let sampling = Sampling { temperature: 0.0, ..Sampling::default() };
    let options = GenerateOptions { sampling, max_tokens: 24, drafts, ..GenerateOptions::default() };
    let messages = asks("Count from 1 to 18.");
    host.receive(ToWorker::request(RequestId(id), Request::Generate { messages, options }), Vec::new());
    let end = desk.end_of(id);
    let Ok(Outcome::Done { timings, .. }) = end else { panic!("{end:?}") };
    (desk.text_of(id), timings)
}

/// What was said to be wrong, without stopping anything.
fn troubles(desk: &Desk) -> Vec<Code> {
    desk.warnings().into_iter().map(|failure| failure.code).collect()
}

#[test]
fn it_drafts_when_asked_and_says_the_same() {
    let (desk, host) = Desk::new();
    desk.drafter.replace(Some(drafter()));
    host.receive(load(1), Vec::new());
    let LoadedModel { details, gpu_bytes, .. } = loaded_model(desk.end_of(1));
    assert!(details.drafter);
    let (plain, without) = answer(&desk, &host, 2, false);
    let (text, with) = answer(&desk, &host, 3, true);
    assert_eq!(text, plain);
    assert_eq!(without.speculation, None);
    let speculation = with.speculation.expect("it was asked for");
    assert!(speculation.accepted > 0 && speculation.drafted >= speculation.accepted, "{speculation:?}");
    assert_eq!(troubles(&desk), []);

    // Its weights were counted before the model was loaded.
    let (desk, host) = Desk::new();
    host.receive(load(1), Vec::new());
    let LoadedModel { details, gpu_bytes: alone, .. } = loaded_model(desk.end_of(1));
    assert!(!details.drafter && gpu_bytes > alone + 800_000, "{gpu_bytes} and {alone}");
}

fn load_with_drafts(id: u64) -> ToWorker {
    let options = LoadOptions { drafts: true, ..LoadOptions::default() };
    ToWorker::request(RequestId(id), Request::Load { source: source(), options })
}

/// A file that is emptied between load and answer is no longer needed only if the drafter was loaded with the model.
#[test]
fn it_is_loaded_with_the_model_if_answers_are_drafted() {
    let path = std::env::temp_dir().join(format!("gemtab-drafter-{}.gguf", std::process::id()));
    for (load, missing) in [(load(1), 1), (load_with_drafts(1), 0)] {
        std::fs::copy(drafter(), &path).expect("a copy");
        let (desk, host) = Desk::new();
        desk.drafter.replace(Some(path.clone()));
        host.receive(load, Vec::new());
        assert!(matches!(desk.end_of(1), Ok(Outcome::Loaded(_))));
        assert_eq!(troubles(&desk), []);
        std::fs::write(&path, []).expect("an empty file");
        let (text, timings) = answer(&desk, &host, 2, true);
        assert!(text.starts_with('1'), "{text}");
        assert_eq!(troubles(&desk).len(), missing);
        assert!(missing > 0 || timings.speculation.is_some_and(|it| it.accepted > 0), "{timings:?}");
    }
    std::fs::remove_file(&path).ok();
}

#[test]
fn a_drafter_on_a_server_is_here_before_the_first_answer() {
    for room in [None, Some(64 << 20)] {
        let (model, drafts) = (Server::of(&pebble()), Server::of(&drafter()));
        let (desk, host) = Desk::new();
        desk.server.replace(Some(Rc::clone(&model)));
        desk.served_drafter.replace(Some(Rc::clone(&drafts)));
        desk.room.set(room);
        host.receive(load(1), Vec::new());
        assert!(matches!(desk.end_of(1), Ok(Outcome::Loaded(_))));
        assert!(!drafts.log.take().is_empty());
        model.log.take();
        let (_, timings) = answer(&desk, &host, 2, true);
        assert!(timings.speculation.is_some_and(|it| it.accepted > 0));
        assert!(drafts.log.take().is_empty() && model.log.take().is_empty(), "{room:?}");
    }
}

#[test]
fn a_drafter_of_another_model_is_told_and_the_model_answers() {
    let (desk, host) = Desk::new();
    desk.drafter.replace(Some(golden("models/tiny-e2b-assistant.f16.gguf")));
    host.receive(load(1), Vec::new());
    let LoadedModel { details, .. } = loaded_model(desk.end_of(1));
    assert!(!details.drafter);
    assert_eq!(troubles(&desk), [Code::Model(ModelFailure::DrafterUnusable)]);
    let (text, timings) = answer(&desk, &host, 2, true);
    assert!(text.starts_with('1'), "{text}");
    // Drafts are looked up instead.
    assert!(timings.speculation.is_some());
}

#[test]
fn a_server_that_is_gone_is_not_taken_for_an_unusable_drafter() {
    let (model, drafts) = (Server::of(&pebble()), Server::of(&drafter()));
    let (desk, host) = Desk::new();
    desk.server.replace(Some(model));
    desk.served_drafter.replace(Some(Rc::clone(&drafts)));
    drafts.is_down.set(true);
    host.receive(load(1), Vec::new());
    let Err(failure) = desk.end_of(1) else { panic!("loaded") };
    assert_eq!(failure.code, Code::Read(ReadFailure::ConnectionLost { received: 0 }));
    assert_eq!(troubles(&desk), []);

    drafts.is_down.set(false);
    host.receive(load(2), Vec::new());
    let LoadedModel { details, .. } = loaded_model(desk.end_of(2));
    assert!(details.drafter);
}
