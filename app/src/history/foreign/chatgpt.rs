//! `conversations.json` of ChatGPT's export: an array of conversations, each a tree.

use protocol::Role;
use serde_json::Value;

use super::super::{Filing, Message};
use super::dates::of_seconds;
use super::tree::{Entry, Imported, order_by};
use super::{Skipped, SkippedCounts, array, count, count_all, text};

/// Reads a conversation.
pub(super) fn conversation(entry: &Value, skipped: &mut SkippedCounts) -> Imported {
    let id = [text(entry, "conversation_id"), text(entry, "id")].into_iter().find(|id| !id.is_empty());
    let created = of_seconds(&entry["create_time"]);
    let mut entries: Vec<Entry> = Vec::new();
    if let Some(mapping) = entry["mapping"].as_object() {
        entries.extend(mapping.iter().map(|(id, node)| Entry {
            id: id.clone(),
            parent: node["parent"].as_str().map(str::to_owned),
            message: message(&node["message"], skipped),
        }));
        order_by(&mut entries, mapping, "children");
    }
    Imported {
        entries,
        // Without an id, what does not change.
        id: format!(
            "chatgpt {}",
            id.map_or_else(|| format!("{created} {}", text(entry, "title")), str::to_owned)
        ),
        title: text(entry, "title").to_owned(),
        created,
        updated: of_seconds(&entry["update_time"]),
        filing: Filing {
            folder: None,
            pinned: entry["is_starred"] == true,
            archived: entry["is_archived"] == true,
        },
        shown: entry["current_node"].as_str().map(str::to_owned),
        ..Imported::default()
    }
}

/// A message; `None` if it is left out, which is counted unless it never was one.
fn message(message: &Value, skipped: &mut SkippedCounts) -> Option<Message> {
    if message.is_null() {
        return None;
    }
    let content = &message["content"];
    let hidden = message["metadata"]["is_visually_hidden_from_conversation"] == true;
    let to_tool = !matches!(text(message, "recipient"), "" | "all");
    let role = match message["author"]["role"].as_str() {
        Some("user") if !hidden => Role::User,
        Some("assistant") if !hidden && !to_tool => Role::Assistant,
        Some("tool" | "assistant") => {
            count(skipped, Skipped::Tool);
            return None;
        }
        Some("system" | "developer" | "user") => {
            // Every conversation begins with an empty one.
            let empty = words(content, &mut SkippedCounts::new()).is_empty();
            count_all(skipped, Skipped::Hidden, usize::from(!empty));
            return None;
        }
        _ => {
            count(skipped, Skipped::Broken);
            return None;
        }
    };
    let mut said = Message {
        model: text(&message["metadata"], "model_slug").to_owned(),
        ..Message::empty(role, of_seconds(&message["create_time"]))
    };
    match text(content, "content_type") {
        "user_editable_context" | "model_editable_context" => {
            count(skipped, Skipped::Hidden);
            return None;
        }
        // How long it has thought, in words.
        "reasoning_recap" => return None,
        "thoughts" => {
            let parts = array(content, "thoughts").iter().map(|it| text(it, "content"));
            said.thought = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n");
        }
        _ => {
            count_all(skipped, Skipped::Attachment, files(message, content));
            said.text = words(content, skipped);
        }
    }
    if said.text.is_empty() && said.thought.is_empty() {
        count(skipped, Skipped::Empty);
        return None;
    }
    Some(said)
}

/// Files that were sent with a message and are not among its parts.
fn files(message: &Value, content: &Value) -> usize {
    let parts = array(content, "parts").iter().filter(|part| part["asset_pointer"].is_string()).count();
    array(&message["metadata"], "attachments").len().saturating_sub(parts)
}

/// What is said in a content.
fn words(content: &Value, skipped: &mut SkippedCounts) -> String {
    let mut words = Vec::new();
    for part in array(content, "parts") {
        match part {
            Value::String(text) => words.push(text.as_str()),
            part if part["text"].is_string() => words.push(text(part, "text")),
            _ => count(skipped, Skipped::Attachment),
        }
    }
    if words.is_empty() {
        words.push(text(content, "text"));
    }
    words.retain(|words| !words.trim().is_empty());
    words.join("\n\n")
}
