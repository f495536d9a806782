//! A model with towers, on a server that writes down what it is asked for: the first picture asks for nothing.

use std::rc::Rc;

use engine::bytes::ByteSource as _;
use futures_util::FutureExt as _;
use protocol::failure::{ModelFailure, ReadFailure};
use protocol::{
    Code, Content, GenerateOptions, LoadOptions, LoadPhase, Media, Outcome, Progress, Request, RequestId,
    Sampling, Sense, ToPage, ToWorker, TokenBudget,
};
use worker::Host;

use crate::desk::server::Server;
use crate::desk::{Desk, asks, generate, golden, inspect, load, pebble};

/// A worker with the built-in model loaded from a server, in a browser that has so much room for a copy.
fn loaded(room: Option<u64>) -> (Rc<Desk>, Rc<Host>, Rc<Server>) {
    load_from(Server::of(&pebble()), None, room)
}

fn load_from(
    server: Rc<Server>,
    projector: Option<Rc<Server>>,
    room: Option<u64>,
) -> (Rc<Desk>, Rc<Host>, Rc<Server>) {
    let (desk, host) = Desk::new();
    desk.server.replace(Some(Rc::clone(&server)));
    desk.projector.replace(projector);
    desk.room.set(room);
    host.receive(load(1), Vec::new());
    assert!(matches!(desk.end_of(1), Ok(Outcome::Loaded(_))));
    let fetches = |event: &ToPage| matches!(event.as_progress(), Some((_, Progress::Loading(progress))) if progress.phase == LoadPhase::Towers);
    assert!(desk.posted().iter().any(fetches));
    (desk, host, server)
}

/// Bytes that the server was asked for.
fn asked(server: &Server) -> u64 {
    server.log.take().iter().map(|range| range.end - range.start).sum()
}

#[test]
fn a_copy_that_is_lost_is_not_made_good_by_the_server() {
    let (desk, host, server) = loaded(Some(u64::MAX));
    server.log.take();
    server.is_copy_lost.set(true);
    let samples = pebble().with_file_name("samples");
    desk.media.replace(vec![std::fs::read(samples.join("digit.png")).expect("a sample")]);
    let image = Content::Image { media: Media { key: 1, place: 0 }, budget: TokenBudget::T70 };
    let mut messages = asks("What is this?");
    messages[0].content.insert(0, image);
    let options = GenerateOptions { max_tokens: 2, ..GenerateOptions::default() };
    host.receive(ToWorker::request(RequestId(10), Request::Generate { messages, options }), Vec::new());
    let end = desk.end_of(10);
    let unreadable = Code::from(ReadFailure::Unreadable);
    assert!(matches!(&end, Err(failure) if failure.code == unreadable), "{end:?}");
    assert_eq!(server.log.take(), []);

    // A model that is loaded again with its device may read from the server.
    host.lose_device().now_or_never().expect("nobody opens a device meanwhile");
    host.receive(generate(11, "Hello"), Vec::new());
    let end = desk.end_of(11);
    assert!(matches!(end, Ok(Outcome::Done { .. })), "{end:?}");
    assert!(!server.log.take().is_empty());
}

/// Shows a picture and plays a sound: each of the towers encodes, and the server hears nothing of it.
fn sees_and_hears_alone(desk: &Rc<Desk>, host: &Rc<Host>, server: &Server) {
    let sample = |name: &str| {
        let samples = pebble().with_file_name("samples");
        std::fs::read(samples.join(name)).expect("a sample")
    };
    desk.media.replace(vec![sample("digit.png"), sample("speech3.wav")]);
    let media = |place: u32| Media { key: u128::from(place), place };
    let image = Content::Image { media: media(0), budget: TokenBudget::T70 };
    for (id, content, sense) in
        [(10, image, Sense::Sight), (11, Content::Audio { media: media(1) }, Sense::Hearing)]
    {
        let mut messages = asks("What is this?");
        messages[0].content.insert(0, content);
        let sampling = Sampling { temperature: 0.0, ..Sampling::default() };
        let options = GenerateOptions { sampling, max_tokens: 2, ..GenerateOptions::default() };
        host.receive(ToWorker::request(RequestId(id), Request::Generate { messages, options }), Vec::new());
        assert!(matches!(desk.end_of(id), Ok(Outcome::Done { .. })), "{:?}", desk.posted().last());
        let encodes = |event: &ToPage| matches!(event.as_progress(), Some((_, Progress::Encoding { sense: its, .. })) if *its == sense);
        assert!(desk.posted().iter().any(encodes));
    }
    assert_eq!(server.log.take(), []);
}

