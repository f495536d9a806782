//! The n-th operation fails, for every n. Afterwards the bytes that the journal lists are stored, and verified blobs
//! are correct.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use engine::bytes::{ByteSource as _, Bytes, CancelToken, LocalBoxFuture};
use engine::store::journal::Record;
use engine::store::{CachingSource, Medium, MediumError, StoreError};

use super::{Bench, Disk, Files, complete};

/// How an operation fails.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// Before it has done anything.
    AtOnce,
    /// When half of it is done.
    HalfWay,
    /// When half of it is done, for want of room; and from then on for all that writes.
    Full,
}

/// A disk whose n-th operation fails.
struct Failing {
    disk: Disk,
    fault: Fault,
    /// Operations before the one that fails.
    left: Rc<Cell<usize>>,
}

impl Failing {
    /// Whether this operation is the one. Reading needs no room.
    fn fails(&self, writes: bool) -> bool {
        let full = matches!(self.fault, Fault::Full);
        if full && !writes {
            return false;
        }
        let left = self.left.get();
        self.left.set(if left > 0 { left - 1 } else { usize::MAX });
        if left == 0 && full {
            self.left.set(0);
        }
        left == 0
    }

    fn error(&self) -> MediumError {
        match self.fault {
            Fault::Full => MediumError::Full,
            Fault::AtOnce | Fault::HalfWay => MediumError::Failed { reason: "injected".to_owned() },
        }
    }

    fn half(&self, len: usize) -> usize {
        if matches!(self.fault, Fault::AtOnce) { 0 } else { len / 2 }
    }
}

impl Medium for Failing {
    fn read(&self, range: Range<u64>) -> Result<Bytes, MediumError> {
        if self.fails(false) { Err(self.error()) } else { self.disk.read(range) }
    }

    fn write(&self, offset: u64, bytes: &Bytes) -> Result<(), MediumError> {
        if !self.fails(true) {
            return self.disk.write(offset, bytes);
        }
        let mut half = bytes.to_vec();
        half.truncate(self.half(half.len()));
        self.disk.write(offset, &half.into())?;
        Err(self.error())
    }

    fn record(&self, line: &str) -> Result<(), MediumError> {
        if !self.fails(true) {
            return self.disk.record(line);
        }
        self.disk.record(&line[..self.half(line.len())])?;
        Err(self.error())
    }

    fn clear(&self) -> Result<(), MediumError> {
        if !self.fails(true) {
            return self.disk.clear();
        }
        if !matches!(self.fault, Fault::AtOnce) {
            self.disk.0.journal.borrow_mut().clear();
        }
        Err(self.error())
    }

    fn now(&self) -> f64 {
        self.disk.now()
    }

    fn pause(&self) -> LocalBoxFuture<'static, ()> {
        self.disk.pause()
    }
}

pub fn check_files(files: &Files, bench: &Bench, when: &str) {
    let journal = files.journal.borrow();
    let Some(record) = Record::last_of(&journal) else { return };
    let data = files.data.borrow();
    let here = |range: &Range<u64>| data.get(range.start as usize..range.end as usize);
    for (part, present) in record.present.split(&(0..bench.content.len() as u64)) {
        if present {
            let want = &bench.content[part.start as usize..part.end as usize];
            assert!(here(&part) == Some(want), "{when}: {part:?} is said to be here");
        }
    }
    if record.verified {
        assert!(*data == bench.content, "{when}: verified");
    }
}

