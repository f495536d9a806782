//! A source that keeps what it reads.

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

/// Written bytes after which the journal gets a line: what a tab that dies may have fetched in vain.
const RECORD_EVERY: u64 = 32 << 20;
/// Bytes fetched at once when the rest of a blob is completed.
const FETCH: u64 = 8 << 20;
/// Bytes digested between two pauses: some ten milliseconds.
const DIGEST: u64 = 4 << 20;

/// A blob that is read from elsewhere and kept on the way. What is here is not fetched again.
///
/// Keeping never fails a read: when the medium fails, reading goes on from elsewhere and
/// [`trouble`](Self::trouble) says why.
pub struct CachingSource {
    digest: Digest,
    size: u64,
    upstream: Rc<dyn ByteSource>,
    medium: Box<dyn Medium>,
    state: RefCell<State>,
}

struct State {
    record: Record,
    /// Bytes written since the journal's last line.
    unrecorded: u64,
    /// Why no more is written.
    trouble: Option<StoreError>,
    /// A digest of the bytes before the position, so that a check that was stopped goes on.
    check: (Sha256, u64),
    /// What could not be read back, and was fetched again. A medium that loses it once more is not worth writing to.
    lost: RangeSet,
}

/// Where [`CachingSource::complete`] stands, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// Fetching what is missing.
    Fetching {
        /// Bytes that are here.
        done: u64,
        /// Bytes of the blob.
        total: u64,
    },
    /// Comparing all bytes with the digest.
    Checking {
        /// Bytes checked.
        done: u64,
        /// Bytes of the blob.
        total: u64,
    },
}

impl CachingSource {
    /// A blob of which `medium` has what `record` says.
    #[must_use]
    pub fn new(
        digest: Digest,
        record: Record,
        upstream: Rc<dyn ByteSource>,
        medium: Box<dyn Medium>,
    ) -> Self {
        let size = upstream.len();
        // What was kept of a blob of another size is of no use.
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

    /// The blob's name.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// What is here.
    #[must_use]
    pub fn record(&self) -> Record {
        self.state.borrow().record.clone()
    }

    /// Why no more is kept, if so.
    #[must_use]
    pub fn trouble(&self) -> Option<StoreError> {
        self.state.borrow().trouble.clone()
    }

    /// Fetches what is missing. `progress` gets the bytes that are here, and all. Stopped by `cancel` or by dropping it, it
    /// goes on from there the next time. Reads may go on meanwhile.
    ///
    /// # Errors
    /// When bytes cannot be fetched or kept.
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

    /// Fetches what is missing, then checks the whole against its digest. Stopped by `cancel` or by dropping it, it
    /// goes on from there the next time. Reads may go on meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when the digest is another; nothing is kept then. Otherwise when bytes cannot be
    /// fetched or kept.
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

    /// Fetches what is missing of `range`. `progress` gets the bytes of it that are here, and all.
    ///
    /// # Errors
    /// When bytes cannot be fetched or kept; a cancelled token is a [`SourceError::Cancelled`].
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
        // On its own, so that the state is not borrowed while bytes are fetched.
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

    /// Bytes of a range that is here, from the medium and from nowhere else. Where they cannot be read, all of `held` is
    /// lost: what is fetched later must not say which bytes were wanted.
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

    /// Goes on with the check. On its own, so that the state is not borrowed while `complete` waits.
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

    /// All bytes were digested: is it the right digest?
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
            // Then the journal at least is to say so; else what is wrong would be read again.
            self.medium.record(&state.record.line()).ok();
        }
        state.trouble = Some(trouble.clone());
        Err(trouble)
    }

    async fn read_all(&self, range: Range<u64>) -> Result<Bytes, SourceError> {
        let len = checked_len(&range, self.size)?;
        let parts = self.state.borrow().record.present.split(&range);
        // The usual case needs no copy.
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
                // What came before the failure is worth a line, if there is room for one.
                let line = self.state.borrow().record.line();
                self.medium.record(&line).ok();
            }
        }
    }

    /// What should be here is not: it will be fetched and kept again. The journal says so at once, for it may have called
    /// the blob proven.
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

    /// Remembers why no more is kept.
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
