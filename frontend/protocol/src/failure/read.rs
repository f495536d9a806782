//! Files that could not be read, on this computer or from the server.

use serde::{Deserialize, Serialize};

use super::{Cause, Remedy};

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReadFailure {
    /// It is shorter than its header says.
    TooShort {
        /// Bytes that it has.
        size: u64,
    },
    /// The operating system or the browser could not read it.
    Unreadable,
    /// The connection to the server broke and did not come back.
    ConnectionLost {
        /// Bytes that had arrived.
        received: u64,
    },
    /// The server does not have it any more.
    NotFound,
    /// The server does not hand it out.
    Forbidden,
    /// The server answered with another error.
    Status {
        /// HTTP status.
        status: u16,
    },
    /// The server sent another part than was asked for.
    WrongRange,
    /// It changed while it was being read.
    Changed,
    /// There is no memory for a copy of it.
    OutOfMemory {
        /// Bytes of the copy.
        bytes: u64,
    },
    /// A picked file is out of reach.
    Gone,
    /// The server's list of models could not be had.
    ModelList,
}

impl ReadFailure {
    pub(super) fn nature(&self) -> (Cause, Vec<Remedy>) {
        use Remedy as R;
        match self {
            Self::TooShort { .. } => (Cause::BadFile, vec![R::OtherModel]),
            Self::Unreadable => (Cause::Unreachable, vec![R::Retry, R::OtherModel]),
            Self::ConnectionLost { .. } | Self::Status { .. } | Self::WrongRange | Self::ModelList => {
                (Cause::Unreachable, vec![R::Retry])
            }
            Self::NotFound | Self::Changed => (Cause::Unreachable, vec![R::ReloadPage]),
            Self::Forbidden => (Cause::Unreachable, vec![R::OtherModel]),
            Self::OutOfMemory { .. } => (Cause::OutOfMemory, vec![R::OtherModel]),
            Self::Gone => (Cause::Invalid, Vec::new()),
        }
    }
}
