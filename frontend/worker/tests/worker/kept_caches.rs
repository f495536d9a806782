//! Kept KV caches on a native device: a conversation that is opened again by another worker.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use engine::store::{Folder as _, MemoryFolder};
use futures_util::FutureExt as _;
use protocol::{
    AdapterScale, AdapterSource, EightBits, Forget, GenerateOptions, Layer, LayerKind, LoadOptions, Message,
    ModelSource, Outcome, Progress, Request, RequestId, Role, Sampling, Timings, ToWorker,
};
use worker::Host;

use crate::desk::{Desk, asks, golden};

type Folders = BTreeMap<String, Rc<MemoryFolder>>;

/// The folder of kept caches.
const FOLDER: &str = "caches";

/// A model of the server, by a digit of its digest.
fn source(digit: u8) -> ModelSource {
    let digest = format!("sha256:{}", digit.to_string().repeat(64));
    let layers = vec![Layer { kind: LayerKind::Model, digest, size: 0, url: String::new() }];
    ModelSource::Server { name: "tiny".into(), layers }
}

/// A worker with a model, in a browser that keeps this.
fn desk(folders: Folders, digit: u8, kv_cache: bool) -> (Rc<Desk>, Rc<Host>) {
    let (desk, host) = Desk::new();
    desk.model.replace(golden("models/tiny-e2b.q4_k_m.gguf"));
    desk.files.borrow_mut().insert("pirate.gguf".into(), golden("adapters/exported/adapter.gguf"));
    desk.folders.replace(folders);
    let eight_bits = EightBits { kv_cache, ..EightBits::default() };
    let options = LoadOptions { context: 4096, eight_bits, ..LoadOptions::default() };
    let load = Request::Load { source: source(digit), options };
    host.receive(ToWorker::request(RequestId(1), load), Vec::new());
    let end = desk.end_of(1);
    assert!(matches!(end, Ok(Outcome::Loaded(_))), "{end:?}");
    (desk, host)
}

/// Words of more than 1024 tokens and less than 2048.
const WORDS: usize = 600;
/// Words of more than 512 tokens.
const FEW: usize = 250;

/// A question of so many words.
fn long(words: usize) -> Vec<Message> {
    let words: Vec<_> = (0..words).map(|word| ["the", "harbour", "at", "night", "and"][word % 5]).collect();
    asks(&words.join(" "))
}

/// The conversation after an answer, with another question.
fn then(mut messages: Vec<Message>, answer: &str) -> Vec<Message> {
    messages.push(Message::text(Role::Assistant, answer));
    messages.push(Message::text(Role::User, "What then?"));
    messages
}

/// How to answer: always with the likeliest token.
fn options(keep: Option<&str>, max_tokens: u32) -> GenerateOptions {
    let sampling = Sampling { temperature: 0.0, ..Sampling::default() };
    GenerateOptions { sampling, max_tokens, keep: keep.map(str::to_owned), ..GenerateOptions::default() }
}

fn answered(
    (desk, host): &(Rc<Desk>, Rc<Host>),
    id: u64,
    messages: Vec<Message>,
    options: GenerateOptions,
) -> (String, Timings) {
    host.receive(ToWorker::request(RequestId(id), Request::Generate { messages, options }), Vec::new());
    let end = desk.end_of(id);
    let Ok(Outcome::Done { timings, .. }) = end else { panic!("no answer: {end:?}") };
    (desk.text_of(id), timings)
}

/// What is kept, by name.
fn names(desk: &Desk) -> Vec<String> {
    let folder = desk.folders.borrow().get(FOLDER).cloned();
    folder.map_or_else(Vec::new, |folder| folder.names().now_or_never().expect("memory").expect("names"))
}

fn file(desk: &Desk, name: &str) -> Option<Vec<u8>> {
    desk.folders.borrow()[FOLDER].read(name).now_or_never().expect("memory").expect("read")
}

/// Lets the worker run until the cache of a conversation is another one than before, and all it has to do for that is done.
fn keeps(desk: &Desk, conversation: &str, before: Option<Vec<u8>>) {
    let head = format!("{conversation}.head");
    desk.run_until(|_| names(desk).contains(&head) && file(desk, &head) != before);
}

fn forget((desk, host): &(Rc<Desk>, Rc<Host>), id: u64, forget: Forget) -> (u32, u64) {
    host.receive(ToWorker::request(RequestId(id), Request::KeptCaches { forget }), Vec::new());
    match desk.end_of(id) {
        Ok(Outcome::KeptCaches { conversations, bytes }) => (conversations, bytes),
        other => panic!("not told: {other:?}"),
    }
}

