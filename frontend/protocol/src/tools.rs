//! Tools that a model may call, and what its answer must be.

use serde::{Deserialize, Serialize};

use crate::RequestId;

/// A tool that the model may call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name, which is not empty and has neither control characters nor `{`.
    pub name: String,
    /// When to call it, for the model.
    pub description: String,
    /// JSON schema of its arguments, an object; empty for a tool without arguments.
    pub parameters: String,
}

/// What the text of an answer must be. A thought before it may be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnswerFormat {
    /// Any text.
    #[default]
    Text,
    /// Any JSON object.
    Json,
    /// JSON that this schema, a JSON text, allows.
    Schema(String),
}

/// What an answer may be. Anything that can't be enforced is refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constraint {
    /// Tools that may be called instead of an answer, or behind free text.
    pub tools: Vec<Tool>,
    /// Whether one must be called.
    pub must_call: bool,
    /// What its text must be.
    pub format: AnswerFormat,
}

impl Constraint {
    /// Returns whether it allows any text, and nothing but text.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.tools.is_empty() && self.format == AnswerFormat::Text
    }
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// What its result names; empty in what older versions have kept.
    #[serde(default)]
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// Its arguments: the text of one JSON object.
    pub arguments: String,
}

impl ToolCall {
    /// Returns the id of a call that ends with this token of an answer. No other call has it.
    #[must_use]
    pub fn id_of(answer: RequestId, token: u32) -> String {
        format!("{:x}-{token}", answer.0)
    }
}
