//! Faults of this program, and of the device's arithmetic.

use serde::{Deserialize, Serialize};

use super::{Cause, Remedy};

/// What is wrong with the engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EngineFailure {
    /// Something that should not happen.
    Unexpected,
    /// The same, in an answer.
    Generating,
    /// It ended.
    Stopped,
    /// It ended before an answer was complete.
    AnswerCut,
    /// It did not begin in time.
    NotStarted {
        /// Seconds that it was given.
        seconds: u32,
    },
    /// Page and engine did not understand one another.
    BadMessage,
    /// No logit of the model is a finite number.
    NotNumbers,
    /// Kernels compute wrongly on this device.
    Miscomputes {
        /// The first of them.
        kernels: Vec<String>,
        /// Whether the model was unloaded, because there is no other form of these kernels.
        unloaded: bool,
    },
}

impl EngineFailure {
    pub(super) fn nature(&self) -> (Cause, Vec<Remedy>) {
        let remedy = match self {
            Self::Unexpected | Self::Stopped | Self::NotStarted { .. } | Self::BadMessage => {
                Remedy::ReloadPage
            }
            Self::Generating | Self::AnswerCut => Remedy::Retry,
            Self::NotNumbers | Self::Miscomputes { .. } => Remedy::OtherModel,
        };
        (Cause::Internal, vec![remedy])
    }
}
