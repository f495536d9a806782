//! Requests that make no sense now.

use serde::{Deserialize, Serialize};

use super::{Cause, Remedy};

/// Why a request cannot be done as things are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequestFailure {
    /// No model is loaded.
    NoModel,
    /// The model is busy.
    Busy(Activity),
    /// Another page has loaded another model, or none.
    OtherModel,
    /// There is no question in the conversation.
    NoQuestion,
    /// The prompt is empty.
    EmptyPrompt,
    /// The prompt does not fit the context.
    ContextFull {
        /// Tokens of the prompt.
        tokens: u32,
        /// Tokens that the context holds.
        context: u32,
    },
    /// The loaded model decodes by diffusion, and this is not for such models.
    Diffusion,
    /// The description of a tool is not the JSON that it should be.
    ToolDescription,
    /// The arguments of a tool call are not a JSON object.
    ToolArguments {
        /// The tool.
        tool: String,
    },
}

/// What the model is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Activity {
    /// A model is being loaded.
    Loading,
    /// The model is being unloaded.
    Unloading,
    /// It answers.
    Generating,
    /// It is being trained.
    Training,
    /// It is being measured or tested.
    Measuring,
}

impl RequestFailure {
    pub(super) fn nature(&self) -> (Cause, Vec<Remedy>) {
        match self {
            Self::NoModel => (Cause::Invalid, vec![Remedy::OtherModel]),
            Self::Diffusion => (Cause::Unsupported, vec![Remedy::OtherModel]),
            Self::OtherModel => (Cause::Invalid, vec![Remedy::Retry]),
            Self::ContextFull { .. } => (Cause::ContextFull, vec![Remedy::NewChat]),
            Self::Busy(_)
            | Self::NoQuestion
            | Self::EmptyPrompt
            | Self::ToolDescription
            | Self::ToolArguments { .. } => (Cause::Invalid, Vec::new()),
        }
    }
}