#[test]
fn what_the_browser_keeps_is_whole_when_the_model_is_ready() {
    let (desk, host, server) = loaded(Some(u64::MAX));
    // Each byte once.
    assert_eq!(asked(&server), server.len());
    sees_and_hears_alone(&desk, &host, &server);
}

#[test]
fn a_projector_is_fetched_with_its_model() {
    for room in [None, Some(u64::MAX)] {
        let [server, projector] = ["tiny-e2b.q4_k_m.gguf", "tiny-e2b.mmproj.q8_0.gguf"]
            .map(|file| Server::of(&golden(&format!("models/{file}"))));
        let (desk, host, server) = load_from(server, Some(Rc::clone(&projector)), room);
        assert!(asked(&projector) >= projector.len());
        server.log.take();
        sees_and_hears_alone(&desk, &host, &server);
        assert_eq!(projector.log.take(), []);
    }
}

#[test]
fn what_the_browser_does_not_keep_or_has_no_room_for_is_in_memory() {
    for room in [None, Some(9 << 20)] {
        let (desk, host, server) = loaded(room);
        server.log.take();
        sees_and_hears_alone(&desk, &host, &server);
    }
}

/// A file with these entries, their types and values, before the others, and one that fills up to a multiple of the alignment.
fn with_entries(mut file: Vec<u8>, added: &[(&str, u32, &[u8])]) -> Vec<u8> {
    let entry = |key: &str, kind: u32, value: &[u8]| {
        [&(key.len() as u64).to_le_bytes()[..], key.as_bytes(), &kind.to_le_bytes(), value].concat()
    };
    let mut entries: Vec<u8> = added.iter().flat_map(|&(key, kind, value)| entry(key, kind, value)).collect();
    let rest = entries.len() + entry("fill", 8, &0_u64.to_le_bytes()).len();
    let fill = rest.next_multiple_of(32) - rest;
    entries.extend(entry("fill", 8, &[&(fill as u64).to_le_bytes()[..], &vec![b'x'; fill]].concat()));
    let count = u64::from_le_bytes(file[16..24].try_into().expect("eight bytes")) + added.len() as u64 + 1;
    file[16..24].copy_from_slice(&count.to_le_bytes());
    file.splice(24..24, entries);
    file
}

/// A file as the first of two.
fn first_of_two(file: Vec<u8>) -> Vec<u8> {
    with_entries(file, &[("split.count", 4, &2_u32.to_le_bytes())])
}

#[test]
fn what_a_model_has_and_is_left_alone_is_told() {
    let template = "{{ '<|im_start|>' + messages[0].content }}";
    let template = [&(template.len() as u64).to_le_bytes()[..], template.as_bytes()].concat();
    let model = std::fs::read(golden("models/tiny-31b.q4_0.gguf")).expect("it is there");
    let drafting = ("gemma4.nextn_predict_layers", 4, &1_u32.to_le_bytes()[..]);
    let model = with_entries(model, &[drafting, ("tokenizer.chat_template", 8, &template)]);
    let (desk, host) = Desk::new();
    desk.server.replace(Some(Server::of_bytes(model)));
    host.receive(load(1), Vec::new());
    assert!(matches!(desk.end_of(1), Ok(Outcome::Loaded(_))));
    let told = [ModelFailure::DrafterIncluded, ModelFailure::ForeignTemplate];
    let warned: Vec<_> = desk.warnings().into_iter().map(|failure| failure.code).collect();
    assert_eq!(warned, told.map(Code::Model));
}

#[test]
fn a_projector_in_parts_is_told_as_a_part() {
    let part = first_of_two(std::fs::read(golden("models/tiny-e2b.mmproj.q8_0.gguf")).expect("it is there"));
    let (desk, host) = Desk::new();
    desk.server.replace(Some(Server::of(&golden("models/tiny-e2b.q4_k_m.gguf"))));
    desk.projector.replace(Some(Server::of_bytes(part)));
    host.receive(inspect(1, LoadOptions::default()), Vec::new());
    host.receive(load(2), Vec::new());
    for id in [1, 2] {
        let Err(failure) = desk.end_of(id) else { panic!("a part was taken for all") };
        assert_eq!(failure.code, ModelFailure::Part { number: 1, count: 2 }.into());
    }
}
