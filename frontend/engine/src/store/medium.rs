//! The storage of a blob.

use std::ops::Range;

use crate::bytes::{Bytes, LocalBoxFuture};

/// The two files of one blob, with an exclusive lock that is released on drop.
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

    /// Flushes everything written so far, then appends `line` to the journal and flushes it.
    ///
    /// # Errors
    /// When one of these steps fails.
    fn record(&self, line: &str) -> Result<(), MediumError>;

    /// Empties both files.
    ///
    /// # Errors
    /// When that fails.
    fn clear(&self) -> Result<(), MediumError>;

    /// Milliseconds since 1970.
    fn now(&self) -> f64;

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
        /// As the browser reports it.
        reason: String,
    },
}
