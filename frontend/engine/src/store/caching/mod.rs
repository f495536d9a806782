//! A source that caches what it reads.

mod checking;

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use crate::bytes::{
    ByteSource, Bytes, BytesBuilder, CancelToken, LocalBoxFuture, SourceError, checked_bytes, checked_len,
};
use futures_util::FutureExt as _;

use super::check::Check;
pub use checking::Completion;

use super::journal::Record;
use super::{CHUNK_SIZE, Digest, Medium, MediumError, RangeSet, StoreError};

/// Bytes written between two journal lines, for a chunk of this size: the maximum that a crashed tab loses. 32 MiB usually.
fn record_every(chunk_size: u64) -> u64 {
    (chunk_size / 2).max(1)
}

/// Bytes per request when the rest of a blob is fetched. 8 MiB usually.
fn fetch_size(chunk_size: u64) -> u64 {
    (chunk_size / 8).max(1)
}

/// A blob that is read from upstream and stored on the way. Stored ranges are not fetched again.
///
/// A storage error never fails a read: reading continues from upstream, and [`trouble`](Self::trouble) returns the
/// error.
pub struct CachingSource {
    digest: Digest,
    size: u64,
    upstream: Rc<dyn ByteSource>,
    medium: Box<dyn Medium>,
    /// For the digests that the journal lacks, and for the size of requests.
    chunk_size: u64,
    /// Whether upstream may be used.
    online: Cell<bool>,
    state: RefCell<State>,
}

struct State {
    record: Record,
    /// Bytes written since the last journal line.
    unrecorded: u64,
    /// Why storing has stopped.
    trouble: Option<StoreError>,
    /// The check, so that it can resume when it was interrupted.
    check: Check,
    /// Ranges that could not be read back and were fetched again. If one is lost again, storing stops.
    lost: RangeSet,
}

impl CachingSource {
    /// Returns a blob of which `medium` has the ranges in `record`.
    pub fn new(
        digest: Digest,
        record: Record,
        upstream: Rc<dyn ByteSource>,
        medium: Box<dyn Medium>,
    ) -> Self {
        let size = upstream.len();
        // A stored blob of another size is useless.
        let record = if record.size == size { record } else { Record::new(&record.name, size) };
        let check = Check::new(digest, size, CHUNK_SIZE, record.chunks.clone());
        let state = State { record, unrecorded: 0, trouble: None, check, lost: RangeSet::default() };
        Self {
            digest,
            size,
            upstream,
            medium,
            chunk_size: CHUNK_SIZE,
            online: Cell::new(true),
            state: RefCell::new(state),
        }
    }

    /// Computes digests of chunks of this size, if the journal has none yet. Requests, and what is written between two
    /// journal lines, are as much smaller or larger.
    pub fn with_chunk_size(mut self, bytes: u64) -> Self {
        self.chunk_size = bytes;
        let state = self.state.get_mut();
        state.check = Check::new(self.digest, self.size, bytes, state.record.chunks.clone());
        self
    }

    /// Returns the digest of the blob.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// What is stored.
    pub fn record(&self) -> Record {
        self.state.borrow().record.clone()
    }

    /// Why storing has stopped, if it has.
    pub fn trouble(&self) -> Option<StoreError> {
        self.state.borrow().trouble.clone()
    }

    /// Allows or forbids to use upstream. Once a model is ready it must not be used: what is fetched then could reveal
    /// what a conversation contains.
    pub fn set_online(&self, online: bool) {
        self.online.set(online);
    }

