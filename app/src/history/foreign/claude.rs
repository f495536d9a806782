//! `conversations.json` of Claude's export: an array of conversations, whose messages name the one before them.

use protocol::Role;
use serde_json::Value;

use super::super::{Filing, Message};
use super::dates::of_text;
use super::tree::{Entry, Imported};
use super::{Skipped, SkippedCounts, array, count, count_all, text};

/// Reads a conversation.
pub(super) fn conversation(entry: &Value, skipped: &mut SkippedCounts) -> Imported {
    let messages = array(entry, "chat_messages");
    let mut entries: Vec<Entry> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let id = match text(message, "uuid") {
            "" => index.to_string(),
            id => id.to_owned(),
        };
        // Older exports are lists.
        let parent = match message["parent_message_uuid"].as_str() {
            Some(parent) => Some(parent.to_owned()),
            None => entries.last().map(|before| before.id.clone()),
        };
        entries.push(Entry { id, parent, message: self::message(message, skipped) });
    }
    let created = of_text(&entry["created_at"]);
    // Without an id, what does not change.
    let id = match text(entry, "uuid") {
        "" => format!("{created} {}", text(entry, "name")),
        id => id.to_owned(),
    };
    Imported {
        id: format!("claude {id}"),
        title: text(entry, "name").to_owned(),
        created,
        updated: of_text(&entry["updated_at"]),
        filing: Filing { pinned: entry["is_starred"] == true, ..Filing::default() },
        shown: entry["current_leaf_message_uuid"]
            .as_str()
            .map(str::to_owned)
            .or_else(|| entries.last().map(|last| last.id.clone())),
        entries,
        ..Imported::default()
    }
}

fn message(message: &Value, skipped: &mut SkippedCounts) -> Option<Message> {
    let role = match text(message, "sender") {
        "human" => Role::User,
        "assistant" => Role::Assistant,
        _ => {
            count(skipped, Skipped::Broken);
            return None;
        }
    };
    let files = array(message, "attachments").len() + array(message, "files").len();
    count_all(skipped, Skipped::Attachment, files);
    let (mut words, mut thoughts) = (Vec::new(), Vec::new());
    for part in array(message, "content") {
        match text(part, "type") {
            "text" => words.push(text(part, "text")),
            "thinking" => thoughts.push(text(part, "thinking")),
            "image" | "document" => count(skipped, Skipped::Attachment),
            _ => count(skipped, Skipped::Tool),
        }
    }
    if words.is_empty() {
        words.push(text(message, "text"));
    }
    let joined = |mut parts: Vec<&str>| {
        parts.retain(|part| !part.trim().is_empty());
        parts.join("\n\n")
    };
    let said = Message {
        text: joined(words),
        thought: joined(thoughts),
        ..Message::empty(role, of_text(&message["created_at"]))
    };
    if said.text.is_empty() && said.thought.is_empty() {
        count(skipped, Skipped::Empty);
        return None;
    }
    Some(said)
}