/// Has the session hold another conversation, and the worker look anew what is kept: as if it were another one, but without a load.
fn leaves((desk, host): &(Rc<Desk>, Rc<Host>), id: u64) {
    answered(&(Rc::clone(desk), Rc::clone(host)), id, asks("Hello"), options(None, 1));
    host.reopen_caches();
}

#[test]
fn a_conversation_that_is_opened_again_is_not_read_again() {
    let here = desk(Folders::new(), 1, false);
    let question = long(WORDS);
    let (answer, first) = answered(&here, 2, question.clone(), options(Some("a"), 8));
    assert_eq!(first.cached_tokens, 0);
    keeps(&here.0, "a", None);
    let (kept, parts, head) = (here.0.folders_now(), names(&here.0), file(&here.0, "a.head"));
    let further = then(question, &answer);
    let (text, in_cache) = answered(&here, 3, further.clone(), options(Some("a"), 24));
    assert!(in_cache.cached_tokens > 1024 && !text.is_empty(), "{in_cache:?}");

    // With the same text and as much in the cache as in the worker that still had it, and the same text as without.
    let there = desk(kept, 1, false);
    let (same, from_kept) = answered(&there, 2, further.clone(), options(Some("a"), 24));
    assert_eq!((&same, from_kept.cached_tokens), (&text, in_cache.cached_tokens));
    leaves(&there, 3);
    let (same, fresh) = answered(&there, 4, further.clone(), options(None, 24));
    assert!(same == text && fresh.cached_tokens < 100, "{same} / {text} {fresh:?}");

    // The next question comes before that answer is kept. Then only what is new is written: the first 1024 positions stay.
    answered(&here, 4, then(further, &text), options(Some("a"), 8));
    keeps(&here.0, "a", head);
    let of_first: Vec<_> = names(&here.0).into_iter().filter(|name| name.starts_with("a.0.")).collect();
    assert_eq!(of_first, ["a.0.0"], "{parts:?}");
    assert_eq!(names(&here.0).len(), parts.len());
}

#[test]
fn so_it_is_in_eight_bits_and_behind_rings_that_an_answer_has_overwritten() {
    // Longer than the rings, which hold a chunk beside the window.
    let here = desk(Folders::new(), 1, true);
    let question = long(FEW);
    let (answer, first) = answered(&here, 2, question.clone(), options(Some("a"), 600));
    assert_eq!(first.decode_tokens, 600);
    keeps(&here.0, "a", None);
    leaves(&here, 3);
    let (beginning, again) = answered(&here, 4, question.clone(), options(Some("a"), 24));
    assert!(answer.starts_with(&beginning) && !beginning.is_empty(), "{beginning} / {answer}");
    assert_eq!(again.cached_tokens, first.prompt_tokens - 1);
    keeps(&here.0, "a", file(&here.0, "a.head"));
    leaves(&here, 5);
    let (_, further) = answered(&here, 6, then(question, &beginning), options(Some("a"), 1));
    // What a model with random weights has written is other tokens when it is read.
    assert!(further.cached_tokens + 8 > first.prompt_tokens, "{further:?}");
}

#[test]
fn what_is_damaged_is_ignored_and_deleted() {
    let here = desk(Folders::new(), 1, false);
    let question = long(FEW);
    let (text, _) = answered(&here, 2, question.clone(), options(Some("a"), 8));
    keeps(&here.0, "a", None);
    let whole = names(&here.0).into_iter().map(|name| (name.clone(), file(&here.0, &name).expect("a file")));
    let whole: Vec<_> = whole.collect();
    let parts: Vec<_> =
        whole.iter().map(|(name, _)| name.as_str()).filter(|it| !it.ends_with("head")).collect();
    assert!(parts.len() >= 2, "{parts:?}");

    type Damage = fn(&mut Vec<u8>);
    let flipped: Damage = |bytes| {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
    };
    let cut: Damage = |bytes| bytes.truncate(bytes.len() - 1);
    let (first, last, head) = (parts[0], parts[parts.len() - 1], "a.head");
    for (id, (damaged, damage)) in (10..).step_by(2).zip([(first, flipped), (last, cut), (head, flipped)]) {
        let folder = Rc::new(MemoryFolder::default());
        for (name, bytes) in &whole {
            let mut bytes = bytes.clone();
            if name == damaged {
                damage(&mut bytes);
            }
            folder.write(name, &bytes).now_or_never().expect("memory").expect("written");
        }
        leaves(&here, id);
        here.0.folders.borrow_mut().insert(FOLDER.to_owned(), folder);
        let (same, timings) = answered(&here, id + 1, question.clone(), options(Some("a"), 8));
        assert!(same == text && timings.cached_tokens < 100, "{damaged}: {same} {timings:?}");
        assert_eq!(names(&here.0), [] as [&str; 0], "{damaged}");
    }
    // Undamaged, it is taken.
    keeps(&here.0, "a", None);
    leaves(&here, 50);
    let (same, timings) = answered(&here, 51, question, options(Some("a"), 8));
    assert_eq!((same, timings.cached_tokens), (text, timings.prompt_tokens - 1));
}