    /// Fetches missing ranges. `progress` receives the number of stored bytes, and the total. If cancelled or
    /// dropped, the next call resumes. Reads may continue meanwhile.
    ///
    /// # Errors
    /// When bytes cannot be fetched or stored.
    pub async fn fetch_missing(
        &self,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<(), StoreError> {
        while let Some(gap) = self.first_gap() {
            self.check_trouble()?;
            progress(self.state.borrow().record.present.count(), self.size);
            let part = gap.start..gap.end.min(gap.start + fetch_size(self.chunk_size));
            cancel.guard(self.fetch(part)).await?;
        }
        Ok(())
    }

    /// Fetches the missing parts of `range`. `progress` receives the number of stored bytes in it, and the total.
    ///
    /// # Errors
    /// When bytes cannot be fetched or stored. Cancellation is reported as [`SourceError::Cancelled`].
    pub(super) async fn fetch_range(
        &self,
        range: &Range<u64>,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<(), StoreError> {
        let total = checked_bytes(range, self.size)?;
        let here = || {
            let parts = self.state.borrow().record.present.split(range);
            parts.iter().filter(|(_, here)| *here).map(|(part, _)| part.end - part.start).sum()
        };
        // A closure, so that the state is not borrowed while bytes are fetched.
        let first_gap = || self.state.borrow().record.present.first_missing(range);
        progress(here(), total);
        while let Some(gap) = first_gap() {
            self.check_trouble()?;
            let part = gap.start..gap.end.min(gap.start + fetch_size(self.chunk_size));
            cancel.guard(self.fetch(part)).await?;
            progress(here(), total);
        }
        Ok(())
    }

    /// Bytes of a stored range, read only from the medium. If that fails, all of `held` counts as lost: a later
    /// fetch must not reveal which bytes were needed.
    pub(super) fn read_kept(&self, range: Range<u64>, held: &Range<u64>) -> Result<Bytes, SourceError> {
        let missing = || SourceError::Unreadable { reason: "the copy in this browser is gone".to_owned() };
        if !self.state.borrow().record.present.contains(&range) {
            return Err(missing());
        }
        self.medium.read(range.clone()).map_err(|error| {
            self.lose(held, &error);
            SourceError::Unreadable { reason: error.to_string() }
        })
    }

    fn first_gap(&self) -> Option<Range<u64>> {
        self.state.borrow().record.present.first_missing(&(0..self.size))
    }

    fn check_trouble(&self) -> Result<(), StoreError> {
        self.trouble().map_or(Ok(()), Err)
    }

    async fn read_all(&self, range: Range<u64>) -> Result<Bytes, SourceError> {
        let len = checked_len(&range, self.size)?;
        let parts = self.state.borrow().record.present.split(&range);
        // The common case needs no copy.
        if let [(part, here)] = &parts[..] {
            return self.read_part(part.clone(), *here).await;
        }
        let mut all = BytesBuilder::new(len);
        for (part, here) in parts {
            all.push(&self.read_part(part, here).await?);
        }
        Ok(all.finish())
    }

    async fn read_part(&self, part: Range<u64>, here: bool) -> Result<Bytes, SourceError> {
        if here {
            match self.medium.read(part.clone()) {
                Ok(bytes) => return Ok(bytes),
                Err(error) if self.online.get() => self.lose(&part, &error),
                Err(error) => {
                    self.doubt();
                    return Err(SourceError::Unreadable { reason: error.to_string() });
                }
            }
        }
        self.fetch(part).await
    }

    async fn fetch(&self, part: Range<u64>) -> Result<Bytes, SourceError> {
        if !self.online.get() {
            let reason = "a part of the copy in this browser is missing".to_owned();
            return Err(SourceError::Unreadable { reason });
        }
        let bytes = self.upstream.read(part.clone()).await?;
        self.keep(part, &bytes);
        Ok(bytes)
    }

    fn keep(&self, part: Range<u64>, bytes: &Bytes) {
        if self.trouble().is_some() {
            return;
        }
        match self.medium.write(part.start, bytes) {
            Ok(()) => {
                let mut state = self.state.borrow_mut();
                state.unrecorded += part.end - part.start;
                state.check.redo(&part);
                state.record.present.insert(part);
                let due = state.unrecorded >= record_every(self.chunk_size);
                drop(state);
                if due {
                    self.write_record();
                }
            }
            Err(error) => {
                self.failed(&error);
                // Record what was written before the failure, if there is space for a line.
                let line = self.state.borrow().record.line();
                self.medium.record(&line).ok();
            }
        }
    }

    /// Handles the loss of stored bytes: they will be fetched and stored again. The journal is updated at once,
    /// since it may have called the blob verified.
    fn lose(&self, part: &Range<u64>, error: &MediumError) {
        let mut state = self.state.borrow_mut();
        state.record.lose(part);
        state.check.redo(part);
        let again = state.lost.split(part).iter().any(|(_, lost)| *lost);
        state.lost.insert(part.clone());
        drop(state);
        if again {
            self.failed(error);
        }
        self.write_record();
    }

    /// Records why storing has stopped.
    fn failed(&self, error: &MediumError) -> StoreError {
        let mut state = self.state.borrow_mut();
        let trouble = match error {
            MediumError::Full => StoreError::Full { kept: state.record.present.count(), size: self.size },
            MediumError::Failed { reason } => StoreError::Failed { reason: reason.clone() },
        };
        state.trouble.get_or_insert(trouble).clone()
    }

    fn write_record(&self) {
        let line = {
            let mut state = self.state.borrow_mut();
            state.unrecorded = 0;
            state.record.line()
        };
        self.write(&line);
    }

    fn write(&self, lines: &str) {
        if let Err(error) = self.medium.record(lines) {
            self.failed(&error);
        }
    }
}

impl ByteSource for CachingSource {
    fn len(&self) -> u64 {
        self.size
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        self.read_all(range).boxed_local()
    }
}

impl Drop for CachingSource {
    fn drop(&mut self) {
        if self.state.get_mut().unrecorded > 0 && self.trouble().is_none() {
            self.write_record();
        }
    }
}
