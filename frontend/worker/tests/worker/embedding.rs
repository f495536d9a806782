//! A model that makes embeddings beside one that chats: batches wait for answers, are cancelled, and survive a lost device.

use std::cell::Cell;
use std::rc::Rc;

use futures_util::FutureExt as _;
use protocol::failure::{Code, ModelFailure, OtherKind, RequestFailure};
use protocol::{
    Content, Control, Embeddings, EncoderDetails, GenerateOptions, LoadOptions, ModelSource, Outcome,
    Progress, Request, RequestId, ToPage, ToWorker,
};
use worker::Host;

use crate::desk::{Desk, asks, golden, inspect};

const ENCODER: &str = "encoder.gguf";

fn request(id: u64, request: Request) -> ToWorker {
    ToWorker::request(RequestId(id), request)
}

fn encoder() -> ModelSource {
    ModelSource::Local { names: vec![ENCODER.into()], sizes: vec![0] }
}

fn load(desk: &Desk, host: &Rc<Host>, id: u64) -> EncoderDetails {
    desk.files.borrow_mut().insert(ENCODER.into(), golden("models/tiny-embed2.q8_0.gguf"));
    host.receive(request(id, Request::LoadEncoder { source: encoder(), keep: false }), Vec::new());
    match desk.end_of(id) {
        Ok(Outcome::EncoderLoaded(details)) => details,
        other => panic!("not loaded: {other:?}"),
    }
}

fn embed(id: u64, texts: &[&str], elements: Option<u32>) -> ToWorker {
    let inputs = texts.iter().map(|text| vec![Content::Text((*text).into())]).collect();
    request(id, Request::Embed { inputs, elements })
}

fn embeddings(desk: &Desk, id: u64) -> Embeddings {
    match desk.end_of(id) {
        Ok(Outcome::Embedded(embeddings)) => embeddings,
        other => panic!("no embeddings: {other:?}"),
    }
}

fn place(posted: &[ToPage], is_it: impl Fn(&ToPage) -> bool) -> usize {
    posted.iter().position(is_it).expect("it was posted")
}

#[test]
fn embeddings_are_made_beside_a_chat_and_behind_its_answers() {
    let (desk, host) = Desk::quick();
    host.receive(embed(2, &["too early"], None), Vec::new());
    let early = desk.end_of(2).expect_err("no encoder is loaded");
    assert_eq!(early.code, Code::Request(RequestFailure::NoModel));
    let details = load(&desk, &host, 3);
    assert_eq!((details.elements, details.longest, details.lacks_dense), (768, 8192, false));
    assert!(!details.vision && !details.audio && details.gpu_bytes > 0);

    host.receive(embed(4, &["a cat", "a dog", "a cat"], Some(128)), Vec::new());
    let Embeddings { elements, values } = embeddings(&desk, 4);
    assert_eq!((elements, values.len()), (128, 3 * 128));
    let rows: Vec<_> = values.chunks(128).collect();
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    assert!((dot(rows[0], rows[2]) - 1.0).abs() < 1e-4 && dot(rows[0], rows[1]) < 0.999);

    // Asked for after many embeddings, an answer comes before the rest of them.
    let long = "some words that take a few tokens ".repeat(30);
    let texts = vec![long.as_str(); 600];
    let (asking, asked) = (Rc::clone(&host), Cell::new(false));
    desk.react(move |event| {
        let batch = matches!(event.as_progress(), Some((RequestId(5), Progress::Embedding { .. })));
        if batch && !asked.replace(true) {
            let options = GenerateOptions { max_tokens: 2, ..GenerateOptions::default() };
            let ask = Request::Generate { messages: asks("Hello"), options };
            asking.receive(request(6, ask), Vec::new());
            asking.receive(ToWorker::control(RequestId(5), Control::Cancel), Vec::new());
        }
    });
    host.receive(embed(5, &texts, None), Vec::new());
    assert!(desk.end_of(5).expect_err("it was cancelled").is_cancelled());
    assert!(matches!(desk.end_of(6), Ok(Outcome::Done { .. })));
    let many: Vec<&str> = (0..40).map(|_| "a short text").collect();
    let options = GenerateOptions { max_tokens: 2, ..GenerateOptions::default() };
    host.receive(request(7, Request::Generate { messages: asks("Hello"), options }), Vec::new());
    host.receive(embed(8, &many, None), Vec::new());
    let options = GenerateOptions { max_tokens: 2, ..GenerateOptions::default() };
    assert_eq!(embeddings(&desk, 8).values.len(), 40 * 768);
    host.receive(request(9, Request::Generate { messages: asks("Hello"), options }), Vec::new());
    assert!(matches!(desk.end_of(9), Ok(Outcome::Done { .. })));
    let posted = desk.posted();
    let done =
        |id: u64| place(&posted, |message| message.as_outcome().is_some_and(|(of, _)| of == RequestId(id)));
    assert!(done(7) < done(8));

    host.receive(request(10, Request::UnloadEncoder), Vec::new());
    assert_eq!(desk.end_of(10), Ok(Outcome::Unloaded));
    host.receive(embed(11, &["too late"], None), Vec::new());
    assert!(desk.end_of(11).is_err());
}