/// A tab: reads a little, reads much, and completes the blob.
fn visit(bench: &Bench, fault: Fault, left: &Rc<Cell<usize>>) -> Result<(), StoreError> {
    let files = &bench.files;
    bench.end_line();
    let record = Record::last_of(&files.journal.borrow());
    let record = record.unwrap_or_else(|| Record::new("test", bench.content.len() as u64));
    let medium = Failing { disk: Disk(Rc::clone(files)), fault, left: Rc::clone(left) };
    let source = CachingSource::new(bench.digest, record, bench.upstream.clone(), Box::new(medium));
    for range in [700..1000, 0..300, 200..800, 0..1000] {
        let bytes = pollster::block_on(source.read(range.start as u64..range.end as u64)).expect("readable");
        assert!(bytes.to_vec() == bench.content[range], "what is read is right whatever fails");
    }
    let completed = pollster::block_on(source.complete(&CancelToken::new(), &mut |_| ()));
    assert_eq!(completed.is_ok(), source.record().verified && source.trouble().is_none());
    completed
}

#[test]
fn no_fault_makes_the_journal_claim_what_is_not_here() {
    for fault in [Fault::AtOnce, Fault::HalfWay, Fault::Full] {
        let mut failed = 0;
        for n in 0.. {
            let when = format!("{fault:?} at operation {n}");
            let bench = Bench::new(1000);
            let left = Rc::new(Cell::new(n));
            visit(&bench, fault, &left).ok();
            check_files(&bench.files, &bench, &when);
            let failed_once = left.get() == 0 || left.get() > n;
            // Another tab finds what this one left, on a sound disk, and ends what was begun.
            let sound = Rc::new(Cell::new(usize::MAX));
            visit(&bench, Fault::AtOnce, &sound).unwrap_or_else(|error| panic!("{when}: {error}"));
            check_files(&bench.files, &bench, &when);
            assert!(Record::last_of(&bench.files.journal.borrow()).is_some_and(|it| it.verified), "{when}");
            if !failed_once {
                break;
            }
            failed += 1;
        }
        assert!(failed > 5, "{fault:?}: {failed} operations");
    }
}

#[test]
fn no_fault_makes_a_damaged_blob_proven() {
    for fault in [Fault::AtOnce, Fault::HalfWay, Fault::Full] {
        for (n, has_digests) in (0..40).flat_map(|n| [(n, true), (n, false)]) {
            let when = format!("{fault:?} at operation {n}, with digests of chunks: {has_digests}");
            let bench = Bench::new(1000);
            visit(&bench, Fault::AtOnce, &Rc::new(Cell::new(usize::MAX))).expect("sound");
            // A bit turns, and something makes the blob be checked again.
            bench.files.data.borrow_mut()[99] ^= 1;
            let lost = Record::last_of(&bench.files.journal.borrow()).map(|mut record| record.lose(&(0..10)));
            if !has_digests {
                bench.files.journal.borrow_mut().clear();
            }
            bench.files.journal.borrow_mut().push_str(&lost.expect("a line"));
            let left = Rc::new(Cell::new(n));
            let record = Record::last_of(&bench.files.journal.borrow()).expect("a line");
            let medium = Failing { disk: Disk(Rc::clone(&bench.files)), fault, left: Rc::clone(&left) };
            let source = CachingSource::new(bench.digest, record, bench.upstream.clone(), Box::new(medium));
            let completed = pollster::block_on(source.complete(&CancelToken::new(), &mut |_| ()));
            // A chunk with a digest is fetched again, and a part that cannot be read. Else the damage is found.
            let right = *bench.files.data.borrow() == bench.content;
            assert!(right || completed.is_err(), "{when}");
            assert!(right || !source.record().verified, "{when}");
            assert!(!has_digests || right || source.trouble().is_some(), "{when}: {completed:?}");
            let record = Record::last_of(&bench.files.journal.borrow());
            assert!(right || record.is_none_or(|record| !record.verified), "{when}");
            drop(source);
            // A sound disk heals it, at the second visit if the first one finds that everything must be deleted.
            let heal = || {
                bench.end_line();
                complete(&bench.open())
            };
            heal().or_else(|_| heal()).unwrap_or_else(|error| panic!("{when}: {error}"));
            assert!(*bench.files.data.borrow() == bench.content, "{when}");
        }
    }
}
