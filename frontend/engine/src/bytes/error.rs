//! Why bytes could not be read.

/// Why a read failed. The message has no path or address: the caller knows what it opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum SourceError {
    /// The range is not within the file: a bug in the caller, or a header that it trusted.
    #[error("bytes {start} to {end} do not lie within a file of {len} bytes")]
    OutOfRange {
        start: u64,
        /// One past the last byte asked for.
        end: u64,
        len: u64,
    },
    /// The operating system or the browser could not read the file.
    #[error("the file could not be read: {reason}")]
    Unreadable { reason: String },
    /// The network failed repeatedly.
    #[error("the connection failed {attempts} times in a row, at byte {offset}: {reason}")]
    Network {
        /// Attempts since the last received byte.
        attempts: u32,
        offset: u64,
        reason: String,
    },
    /// The server answered with an error that a retry does not fix.
    #[error("the server answered with status {status}")]
    Status {
        /// HTTP status.
        status: u16,
    },
    /// The server ignores ranges, or answered with a different range.
    #[error("the server did not send the part of the file that was asked for: {reason}")]
    BadRange { reason: String },
    /// The file changed since it was opened.
    #[error("the file changed while it was being read")]
    Changed,
    /// There is not enough memory for a copy.
    #[error("there is no memory for {bytes} bytes")]
    NoMemory { bytes: u64 },
    /// Stopped by a [`CancelToken`](super::CancelToken).
    #[error("cancelled")]
    Cancelled,
}

impl SourceError {
    /// Returns whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Cancelled)
    }
}
