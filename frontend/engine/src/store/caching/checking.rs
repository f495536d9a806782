//! The check of what a source has stored.

use std::ops::Range;

use crate::bytes::{CancelToken, SourceError};

use super::super::check::{Check, Verdict};
use super::super::{RangeSet, StoreError};
use super::{CachingSource, Record};

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
    /// Fetches missing ranges, then checks the digests. Damaged chunks are fetched again. If cancelled or dropped, the
    /// next call resumes. Reads may continue meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when the digest of all bytes differs; everything is deleted then. Otherwise when bytes
    /// cannot be fetched or stored.
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
            let (done, piece) = self.next_piece();
            progress(Completion::Checking { done, total });
            let Some(piece) = piece else { break };
            match self.medium.read(piece.clone()) {
                Ok(bytes) => {
                    if let Some(chunk) = self.examine(&bytes.to_vec()) {
                        self.state.borrow_mut().check.redo(&chunk);
                    }
                }
                Err(error) => self.lose(&piece, &error),
            }
            self.pause(cancel).await?;
        }
        self.judge()
    }

    /// Checks the digests of a blob of which all bytes are stored, and fetches nothing. What is damaged counts as missing
    /// from now on. If cancelled or dropped, the next call resumes. Reads may continue meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when chunks are wrong or cannot be read, [`StoreError::Corrupt`] when the digest of all
    /// bytes differs; everything is deleted then. Otherwise when storing has stopped.
    pub async fn check(&self, cancel: &CancelToken) -> Result<(), StoreError> {
        self.check_trouble()?;
        if self.state.borrow().record.verified {
            return Ok(());
        }
        if self.next_piece().0 == 0 && !self.state.borrow().record.is_complete() {
            // The next load goes on with it.
            return Ok(());
        }
        if self.state.borrow().unrecorded > 0 {
            self.write_record();
        }
        while let (_, Some(piece)) = self.next_piece() {
            self.check_trouble()?;
            cancel.check()?;
            match self.medium.read(piece.clone()) {
                Ok(bytes) => {
                    self.examine(&bytes.to_vec());
                }
                Err(_) => self.give_up(),
            }
            self.pause(cancel).await?;
        }
        let missing = self.size - self.state.borrow().record.present.count();
        if missing > 0 {
            self.restart_check();
            return Err(StoreError::Damaged { bytes: missing });
        }
        self.judge()
    }

    /// Has the blob checked again, from its first byte. The check finds what cannot be read; to say here what was read would
    /// show in what the next load fetches.
    pub fn doubt(&self) {
        self.restart_check();
        let was_verified = std::mem::take(&mut self.state.borrow_mut().record.verified);
        if was_verified {
            self.write_record();
        }
    }

    async fn pause(&self, cancel: &CancelToken) -> Result<(), SourceError> {
        let pause = async {
            self.medium.pause().await;
            Ok(())
        };
        cancel.guard(pause).await
    }

    /// How far the check is, and the piece to be checked next. Separate, so that the state is not borrowed while
    /// `complete` waits.
    fn next_piece(&self) -> (u64, Option<Range<u64>>) {
        let check = &self.state.borrow().check;
        (check.count(), check.next())
    }

    /// Continues the check with the bytes of the next piece. Returns the chunk that they complete if it is damaged; it
    /// counts as missing then.
    fn examine(&self, bytes: &[u8]) -> Option<Range<u64>> {
        let mut state = self.state.borrow_mut();
        let chunk = state.check.push(bytes)?;
        let again = state.record.damaged.split(&chunk).iter().any(|(_, damaged)| *damaged);
        if again {
            // It was fetched again and is wrong again: maybe its digest is. That of all bytes decides.
            let known = state.record.chunks.take();
            let lines = state.record.lines(known.as_ref());
            drop(state);
            self.restart_check();
            self.write(&lines);
            return None;
        }
        state.record.damaged.insert(chunk.clone());
        state.record.lose(&chunk);
        drop(state);
        self.write_record();
        Some(chunk)
    }

    /// Marks the chunk with the next piece as missing, since it cannot be read.
    fn give_up(&self) {
        let mut state = self.state.borrow_mut();
        if let Some(chunk) = state.check.skip() {
            state.record.lose(&chunk);
        }
        drop(state);
        self.write_record();
    }

    fn restart_check(&self) {
        let mut state = self.state.borrow_mut();
        let chunk_size = state.check.chunk_size();
        state.check = Check::new(self.digest, self.size, chunk_size, state.record.chunks.clone());
    }

    /// Draws the conclusion after all bytes were hashed.
    fn judge(&self) -> Result<(), StoreError> {
        let mut state = self.state.borrow_mut();
        let new = Check::new(self.digest, self.size, state.check.chunk_size(), state.record.chunks.clone());
        match std::mem::replace(&mut state.check, new).finish() {
            Verdict::Sound(chunks) => {
                state.record.verified = true;
                state.record.checked = self.medium.now();
                state.record.damaged = RangeSet::default();
                state.unrecorded = 0;
                let known = state.record.chunks.replace(chunks);
                let lines = state.record.lines(known.as_ref());
                drop(state);
                self.write(&lines);
                self.check_trouble()
            }
            Verdict::Corrupt(found) => {
                let trouble = StoreError::Corrupt { expected: self.digest, found };
                state.record = Record::new(&state.record.name, self.size);
                state.unrecorded = 0;
                if self.medium.clear().is_err() {
                    // At least the journal must say so; otherwise corrupt bytes would be read again.
                    self.medium.record(&state.record.line()).ok();
                }
                state.trouble = Some(trouble.clone());
                Err(trouble)
            }
        }
    }
}
