//! A server that writes down what it is asked for, and what a browser keeps of its files.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

use engine::bytes::{ByteSource, Bytes, LocalBoxFuture, MemorySource, SourceError};
use engine::store::journal::Record;
use engine::store::{CachingSource, Digest, Medium, MediumError};
use futures_util::FutureExt as _;
use sha2::{Digest as _, Sha256};

/// A file on a server.
pub struct Server {
    file: MemorySource,
    digest: Digest,
    /// What was asked for.
    pub log: RefCell<Vec<Range<u64>>>,
    /// Whether the browser's copy can no longer be read.
    pub is_copy_lost: Rc<Cell<bool>>,
}

impl Server {
    /// A server with this file.
    pub fn of(path: &Path) -> Rc<Self> {
        let bytes = std::fs::read(path).expect("the file is there");
        let digest = Digest::new(Sha256::digest(&bytes).into());
        Rc::new(Self {
            file: MemorySource::new(bytes),
            digest,
            log: RefCell::default(),
            is_copy_lost: Rc::default(),
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

impl ByteSource for Server {
    fn len(&self) -> u64 {
        self.file.len()
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        self.log.borrow_mut().push(range.clone());
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
