//! What the list of conversations shows of each, and the search through them.

use serde::{Deserialize, Serialize};

use super::title::{plain, shorten};
use super::{AttachmentKey, Conversation, ConversationId};

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
    /// What is attached to it: an attachment that no summary names any more can go.
    #[serde(default)]
    pub attachments: Vec<AttachmentKey>,
}

impl Summary {
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
            attachments,
        }
    }

    /// The summary of a conversation that has this text in its title or in any branch, with the text around it;
    /// upper and lower case count the same. An empty text finds every conversation.
    #[must_use]
    pub fn find(conversation: &Conversation, text: &str) -> Option<Self> {
        let needle: Vec<char> = text.trim().chars().flat_map(char::to_lowercase).collect();
        let summary = Self::of(conversation);
        if needle.is_empty() || position(&summary.title, &needle).is_some() {
            return Some(summary);
        }
        let snippet = conversation.nodes().find_map(|(_, node)| around(&node.message.text, &needle))?;
        Some(Self { snippet, ..summary })
    }
}

fn snippet(text: &str) -> String {
    // A few lines are enough; the whole of a long answer need not be gone through on every save.
    let lines = text.lines().map(plain).filter(|line| !line.is_empty()).take(4);
    shorten(&lines.collect::<Vec<_>>().join(" "), LENGTH)
}

/// Where the text begins that equals `needle` (already in lower case), in bytes.
fn position(text: &str, needle: &[char]) -> Option<usize> {
    let mut haystack = text.char_indices().flat_map(|(at, c)| c.to_lowercase().map(move |c| (at, c)));
    loop {
        let mut ahead = haystack.clone();
        let start = haystack.next()?.0;
        if needle.iter().all(|&c| ahead.next().is_some_and(|(_, found)| found == c)) {
            return Some(start);
        }
    }
}

fn around(text: &str, needle: &[char]) -> Option<String> {
    let at = position(text, needle)?;
    let before = text[..at].char_indices().rev().nth(LENGTH / 3).map_or(0, |(start, _)| start);
    let start =
        if before == 0 { 0 } else { before + text[before..at].find(' ').map_or(0, |space| space + 1) };
    let excerpt = text[start..].split_whitespace().take(LENGTH).collect::<Vec<_>>().join(" ");
    let lead = if start == 0 { "" } else { "…" };
    Some(format!("{lead}{}", shorten(&excerpt, LENGTH)))
}
