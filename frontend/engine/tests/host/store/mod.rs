//! Keeping blobs, over a medium in memory that can be small, broken or cut off.

mod chunks;
mod faults;
mod holding;
mod random_faults;
mod rechecking;

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use std::task::Poll;

use futures_util::FutureExt as _;
use proptest::prelude::*;
use sha2::{Digest as _, Sha256};

use chunks::CHUNK;
use engine::bytes::{ByteSource, Bytes, CancelToken, LocalBoxFuture, LocalSource, MemorySource, SourceError};
use engine::store::journal::{Edit, Record, amended};
use engine::store::{
    CachingSource, Completion, Digest, Journal, Medium, MediumError, RangeSet, StoreError, VerifiedCopy,
    VerifiedSource,
};

/// The two files. They outlive the medium, as files outlive a tab.
#[derive(Default)]
struct Files {
    data: RefCell<Vec<u8>>,
    journal: RefCell<String>,
    /// Room for data.
    room: Cell<usize>,
    unreadable: Cell<bool>,
    /// What the clock shows.
    now: Cell<f64>,
}

struct Disk(Rc<Files>);

/// What the clock shows at first.
const NOW: f64 = 1_763_720_000_000.0;

impl Medium for Disk {
    fn read(&self, range: Range<u64>) -> Result<Bytes, MediumError> {
        let data = self.0.data.borrow();
        let part = data.get(range.start as usize..range.end as usize).filter(|_| !self.0.unreadable.get());
        part.map(|part| part.to_vec().into()).ok_or(MediumError::Failed { reason: "gone".to_owned() })
    }

    fn write(&self, offset: u64, bytes: &Bytes) -> Result<(), MediumError> {
        let end = offset as usize + bytes.len();
        if end > self.0.room.get() {
            return Err(MediumError::Full);
        }
        let mut data = self.0.data.borrow_mut();
        let len = data.len().max(end);
        data.resize(len, 0);
        bytes.copy_to(&mut data[offset as usize..end]);
        Ok(())
    }

    fn record(&self, line: &str) -> Result<(), MediumError> {
        self.0.journal.borrow_mut().push_str(line);
        Ok(())
    }

    fn clear(&self) -> Result<(), MediumError> {
        self.0.data.borrow_mut().clear();
        self.0.journal.borrow_mut().clear();
        Ok(())
    }

    fn now(&self) -> f64 {
        self.0.now.get()
    }

    fn pause(&self) -> LocalBoxFuture<'static, ()> {
        let mut paused = false;
        let pause = std::future::poll_fn(move |context| {
            context.waker().wake_by_ref();
            if std::mem::replace(&mut paused, true) { Poll::Ready(()) } else { Poll::Pending }
        });
        pause.boxed_local()
    }
}

/// The journal, while nobody writes the blob.
struct Notes(Rc<Files>);

impl Journal for Notes {
    fn amend(&self, edit: Edit) -> LocalBoxFuture<'static, ()> {
        let lines = amended(&self.0.journal.borrow(), edit).unwrap_or_default();
        self.0.journal.borrow_mut().push_str(&lines);
        std::future::ready(()).boxed_local()
    }

    fn now(&self) -> f64 {
        self.0.now.get()
    }
}

/// A source that counts, and can be cut off.
struct Upstream {
    file: MemorySource,
    served: Cell<u64>,
    /// What was served.
    log: RefCell<RangeSet>,
    cut: Cell<bool>,
    /// Bytes until the connection breaks, once.
    breaks_after: Cell<u64>,
    /// Whether it sends another file.
    wrong: Cell<bool>,
}

impl ByteSource for Upstream {
    fn len(&self) -> u64 {
        self.file.len()
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        let left = self.breaks_after.get().checked_sub(range.end - range.start);
        self.breaks_after.set(left.unwrap_or(u64::MAX));
        if self.cut.get() || left.is_none() {
            let reason = "cut".to_owned();
            let error = SourceError::Network { attempts: 6, offset: range.start, reason };
            return std::future::ready(Err(error)).boxed_local();
        }
        self.served.set(self.served.get() + range.end - range.start);
        self.log.borrow_mut().insert(range.clone());
        if self.wrong.get() {
            let bytes = vec![7; (range.end - range.start) as usize];
            return std::future::ready(Ok(bytes.into())).boxed_local();
        }
        self.file.read(range)
    }
}

struct Bench {
    content: Vec<u8>,
    digest: Digest,
    upstream: Rc<Upstream>,
    files: Rc<Files>,
}

