//! Digests of chunks: damage is found where it is, and only that is fetched again.

use engine::bytes::ByteSource as _;
use engine::store::journal::Record;
use engine::store::{CachingSource, Chunks, StoreError};

use super::{Bench, NOW, check, complete};

/// Size of a chunk in these tests.
pub const CHUNK: u64 = 64;

impl Bench {
    /// As [`Bench::open`], with small chunks.
    pub fn open_chunked(&self) -> CachingSource {
        self.open().with_chunk_size(CHUNK)
    }

    /// What the journal says.
    pub fn record(&self) -> Record {
        Record::last_of(&self.files.journal.borrow()).expect("a line")
    }

    /// Makes the next tab check the blob again.
    pub fn doubt(&self) {
        let mut record = self.record();
        record.verified = false;
        self.files.journal.borrow_mut().push_str(&record.line());
    }

    /// A verified blob.
    pub fn verified(size: usize) -> Self {
        let bench = Self::new(size);
        complete(&bench.open_chunked()).expect("it is as announced");
        assert_eq!(bench.served(), size as u64);
        bench
    }

    pub fn flip(&self, at: usize, bit: u32) {
        self.files.data.borrow_mut()[at] ^= 1 << (bit % 8);
    }
}

#[test]
fn a_check_of_all_bytes_leaves_digests_of_the_chunks() {
    let bench = Bench::verified(1000);
    let record = bench.record();
    assert!(record.verified && record.checked == NOW);
    let lines = bench.files.journal.borrow();
    assert_eq!(lines.matches("\"chunks\"").count(), 1);
    assert_eq!(record.chunks.map(|chunks| chunks.line().matches("sha256:").count()), Some(16));
}

#[test]
fn damaged_chunks_are_fetched_again_alone() {
    let bench = Bench::verified(1000);
    // The last one is shorter.
    for at in [0, 63, 64, 999] {
        bench.flip(at, 3);
    }
    bench.doubt();
    complete(&bench.open_chunked()).expect("healed");
    assert_eq!(bench.served(), 64 + 64 + 40);
    assert!(*bench.files.data.borrow() == bench.content);
    assert!(bench.record().verified && bench.record().damaged.is_empty());
    let digests = bench.files.journal.borrow().matches("\"chunks\"").count();
    assert_eq!(digests, 1, "they are not written again");
}

#[test]
fn damage_outlives_the_tab_that_found_it() {
    let bench = Bench::verified(1000);
    bench.flip(200, 0);
    bench.doubt();
    bench.upstream.cut.set(true);
    assert!(matches!(complete(&bench.open_chunked()), Err(StoreError::Source(_))));
    let record = bench.record();
    assert!(!record.verified);
    assert_eq!(record.present.first_missing(&(0..1000)), Some(192..256));
    bench.upstream.cut.set(false);
    complete(&bench.open_chunked()).expect("healed");
    assert_eq!(bench.served(), 64);
    assert!(*bench.files.data.borrow() == bench.content);
}

#[test]
fn a_verified_blob_without_digests_gets_them_at_the_next_check() {
    let bench = Bench::verified(1000);
    let line = bench.record().line();
    *bench.files.journal.borrow_mut() = line;
    assert_eq!(bench.record().chunks, None);
    bench.doubt();
    complete(&bench.open_chunked()).expect("nothing is wrong");
    assert_eq!(bench.served(), 0);
    assert!(bench.record().chunks.is_some());
}

#[test]
fn wrong_digests_of_chunks_are_found_out() {
    let bench = Bench::verified(1000);
    let right = bench.record().chunks.expect("digests").line();
    let wrong = right.replacen("sha256:", "sha256:0000", 1);
    let wrong = wrong.replacen(&right[right.find("sha256:").expect("one") + 7..][60..64], "", 1);
    assert_ne!(right, wrong);
    bench.files.journal.borrow_mut().push_str(&wrong);
    bench.doubt();
    assert!(bench.record().chunks.is_some_and(|chunks| chunks.line() == wrong));
    complete(&bench.open_chunked()).expect("the digest of all bytes is right");
    // The chunk was fetched once, in vain.
    assert_eq!(bench.served(), 64);
    let record = bench.record();
    assert!(record.verified && record.damaged.is_empty());
    assert_eq!(record.chunks.as_ref().map(Chunks::line), Some(right));
}

#[test]
fn a_check_that_fetches_nothing_marks_what_is_damaged() {
    let bench = Bench::verified(1000);
    bench.flip(100, 0);
    bench.flip(999, 0);
    bench.doubt();
    let source = bench.open_chunked();
    source.set_online(false);
    assert_eq!(check(&source), Err(StoreError::Damaged { bytes: 64 + 40 }));
    assert_eq!(bench.served(), 0);
    let record = bench.record();
    assert!(!record.verified && record.present.count() == 1000 - 104);
    assert_eq!(check(&source), Ok(()), "it is told once");
    assert!(pollster::block_on(source.read(100..101)).is_err(), "wrong bytes are not handed out");
    drop(source);

    // The next load fetches them.
    let source = bench.open_chunked();
    bench.read(&source, 0..1000);
    assert_eq!(bench.served(), 104);
    assert_eq!(check(&source), Ok(()));
    assert!(bench.record().verified);
}

#[test]
fn a_check_that_fetches_nothing_marks_what_cannot_be_read() {
    for has_digests in [true, false] {
        let bench = Bench::verified(1000);
        if !has_digests {
            let line = bench.record().line();
            *bench.files.journal.borrow_mut() = line;
        }
        bench.files.data.borrow_mut().truncate(300);
        bench.doubt();
        let source = bench.open_chunked();
        assert_eq!(check(&source), Err(StoreError::Damaged { bytes: 1000 - 256 }));
        assert_eq!(bench.served(), 0);
        drop(source);
        complete(&bench.open_chunked()).expect("healed");
        assert!(bench.record().verified && *bench.files.data.borrow() == bench.content);
    }
}

#[test]
fn a_check_of_an_incomplete_blob_waits() {
    let bench = Bench::new(1000);
    let source = bench.open_chunked();
    bench.read(&source, 0..500);
    assert_eq!(check(&source), Ok(()));
    assert!(!source.record().verified);
    bench.read(&source, 500..1000);
    assert_eq!(check(&source), Ok(()));
    assert!(source.record().verified);
    assert_eq!(bench.served(), 1000);
}

#[test]
fn a_server_that_sends_something_else_ends_it() {
    let bench = Bench::verified(1000);
    bench.flip(100, 0);
    bench.doubt();
    bench.upstream.wrong.set(true);
    assert!(matches!(complete(&bench.open_chunked()), Err(StoreError::Corrupt { .. })));
    assert!(bench.files.data.borrow().is_empty());
    bench.upstream.wrong.set(false);
    complete(&bench.open_chunked()).expect("anew");
}
