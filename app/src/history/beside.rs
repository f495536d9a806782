//! What a conversation keeps beside its messages: answers that were compared, and where the model begins to read.

use serde::{Deserialize, Serialize};

use super::NodeId;

/// Two answers to one message, one of which the user prefers. Where one was deleted, there is no pair any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerPair {
    /// The better answer.
    pub preferred: NodeId,
    /// The other one.
    pub other: NodeId,
}

/// Where the model begins to read a conversation that is longer than its context.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContextStart {
    /// The first message that it reads, besides those that are pinned; `None` for the first of all. One that was deleted or is
    /// in another branch counts as none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<NodeId>,
    /// What it reads in place of the messages before; empty for nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
}

impl ContextStart {
    /// Whether it reads everything.
    #[must_use]
    pub fn is_default(&self) -> bool {
        self.at.is_none() && self.summary.is_empty()
    }
}
