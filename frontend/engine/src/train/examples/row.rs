//! A parsed row.

use crate::media::Media;
use crate::template::Conversation;

/// A parsed row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its first line, from 1.
    pub line: u32,
    /// Its content.
    pub content: Content,
}

/// The content of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A conversation, to be rendered with the model's template.
    Chat {
        /// The conversation.
        conversation: Conversation,
        /// The files for its media places, in order.
        media: Vec<Named>,
        /// The answers that are context only, by index of their message, ascending.
        context: Vec<usize>,
    },
    /// Token ids with labels.
    Ids {
        /// The ids.
        ids: Vec<i64>,
        /// For each id: the id if it is a target, otherwise [`MASKED`](crate::train::MASKED).
        labels: Vec<i64>,
    },
}

/// A file named by a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Named {
    /// [`Media::Image`] or [`Media::Audio`].
    pub media: Media,
    /// The name in the row.
    pub name: String,
}