#[test]
fn what_another_model_or_scale_has_read_is_not_taken() {
    let here = desk(Folders::new(), 1, false);
    let file = ModelSource::Local { names: vec!["pirate.gguf".into()], sizes: vec![1] };
    let open = Request::OpenAdapter { key: "p".into(), source: AdapterSource::Files(file) };
    here.1.receive(ToWorker::request(RequestId(2), open), Vec::new());
    assert!(matches!(here.0.end_of(2), Ok(Outcome::AdapterOpened(_))));
    let scaled = |keep, scale| GenerateOptions {
        adapters: vec![AdapterScale { key: "p".into(), scale }],
        ..options(keep, 8)
    };
    let question = long(FEW);
    let (text, _) = answered(&here, 3, question.clone(), scaled(Some("a"), 1.0));
    keeps(&here.0, "a", None);
    let kept = here.0.folders_now();
    // It is not asked for, or has been read otherwise.
    for (id, (keep, scale)) in (10..).step_by(2).zip([(None, 1.0), (Some("b"), 0.5)]) {
        leaves(&here, id);
        let (_, timings) = answered(&here, id + 1, question.clone(), scaled(keep, scale));
        assert!(timings.cached_tokens < 100, "{scale}: {timings:?}");
    }
    leaves(&here, 20);
    let (same, timings) = answered(&here, 21, question.clone(), scaled(Some("b"), 1.0));
    assert_eq!((same, timings.cached_tokens), (text, timings.prompt_tokens - 1), "of any conversation");

    let there = desk(kept, 2, false);
    assert_eq!(answered(&there, 2, question, options(Some("a"), 1)).1.cached_tokens, 0);
}

#[test]
fn if_the_storage_is_full_the_oldest_goes_and_what_is_forgotten_does_not_come_back() {
    let here = desk(Folders::new(), 1, false);
    let (desk, host) = &here;
    answered(&here, 2, long(FEW), options(Some("a"), 8));
    keeps(desk, "a", None);
    let (count, bytes) = forget(&here, 3, Forget::Of(vec!["b".into()]));
    assert!(count == 1 && bytes > 100_000, "{count} {bytes}");
    let one: usize = names(desk).iter().map(|name| file(desk, name).map_or(0, |it| it.len())).sum();
    desk.folders.borrow()[FOLDER].limit(one + one / 2);
    let (text, _) = answered(&here, 4, long(FEW + 1), options(Some("b"), 8));
    keeps(desk, "b", None);
    assert!(names(desk).iter().all(|name| name.starts_with("b.")), "{:?}", names(desk));
    // No room at all.
    desk.folders.borrow()[FOLDER].limit(100);
    let (same, _) = answered(&here, 5, long(FEW + 1), options(Some("c"), 8));
    assert_eq!(same, text);
    desk.run_until(|_| names(desk).is_empty());
    desk.folders.borrow()[FOLDER].limit(0);

    // A conversation that is deleted while it is answered.
    let (forgetting, is_sent) = (Rc::clone(host), Cell::new(false));
    desk.react(move |event| {
        if matches!(event.as_progress(), Some((RequestId(6), Progress::Text { .. })))
            && !is_sent.replace(true)
        {
            let forget = Request::KeptCaches { forget: Forget::Of(vec!["a".into()]) };
            forgetting.receive(ToWorker::request(RequestId(7), forget), Vec::new());
        }
    });
    answered(&here, 6, long(FEW), options(Some("a"), 8));
    assert!(matches!(desk.end_of(7), Ok(Outcome::KeptCaches { conversations: 0, bytes: 0 })));
    // Nothing is kept of what has no name, or is short.
    answered(&here, 8, long(FEW), options(None, 8));
    answered(&here, 9, asks("Hello"), options(Some("c"), 8));
    answered(&here, 10, long(FEW), options(Some("d"), 8));
    keeps(desk, "d", None);
    assert!(names(desk).iter().all(|name| name.starts_with("d.")), "{:?}", names(desk));
    assert_eq!(forget(&here, 11, Forget::All), (0, 0));
    assert_eq!(names(desk), [] as [&str; 0]);
}
