//! Pictures and sound that cannot be used.

use serde::{Deserialize, Serialize};

use super::{Cause, Remedy};
use crate::media::Sense;

/// Why a picture or a sound cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MediaFailure {
    /// Its bytes are out of reach.
    Gone,
    /// It is neither.
    Neither,
    /// It is a sound where a picture should be, or the other way round.
    Not(Sense),
    /// The file is empty.
    EmptyFile,
    /// The file is too large to be taken.
    FileTooLarge {
        /// Its bytes.
        size: u64,
        /// The most that are taken.
        most: u64,
    },
    /// The browser's decoder cannot read it.
    NotDecoded(Sense),
    /// The browser has no memory for it.
    OutOfMemory,
    /// Not a picture of a known format.
    NotAnImage,
    /// A picture without pixels.
    EmptyImage,
    /// A picture with too many pixels.
    ImageTooLarge {
        /// Pixels of a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// A picture whose file is damaged or cut short.
    ImageDamaged {
        /// Its format, such as `PNG`.
        format: String,
    },
    /// A form of a known format that is not read.
    ImageUnsupported {
        /// Its format.
        format: String,
    },
    /// A picture that is too long and narrow for the model.
    ImageTooNarrow,
    /// A picture of more tokens than the model reads at once.
    TooManyTokens {
        /// Its tokens.
        tokens: u32,
        /// The most that are read.
        most: u32,
    },
    /// A sound file without sound.
    NoSound,
    /// A sound that is too short to be encoded.
    SoundTooShort,
    /// A sound that is too long.
    SoundTooLong {
        /// Its length in seconds.
        seconds: u64,
        /// The longest that is taken.
        most: u64,
    },
    /// A sound file in a form that is not read.
    SoundUnreadable,
}

impl MediaFailure {
    pub(super) fn nature(&self) -> (Cause, Vec<Remedy>) {
        let cause = match self {
            Self::TooManyTokens { .. } => Cause::Unsupported,
            Self::Neither => Cause::Invalid,
            _ => Cause::BadMedia,
        };
        (cause, Vec::new())
    }
}
