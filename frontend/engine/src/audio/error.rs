//! Errors of a tower or a clip.

use crate::gguf::WrongType;
use crate::gpu::GpuError;
use crate::weights::{LoadError, TensorError};

/// Why audio could not be encoded.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum AudioError {
    /// A key or size that is out of range.
    #[error("the part that hears sound has {name} = {found}, but {expected}")]
    Config { name: String, found: String, expected: &'static str },
    /// A required key is missing.
    #[error("the part that hears sound lacks the key {key}")]
    MissingKey { key: String },
    /// The clip is too short for a single token.
    #[error("the sound has {samples} samples; it takes at least {least} to hear anything")]
    TooShort {
        /// Samples at 16 kHz.
        samples: usize,
        least: usize,
    },
    /// The clip is longer than the maximum.
    #[error("the sound has {samples} samples; a clip holds at most {most}")]
    TooLong {
        /// Samples at 16 kHz.
        samples: usize,
        most: usize,
    },
    /// A tensor is missing or wrong.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// Weights could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The device.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

impl From<WrongType> for AudioError {
    fn from(WrongType { key, found, expected }: WrongType) -> Self {
        Self::Config { name: key, found, expected }
    }
}