impl Bench {
    fn new(size: usize) -> Self {
        let content: Vec<u8> = (0..size).map(|i| (i * 7 + i / 251) as u8).collect();
        let upstream = Upstream {
            file: MemorySource::new(content.clone()),
            served: Cell::default(),
            log: RefCell::default(),
            cut: Cell::default(),
            breaks_after: Cell::new(u64::MAX),
            wrong: Cell::default(),
        };
        let files = Files { room: Cell::new(usize::MAX), now: Cell::new(NOW), ..Files::default() };
        let digest = Digest::new(Sha256::digest(&content).into());
        Self { content, digest, upstream: Rc::new(upstream), files: Rc::new(files) }
    }

    /// Opens the blob as a tab does that finds these files.
    fn open(&self) -> CachingSource {
        let record = Record::last_of(&self.files.journal.borrow());
        let record = record.unwrap_or_else(|| Record::new("test", self.content.len() as u64));
        CachingSource::new(self.digest, record, self.upstream.clone(), Box::new(Disk(self.files.clone())))
    }

    /// Opens a blob that was verified, for reading.
    fn open_verified(&self) -> VerifiedSource {
        VerifiedSource::new(Rc::new(self.verified_copy()), self.upstream.clone())
    }

    fn verified_copy(&self) -> VerifiedCopy {
        let local = Rc::new(LocalFile(Rc::clone(&self.files), self.content.len() as u64));
        let record = Record::last_of(&self.files.journal.borrow()).expect("a line");
        let copy = VerifiedCopy::new(self.digest, local, record, Rc::new(Notes(Rc::clone(&self.files))));
        copy.with_chunk_size(CHUNK)
    }

    /// The last line of a journal may be cut off, as a browser that opens it sees to.
    fn end_line(&self) {
        let mut journal = self.files.journal.borrow_mut();
        if !journal.is_empty() && !journal.ends_with('\n') {
            journal.push('\n');
        }
    }

    fn read(&self, source: &CachingSource, range: Range<usize>) {
        let bytes = pollster::block_on(source.read(range.start as u64..range.end as u64)).expect("readable");
        assert!(bytes.to_vec() == self.content[range.clone()], "{range:?}");
    }

    fn served(&self) -> u64 {
        self.upstream.served.take()
    }
}

fn complete(source: &CachingSource) -> Result<Vec<Completion>, StoreError> {
    let mut steps = Vec::new();
    pollster::block_on(source.complete(&CancelToken::new(), &mut |step| steps.push(step)))?;
    Ok(steps)
}

/// Checks what a ready model keeps.
fn check(source: &CachingSource) -> Result<(), StoreError> {
    pollster::block_on(source.check(&CancelToken::new()))
}

#[test]
fn what_was_read_is_not_fetched_again() {
    let bench = Bench::new(1000);
    let source = bench.open();
    bench.read(&source, 100..200);
    bench.read(&source, 300..400);
    assert_eq!(bench.served(), 200);
    bench.read(&source, 150..350);
    assert_eq!(bench.served(), 100, "only what lies between");
    bench.read(&source, 100..400);
    bench.read(&source, 7..7);
    assert_eq!(bench.served(), 0);
    assert!(pollster::block_on(source.read(900..1001)).is_err());
}

#[test]
fn a_closed_blob_goes_on_where_it_was() {
    let bench = Bench::new(1000);
    bench.read(&bench.open(), 0..600);
    bench.served();
    let source = bench.open();
    assert_eq!(source.record().present.count(), 600);
    bench.read(&source, 500..700);
    assert_eq!(bench.served(), 100);
}

#[test]
fn a_whole_blob_is_proven_and_needs_no_server() {
    let bench = Bench::new(10 << 20);
    let source = bench.open();
    bench.read(&source, 5 << 20..6 << 20);
    let steps = complete(&source).expect("it is as announced");
    assert_eq!(bench.served(), 10 << 20);
    let total = 10 << 20;
    assert_eq!(steps[0], Completion::Fetching { done: 1 << 20, total });
    assert_eq!(*steps.last().expect("steps"), Completion::Checking { done: total, total });
    drop(source);

    bench.upstream.cut.set(true);
    let source = bench.open();
    assert!(source.record().verified);
    assert_eq!(complete(&source), Ok(Vec::new()));
    bench.read(&source, 0..10 << 20);
}

#[test]
fn a_download_that_was_cut_is_taken_up() {
    let bench = Bench::new(20 << 20);
    let source = bench.open();
    bench.read(&source, 0..12 << 20);
    bench.upstream.cut.set(true);
    assert!(matches!(complete(&source), Err(StoreError::Source(SourceError::Network { .. }))));
    bench.upstream.cut.set(false);
    bench.served();
    complete(&source).expect("the network is back");
    assert_eq!(bench.served(), 8 << 20);
}

