//! Exports of other programs: ChatGPT, Claude, Open WebUI, LM Studio.
//!
//! A program's file becomes [`Imported`] conversations: messages with their parents, as that program names them. What this
//! history has no place for is counted in [`Skipped`]. Conversations and messages are named by what the file calls them, so
//! that a later export of the same conversations brings only what is new.

mod chatgpt;
mod claude;
mod dates;
mod lm_studio;
mod open_webui;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use self::tree::Imported;
use super::Conversation;

/// What an import leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skipped {
    /// Files and pictures: these exports name them alone.
    Attachment,
    /// Calls of tools, and what tools answered.
    Tool,
    /// Instructions that the other program has added without showing them.
    Hidden,
    /// Messages that say nothing.
    Empty,
    /// Messages that cannot be read, or that hang nowhere.
    Broken,
    /// Conversations without a message.
    EmptyConversation,
    /// Entries that are not a conversation of a known program.
    Unknown,
}

/// How much was left out of what.
pub type SkippedCounts = BTreeMap<Skipped, u64>;

/// What a file of another program holds.
#[derive(Debug, Default)]
pub(super) struct Foreign {
    /// The conversations.
    pub conversations: Vec<Conversation>,
    /// What was left out.
    pub skipped: SkippedCounts,
}

/// Reads a file; `None` if no known program wrote it. `now` in milliseconds since 1970.
pub(super) fn read(json: &str, now: u64) -> Option<Foreign> {
    // One conversation at a time, as what is read of one takes several times its text.
    let entries: Vec<&RawValue> = match json.trim_start().as_bytes().first()? {
        b'[' => serde_json::from_str(json).ok()?,
        _ => vec![serde_json::from_str(json).ok()?],
    };
    let mut foreign = Foreign::default();
    let mut known = false;
    for entry in entries {
        let imported = serde_json::from_str(entry.get()).ok().and_then(|it| of(&it, &mut foreign.skipped));
        match imported {
            None => count(&mut foreign.skipped, Skipped::Unknown),
            Some((program, imported)) => {
                known = true;
                match imported.build(program, now, &mut foreign.skipped) {
                    Some(conversation) => foreign.conversations.push(conversation),
                    None => count(&mut foreign.skipped, Skipped::EmptyConversation),
                }
            }
        }
    }
    known.then_some(foreign)
}

/// A conversation and the program that wrote it, told by the fields that only that one writes.
fn of(entry: &Value, skipped: &mut SkippedCounts) -> Option<(&'static str, Imported)> {
    if entry["mapping"].is_object() {
        Some(("ChatGPT", chatgpt::conversation(entry, skipped)))
    } else if entry["chat_messages"].is_array() {
        Some(("Claude", claude::conversation(entry, skipped)))
    } else if entry["chat"].is_object() {
        Some(("Open WebUI", open_webui::conversation(entry, skipped)))
    } else if is_lm_studio(&entry["messages"]) {
        Some(("LM Studio", lm_studio::conversation(entry, skipped)))
    } else {
        None
    }
}

fn is_lm_studio(messages: &Value) -> bool {
    let messages = messages.as_array();
    messages.is_some_and(|all| !all.is_empty() && all.iter().all(|message| message["versions"].is_array()))
}

fn count(skipped: &mut SkippedCounts, what: Skipped) {
    count_all(skipped, what, 1);
}

fn count_all(skipped: &mut SkippedCounts, what: Skipped, number: usize) {
    if number > 0 {
        *skipped.entry(what).or_default() += number as u64;
    }
}

/// The text of a field; empty if it has none.
fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

/// The elements of a field; none if it is no array.
fn array<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().map_or(&[], Vec::as_slice)
}
