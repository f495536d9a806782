//! An export of chats of Open WebUI: an array of chats, each with its tree under `history`.

use protocol::Role;
use serde_json::Value;

use super::super::{Filing, Message};
use super::dates::of_seconds;
use super::tree::{Entry, Imported, order_by};
use super::{Skipped, SkippedCounts, array, count, count_all, text};

/// Reads a chat.
pub(super) fn conversation(entry: &Value, skipped: &mut SkippedCounts) -> Imported {
    let chat = &entry["chat"];
    let history = &chat["history"];
    let mut entries: Vec<Entry> = Vec::new();
    match history["messages"].as_object() {
        Some(messages) => {
            entries.extend(messages.iter().map(|(id, message)| Entry {
                id: id.clone(),
                parent: message["parentId"].as_str().map(str::to_owned),
                message: self::message(message, skipped),
            }));
            order_by(&mut entries, messages, "childrenIds");
        }
        // Chats of early versions are lists.
        None => {
            for (index, message) in array(chat, "messages").iter().enumerate() {
                let parent = entries.last().map(|before| before.id.clone());
                let id = index.to_string();
                entries.push(Entry { id, parent, message: self::message(message, skipped) });
            }
        }
    }
    let either = |first, second| if str::is_empty(first) { second } else { first };
    let title = either(text(entry, "title"), text(chat, "title"));
    let created = of_seconds(&entry["created_at"]);
    // Without an id, what does not change.
    let own = format!("{created} {title}");
    Imported {
        id: format!("open-webui {}", either(text(entry, "id"), &own)),
        title: title.to_owned(),
        created,
        updated: of_seconds(&entry["updated_at"]),
        system: either(text(&chat["params"], "system"), text(chat, "system")).to_owned(),
        filing: Filing { folder: None, pinned: entry["pinned"] == true, archived: entry["archived"] == true },
        entries,
        shown: history["currentId"].as_str().map(str::to_owned),
    }
}

fn message(message: &Value, skipped: &mut SkippedCounts) -> Option<Message> {
    let role = match text(message, "role") {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" => {
            count(skipped, Skipped::Hidden);
            return None;
        }
        "tool" => {
            count(skipped, Skipped::Tool);
            return None;
        }
        _ => {
            count(skipped, Skipped::Broken);
            return None;
        }
    };
    count_all(skipped, Skipped::Attachment, array(message, "files").len());
    let mut said = Message {
        model: text(message, "model").to_owned(),
        ..Message::empty(role, of_seconds(&message["timestamp"]))
    };
    match role {
        Role::Assistant => (said.text, said.thought) = split(text(message, "content"), skipped),
        _ => text(message, "content").trim().clone_into(&mut said.text),
    }
    if said.text.is_empty() && said.thought.is_empty() {
        count(skipped, Skipped::Empty);
        return None;
    }
    Some(said)
}

/// An answer, and the thought in it, which is written as folded blocks, as are calls of tools.
fn split(content: &str, skipped: &mut SkippedCounts) -> (String, String) {
    const END: &str = "</details>";
    let (mut answer, mut thought, mut rest) = (String::new(), String::new(), content);
    while let Some(start) = rest.find("<details type=\"") {
        let (before, block) = rest.split_at(start);
        let Some((inner, after)) = block.split_once(END) else { break };
        answer.push_str(before);
        rest = after;
        if !inner.starts_with("<details type=\"reasoning\"") {
            count(skipped, Skipped::Tool);
            continue;
        }
        let inner = inner.split_once("</summary>").or_else(|| inner.split_once('>')).map_or("", |(_, it)| it);
        for line in inner.trim().lines() {
            thought.push_str(line.strip_prefix("> ").or_else(|| line.strip_prefix(">")).unwrap_or(line));
            thought.push('\n');
        }
    }
    answer.push_str(rest);
    (answer.trim().to_owned(), thought.trim().to_owned())
}
