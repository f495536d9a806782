//! A range of a file in memory.

use std::ops::Range;

use futures_util::FutureExt as _;
use futures_util::stream::{StreamExt as _, iter};

use super::{
    ByteSource, Bytes, BytesBuilder, CancelToken, LocalBoxFuture, LocalSource, SourceError, checked_bytes,
    checked_len,
};

/// Bytes per allocation: with fragmented memory, a single allocation of gigabytes would fail.
const PIECE: u64 = 64 << 20;
/// Bytes per read; divides the piece size.
const READ: u64 = 8 << 20;
/// Maximum number of concurrent reads.
const AHEAD: usize = 3;

/// A range of a file copied to memory: natively that of the process; in a browser that of the tab, outside of wasm
/// memory.
///
/// Ranges are relative to the start of the file. Reads outside of the copy are out of range.
#[derive(Clone, Debug)]
pub struct RangeCopy {
    range: Range<u64>,
    pieces: Vec<Bytes>,
}

impl RangeCopy {
    /// Copies a range of a source. `progress` receives the bytes done and the total.
    ///
    /// # Errors
    /// [`SourceError::NoMemory`], before anything is read, when allocation fails; or the source's error.
    pub async fn read(
        source: &dyn ByteSource,
        range: Range<u64>,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Self, SourceError> {
        let total = checked_bytes(&range, source.len())?;
        let parts = |range: Range<u64>, step: u64| {
            let starts = (range.start..range.end).step_by(step as usize);
            starts.map(move |start| start..range.end.min(start + step))
        };
        let mut builders = Vec::new();
        for piece in parts(range.clone(), PIECE) {
            let builder = BytesBuilder::try_new((piece.end - piece.start) as usize);
            builders.push(builder.ok_or(SourceError::NoMemory { bytes: total })?);
        }
        let reads = iter(parts(range.clone(), READ).map(|part| source.read(part))).buffered(AHEAD);
        let mut reads = std::pin::pin!(reads);
        let mut done = 0;
        progress(done, total);
        while let Some(bytes) = cancel.guard(async { reads.next().await.transpose() }).await? {
            builders[(done / PIECE) as usize].push(&bytes);
            done += bytes.len() as u64;
            progress(done, total);
        }
        Ok(Self { range, pieces: builders.into_iter().map(BytesBuilder::finish).collect() })
    }

    /// Returns whether it contains a range.
    pub(super) fn holds(&self, range: &Range<u64>) -> bool {
        self.range.start <= range.start && range.end <= self.range.end
    }

    /// Returns the same as [`ByteSource::read`], with a future that does not borrow the copy.
    pub(super) fn read_soon(
        &self,
        range: &Range<u64>,
    ) -> LocalBoxFuture<'static, Result<Bytes, SourceError>> {
        std::future::ready(self.read_now(range)).boxed_local()
    }

    fn read_now(&self, range: &Range<u64>) -> Result<Bytes, SourceError> {
        let len = checked_len(range, self.range.end)?;
        let Some(from) = range.start.checked_sub(self.range.start) else {
            let Range { start, end } = *range;
            return Err(SourceError::OutOfRange { start, end, len: self.range.end });
        };
        let (mut piece, mut at) = ((from / PIECE) as usize, (from % PIECE) as usize);
        // The common case needs no copy.
        if let Some(whole) = self.pieces.get(piece)
            && at + len <= whole.len()
        {
            return Ok(whole.slice(at..at + len));
        }
        let mut all = BytesBuilder::new(len);
        while all.missing() > 0 {
            let part = &self.pieces[piece];
            all.push(&part.slice(at..part.len().min(at + all.missing())));
            (piece, at) = (piece + 1, 0);
        }
        Ok(all.finish())
    }
}

impl ByteSource for RangeCopy {
    fn len(&self) -> u64 {
        self.range.end
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        self.read_soon(&range)
    }
}

impl LocalSource for RangeCopy {
    fn is_memory(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::MemorySource;

    fn copy(range: Range<u64>) -> (Vec<u8>, RangeCopy) {
        let bytes: Vec<u8> = (0..PIECE + 3 * READ).map(|i| (i % 251) as u8).collect();
        let source = MemorySource::new(bytes.clone());
        let mut told = Vec::new();
        let mut progress = |done, total| told.push((done, total));
        let cancel = CancelToken::new();
        let read = RangeCopy::read(&source, range.clone(), &cancel, &mut progress);
        let copy = pollster::block_on(read).expect("memory is there");
        let total = range.end - range.start;
        assert_eq!((told.first(), told.last()), (Some(&(0, total)), Some(&(total, total))));
        (bytes, copy)
    }

    #[test]
    fn a_copy_has_the_bytes_of_its_range_and_no_others() {
        let range = 1001..PIECE + 2 * READ + 7;
        let (bytes, copy) = copy(range.clone());
        let read = |range: Range<u64>| pollster::block_on(copy.read(range)).map(|bytes| bytes.to_vec());
        // At both ends, and across the boundary of two pieces.
        for start in [range.start, range.start + PIECE - 5, range.end - 10] {
            let wanted = &bytes[start as usize..start as usize + 10];
            assert_eq!(read(start..start + 10).expect("in range"), wanted);
        }
        assert!(read(range.start..range.start).expect("in range").is_empty());
        assert!(matches!(read(range.start - 1..range.start + 9), Err(SourceError::OutOfRange { .. })));
        assert!(matches!(read(range.end - 9..range.end + 1), Err(SourceError::OutOfRange { .. })));
    }

    #[test]
    fn a_cancelled_copy_stops() {
        let source = MemorySource::new(vec![0; 3 * READ as usize]);
        let cancel = CancelToken::new();
        let mut reports = 0;
        let mut progress = |done: u64, _| {
            reports += 1;
            if done > 0 {
                cancel.cancel();
            }
        };
        let read = RangeCopy::read(&source, 0..source.len(), &cancel, &mut progress);
        assert!(matches!(pollster::block_on(read), Err(SourceError::Cancelled)));
        assert_eq!(reports, 2);
    }
}
