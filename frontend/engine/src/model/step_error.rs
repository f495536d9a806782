//! Why a step of a model failed.

use super::expert_cache::ExpertError;
use super::host_table::RowError;
use crate::bytes::SourceError;
use crate::gpu::GpuError;
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
