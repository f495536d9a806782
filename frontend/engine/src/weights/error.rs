//! Errors of weights.

use super::TensorError;
use crate::bytes::SourceError;
use crate::gpu::{GpuError, UploadError};

/// Why weights could not be loaded.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum LoadError {
    /// The file could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The device could not take them.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A tensor has no layout on the device.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// A window could not be uploaded.
    #[error(transparent)]
    Upload(#[from] UploadError),
    /// An internal error: pieces that do not fit their matrix.
    #[error("a piece of {tensor} does not fit: {reason}")]
    Piece { tensor: String, reason: String },
}
