//! What can go wrong in training.

use crate::adapter::AdapterError;
use crate::bytes::SourceError;
use crate::gpu::GpuError;
use crate::model::RowError;
use crate::plan::PlanError;
use crate::store::StoreError;

use super::Setting;

/// Why training cannot begin, or a step was not done. What was learned so far stays as it was.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum TrainError {
    /// A setting that makes no sense.
    #[error("{setting} is {value}, but must be {}", setting.range())]
    Setting { setting: Setting, value: String },
    /// None of the chosen projections is in the model.
    #[error("the model has none of the chosen projections")]
    NoTarget,
    /// A model of a kind that cannot be trained yet.
    #[error("gemtab cannot train a model with {what} yet")]
    NotYet { what: &'static str },
    /// No examples.
    #[error("nothing to learn from: there are no examples")]
    NoExamples,
    /// An example whose labels do not go with its ids.
    #[error("example {index} has {ids} ids, but {labels} labels")]
    Labels {
        /// Which one of the batch, from 0.
        index: usize,
        ids: usize,
        labels: usize,
    },
    /// An example that is longer than what was planned for.
    #[error("example {index} has {tokens} tokens; the limit is {most}")]
    TooLong {
        /// Which one of the batch, from 0.
        index: usize,
        tokens: usize,
        most: u32,
    },
    /// A token that the vocabulary lacks.
    #[error("example {index} has the token {id}; the vocabulary has {vocabulary}")]
    NoToken {
        /// Which one of the batch, from 0.
        index: usize,
        id: i64,
        vocabulary: u32,
    },
    /// A slot of a picture or a sound with a label.
    #[error("example {index} has a label on the picture or sound at token {at}")]
    LearnedSlot {
        /// Which one of the batch, from 0.
        index: usize,
        at: u32,
    },
    /// A picture or a sound whose soft tokens were not made, or are lost.
    #[error("a picture or sound of {tokens} tokens was not encoded")]
    NotEncoded { tokens: u32 },
    /// Soft tokens of another number or width than the example and the model have.
    #[error("expected soft tokens of shape [{tokens}, {width}], found {found} elements")]
    SoftTokens { found: usize, tokens: u32, width: u32 },
    /// The place in which soft tokens are kept cannot be read.
    #[error("the soft tokens of a picture or sound cannot be read: {0}")]
    Store(StoreError),
    /// Every label is masked.
    #[error("nothing to learn in this batch: every label is masked")]
    AllMasked,
    /// The loss or a gradient is not finite. The step was not taken.
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
    /// A checkpoint that is broken, or of another training.
    #[error("the checkpoint cannot be used: {reason}")]
    Checkpoint { reason: String },
    /// An adapter to start from that does not fit.
    #[error(transparent)]
    Adapter(#[from] AdapterError),
    /// A row of the per-layer embeddings could not be had.
    #[error(transparent)]
    Row(#[from] RowError),
    /// The device.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A person stopped it. The step was not taken.
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
