//! A model with towers, on a server that writes down what it is asked for: the first picture asks for nothing.

use std::rc::Rc;

use engine::bytes::ByteSource as _;
use protocol::{
    Content, Event, GenerateOptions, LoadPhase, Media, Request, RequestId, Sampling, Sense, TokenBudget,
};
use worker::Host;

use crate::desk::server::Server;
use crate::desk::{Desk, asks, load, pebble};

/// A worker with the built-in model loaded from a server, in a browser that has so much room for a copy.
fn loaded(room: Option<u64>) -> (Rc<Desk>, Rc<Host>, Rc<Server>) {
    let (desk, host) = Desk::new();
    let server = Server::of(&pebble());
    desk.server.replace(Some(Rc::clone(&server)));
    desk.room.set(room);
    host.receive(load(1), Vec::new());
    assert!(matches!(desk.end_of(1), Event::Loaded { .. }));
    let fetches = |event: &Event| matches!(event, Event::Loading { progress, .. } if progress.phase == LoadPhase::Towers);
    assert!(desk.events().iter().any(fetches));
    (desk, host, server)
}

/// Bytes that the server was asked for.
fn asked(server: &Server) -> u64 {
    server.log.take().iter().map(|range| range.end - range.start).sum()
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
        host.receive(Request::Generate { id: RequestId(id), messages, options }, Vec::new());
        assert!(matches!(desk.end_of(id), Event::Done { .. }), "{:?}", desk.events().last());
        let encodes = |event: &Event| matches!(event, Event::Encoding { sense: its, .. } if *its == sense);
        assert!(desk.events().iter().any(encodes));
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
fn what_the_browser_does_not_keep_or_has_no_room_for_is_in_memory() {
    for room in [None, Some(9 << 20)] {
        let (desk, host, server) = loaded(room);
        server.log.take();
        sees_and_hears_alone(&desk, &host, &server);
    }
}
