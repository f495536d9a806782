//! Kept weights are checked again while nothing else is to be done.

use std::cell::RefCell;
use std::rc::Rc;

use engine::store::journal::Record;
use protocol::failure::StorageFailure;
use protocol::{Code, Event};

use crate::desk::server::Server;
use crate::desk::{Desk, generate, load, pebble};

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
    assert!(matches!(desk.end_of(1), Event::Loaded { .. }));
    host.receive(generate(2, "Hello"), Vec::new());
    let reads = Rc::new(RefCell::new(Vec::new()));
    let (noted, read) = (Rc::clone(&reads), Rc::clone(&copy));
    desk.react(move |event| {
        if matches!(event, Event::Text { .. } | Event::Done { .. }) {
            noted.borrow_mut().push(read.reads.get());
        }
    });
    assert!(matches!(desk.end_of(2), Event::Done { .. }));
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
    assert!(matches!(desk.end_of(1), Event::Loaded { .. }));
    let code = |event: &Event| match event {
        Event::Failed { id: None, failure } => Some(failure.code.clone()),
        _ => None,
    };
    desk.run_until(|events| events.iter().any(|event| code(event).is_some()));
    let told: Vec<Code> = desk.events().iter().filter_map(code).collect();
    let size = record(&copy.journal).size;
    assert_eq!(told, [StorageFailure::Damaged { bytes: size }.into()]);
    assert!(!record(&copy.journal).verified);
    assert_eq!(server.log.take(), []);
}
