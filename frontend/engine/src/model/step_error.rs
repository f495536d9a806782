//! Why a step of a model failed.

use shaders::repack::PieceError;

use super::host_table::RowError;
use crate::bytes::SourceError;
use crate::gpu::{GpuError, UploadError};
use crate::media::MediaError;

/// Why a step failed.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// The device.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// Cancelled.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A row of the per-layer embeddings.
    #[error(transparent)]
    Row(#[from] RowError),
    /// An expert that is not on the device.
    #[error(transparent)]
    Expert(#[from] ExpertError),
    /// Media that were not encoded, or are for another model.
    #[error(transparent)]
    Media(#[from] MediaError),
}

/// Why an expert could not be loaded.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum ExpertError {
    /// The local copy could not be read.
    #[error("expert {expert} of layer {layer} could not be read: {source}")]
    Source { layer: usize, expert: u32, source: SourceError },
    /// The device.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The bytes could not be uploaded.
    #[error(transparent)]
    Upload(#[from] UploadError),
    /// The rows of an expert cannot be repacked alone.
    #[error(transparent)]
    Piece(#[from] PieceError),
}
