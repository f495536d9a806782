//! A server that writes down what it is asked for, and what a browser keeps of its files.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

use engine::bytes::{ByteSource, Bytes, LocalBoxFuture, LocalSource, MemorySource, SourceError};
use engine::store::journal::{Edit, Record, amended};
use engine::store::{CachingSource, Digest, Journal, Medium, MediumError, VerifiedCopy, VerifiedSource};
use futures_util::FutureExt as _;
use sha2::{Digest as _, Sha256};

/// What the clock of a new copy shows.
pub const NOW: f64 = 1_763_720_000_000.0;

/// A file on a server.
pub struct Server {
    file: MemorySource,
    digest: Digest,
    /// What was asked for.
    pub log: RefCell<Vec<Range<u64>>>,
    /// Whether the browser's copy can no longer be read.
    pub is_copy_lost: Rc<Cell<bool>>,
    /// Whether it can't be reached.
    pub is_down: Cell<bool>,
    /// Where the part of the file ends that can be had.
    pub good: Cell<u64>,
    /// Whether the engine crashes behind it.
    pub crashes: Cell<bool>,
}

/// What a staged crash panics with.
pub struct Crash;

impl Server {
    /// A server with this file.
    pub fn of(path: &Path) -> Rc<Self> {
        Self::of_bytes(std::fs::read(path).expect("the file is there"))
    }

    /// A server with a file of these bytes.
    pub fn of_bytes(bytes: Vec<u8>) -> Rc<Self> {
        let digest = Digest::new(Sha256::digest(&bytes).into());
        Rc::new(Self {
            file: MemorySource::new(bytes),
            digest,
            log: RefCell::default(),
            is_copy_lost: Rc::default(),
            is_down: Cell::default(),
            good: Cell::new(u64::MAX),
            crashes: Cell::default(),
        })
    }

    /// The file, kept in a browser that has so much room.
    pub fn kept(self: &Rc<Self>, room: u64) -> Rc<CachingSource> {
        let record = Record::new("kept", self.len());
        let upstream: Rc<dyn ByteSource> = Rc::<Self>::clone(self);
        let is_lost = Rc::clone(&self.is_copy_lost);
        let medium = Room { data: RefCell::default(), left: Cell::new(room), is_lost };
        Rc::new(CachingSource::new(self.digest, record, upstream, Box::new(medium)))
    }
}

/// A browser's complete copy of a file, with its journal.
pub struct Copy {
    file: MemorySource,
    /// The journal.
    pub journal: RefCell<String>,
    /// What the clock shows.
    pub now: Cell<f64>,
    /// Reads so far.
    pub reads: Cell<u32>,
}

impl Server {
    /// A copy of the file that was right at some time, in which the last bit is wrong now if `is_damaged`; and the file
    /// with this copy.
    pub fn verified(self: &Rc<Self>, is_damaged: bool) -> (Rc<Copy>, Rc<VerifiedSource>) {
        self.verified_with(0.0, |bytes| {
            if let Some(last) = bytes.last_mut().filter(|_| is_damaged) {
                *last ^= 1;
            }
        })
    }

    /// The same with a copy that was checked at this time, and that `damage` has changed since.
    pub fn verified_with(
        self: &Rc<Self>,
        checked: f64,
        damage: impl FnOnce(&mut [u8]),
    ) -> (Rc<Copy>, Rc<VerifiedSource>) {
        let mut bytes =
            self.file.read(0..self.len()).now_or_never().expect("memory").expect("memory").to_vec();
        damage(&mut bytes);
        let mut record = Record::new("kept", self.len());
        record.present.insert(0..self.len());
        (record.verified, record.checked) = (true, checked);
        let copy = Rc::new(Copy {
            file: MemorySource::new(bytes),
            journal: RefCell::new(record.line()),
            now: Cell::new(NOW),
            reads: Cell::default(),
        });
        let local: Rc<dyn LocalSource> = Rc::<Copy>::clone(&copy);
        let verified = VerifiedCopy::new(self.digest, local, record, Rc::<Copy>::clone(&copy));
        (copy, Rc::new(VerifiedSource::new(Rc::new(verified), Rc::<Self>::clone(self))))
    }
}

impl ByteSource for Copy {
    fn len(&self) -> u64 {
        self.file.len()
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        self.reads.set(self.reads.get() + 1);
        self.file.read(range)
    }
}

impl LocalSource for Copy {}

impl Journal for Copy {
    fn amend(&self, edit: Edit) -> LocalBoxFuture<'static, ()> {
        let lines = amended(&self.journal.borrow(), edit).expect("there is a record");
        self.journal.borrow_mut().push_str(&lines);
        std::future::ready(()).boxed_local()
    }

    fn now(&self) -> f64 {
        self.now.get()
    }
}

impl ByteSource for Server {
    fn len(&self) -> u64 {
        self.file.len()
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        self.log.borrow_mut().push(range.clone());
        let is_over = range.end > self.good.get();
        if is_over && self.crashes.get() {
            std::panic::panic_any(Crash);
        }
        if self.is_down.get() || is_over {
            let (offset, reason) = (range.start, "connection refused".to_owned());
            let lost = SourceError::Network { attempts: 6, offset, reason };
            return std::future::ready(Err(lost)).boxed_local();
        }
        self.file.read(range)
    }
}

/// A browser's storage.
struct Room {
    data: RefCell<Vec<u8>>,
    left: Cell<u64>,
    is_lost: Rc<Cell<bool>>,
}

impl Medium for Room {
    fn read(&self, range: Range<u64>) -> Result<Bytes, MediumError> {
        let data = self.data.borrow();
        let part = data.get(range.start as usize..range.end as usize).filter(|_| !self.is_lost.get());
        part.map(|part| part.to_vec().into()).ok_or(MediumError::Failed { reason: "gone".to_owned() })
    }

    fn write(&self, offset: u64, bytes: &Bytes) -> Result<(), MediumError> {
        let left = self.left.get().checked_sub(bytes.len() as u64).ok_or(MediumError::Full)?;
        self.left.set(left);
        let mut data = self.data.borrow_mut();
        let len = data.len().max(offset as usize + bytes.len());
        data.resize(len, 0);
        bytes.copy_to(&mut data[offset as usize..][..bytes.len()]);
        Ok(())
    }

    fn record(&self, _: &str) -> Result<(), MediumError> {
        Ok(())
    }

    fn clear(&self) -> Result<(), MediumError> {
        self.data.borrow_mut().clear();
        Ok(())
    }

    fn now(&self) -> f64 {
        0.0
    }

    fn pause(&self) -> LocalBoxFuture<'static, ()> {
        std::future::ready(()).boxed_local()
    }
}
