//! Fine-tuning.

use serde::{Deserialize, Serialize};

use super::{Cause, Remedy};

/// Why training cannot begin or continue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TrainingFailure {
    /// A setting outside of its range.
    Setting {
        /// Which.
        setting: Setting,
        /// What it is set to.
        value: String,
    },
    /// The model has none of the chosen projections.
    NoTarget,
    /// A model of a kind that cannot be trained yet.
    Unsupported,
    /// No example can be used.
    NoExamples,
    /// The model says nothing in the examples.
    AllMasked,
    /// The soft tokens of the examples' pictures and sound are not kept any more.
    MediaLost,
    /// An example that does not fit the model.
    BadExample,
    /// The loss or a gradient is not finite.
    Unstable {
        /// The step, from 1.
        step: u32,
        /// What is not.
        what: Instability,
        /// The step of the last checkpoint.
        saved: Option<u32>,
    },
    /// The checkpoint cannot be used.
    BadCheckpoint,
    /// No run is kept that could continue.
    NothingToResume,
    /// No run is kept of which an adapter could be made.
    NothingToSave,
    /// A run is under way here.
    InProgress,
    /// A run is under way in another tab.
    InAnotherTab {
        /// What it is called; may be empty.
        name: String,
    },
    /// The kept run is for another model.
    ForModel {
        /// Which.
        model: String,
    },
    /// Training needs more memory than the device is taken to have.
    OutOfMemory {
        /// Bytes needed.
        needed: u64,
        /// Bytes that the device is taken to offer.
        available: u64,
    },
    /// The soft tokens of the examples' pictures and sound are too many to be kept.
    TooMuchMedia {
        /// Their bytes.
        needed: u64,
        /// The most that are kept.
        most: u64,
        /// Whether they would be kept in memory, because the browser keeps no files for this page.
        in_memory: bool,
    },
    /// The engine ended.
    EngineStopped,
    /// A fault of this program.
    Failed,
    /// A checkpoint would be larger than one may be that is put together in memory.
    CheckpointTooLarge {
        /// Its bytes.
        needed: u64,
        /// The most.
        most: u64,
    },
}

/// A setting with a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Setting {
    /// 1 to 64.
    Rank,
    /// Above 0.
    Alpha,
    /// One or more.
    Targets,
    /// 1 or more.
    Steps,
    /// Above 0.
    LearningRate,
    /// 0 or more.
    WeightDecay,
    /// 0 or more.
    Clipping,
    /// At least 0 and below 1.
    Dropout,
    /// Between 2 and the context that the model was made for.
    MaxTokens,
}

/// What became infinite or no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Instability {
    /// The loss is NaN.
    NanLoss,
    /// The loss is infinite.
    InfiniteLoss,
    /// A gradient.
    Gradient,
}

impl TrainingFailure {
    pub(super) fn nature(&self) -> (Cause, Vec<Remedy>) {
        match self {
            Self::Setting { .. }
            | Self::NoTarget
            | Self::NoExamples
            | Self::AllMasked
            | Self::BadExample
            | Self::BadCheckpoint
            | Self::NothingToResume
            | Self::NothingToSave
            | Self::InProgress
            | Self::InAnotherTab { .. } => (Cause::Invalid, Vec::new()),
            Self::ForModel { .. } => (Cause::Invalid, vec![Remedy::OtherModel]),
            Self::Unsupported => (Cause::Unsupported, vec![Remedy::OtherModel]),
            Self::MediaLost => (Cause::Storage, Vec::new()),
            Self::Unstable { .. } => (Cause::Training, Vec::new()),
            Self::OutOfMemory { .. } | Self::TooMuchMedia { .. } | Self::CheckpointTooLarge { .. } => {
                (Cause::OutOfMemory, Vec::new())
            }
            Self::EngineStopped => (Cause::Internal, vec![Remedy::Retry]),
            Self::Failed => (Cause::Internal, Vec::new()),
        }
    }
}
