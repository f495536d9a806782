//! What the list of conversations shows of each.

use serde::{Deserialize, Serialize};

use super::title::{plain, shorten};
use super::{AttachmentKey, Conversation, ConversationId, Filing};

/// Most characters of a snippet.
const LENGTH: usize = 96;

/// A conversation in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Its name.
    pub id: ConversationId,
    /// What it is called; empty when nothing was said.
    pub title: String,
    /// When it was last changed, in milliseconds since 1970.
    pub updated: u64,
    /// The beginning of the last message on screen or, in a search, the text around what was found.
    pub snippet: String,
    /// Where it is in the list.
    #[serde(default, skip_serializing_if = "Filing::is_default")]
    pub filing: Filing,
    /// What is attached to it: an attachment that no summary names any more can go.
    #[serde(default)]
    pub attachments: Vec<AttachmentKey>,
    /// Whether its record cannot be read: nothing else is known of it then.
    #[serde(skip)]
    pub unreadable: bool,
}

impl Summary {
    /// What can be said of a conversation whose record cannot be read.
    #[must_use]
    pub fn of_unreadable(id: ConversationId) -> Self {
        let (title, snippet) = (String::new(), String::new());
        let filing = Filing::default();
        Self { id, title, updated: 0, snippet, filing, attachments: Vec::new(), unreadable: true }
    }

    /// The summary of a conversation.
    #[must_use]
    pub fn of(conversation: &Conversation) -> Self {
        let last = conversation.leaf().and_then(|leaf| conversation.message(leaf));
        let mut attachments: Vec<_> = conversation.attachment_keys().collect();
        attachments.sort_unstable();
        attachments.dedup();
        Self {
            id: conversation.id,
            title: conversation.title.clone(),
            updated: conversation.updated,
            snippet: last.map_or_else(String::new, |message| snippet(&message.text)),
            filing: conversation.filing,
            attachments,
            unreadable: false,
        }
    }
}

fn snippet(text: &str) -> String {
    // A few lines are enough; the whole of a long answer need not be gone through on every save.
    let lines = text.lines().map(plain).filter(|line| !line.is_empty()).take(4);
    shorten(&lines.collect::<Vec<_>>().join(" "), LENGTH)
}