#[test]
fn reads_go_on_while_a_blob_is_completed() {
    let bench = Bench::new(20 << 20);
    let source = bench.open();
    let cancel = CancelToken::new();
    let mut ignore = |_| ();
    let completing = source.complete(&cancel, &mut ignore);
    let reading = async {
        let disk = Disk(bench.files.clone());
        for at in 0..20 {
            let bytes = source.read(at << 20..(at << 20) + 100).await.expect("readable");
            assert!(bytes.to_vec() == bench.content[at as usize * (1 << 20)..][..100]);
            disk.pause().await;
        }
    };
    let (completed, ()) = pollster::block_on(futures_util::future::join(completing, reading));
    assert_eq!(completed, Ok(()));
    assert!(source.record().verified);
}

#[test]
fn a_cancelled_check_is_taken_up() {
    let bench = Bench::new(20 << 20);
    let source = bench.open();
    let cancel = CancelToken::new();
    let stopped = pollster::block_on(source.complete(&cancel, &mut |step| {
        if matches!(step, Completion::Checking { done, .. } if done > 0) {
            cancel.cancel();
        }
    }));
    assert_eq!(stopped, Err(StoreError::Source(SourceError::Cancelled)));
    let steps = complete(&source).expect("nothing is wrong");
    assert!(matches!(steps[0], Completion::Checking { done, .. } if done > 0), "{steps:?}");
    assert!(source.record().verified);
}

#[test]
fn damaged_bytes_are_deleted_and_named() {
    let bench = Bench::new(1000);
    let source = bench.open();
    bench.read(&source, 0..500);
    bench.files.data.borrow_mut()[99] ^= 1;
    let error = complete(&source).expect_err("a bit is wrong");
    assert!(
        matches!(error, StoreError::Corrupt { expected, found } if expected == bench.digest && found != expected)
    );
    assert_eq!(source.record().present.count(), 0);
    assert!(bench.files.data.borrow().is_empty());
    // Reading goes on from the server.
    bench.read(&source, 0..1000);
    drop(source);
    assert_eq!(bench.open().record().present.count(), 0, "nothing wrong is taken up later");
}

#[test]
fn a_full_disk_keeps_what_it_has_and_fails_no_read() {
    let bench = Bench::new(1000);
    bench.files.room.set(400);
    let source = bench.open();
    bench.read(&source, 0..300);
    bench.read(&source, 300..600);
    bench.read(&source, 600..1000);
    assert_eq!(source.trouble(), Some(StoreError::Full { kept: 300, size: 1000 }));
    assert_eq!(complete(&source), Err(StoreError::Full { kept: 300, size: 1000 }));
    bench.served();
    bench.read(&source, 0..300);
    assert_eq!(bench.served(), 0, "what is here is still used");
    drop(source);
    assert_eq!(bench.open().record().present.count(), 300);
}

#[test]
fn bytes_that_cannot_be_read_back_are_fetched() {
    let bench = Bench::new(1000);
    let source = bench.open();
    bench.read(&source, 0..1000);
    bench.files.unreadable.set(true);
    bench.served();
    bench.read(&source, 200..300);
    assert_eq!(bench.served(), 100);
    assert_eq!(source.trouble(), None, "they were written again");
    bench.read(&source, 250..350);
    assert_eq!(bench.served(), 100);
    assert!(matches!(source.trouble(), Some(StoreError::Failed { .. })), "in vain");
    assert!(!source.record().is_complete());
}

#[test]
fn a_proven_blob_that_was_cut_short_is_known_to_be_and_healed() {
    let bench = Bench::new(1000);
    complete(&bench.open()).expect("it is as announced");
    bench.files.data.borrow_mut().truncate(700);
    let source = bench.open();
    assert!(source.record().verified, "nobody has looked yet");
    bench.served();
    bench.read(&source, 600..1000);
    // The journal says so before anything else happens: the tab may die now.
    let record = Record::last_of(&bench.files.journal.borrow()).expect("a line");
    assert!(!record.verified && !record.present.contains(&(600..1000)));
    assert_eq!(bench.served(), 400);
    complete(&source).expect("the rest is there");
    assert_eq!(bench.served(), 0, "what was lost was kept when it came");
    drop(source);
    let source = bench.open();
    assert!(source.record().verified);
    bench.read(&source, 0..1000);
    assert_eq!(bench.served(), 0);
}

