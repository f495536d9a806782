//! A file on this machine that stops giving bytes.

use std::cell::Cell;
use std::ops::Range;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Waker};

use engine::bytes::{ByteSource, Bytes, LocalBoxFuture, LocalSource, MemorySource, SourceError};

/// A file that hangs, or fails, after a number of reads.
pub struct FaultySource {
    file: MemorySource,
    /// Reads that are left; none for any number.
    pub left: Cell<Option<u32>>,
    fails: bool,
}

impl FaultySource {
    /// Gives everything, until [`Self::left`] is set.
    pub fn new(file: Vec<u8>, fails: bool) -> Rc<Self> {
        Rc::new(Self { file: MemorySource::new(file), left: Cell::default(), fails })
    }

    /// Polls an answer until all reads that are left were given, and a few times more. The device answers within a poll.
    pub fn poll_until_it_hangs<T>(&self, answer: &mut Pin<Box<impl Future<Output = T>>>) {
        let mut context = Context::from_waker(Waker::noop());
        let mut polls = 0;
        while polls < 3 {
            polls += u32::from(self.left.get() == Some(0));
            assert!(answer.as_mut().poll(&mut context).is_pending());
        }
    }
}

impl ByteSource for FaultySource {
    fn len(&self) -> u64 {
        self.file.len()
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        match self.left.get() {
            Some(0) if self.fails => {
                Box::pin(async { Err(SourceError::Unreadable { reason: "gone".to_owned() }) })
            }
            Some(0) => Box::pin(std::future::pending()),
            left => {
                self.left.set(left.map(|left| left - 1));
                self.file.read(range)
            }
        }
    }
}

impl LocalSource for FaultySource {}
