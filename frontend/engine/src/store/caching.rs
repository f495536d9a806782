//! A source that caches what it reads.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use futures_util::FutureExt as _;
use sha2::{Digest as _, Sha256};

use crate::bytes::{
    ByteSource, Bytes, BytesBuilder, CancelToken, LocalBoxFuture, SourceError, checked_bytes, checked_len,
};

use super::journal::Record;
use super::{Digest, Medium, MediumError, RangeSet, StoreError};

/// Bytes written between two journal lines: the maximum that a crashed tab loses.
const RECORD_EVERY: u64 = 32 << 20;
/// Bytes per request when the rest of a blob is fetched.
const FETCH: u64 = 8 << 20;
/// Bytes hashed between two pauses: about ten milliseconds.
const DIGEST: u64 = 4 << 20;

/// A blob that is read from upstream and stored on the way. Stored ranges are not fetched again.
///
/// A storage error never fails a read: reading continues from upstream, and [`trouble`](Self::trouble) returns the
/// error.
pub struct CachingSource {
    digest: Digest,
    size: u64,
    upstream: Rc<dyn ByteSource>,
    medium: Box<dyn Medium>,
    state: RefCell<State>,
}

struct State {
    record: Record,
    /// Bytes written since the last journal line.
    unrecorded: u64,
    /// Why storing has stopped.
    trouble: Option<StoreError>,
    /// The hash of the bytes before a position, so that an interrupted check can resume.
    check: (Sha256, u64),
    /// Ranges that could not be read back and were fetched again. If one is lost again, storing stops.
    lost: RangeSet,
}

/// Progress of [`CachingSource::complete`], in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// Fetching missing bytes.
    Fetching {
        /// Bytes stored.
        done: u64,
        /// Size of the blob.
        total: u64,
    },
    /// Checking the digest.
    Checking {
        /// Bytes checked.
        done: u64,
        /// Size of the blob.
        total: u64,
    },
}

impl CachingSource {
    /// A blob of which `medium` has the ranges in `record`.
    #[must_use]
    pub fn new(
        digest: Digest,
        record: Record,
        upstream: Rc<dyn ByteSource>,
        medium: Box<dyn Medium>,
    ) -> Self {
        let size = upstream.len();
        // A stored blob of another size is useless.
        let record = if record.size == size { record } else { Record::new(&record.name, size) };
        let state = State {
            record,
            unrecorded: 0,
            trouble: None,
            check: (Sha256::new(), 0),
            lost: RangeSet::default(),
        };
        Self { digest, size, upstream, medium, state: RefCell::new(state) }
    }

    /// The digest of the blob.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// What is stored.
    #[must_use]
    pub fn record(&self) -> Record {
        self.state.borrow().record.clone()
    }

    /// Why storing has stopped, if it has.
    #[must_use]
    pub fn trouble(&self) -> Option<StoreError> {
        self.state.borrow().trouble.clone()
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
            let part = gap.start..gap.end.min(gap.start + FETCH);
            cancel.guard(self.fetch(part)).await?;
        }
        Ok(())
    }

    /// Fetches missing ranges, then checks the digest. If cancelled or dropped, the next call resumes. Reads may
    /// continue meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when the digest differs; everything is deleted then. Otherwise when bytes cannot be
    /// fetched or stored.
    pub async fn complete(
        &self,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Completion),
    ) -> Result<(), StoreError> {
        let total = self.size;
        loop {
            let mut fetching = |done, total| progress(Completion::Fetching { done, total });
            self.fetch_missing(cancel, &mut fetching).await?;
            if self.state.borrow().record.verified {
                return Ok(());
            }
            if self.state.borrow().unrecorded > 0 {
                self.write_record();
            }
            self.check_trouble()?;
            cancel.check()?;
            let at = self.state.borrow().check.1;
            progress(Completion::Checking { done: at, total });
            if at == total {
                break;
            }
            let part = at..total.min(at + DIGEST);
            let bytes = match self.medium.read(part.clone()) {
                Ok(bytes) => bytes.to_vec(),
                Err(error) => {
                    self.lose(&part, &error);
                    continue;
                }
            };
            self.digest_part(&bytes);
            self.medium.pause().await;
        }
        self.judge()
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
            let part = gap.start..gap.end.min(gap.start + FETCH);
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

    /// Continues the check. Separate, so that the state is not borrowed while `complete` waits.
    fn digest_part(&self, bytes: &[u8]) {
        let (hasher, checked) = &mut self.state.borrow_mut().check;
        hasher.update(bytes);
        *checked += bytes.len() as u64;
    }

    fn first_gap(&self) -> Option<Range<u64>> {
        self.state.borrow().record.present.first_missing(&(0..self.size))
    }

    fn check_trouble(&self) -> Result<(), StoreError> {
        self.trouble().map_or(Ok(()), Err)
    }

    /// Compares the digest after all bytes were hashed.
    fn judge(&self) -> Result<(), StoreError> {
        let found = {
            let (hasher, _) = std::mem::replace(&mut self.state.borrow_mut().check, (Sha256::new(), 0));
            Digest::new(hasher.finalize().into())
        };
        if found == self.digest {
            self.state.borrow_mut().record.verified = true;
            self.write_record();
            return self.check_trouble();
        }
        let trouble = StoreError::Corrupt { expected: self.digest, found };
        let mut state = self.state.borrow_mut();
        state.record = Record::new(&state.record.name, self.size);
        state.unrecorded = 0;
        if self.medium.clear().is_err() {
            // At least the journal must say so; otherwise corrupt bytes would be read again.
            self.medium.record(&state.record.line()).ok();
        }
        state.trouble = Some(trouble.clone());
        Err(trouble)
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
                Err(error) => self.lose(&part, &error),
            }
        }
        self.fetch(part).await
    }

    async fn fetch(&self, part: Range<u64>) -> Result<Bytes, SourceError> {
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
                state.record.present.insert(part);
                let due = state.unrecorded >= RECORD_EVERY;
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
        state.check = (Sha256::new(), 0);
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
        if let Err(error) = self.medium.record(&line) {
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
