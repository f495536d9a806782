//! Faults at random places, twenty seeds of each: a network that is cut, bits that turn, storage that is full, a tab that is
//! killed.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use std::task::{Context, Waker};

use engine::bytes::{Bytes, CancelToken, LocalBoxFuture, SourceError};
use engine::store::journal::Record;
use engine::store::{CHECK_EVERY, CachingSource, Medium, MediumError, StoreError};

use super::chunks::CHUNK;
use super::faults::check_files;
use super::rechecking::recheck;
use super::{Bench, Disk, NOW, check, complete};

const SEEDS: u64 = 20;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end.max(1) as u64) as usize
    }

    fn size(&mut self) -> usize {
        1000 + self.below(4000)
    }

    /// How much of something is left: nothing, a part, all.
    fn survives(&mut self, len: usize) -> usize {
        [0, self.below(len + 1), len][self.below(3)]
    }
}

/// Reads as a load does: parts here and there, not all of them.
fn load(bench: &Bench, source: &CachingSource, random: &mut Random) {
    let size = bench.content.len();
    for _ in 0..6 {
        let start = random.below(size);
        let end = start + random.below(size - start);
        bench.read(source, start..end);
    }
}

/// Has the blob whole, verified and right.
fn is_right(bench: &Bench, when: &str) {
    let record = bench.record();
    assert!(record.verified && record.chunks.is_some(), "{when}: {record:?}");
    assert!(*bench.files.data.borrow() == bench.content, "{when}");
}

#[test]
fn a_network_that_is_cut_ends_in_the_right_digest() {
    let mut cuts = 0;
    for seed in 0..SEEDS {
        let mut random = Random(seed);
        let bench = Bench::new(random.size());
        let mut source = bench.open_chunked();
        for cut in 0..20 {
            bench.upstream.breaks_after.set(random.below(bench.content.len() / 10) as u64);
            match complete(&source) {
                Ok(_) => break,
                Err(StoreError::Source(SourceError::Network { .. })) => cuts += 1,
                Err(error) => panic!("seed {seed}: {error}"),
            }
            check_files(&bench.files, &bench, &format!("seed {seed}, cut {cut}"));
            // In the same tab or after a reload.
            if random.below(2) == 0 {
                drop(source);
                source = bench.open_chunked();
            }
        }
        bench.upstream.breaks_after.set(u64::MAX);
        complete(&source).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        is_right(&bench, &format!("seed {seed}"));
        assert_eq!(bench.served(), bench.content.len() as u64, "each byte came once");
    }
    assert!(cuts > 200, "{cuts}");
}

#[test]
fn each_flipped_bit_costs_its_chunk() {
    for seed in 0..SEEDS {
        let mut random = Random(seed);
        let bench = Bench::verified(random.size());
        let size = bench.content.len();
        for flip in 0..20 {
            let when = format!("seed {seed}, flip {flip}");
            let at = random.below(size);
            bench.flip(at, random.below(8) as u32);
            let start = at as u64 / CHUNK * CHUNK;
            let chunk = start..(start + CHUNK).min(size as u64);

            // A model that is ready finds it, and fetches nothing.
            bench.files.now.set(NOW + CHECK_EVERY * f64::from(flip + 1));
            let source = bench.open_verified();
            source.set_online(false);
            let bytes = chunk.end - chunk.start;
            assert_eq!(recheck(&source), Err(StoreError::Damaged { bytes }), "{when}");
            assert_eq!(bench.served(), 0, "{when}");

            // The next load heals it.
            bench.upstream.log.take();
            let source = bench.open_chunked();
            load(&bench, &source, &mut random);
            pollster::block_on(source.fetch_missing(&CancelToken::new(), &mut |_, _| ()))
                .expect("the server is there");
            source.set_online(false);
            assert_eq!(check(&source), Ok(()), "{when}");
            assert_eq!(bench.served(), bytes, "{when}");
            let asked = Vec::from(bench.upstream.log.take());
            assert_eq!(asked, [(chunk.start, chunk.end)], "{when}");
            is_right(&bench, &when);
        }
    }
}

