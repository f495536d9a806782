//! A verified copy on this machine, which is checked again while nothing else is to be done.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use futures_util::FutureExt as _;

use crate::bytes::{ByteSource, Bytes, CancelToken, LocalBoxFuture, LocalSource, SourceError};

use super::check::{Check, Verdict};
use super::journal::{Edit, Record};
use super::{CHUNK_SIZE, Digest, RangeSet, StoreError};

/// Time after which a copy is checked again: 30 days, in milliseconds.
pub const CHECK_EVERY: f64 = 30.0 * 24.0 * 3600.0 * 1000.0;

/// How much later than a check a copy may seem to have been written, in milliseconds: file systems round times.
const WRITE_TOLERANCE: f64 = 2_000.0;

/// The journal of a blob that nobody writes. Other tabs may change it as well.
pub trait Journal {
    /// Changes the last record. Errors are ignored, since they do not affect readers.
    fn amend(&self, edit: Edit) -> LocalBoxFuture<'static, ()>;

    /// Milliseconds since 1970.
    fn now(&self) -> f64;
}

/// Waits until there is nothing else to do.
pub type Turn<'a> = &'a dyn Fn() -> LocalBoxFuture<'a, ()>;

/// A complete copy of a blob that was right when it was checked. It is only read here; what is found damaged is recorded
/// as missing, and is not read any more.
pub struct VerifiedCopy {
    local: Rc<dyn LocalSource>,
    digest: Digest,
    size: u64,
    journal: Rc<dyn Journal>,
    check: RefCell<Check>,
    /// End of the last check that found all bytes right, in milliseconds since 1970.
    checked: Cell<f64>,
    missing: RefCell<RangeSet>,
    /// Whether something has hinted at damage since the last check was begun.
    doubtful: Cell<bool>,
    /// Number of checks that were begun or resumed. Only the last one goes on.
    checks: Cell<u32>,
}

impl VerifiedCopy {
    /// Returns the copy that `record` describes.
    pub fn new(digest: Digest, local: Rc<dyn LocalSource>, record: Record, journal: Rc<dyn Journal>) -> Self {
        let check = Check::new(digest, record.size, CHUNK_SIZE, record.chunks);
        Self {
            local,
            digest,
            size: record.size,
            journal,
            check: RefCell::new(check),
            checked: Cell::new(record.checked),
            missing: RefCell::default(),
            doubtful: Cell::default(),
            checks: Cell::default(),
        }
    }

    /// The copy was last written at this time, in milliseconds since 1970. A check is due if that was after the last one.
    pub fn written_at(self, time: f64) -> Self {
        self.doubtful.set(time > self.checked.get() + WRITE_TOLERANCE);
        self
    }

    /// Computes digests of chunks of this size, if the journal has none yet.
    pub fn with_chunk_size(self, bytes: u64) -> Self {
        let known = self.check.borrow().known().cloned();
        self.check.replace(Check::new(self.digest, self.size, bytes, known));
        self
    }

    /// Has all bytes checked again, after a restart of the tab as well.
    pub async fn doubt(&self) {
        self.restart_check();
        self.begin();
        self.doubtful.set(true);
        self.checked.set(0.0);
        self.journal.amend(Box::new(|record| record.checked = 0.0)).await;
    }

    /// Returns whether it is time for a check: one was begun, the last one was long ago, or something hints at damage.
    pub fn is_due(&self) -> bool {
        // A clock that was set back makes it due as well.
        let is_recent = (0.0..CHECK_EVERY).contains(&(self.journal.now() - self.checked.get()));
        self.check.borrow().count() > 0 || self.doubtful.get() || !is_recent
    }

    /// Checks the digests, a piece at a time; `turn` is awaited before each. If cancelled or dropped, the next call
    /// resumes. A later call or [`doubt`](Self::doubt) cancels it.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when chunks are wrong or cannot be read.
    pub async fn check(&self, turn: Turn<'_>, cancel: &CancelToken) -> Result<(), StoreError> {
        let number = self.begin();
        if self.check.borrow().count() == 0 {
            // What cannot be read from now on is for the next check.
            self.doubtful.set(false);
        }
        while let Some(piece) = self.next_piece() {
            let turn = async {
                turn().await;
                Ok::<_, SourceError>(())
            };
            cancel.guard(turn).await?;
            self.check_last(number)?;
            let read = self.local.read(piece).await;
            self.check_last(number)?;
            let damaged = match &read {
                Ok(bytes) => self.check.borrow_mut().push(&bytes.to_vec()),
                Err(_) => self.check.borrow_mut().skip(),
            };
            let Some(damaged) = damaged else { continue };
            let is_wrong = read.is_ok();
            self.lose(damaged, is_wrong).await;
        }
        self.check_last(number)?;
        let missing = self.missing.borrow().count();
        let check = self.restart_check();
        if missing > 0 {
            return Err(StoreError::Damaged { bytes: missing });
        }
        let now = self.journal.now();
        self.checked.set(now);
        match check.finish() {
            Verdict::Sound(chunks) => {
                let check = Check::new(self.digest, self.size, CHUNK_SIZE, Some(chunks.clone()));
                self.check.replace(check);
                let edit = move |record: &mut Record| {
                    record.checked = now;
                    record.chunks = Some(chunks);
                };
                self.journal.amend(Box::new(edit)).await;
                Ok(())
            }
            Verdict::Corrupt(_) => {
                // Nothing says where.
                self.lose(0..self.size, false).await;
                Err(StoreError::Damaged { bytes: self.size })
            }
        }
    }

    /// Records that bytes are missing, for the next load to fetch them. `is_wrong` is whether the digest of this chunk was
    /// wrong.
    pub(super) async fn lose(&self, range: Range<u64>, is_wrong: bool) {
        self.missing.borrow_mut().insert(range.clone());
        let edit = move |record: &mut Record| {
            record.lose(&range);
            if is_wrong {
                record.damaged.insert(range);
            }
        };
        self.journal.amend(Box::new(edit)).await;
    }

    /// Ends the check that is running; the number of the next one.
    fn begin(&self) -> u32 {
        let number = self.checks.get().wrapping_add(1);
        self.checks.set(number);
        number
    }

    /// Fails when another check was begun after the one with this number.
    fn check_last(&self, number: u32) -> Result<(), SourceError> {
        if self.checks.get() == number { Ok(()) } else { Err(SourceError::Cancelled) }
    }

    /// Returns the piece to be checked next. Separate, so that nothing is borrowed while the check waits.
    fn next_piece(&self) -> Option<Range<u64>> {
        self.check.borrow().next()
    }

    /// Puts a new check in place of the present one, which is returned.
    fn restart_check(&self) -> Check {
        let mut check = self.check.borrow_mut();
        let new = Check::new(self.digest, self.size, check.chunk_size(), check.known().cloned());
        std::mem::replace(&mut *check, new)
    }

    async fn read_sound(&self, range: Range<u64>) -> Result<Bytes, SourceError> {
        if self.missing.borrow().split(&range).iter().any(|(_, missing)| *missing) {
            let reason = "a part of the copy in this browser is damaged".to_owned();
            return Err(SourceError::Unreadable { reason });
        }
        let read = self.local.read(range).await;
        if matches!(read, Err(SourceError::Unreadable { .. } | SourceError::Changed)) {
            self.doubtful.set(true);
        }
        read
    }
}

impl ByteSource for VerifiedCopy {
    fn len(&self) -> u64 {
        self.size
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        self.read_sound(range).boxed_local()
    }
}

impl LocalSource for VerifiedCopy {}