#[test]
fn a_lost_device_and_memory_are_shared() {
    let (desk, host) = Desk::quick();
    let before = load(&desk, &host, 2);
    host.receive(embed(3, &["a text"], None), Vec::new());
    let first = embeddings(&desk, 3);
    host.lose_device().now_or_never().expect("nobody opens a device meanwhile");
    host.receive(embed(4, &["a text"], None), Vec::new());
    assert_eq!(embeddings(&desk, 4), first);

    // What the encoder takes is not there for a chat.
    let gpu_bytes = before.gpu_bytes;
    let verdict = |id: u64| {
        host.receive(inspect(id, LoadOptions::default()), Vec::new());
        match desk.end_of(id) {
            Ok(Outcome::Inspected { verdict, .. }) => verdict,
            other => panic!("not inspected: {other:?}"),
        }
    };
    host.state_memory(gpu_bytes + 1).now_or_never().expect("nobody waits");
    let beside = verdict(5);
    assert!(matches!(beside, protocol::FitVerdict::TooLarge { available: 1, .. }), "{beside:?}");
    host.receive(request(6, Request::UnloadEncoder), Vec::new());
    assert_eq!(desk.end_of(6), Ok(Outcome::Unloaded));
    assert!(
        matches!(verdict(7), protocol::FitVerdict::TooLarge { available, .. } if available == gpu_bytes + 1)
            || !matches!(verdict(8), protocol::FitVerdict::TooLarge { .. })
    );
}

#[test]
fn one_kind_of_model_is_not_taken_for_the_other() {
    let (desk, host) = Desk::new();
    desk.model.replace(golden("models/tiny-embed.q8_0.ollama.gguf"));
    host.receive(inspect(1, LoadOptions::default()), Vec::new());
    let Ok(Outcome::Inspected { details, .. }) = desk.end_of(1) else { panic!("no inspection") };
    assert!(details.embeds && !details.continues && !details.capabilities.text);
    host.receive(crate::desk::load(2), Vec::new());
    let refused = desk.end_of(2).expect_err("it does not chat");
    assert_eq!(refused.code, Code::Model(ModelFailure::OtherKind(OtherKind::Encoder)));
    desk.files.borrow_mut().insert(ENCODER.into(), golden("models/tiny-31b.q4_0.gguf"));
    host.receive(request(3, Request::LoadEncoder { source: encoder(), keep: false }), Vec::new());
    let refused = desk.end_of(3).expect_err("it makes no embeddings");
    assert_eq!(refused.code, Code::Model(ModelFailure::NotEncoder));
}
