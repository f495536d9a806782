//! Where a blob is kept.

use std::ops::Range;

use crate::bytes::{Bytes, LocalBoxFuture};

/// The two files of one blob, locked against everyone else. The lock ends when this is dropped.
pub trait Medium {
    /// Reads bytes that were written before.
    ///
    /// # Errors
    /// When not all of them can be read.
    fn read(&self, range: Range<u64>) -> Result<Bytes, MediumError>;

    /// Writes bytes at `offset`.
    ///
    /// # Errors
    /// When not all of them could be written.
    fn write(&self, offset: u64, bytes: &Bytes) -> Result<(), MediumError>;

    /// Sees to it that everything written so far lasts, then appends `line` to the journal and sees to it that it
    /// lasts too.
    ///
    /// # Errors
    /// When one of these fails.
    fn record(&self, line: &str) -> Result<(), MediumError>;

    /// Empties both files.
    ///
    /// # Errors
    /// When that fails.
    fn clear(&self) -> Result<(), MediumError>;

    /// Lets other tasks of the thread run.
    fn pause(&self) -> LocalBoxFuture<'static, ()>;
}

/// Why a file could not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MediumError {
    /// No room is left.
    #[error("no room is left")]
    Full,
    /// Anything else.
    #[error("{reason}")]
    Failed {
        /// In the words of the browser.
        reason: String,
    },
}
