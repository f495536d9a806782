//! Kept weights are checked again while nothing else is to be done.

use std::cell::RefCell;
use std::rc::Rc;

use engine::bytes::MemorySource;
use engine::gguf::Header;
use engine::store::journal::Record;
use futures_util::FutureExt as _;
use protocol::failure::{EngineFailure, StorageFailure};
use protocol::{Code, Outcome, Progress, ToPage};

use crate::desk::server::{NOW, Server};
use crate::desk::{Desk, generate, golden, load, pebble};

/// What a journal says.
fn record(journal: &RefCell<String>) -> Record {
    Record::last_of(&journal.borrow()).expect("a line")
}

#[test]
fn a_copy_that_was_not_checked_for_long_is_checked_after_answers() {
    let server = Server::of(&pebble());
    let (copy, verified) = server.verified(false);
    let (desk, host) = Desk::new();
    desk.verified.replace(Some(verified));
    host.receive(load(1), Vec::new());
    assert!(matches!(desk.end_of(1), Ok(Outcome::Loaded(_))));
    host.receive(generate(2, "Hello"), Vec::new());
    let reads = Rc::new(RefCell::new(Vec::new()));
    let (noted, read) = (Rc::clone(&reads), Rc::clone(&copy));
    desk.react(move |event| {
        let is_text = matches!(event.as_progress(), Some((_, Progress::Text { .. })));
        if is_text || event.as_outcome().is_some() {
            noted.borrow_mut().push(read.reads.get());
        }
    });
    assert!(matches!(desk.end_of(2), Ok(Outcome::Done { .. })));
    assert!(reads.borrow().len() > 1);
    reads.borrow_mut().dedup();
    assert_eq!(reads.borrow().len(), 1, "while it answered, nothing was read: {reads:?}");
    assert_eq!(record(&copy.journal).checked, 0.0);

    desk.run_until(|_| record(&copy.journal).checked == copy.now.get());
    assert!(record(&copy.journal).chunks.is_some());
    assert_eq!(server.log.take(), []);
}

#[test]
fn damage_is_told_and_nothing_is_fetched() {
    let server = Server::of(&pebble());
    let (copy, verified) = server.verified(true);
    let (desk, host) = Desk::new();
    desk.verified.replace(Some(verified));
    host.receive(load(1), Vec::new());
    assert!(matches!(desk.end_of(1), Ok(Outcome::Loaded(_))));
    desk.run_until(|posted| posted.iter().any(|message| matches!(message, ToPage::Warning(_))));
    let told = warnings(&desk);
    let size = record(&copy.journal).size;
    assert_eq!(told, [StorageFailure::Damaged { bytes: size }.into()]);
    assert!(!record(&copy.journal).verified);
    assert_eq!(server.log.take(), []);
}

/// The last norm becomes NaN, and with it every logit.
fn break_numbers(bytes: &mut [u8]) {
    let source = MemorySource::new(bytes.to_vec());
    let header = Header::read(&source).now_or_never().expect("memory").expect("a header");
    let norm = header.tensor("output_norm.weight").expect("a norm");
    let (at, count) = (norm.offset as usize, norm.shape[0] as usize);
    bytes[at..][..4 * count].copy_from_slice(&f32::NAN.to_le_bytes().repeat(count));
}

/// What was told without being a request's failure.
fn warnings(desk: &Desk) -> Vec<Code> {
    desk.warnings().into_iter().map(|failure| failure.code).collect()
}

#[test]
fn invalid_numbers_of_a_damaged_copy_are_mended_within_the_answer() {
    let server = Server::of(&golden("models/tiny-31b.q4_0.gguf"));
    // It was checked lately: nobody would look at it again soon.
    let (copy, verified) = server.verified_with(NOW, break_numbers);
    let (desk, host) = Desk::new();
    desk.verified.replace(Some(verified));
    host.receive(load(1), Vec::new());
    assert!(matches!(desk.end_of(1), Ok(Outcome::Loaded(_))));
    assert_eq!(server.log.take(), []);

    host.receive(generate(2, "Hello"), Vec::new());
    let end = desk.end_of(2);
    assert!(matches!(end, Ok(Outcome::Done { .. })), "{end:?}");
    let size = record(&copy.journal).size;
    assert_eq!(warnings(&desk), [StorageFailure::Damaged { bytes: size }.into()]);
    assert!(!record(&copy.journal).verified, "the next load fetches it");
    assert!(!server.log.take().is_empty(), "the model was read from the server");

    // Nothing is requested once it is ready again.
    host.receive(generate(3, "Hello again"), Vec::new());
    assert!(matches!(desk.end_of(3), Ok(Outcome::Done { .. })));
    assert_eq!(server.log.take(), []);
    assert_eq!(warnings(&desk).len(), 1, "it is told once");
}

#[test]
fn invalid_numbers_of_a_sound_copy_are_told_after_its_check() {
    let mut bytes = std::fs::read(golden("models/tiny-31b.q4_0.gguf")).expect("the file is there");
    break_numbers(&mut bytes);
    let server = Server::of_bytes(bytes);
    let (copy, verified) = server.verified_with(NOW, |_| ());
    let (desk, host) = Desk::new();
    desk.verified.replace(Some(verified));
    host.receive(load(1), Vec::new());
    assert!(matches!(desk.end_of(1), Ok(Outcome::Loaded(_))));
    copy.now.set(NOW + 1.0);

    host.receive(generate(2, "Hello"), Vec::new());
    let Err(failure) = desk.end_of(2) else { panic!("it fails") };
    assert_eq!(failure.code, EngineFailure::NotNumbers.into());
    assert_eq!(record(&copy.journal).checked, NOW + 1.0);
    assert_eq!((warnings(&desk), server.log.take()), (vec![], vec![]));
}
