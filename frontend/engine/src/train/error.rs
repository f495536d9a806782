//! What can go wrong in training.

use crate::adapter::AdapterError;
use crate::bytes::SourceError;
use crate::gpu::GpuError;
use crate::model::RowError;

/// Why training cannot begin, or a step was not done. What was learned so far stays as it was.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// A setting that makes no sense.
    #[error("{name} is {value}; it must be {expected}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: String,
        /// What would be right.
        expected: &'static str,
    },
    /// None of the chosen projections is in the model.
    #[error("the model has none of the chosen projections")]
    NoTarget,
    /// A model of a kind that cannot be trained yet.
    #[error("gemtab cannot train a model with {what} yet")]
    NotYet {
        /// The kind.
        what: &'static str,
    },
    /// No examples.
    #[error("there is nothing to learn from: no example was given")]
    NoExamples,
    /// An example whose labels do not go with its ids.
    #[error("example {index} has {ids} ids, but {labels} labels")]
    Labels {
        /// Which one of the batch, from 0.
        index: usize,
        /// Its ids.
        ids: usize,
        /// Its labels.
        labels: usize,
    },
    /// An example that is longer than what was planned for.
    #[error("example {index} has {tokens} tokens; there is room for {most}")]
    TooLong {
        /// Which one of the batch, from 0.
        index: usize,
        /// Its tokens.
        tokens: usize,
        /// Most tokens of an example.
        most: u32,
    },
    /// A token that the vocabulary lacks.
    #[error("example {index} has the token {id}; the vocabulary has {vocabulary}")]
    NoToken {
        /// Which one of the batch, from 0.
        index: usize,
        /// The id.
        id: i64,
        /// Pieces of the vocabulary.
        vocabulary: u32,
    },
    /// Every label is masked.
    #[error("no token of the batch is to be learned: every label is masked")]
    AllMasked,
    /// The loss or a gradient is not finite. The step was not taken.
    #[error(
        "step {step} gave a loss of {loss} and gradients of norm {grad_norm}; try a smaller learning rate, a longer \
         warm-up, or clipping"
    )]
    NotFinite {
        /// The step, from 1.
        step: u32,
        /// Its loss.
        loss: f64,
        /// The norm of its gradients.
        grad_norm: f64,
    },
    /// A checkpoint that is broken, or of another training.
    #[error("the checkpoint cannot be used: {reason}")]
    Checkpoint {
        /// What is wrong with it.
        reason: String,
    },
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

impl From<shaders::PreprocessError> for TrainError {
    fn from(error: shaders::PreprocessError) -> Self {
        Self::Gpu(GpuError::Template(error))
    }
}