#[test]
fn a_check_fetches_again_what_it_cannot_read() {
    let bench = Bench::new(1000);
    bench.read(&bench.open(), 0..1000);
    bench.files.data.borrow_mut().truncate(10);
    bench.served();
    complete(&bench.open()).expect("the server has it");
    assert_eq!(bench.served(), 1000);
    assert!(bench.open().record().verified);
}

#[test]
fn what_a_proven_blob_lacks_comes_from_the_server() {
    let bench = Bench::new(1000);
    complete(&bench.open()).expect("it is as announced");
    bench.files.data.borrow_mut().truncate(700);
    bench.served();
    let source = bench.open_verified();
    let read = |range: Range<u64>| pollster::block_on(source.read(range)).map(|bytes| bytes.to_vec());
    assert_eq!(read(0..700).expect("here"), bench.content[..700]);
    assert_eq!(bench.served(), 0);
    assert_eq!(read(650..1000).expect("there"), bench.content[650..]);
    assert_eq!(bench.served(), 350);
    let record = Record::last_of(&bench.files.journal.borrow()).expect("a line");
    assert!(!record.verified);
    assert_eq!(record.present.count(), 650);
    bench.upstream.cut.set(true);
    assert!(matches!(read(650..1000), Err(SourceError::Unreadable { .. })), "what happened here");
}

#[test]
fn a_proven_blob_is_read_from_the_server_during_a_load_only() {
    let bench = Bench::new(1000);
    complete(&bench.open()).expect("it is as announced");
    bench.files.unreadable.set(true);
    bench.served();
    let source = bench.open_verified();
    let before = bench.files.journal.borrow().clone();
    source.set_online(false);
    assert!(matches!(pollster::block_on(source.read(0..10)), Err(SourceError::Unreadable { .. })));
    assert_eq!(bench.served(), 0);
    assert_eq!(*bench.files.journal.borrow(), before, "the next load does not tell what was read");
    source.set_online(true);
    assert_eq!(pollster::block_on(source.read(0..10)).expect("there").to_vec(), bench.content[..10]);
    assert_eq!(bench.served(), 10);
}

#[test]
fn a_kept_blob_is_read_from_the_server_during_a_load_only() {
    for verified in [false, true] {
        let bench = Bench::new(1000);
        let source = bench.open();
        bench.read(&source, 0..1000);
        if verified {
            complete(&source).expect("it is as announced");
        }
        bench.served();
        source.set_online(false);
        bench.files.unreadable.set(true);
        assert!(matches!(pollster::block_on(source.read(400..410)), Err(SourceError::Unreadable { .. })));
        assert_eq!(bench.served(), 0);
        assert!(!source.record().verified && source.record().is_complete(), "all of it is checked");
        bench.files.unreadable.set(false);
        assert_eq!(pollster::block_on(source.check(&CancelToken::new())), Ok(()));
        assert!(source.record().verified);
        assert_eq!(bench.served(), 0);
    }
}

/// The data as a file of so many bytes.
struct LocalFile(Rc<Files>, u64);

impl LocalSource for LocalFile {}

impl ByteSource for LocalFile {
    fn len(&self) -> u64 {
        self.1
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        let read = Disk(Rc::clone(&self.0)).read(range);
        let read = read.map_err(|error| SourceError::Unreadable { reason: error.to_string() });
        std::future::ready(read).boxed_local()
    }
}

#[test]
fn a_blob_of_another_size_is_begun_anew() {
    let bench = Bench::new(1000);
    let mut record = Record::new("test", 900);
    record.present.insert(0..900);
    let source =
        CachingSource::new(bench.digest, record, bench.upstream.clone(), Box::new(Disk(bench.files.clone())));
    assert_eq!(source.record(), Record::new("test", 1000));
    bench.read(&source, 0..1000);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is read in whatever order, on a disk of whatever size, over any number of sessions: the bytes are right.
    #[test]
    fn reads_are_right(
        room in 0..1500_usize,
        sessions in proptest::collection::vec(proptest::collection::vec((0..1000_usize, 0..1000_usize), 0..6), 1..4),
    ) {
        let bench = Bench::new(1000);
        bench.files.room.set(room);
        for session in sessions {
            let source = bench.open();
            for (a, b) in session {
                bench.read(&source, a.min(b)..a.max(b));
            }
        }
        let source = bench.open();
        for (part, here) in source.record().present.split(&(0..1000)) {
            if here {
                let kept = Disk(bench.files.clone()).read(part.clone()).expect("the journal tells the truth");
                prop_assert_eq!(kept.to_vec(), &bench.content[part.start as usize..part.end as usize]);
            }
        }
        let completed = complete(&source).is_ok();
        prop_assert_eq!(completed, source.record().verified);
        prop_assert!(completed || room < 1000);
    }
}
