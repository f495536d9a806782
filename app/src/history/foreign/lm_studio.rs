//! A `.conversation.json` of LM Studio: a list of messages, each in one or more versions.

use protocol::Role;
use serde_json::Value;

use super::super::{Filing, Message};
use super::dates::of_millis;
use super::tree::{Entry, Imported};
use super::{Skipped, SkippedCounts, array, count, text};

/// The setting that holds the instructions.
const SYSTEM: &str = "llm.prediction.systemPrompt";

/// Reads a conversation.
pub(super) fn conversation(entry: &Value, skipped: &mut SkippedCounts) -> Imported {
    let created = of_millis(&entry["createdAt"]);
    let (mut entries, mut before) = (Vec::new(), None);
    for (place, message) in array(entry, "messages").iter().enumerate() {
        let versions = array(message, "versions");
        let selected = message["currentlySelected"].as_u64().and_then(|it| usize::try_from(it).ok());
        let selected = selected.unwrap_or(0).min(versions.len().saturating_sub(1));
        let id = |version: usize| format!("{place}.{version}");
        entries.extend(versions.iter().enumerate().map(|(version, value)| Entry {
            id: id(version),
            parent: before.clone(),
            message: self::message(value, created, skipped),
        }));
        // What follows a message follows the version on screen: the file says no more.
        if !versions.is_empty() {
            before = Some(id(selected));
        }
    }
    let fields = array(&entry["perChatPredictionConfig"], "fields");
    let own = fields.iter().find(|field| field["key"] == SYSTEM).map_or("", |field| text(field, "value"));
    let first = entries.iter().find_map(|entry: &Entry| entry.message.as_ref());
    let said = first.map_or("", |message| message.text.as_str());
    Imported {
        id: format!("lm-studio {created} {said}"),
        title: text(entry, "name").to_owned(),
        created,
        updated: of_millis(&entry["userLastMessagedAt"]),
        system: if own.is_empty() { text(entry, "systemPrompt") } else { own }.to_owned(),
        filing: Filing { pinned: entry["pinned"] == true, ..Filing::default() },
        entries,
        shown: before,
    }
}

fn message(version: &Value, created: u64, skipped: &mut SkippedCounts) -> Option<Message> {
    let role = match text(version, "role") {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" => {
            count(skipped, Skipped::Hidden);
            return None;
        }
        _ => {
            count(skipped, Skipped::Broken);
            return None;
        }
    };
    let model = text(&version["senderInfo"], "senderName").to_owned();
    let mut said = Message { model, ..Message::empty(role, created) };
    read(array(version, "content"), &mut said.text, skipped);
    for step in array(version, "steps") {
        match text(step, "type") {
            "contentBlock" => {
                let thinks = text(&step["style"], "type") == "thinking";
                let into = if thinks { &mut said.thought } else { &mut said.text };
                read(array(step, "content"), into, skipped);
            }
            // What the program notes for itself.
            "debugInfoBlock" => {}
            _ => count(skipped, Skipped::Tool),
        }
    }
    if said.text.is_empty() && said.thought.is_empty() {
        count(skipped, Skipped::Empty);
        return None;
    }
    Some(said)
}

/// Appends the text of parts.
fn read(parts: &[Value], into: &mut String, skipped: &mut SkippedCounts) {
    for part in parts {
        match text(part, "type") {
            "text" => {
                let words = text(part, "text").trim();
                if !into.is_empty() && !words.is_empty() {
                    into.push_str("\n\n");
                }
                into.push_str(words);
            }
            "file" => count(skipped, Skipped::Attachment),
            _ => count(skipped, Skipped::Tool),
        }
    }
}
