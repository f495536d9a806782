//! Why bytes could not be read.

/// Why a read failed. No address of a file or server is in the text: the caller knows what it opened and by what
/// name the person knows it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum SourceError {
    /// The range does not lie within the file. A fault of the caller, or of a header that it trusted.
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
    /// The network broke, and went on breaking.
    #[error("the connection failed {attempts} times in a row, at byte {offset}: {reason}")]
    Network {
        /// Attempts since the last byte arrived.
        attempts: u32,
        offset: u64,
        reason: String,
    },
    /// The server answered with an error that will not go away by asking again.
    #[error("the server answered with status {status}")]
    Status {
        /// HTTP status.
        status: u16,
    },
    /// The server ignores ranges, or answered with another range than the one asked for.
    #[error("the server did not send the part of the file that was asked for: {reason}")]
    BadRange { reason: String },
    /// The file is another one than when it was opened.
    #[error("the file changed while it was being read")]
    Changed,
    /// Bytes were to be copied to memory, which does not suffice.
    #[error("there is no memory for {bytes} bytes")]
    NoMemory { bytes: u64 },
    /// Stopped by a [`CancelToken`](super::CancelToken).
    #[error("cancelled")]
    Cancelled,
}
