//! Pictures that cannot be read.

use super::Format;

/// Why a picture cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// The bytes begin like no picture of a known format.
    #[error("this is not a PNG, JPEG, WebP or GIF picture")]
    NotAPicture,
    /// The picture has no pixels.
    #[error("the picture is empty: {width}×{height} pixels")]
    Empty {
        /// Pixels of a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// The picture is larger than what is decoded; nothing was allocated for it.
    #[error(
        "the picture has {width}×{height} pixels; at most {most_side} on a side and {most_bytes} bytes are read"
    )]
    TooLarge {
        /// Pixels of a row.
        width: u32,
        /// Rows.
        height: u32,
        /// Most pixels on a side.
        most_side: u32,
        /// Most bytes of the decoded picture.
        most_bytes: u64,
    },
    /// The file ends too early, or its data contradict themselves.
    #[error("the {format} picture is broken: {reason}")]
    Broken {
        /// The format that its first bytes name.
        format: Format,
        /// The decoder's words.
        reason: String,
    },
    /// A form of a known format that is not read.
    #[error("this kind of {format} picture is not read: {reason}")]
    Unsupported {
        /// The format.
        format: Format,
        /// The decoder's words.
        reason: String,
    },
    /// The picture is longer than the tower has places for.
    #[error("the picture is {patches} patches long; this model knows places for {most}")]
    Positions {
        /// Patches along its longer side.
        patches: u32,
        /// Patches that have an embedding.
        most: u32,
    },
    /// No such number of soft tokens.
    #[error("{tokens} is no budget for a picture; 70, 140, 280, 560 and 1120 are")]
    Budget {
        /// What was asked for.
        tokens: u32,
    },
    /// The picture is so long that not even a strip of it fits.
    #[error("the picture of {width}×{height} pixels is too long and thin to be read")]
    Shape {
        /// Pixels of a row.
        width: u32,
        /// Rows.
        height: u32,
    },
}
