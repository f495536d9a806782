//! Errors of training.

use crate::adapter::AdapterError;
use crate::bytes::SourceError;
use crate::gpu::GpuError;
use crate::model::RowError;
use crate::plan::PlanError;
use crate::store::StoreError;

use super::Setting;

/// Why training cannot start, or a step failed. The current state is unchanged.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum TrainError {
    /// A setting out of range.
    #[error("{setting} is {value}, but must be {}", setting.range())]
    Setting { setting: Setting, value: String },
    /// The model has none of the chosen projections.
    #[error("the model has none of the chosen projections")]
    NoTarget,
    /// A kind of model that cannot be trained yet.
    #[error("gemtab cannot train {what} yet")]
    NotYet { what: &'static str },
    /// Factors of a layer that no binding can hold.
    #[error(
        "the factors of layer {layer} take {bytes} bytes, but the device binds at most {most}; a lower rank or fewer \
         projections take less"
    )]
    TooLarge { layer: usize, bytes: u64, most: u64 },
    /// No examples.
    #[error("nothing to learn from: there are no examples")]
    NoExamples,
    /// Labels that do not match the ids.
    #[error("example {index} has {ids} ids, but {labels} labels")]
    Labels {
        /// Index in the batch, from 0.
        index: usize,
        ids: usize,
        labels: usize,
    },
    /// An example that exceeds the maximum length.
    #[error("example {index} has {tokens} tokens; the limit is {most}")]
    TooLong {
        /// Index in the batch, from 0.
        index: usize,
        tokens: usize,
        most: u32,
    },
    /// A token id outside of the vocabulary.
    #[error("example {index} has the token {id}; the vocabulary has {vocabulary}")]
    NoToken {
        /// Index in the batch, from 0.
        index: usize,
        id: i64,
        vocabulary: u32,
    },
    /// A media slot with a label.
    #[error("example {index} has a label on the picture or sound at token {at}")]
    LearnedSlot {
        /// Index in the batch, from 0.
        index: usize,
        at: u32,
    },
    /// The soft tokens of an image or audio are missing.
    #[error("a picture or sound of {tokens} tokens was not encoded")]
    NotEncoded { tokens: u32 },
    /// Soft tokens whose number or width does not match the example and the model.
    #[error("expected soft tokens of shape [{tokens}, {width}], found {found} elements")]
    SoftTokens { found: usize, tokens: u32, width: u32 },
    /// The store of soft tokens cannot be read.
    #[error("the soft tokens of a picture or sound cannot be read: {0}")]
    Store(StoreError),
    /// Every label is masked.
    #[error("nothing to learn in this batch: every label is masked")]
    AllMasked,
    /// The loss or a gradient is not finite. The step was discarded.
    #[error(
        "training became unstable at step {step} (loss {loss}, gradient norm {grad_norm}); try a lower learning rate, a longer \
         warm-up, or gradient clipping"
    )]
    NotFinite {
        /// The step, from 1.
        step: u32,
        loss: f64,
        grad_norm: f64,
    },
    /// A checkpoint that is broken, or of a different training.
    #[error("the checkpoint cannot be used: {reason}")]
    Checkpoint { reason: String },
    /// An initial adapter that does not match.
    #[error(transparent)]
    Adapter(#[from] AdapterError),
    /// A row of the per-layer embeddings could not be read.
    #[error(transparent)]
    Row(#[from] RowError),
    /// The device.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// Cancelled. The step was discarded.
    #[error("training was stopped")]
    Cancelled,
}

impl From<SourceError> for TrainError {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Cancelled => Self::Cancelled,
            other => Self::Row(RowError::Source(other)),
        }
    }
}

impl From<PlanError> for TrainError {
    fn from(error: PlanError) -> Self {
        Self::Gpu(error.into())
    }
}
