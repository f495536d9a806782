//! A conversation as the engine reads it.

use serde::{Deserialize, Serialize};

use crate::media::{Media, TokenBudget};
use crate::tools::ToolCall;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions for the whole conversation.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// The answer of a tool.
    Tool,
}

/// A piece of a message, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Content {
    /// Text.
    Text(String),
    /// A picture: the user's file.
    Image {
        /// Its bytes.
        media: Media,
        /// Most tokens that it may take.
        budget: TokenBudget,
    },
    /// Sound: a 16 kHz mono WAV file.
    Audio {
        /// Its bytes.
        media: Media,
    },
}

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub content: Vec<Content>,
    /// The model's thought before it spoke, without its tags; empty when there was none.
    pub thought: String,
    /// Tools that the model called in this message.
    pub calls: Vec<ToolCall>,
    /// For [`Role::Tool`]: the tool's name.
    pub tool: String,
    /// For [`Role::Tool`]: the [`ToolCall::id`] that it answers; empty if that has none.
    pub call: String,
}

impl Message {
    /// A message of text alone.
    #[must_use]
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self {
            role,
            content: vec![Content::Text(text.into())],
            thought: String::new(),
            calls: Vec::new(),
            tool: String::new(),
            call: String::new(),
        }
    }
}
