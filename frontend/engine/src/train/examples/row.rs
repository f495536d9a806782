//! What was read of a row.

use crate::media::Media;
use crate::template::Conversation;

/// A row that has been read.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The line on which it begins, from 1.
    pub line: u32,
    /// What it holds.
    pub content: Content,
}

/// What a row holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A conversation, to be rendered by the model's template.
    Chat {
        /// The conversation.
        conversation: Conversation,
        /// The files of its places for pictures and sound, in order.
        media: Vec<Named>,
    },
    /// Token ids with their labels, as they are.
    Ids {
        /// The ids.
        ids: Vec<i64>,
        /// For each id: itself where it is learned, [`MASKED`](crate::train::MASKED) elsewhere.
        labels: Vec<i64>,
    },
}

/// A file that a row names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Named {
    /// What it is for: [`Media::Image`] or [`Media::Audio`].
    pub media: Media,
    /// Its name, as the row has it.
    pub name: String,
}
