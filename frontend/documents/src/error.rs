//! Why a file can't be read.

use serde::{Deserialize, Serialize};

use crate::Format;

/// Why a file can't be read. [`Error::code`] identifies the reason; the page has the words for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Error {
    /// The callback asked to stop.
    #[error("{}", self.code())]
    Canceled,
    /// The file has no bytes.
    #[error("{}", self.code())]
    Empty,
    /// The file is too large.
    #[error("{}: {bytes} bytes of at most {limit}", self.code())]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The largest that is read.
        limit: u64,
    },
    /// Compressed data, the text, or the number of parts grows beyond a limit.
    #[error("{}: more than {limit}", self.code())]
    Expands {
        /// The limit, in bytes or parts.
        limit: u64,
    },
    /// Elements or objects are nested too deeply.
    #[error("{}: more than {limit} levels", self.code())]
    TooDeep {
        /// The most levels that are read.
        limit: u32,
    },
    /// The file has too many pages or chapters.
    #[error("{}: {pages} pages of at most {limit}", self.code())]
    TooManyPages {
        /// Its pages.
        pages: u64,
        /// The most that are read.
        limit: u32,
    },
    /// The file needs a password, or another one.
    #[error("{}", self.code())]
    Encrypted,
    /// The file is in no format that is read.
    #[error("{}", self.code())]
    Unsupported,
    /// The file isn't valid in its format.
    #[error("{}: {format:?}", self.code())]
    Damaged {
        /// The format.
        format: Format,
    },
}

impl Error {
    /// Returns a name of the reason that doesn't change between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Canceled => "document-canceled",
            Self::Empty => "document-empty",
            Self::TooLarge { .. } => "document-too-large",
            Self::Expands { .. } => "document-expands",
            Self::TooDeep { .. } => "document-too-deep",
            Self::TooManyPages { .. } => "document-too-many-pages",
            Self::Encrypted => "document-encrypted",
            Self::Unsupported => "document-unsupported",
            Self::Damaged { .. } => "document-damaged",
        }
    }
}
