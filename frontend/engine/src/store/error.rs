//! Errors of the store.

use crate::bytes::SourceError;

use super::Digest;

/// Why weights could not be stored or deleted. None of these prevents a model from being loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum StoreError {
    /// The browser provides no private file system: an old browser, a private window, or an insecure connection.
    #[error("This browser does not let the page keep files: {reason}.")]
    Unavailable { reason: String },
    /// Another tab has the blob open.
    #[error("These weights are in use by another tab.")]
    InUse,
    /// The origin's quota is too small.
    #[error("Keeping these weights needs {needed} more bytes and the browser grants {available}.")]
    NoRoom { needed: u64, available: u64 },
    /// The quota or the disk was exhausted while writing.
    #[error("The browser's storage is full: {kept} of {size} bytes could be kept.")]
    Full { kept: u64, size: u64 },
    /// The digest of the bytes is wrong. They were deleted.
    #[error(
        "The downloaded weights are damaged: their digest is {found}, not {expected}. They were deleted."
    )]
    Corrupt { expected: Digest, found: Digest },
    /// Stored bytes are wrong or cannot be read any more. They count as missing now, and the next load fetches them.
    #[error("{bytes} bytes of the kept weights are damaged.")]
    Damaged { bytes: u64 },
    /// The missing bytes could not be fetched.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// Any other error of the browser.
    #[error("The browser's storage failed: {reason}.")]
    Failed { reason: String },
}