#[test]
fn twenty_flipped_bits_cost_their_chunks() {
    for seed in 0..SEEDS {
        let mut random = Random(seed);
        let bench = Bench::verified(random.size());
        let size = bench.content.len() as u64;
        let chunks: std::collections::BTreeSet<u64> = (0..20)
            .map(|_| {
                let at = random.below(size as usize);
                bench.files.data.borrow_mut()[at] = !bench.content[at];
                at as u64 / CHUNK * CHUNK
            })
            .collect();
        let bytes: u64 = chunks.iter().map(|start| CHUNK.min(size - start)).sum();
        bench.doubt();
        bench.upstream.log.take();
        complete(&bench.open_chunked()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(bench.served(), bytes, "seed {seed}");
        assert_eq!(bench.upstream.log.borrow().count(), bytes, "seed {seed}: nothing twice");
        is_right(&bench, &format!("seed {seed}"));
    }
}

#[test]
fn storage_that_is_full_stops_no_load() {
    for seed in 0..SEEDS {
        let when = format!("seed {seed}");
        let mut random = Random(seed);
        let bench = Bench::new(random.size());
        let size = bench.content.len();
        bench.files.room.set(random.below(size));
        let source = bench.open_chunked();
        load(&bench, &source, &mut random);
        let error = complete(&source).expect_err("there is no room for all of it");
        assert!(matches!(error, StoreError::Full { size: all, .. } if all == size as u64), "{when}: {error}");
        assert_eq!(source.trouble(), Some(error), "{when}");
        bench.read(&source, 0..size);
        drop(source);
        check_files(&bench.files, &bench, &when);

        // What is kept is read from the copy, and with more room the rest follows.
        let source = bench.open_chunked();
        let present = source.record().present;
        bench.served();
        for (part, _) in present.split(&(0..size as u64)).iter().filter(|(_, here)| *here) {
            bench.read(&source, part.start as usize..part.end as usize);
        }
        assert_eq!(bench.served(), 0, "{when}");
        bench.files.room.set(usize::MAX);
        complete(&source).unwrap_or_else(|error| panic!("{when}: {error}"));
        assert_eq!(bench.served(), size as u64 - present.count(), "{when}");
        is_right(&bench, &when);
    }
}

/// What a tab has written and not flushed.
enum Unflushed {
    Data(u64, Vec<u8>),
    Journal(String),
}

/// A disk whose tab is killed before one of its operations. What was not flushed then is lost or not, in any combination.
struct Mortal {
    disk: Disk,
    unflushed: RefCell<Vec<Unflushed>>,
    /// Data as the tab sees it.
    seen: RefCell<Vec<u8>>,
    random: RefCell<Random>,
    left: Rc<Cell<usize>>,
}

impl Mortal {
    fn new(bench: &Bench, seed: u64, left: &Rc<Cell<usize>>) -> Self {
        Self {
            disk: Disk(Rc::clone(&bench.files)),
            unflushed: RefCell::default(),
            seen: bench.files.data.clone(),
            random: RefCell::new(Random(seed)),
            left: Rc::clone(left),
        }
    }

    /// Before each operation.
    fn live(&self) -> Result<(), MediumError> {
        let dead = || MediumError::Failed { reason: "the tab is dead".to_owned() };
        if self.left.get() == 0 {
            let mut random = self.random.borrow_mut();
            for write in self.unflushed.take() {
                match write {
                    Unflushed::Data(offset, mut bytes) => {
                        bytes.truncate(random.survives(bytes.len()));
                        self.disk.write(offset, &bytes.into()).expect("there is room");
                    }
                    Unflushed::Journal(line) => {
                        let part = &line.as_bytes()[..random.survives(line.len())];
                        self.disk.record(&String::from_utf8_lossy(part)).expect("there is room");
                    }
                }
            }
            return Err(dead());
        }
        self.left.set(self.left.get() - 1);
        Ok(())
    }

    fn flush(&self) -> Result<(), MediumError> {
        self.live()?;
        for write in self.unflushed.take() {
            match write {
                Unflushed::Data(offset, bytes) => self.disk.write(offset, &bytes.into())?,
                Unflushed::Journal(line) => self.disk.record(&line)?,
            }
        }
        Ok(())
    }
}

impl Medium for Mortal {
    fn read(&self, range: Range<u64>) -> Result<Bytes, MediumError> {
        self.live()?;
        let seen = self.seen.borrow();
        let part = seen.get(range.start as usize..range.end as usize);
        part.map(|part| part.to_vec().into()).ok_or(MediumError::Failed { reason: "gone".to_owned() })
    }

    fn write(&self, offset: u64, bytes: &Bytes) -> Result<(), MediumError> {
        self.live()?;
        let bytes = bytes.to_vec();
        let mut seen = self.seen.borrow_mut();
        let end = offset as usize + bytes.len();
        let len = seen.len().max(end);
        seen.resize(len, 0);
        seen[offset as usize..end].copy_from_slice(&bytes);
        self.unflushed.borrow_mut().push(Unflushed::Data(offset, bytes));
        Ok(())
    }

    fn record(&self, line: &str) -> Result<(), MediumError> {
        self.flush()?;
        self.live()?;
        self.unflushed.borrow_mut().push(Unflushed::Journal(line.to_owned()));
        self.flush()
    }

    fn clear(&self) -> Result<(), MediumError> {
        self.live()?;
        self.disk.0.journal.borrow_mut().clear();
        self.live()?;
        self.disk.0.data.borrow_mut().clear();
        self.seen.borrow_mut().clear();
        Ok(())
    }

    fn now(&self) -> f64 {
        self.disk.now()
    }

    fn pause(&self) -> LocalBoxFuture<'static, ()> {
        self.disk.pause()
    }
}

