//! A remote file with some ranges in memory.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use super::{ByteSource, Bytes, LocalBoxFuture, RangeCopy, SourceError};

/// A source with copies of some of its ranges. A read that is completely within a copy uses the copy, any other
/// read the source.
pub struct OverlaySource {
    source: Rc<dyn ByteSource>,
    copies: RefCell<Vec<RangeCopy>>,
}

impl OverlaySource {
    /// Returns a source without a copy yet.
    pub fn new(source: Rc<dyn ByteSource>) -> Self {
        Self { source, copies: RefCell::default() }
    }

    /// Takes a copy of a range of the same file.
    pub fn add(&self, copy: RangeCopy) {
        self.copies.borrow_mut().push(copy);
    }
}

impl ByteSource for OverlaySource {
    fn len(&self) -> u64 {
        self.source.len()
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        match self.copies.borrow().iter().find(|copy| copy.holds(&range)) {
            Some(copy) => copy.read_soon(&range),
            None => self.source.read(range),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{CancelToken, MemorySource};

    #[test]
    fn what_is_copied_is_not_read_from_the_source() {
        let behind: Rc<dyn ByteSource> = Rc::new(MemorySource::new(vec![1; 100]));
        let overlay = OverlaySource::new(behind);
        // Different bytes than the source, to distinguish them.
        let other = MemorySource::new(vec![2; 100]);
        let cancel = CancelToken::new();
        let mut silent = |_, _| ();
        let copy = RangeCopy::read(&other, 20..40, &cancel, &mut silent);
        overlay.add(pollster::block_on(copy).expect("memory is there"));
        let read = |range| pollster::block_on(overlay.read(range)).map(|bytes| bytes.to_vec());
        assert_eq!(overlay.len(), 100);
        assert_eq!(read(20..40).expect("in range"), [2; 20]);
        assert_eq!(read(30..31).expect("in range"), [2]);
        assert_eq!(read(0..20).expect("in range"), [1; 20]);
        assert_eq!(read(19..21).expect("in range"), [1; 2], "of one piece");
        assert!(matches!(read(90..101), Err(SourceError::OutOfRange { .. })));
    }
}
