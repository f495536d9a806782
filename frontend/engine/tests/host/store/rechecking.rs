//! Verified copies are checked again: damage is marked, and the next load fetches it.

use std::cell::Cell;
use std::rc::Rc;

use engine::bytes::{ByteSource as _, CancelToken, SourceError};
use engine::store::{CHECK_EVERY, StoreError, VerifiedSource};
use futures_util::FutureExt as _;

use super::{Bench, NOW, check, complete};

pub fn recheck(source: &VerifiedSource) -> Result<(), StoreError> {
    let turn = || std::future::ready(()).boxed_local();
    pollster::block_on(source.copy().check(&turn, &CancelToken::new()))
}

#[test]
fn a_copy_is_checked_once_in_thirty_days() {
    let bench = Bench::verified(1000);
    assert!(!bench.open_verified().copy().is_due());
    bench.files.now.set(NOW + CHECK_EVERY);
    let source = bench.open_verified();
    assert!(source.copy().is_due());
    assert_eq!(recheck(&source), Ok(()));
    assert!(!source.copy().is_due());
    let record = bench.record();
    assert!(record.verified && record.checked == NOW + CHECK_EVERY && record.chunks.is_some());
    assert!(!bench.open_verified().copy().is_due());
    bench.files.now.set(NOW);
    assert!(bench.open_verified().copy().is_due(), "the clock was set back");
    assert_eq!(bench.served(), 0);
}

#[test]
fn damage_is_marked_and_fetched_at_the_next_load() {
    let bench = Bench::verified(1000);
    bench.flip(130, 7);
    let source = bench.open_verified();
    source.set_online(false);
    assert_eq!(recheck(&source), Err(StoreError::Damaged { bytes: 64 }));
    assert_eq!(bench.served(), 0, "nothing is fetched while a model is ready");
    assert!(matches!(pollster::block_on(source.read(130..131)), Err(SourceError::Unreadable { .. })));
    let record = bench.record();
    assert!(!record.verified && record.checked == NOW);
    assert_eq!(record.present.first_missing(&(0..1000)), Some(128..192));

    let source = bench.open_chunked();
    bench.read(&source, 0..1000);
    assert_eq!(bench.served(), 64);
    assert_eq!(check(&source), Ok(()));
    assert!(bench.record().verified && *bench.files.data.borrow() == bench.content);
}

#[test]
fn an_old_journal_gets_digests_at_the_next_check() {
    let bench = Bench::verified(1000);
    let old = r#"{"version":1,"name":"a","size":1000,"present":[[0,1000]],"verified":true,"last_used":5.0}"#;
    *bench.files.journal.borrow_mut() = format!("{old}\n");
    let source = bench.open_verified();
    assert!(source.copy().is_due(), "nobody knows when it was checked");
    assert_eq!(recheck(&source), Ok(()));
    let record = bench.record();
    assert!(record.verified && record.checked == NOW && record.name == "a");
    assert!(record.chunks.is_some());

    // Without digests, nothing says where it is damaged.
    *bench.files.journal.borrow_mut() = format!("{old}\n");
    bench.flip(500, 1);
    assert_eq!(recheck(&bench.open_verified()), Err(StoreError::Damaged { bytes: 1000 }));
    assert!(bench.record().present.is_empty());
    complete(&bench.open_chunked()).expect("anew");
    assert_eq!(bench.served(), 1000);
}

#[test]
fn a_read_that_fails_makes_a_check_due() {
    let bench = Bench::verified(1000);
    let source = bench.open_verified();
    source.set_online(false);
    bench.files.data.borrow_mut().truncate(900);
    assert!(pollster::block_on(source.read(0..100)).is_ok());
    assert!(!source.copy().is_due());
    assert!(pollster::block_on(source.read(950..960)).is_err());
    assert!(source.copy().is_due());
    assert_eq!(recheck(&source), Err(StoreError::Damaged { bytes: 1000 - 896 }));
    assert!(!source.copy().is_due());
    assert_eq!(bench.record().present.count(), 896);
    complete(&bench.open_chunked()).expect("healed");
    assert_eq!(bench.served(), 1000 - 896);
}

#[test]
fn a_check_that_was_stopped_goes_on() {
    let size = 20 << 20;
    let bench = Bench::new(size);
    complete(&bench.open()).expect("it is as announced");
    bench.files.now.set(NOW + CHECK_EVERY);
    let source = bench.open_verified();
    let cancel = CancelToken::new();
    let turns = Rc::new(Cell::new(0));
    let turn = || {
        turns.set(turns.get() + 1);
        if turns.get() == 3 {
            cancel.cancel();
        }
        std::future::ready(()).boxed_local()
    };
    let stopped = pollster::block_on(source.copy().check(&turn, &cancel));
    assert_eq!(stopped, Err(StoreError::Source(SourceError::Cancelled)));
    assert!(source.copy().is_due());
    let go_on = CancelToken::new();
    assert_eq!(pollster::block_on(source.copy().check(&turn, &go_on)), Ok(()));
    // Five pieces, and the turn that was not taken.
    assert!(turns.get() <= 6, "{turns:?}");
    assert!(!source.copy().is_due());
}

#[test]
fn a_copy_that_was_written_after_its_check_is_due() {
    let bench = Bench::verified(1000);
    let written = |time| bench.verified_copy().written_at(time).is_due();
    assert!(!written(NOW - 1e9) && !written(NOW), "it was written before");
    assert!(!written(NOW + 1000.0), "file systems round times");
    assert!(written(NOW + 1e5));
}

#[test]
fn a_doubted_copy_is_checked_from_its_first_byte() {
    let bench = Bench::verified(1000);
    let source = bench.open_verified();
    source.set_online(false);
    pollster::block_on(source.copy().doubt());
    assert!(source.copy().is_due() && bench.open_verified().copy().is_due(), "after a restart, too");
    assert_eq!(recheck(&source), Ok(()));
    assert!(!source.copy().is_due() && !bench.open_verified().copy().is_due());

    // A check that has passed the damage begins again, and the one before ends.
    let turns = Rc::new(Cell::new(0));
    let turn = || {
        let (turns, source, bench) = (Rc::clone(&turns), &source, &bench);
        async move {
            turns.set(turns.get() + 1);
            if turns.get() == 100 {
                bench.flip(3, 1);
                source.copy().doubt().await;
            }
        }
        .boxed_local()
    };
    let stopped = pollster::block_on(source.copy().check(&turn, &CancelToken::new()));
    assert_eq!(stopped, Err(StoreError::Source(SourceError::Cancelled)));
    assert_eq!(recheck(&source), Err(StoreError::Damaged { bytes: 64 }));
    assert_eq!(bench.served(), 0);
}
