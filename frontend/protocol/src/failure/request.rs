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
    /// The loaded model can't call tools, or its answers can't be constrained.
    Unconstrained,
    /// What constrains answers is not here: it was not prepared, or could not be fetched.
    NoConstraints,
    /// A schema is not a JSON text.
    SchemaText,
    /// A schema asks for what can't be enforced.
    Schema {
        /// Where: a JSON pointer, behind the name of a tool for its parameters.
        path: String,
        /// The keyword that asks for it.
        keyword: String,
    },
    /// A schema is too large, or nothing matches it.
    SchemaTooLarge,
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
            Self::Diffusion | Self::Unconstrained => (Cause::Unsupported, vec![Remedy::OtherModel]),
            Self::OtherModel => (Cause::Invalid, vec![Remedy::Retry]),
            Self::NoConstraints => (Cause::Unreachable, vec![Remedy::Retry]),
            Self::ContextFull { .. } => (Cause::ContextFull, vec![Remedy::NewChat]),
            Self::Busy(_)
            | Self::NoQuestion
            | Self::EmptyPrompt
            | Self::SchemaText
            | Self::Schema { .. }
            | Self::SchemaTooLarge
            | Self::ToolArguments { .. } => (Cause::Invalid, Vec::new()),
        }
    }
}
