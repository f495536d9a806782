//! Errors of a tower or a picture.

use super::Format;
use crate::bytes::SourceError;
use crate::gpu::GpuError;
use crate::model::ConfigError;
use crate::weights::{LoadError, TensorError};

/// Why an image cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum PictureError {
    /// The file is not in a known image format.
    #[error("this is not a PNG, JPEG, WebP or GIF picture")]
    NotAPicture,
    /// The image has no pixels.
    #[error("the picture is empty: {width}×{height} pixels")]
    Empty { width: u32, height: u32 },
    /// The image exceeds the limits; nothing was allocated for it.
    #[error(
        "the picture has {width}×{height} pixels; at most {most_side} on a side and {most_bytes} bytes are read"
    )]
    TooLarge { width: u32, height: u32, most_side: u32, most_bytes: u64 },
    /// The file is truncated or inconsistent.
    #[error("the {format} picture is broken: {reason}")]
    Broken { format: Format, reason: String },
    /// An unsupported variant of a known format.
    #[error("this kind of {format} picture is not read: {reason}")]
    Unsupported { format: Format, reason: String },
    /// The image is longer than the tower's position table.
    #[error("the picture is {patches} patches long; this model knows places for {most}")]
    Positions { patches: u32, most: u32 },
    /// An invalid number of soft tokens.
    #[error("{tokens} is no budget for a picture; 70, 140, 280, 560 and 1120 are")]
    Budget { tokens: u32 },
    /// The aspect ratio of the image is too extreme.
    #[error("the picture of {width}×{height} pixels is too long and thin to be read")]
    Shape { width: u32, height: u32 },
}

/// Why an image could not be encoded.
#[derive(Debug, thiserror::Error)]
pub enum VisionError {
    /// The picture.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// The metadata of the tower is inconsistent.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A tensor is missing or wrong.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// Weights could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The device.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// It was cancelled.
    #[error(transparent)]
    Source(#[from] SourceError),
}
