//! The browser's storage.

use serde::{Deserialize, Serialize};

use super::{Cause, Remedy};

/// What could not be kept, listed or deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StorageFailure {
    /// The browser lets this page keep no files.
    Unavailable,
    /// The weights are in use, here or by another tab.
    InUse,
    /// The browser failed in another way.
    Failed,
    /// Keeping the weights would need more than the browser grants.
    NoRoom {
        /// Bytes still to be written.
        needed: u64,
        /// Bytes that are left.
        available: u64,
    },
    /// There was no more room while weights were written.
    Full {
        /// Bytes that were kept.
        kept: u64,
        /// Bytes in all.
        size: u64,
    },
    /// The weights do not have their checksum. They were deleted.
    Corrupt,
    /// No room for a checkpoint or an adapter.
    TrainingFull {
        /// Its bytes.
        bytes: u64,
    },
    /// Another tab has what training keeps.
    TrainingInUse,
    /// No room for the soft tokens of the examples' pictures and sound.
    MediaFull {
        /// Their bytes.
        bytes: u64,
    },
    /// A part of kept weights is damaged. It is fetched with the next load.
    Damaged {
        /// Its bytes.
        bytes: u64,
    },
}

impl StorageFailure {
    pub(super) fn nature(&self) -> (Cause, Vec<Remedy>) {
        match self {
            Self::Unavailable | Self::InUse => (Cause::Storage, Vec::new()),
            Self::Failed | Self::TrainingInUse => (Cause::Storage, vec![Remedy::Retry]),
            Self::NoRoom { .. } | Self::Full { .. } | Self::TrainingFull { .. } | Self::MediaFull { .. } => {
                (Cause::Storage, vec![Remedy::FreeStorage])
            }
            Self::Corrupt | Self::Damaged { .. } => (Cause::BadFile, vec![Remedy::Retry]),
        }
    }
}