/// A tab that keeps the blob until it is done, or is killed before the operation after `left` others. Returns whether it was
/// done.
fn live_and_die(bench: &Bench, seed: u64, left: &Rc<Cell<usize>>) -> bool {
    bench.end_line();
    let record = Record::last_of(&bench.files.journal.borrow());
    let record = record.unwrap_or_else(|| Record::new("test", bench.content.len() as u64));
    let medium = Box::new(Mortal::new(bench, seed, left));
    let source = CachingSource::new(bench.digest, record, bench.upstream.clone(), medium);
    let source = source.with_chunk_size(CHUNK);
    let cancel = CancelToken::new();
    let mut ignore = |_| ();
    let mut completing = Box::pin(source.complete(&cancel, &mut ignore));
    let mut context = Context::from_waker(Waker::noop());
    while left.get() > 0 {
        if let std::task::Poll::Ready(result) = completing.as_mut().poll(&mut context) {
            return result.is_ok();
        }
    }
    // What it does from here on reaches no disk.
    false
}

#[test]
fn a_tab_that_is_killed_leaves_a_journal_that_is_true() {
    let mut deaths = 0;
    for seed in 0..SEEDS {
        // From nothing, or to heal damage.
        for damages in [0, 5] {
            let mut random = Random(seed);
            let bench = if damages == 0 { Bench::new(random.size()) } else { Bench::verified(random.size()) };
            for _ in 0..damages {
                bench.flip(random.below(bench.content.len()), 0);
            }
            if damages > 0 {
                bench.doubt();
            }
            for life in 0..20 {
                let when = format!("seed {seed}, damages: {damages}, life {life}");
                let left = Rc::new(Cell::new(random.below(300)));
                if live_and_die(&bench, seed ^ life, &left) {
                    break;
                }
                deaths += 1;
                if damages == 0 {
                    check_files(&bench.files, &bench, &when);
                } else {
                    bench.end_line();
                    let record = bench.record();
                    assert!(record.chunks.is_some(), "{when}");
                    assert!(!record.verified || *bench.files.data.borrow() == bench.content, "{when}");
                }
            }
            let when = format!("seed {seed}, damages: {damages}");
            assert!(live_and_die(&bench, seed, &Rc::new(Cell::new(usize::MAX))), "{when}");
            is_right(&bench, &when);
        }
    }
    assert!(deaths > 100, "{deaths}");
}
