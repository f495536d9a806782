//! The formats of JSON rows.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::template::{Conversation, Message, Role};

use super::named::{self, Listed};
use super::{Content, FieldFault, Reason};

/// The supported formats, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// `{"ids": […], "labels": […]}`; `input_ids` also works for `ids`.
    Ids,
    /// `{"messages": [{"role", "content"}…], "tools": […]}`, or only the array of messages. A content may be a list
    /// of parts: `{"type": "text", "text": …}`, `{"type": "image", "image": "cat.png"}`, `{"type": "audio",
    /// "audio": …}`. Parts without a name use `images` and `audios` next to the messages.
    Messages,
    /// `{"conversations": [{"from", "value"}…], "system": …}`.
    Conversations,
    /// A question and its answer under one of the common pairs of keys; `system` is optional.
    Pair,
}

/// Pairs of keys for a question and its answer; the first match is used.
pub(super) const PAIRS: [(&str, &str); 6] = [
    ("prompt", "completion"),
    ("prompt", "response"),
    ("instruction", "output"),
    ("question", "answer"),
    ("input", "output"),
    ("user", "assistant"),
];

/// A column or key with system instructions.
pub(super) const SYSTEM: &str = "system";

/// Parses a JSON row.
pub(super) fn row(value: Value) -> Result<Content, Reason> {
    let mut object = match value {
        Value::Object(object) => object,
        Value::Array(messages) => return chat(messages, Value::Null, Listed::default()),
        _ => return Err(Reason::Unknown),
    };
    let listed = Listed::take(&mut object)?;
    match kind(&object).ok_or_else(|| unknown(&object))? {
        RowKind::Ids => ids(&mut object),
        RowKind::Messages => {
            let messages = array(&mut object, "messages")?;
            let tools = object.remove("tools").unwrap_or_default();
            chat(messages, tools, listed)
        }
        RowKind::Conversations => conversations(&mut object).and_then(|it| listed.in_text(it)),
        RowKind::Pair => pair(&mut object, listed),
    }
}

fn kind(object: &Map<String, Value>) -> Option<RowKind> {
    let has = |key: &str| object.get(key).is_some_and(|value| !value.is_null());
    if has("labels") && (has("ids") || has("input_ids")) {
        Some(RowKind::Ids)
    } else if has("messages") {
        Some(RowKind::Messages)
    } else if has("conversations") {
        Some(RowKind::Conversations)
    } else {
        PAIRS.iter().any(|(prompt, answer)| has(prompt) && has(answer)).then_some(RowKind::Pair)
    }
}

/// Why an object is not a valid row.
fn unknown(object: &Map<String, Value>) -> Reason {
    let has = |key: &str| object.get(key).is_some_and(|value| !value.is_null());
    let half = |found: &'static str, missing: &'static str| Reason::Half { found, missing };
    let halves = PAIRS.iter().find_map(|&(prompt, answer)| match (has(prompt), has(answer)) {
        (true, false) => Some(half(prompt, answer)),
        (false, true) => Some(half(answer, prompt)),
        _ => None,
    });
    match halves {
        Some(reason) => reason,
        None if has("text") => Reason::TextAlone,
        None => Reason::Unknown,
    }
}

/// Converts a question and its answer to a conversation.
pub(super) fn pair_of(system: &str, prompt: String, answer: String) -> Conversation {
    let mut messages = Vec::with_capacity(3);
    if !system.trim().is_empty() {
        messages.push(Message::new(Role::System, system));
    }
    messages.push(Message::new(Role::User, prompt));
    messages.push(Message::new(Role::Assistant, answer));
    Conversation { messages, tools: Vec::new() }
}

fn pair(object: &mut Map<String, Value>, listed: Listed) -> Result<Content, Reason> {
    let names =
        PAIRS.iter().find(|(prompt, answer)| object.contains_key(*prompt) && object.contains_key(*answer));
    let &(prompt_key, answer_key) = names.ok_or(Reason::Unknown)?;
    let prompt = object.remove(prompt_key).unwrap_or_default();
    let answer = object.remove(answer_key).unwrap_or_default();
    if let (Value::Array(messages), Value::Array(answers)) = (&prompt, &answer) {
        let messages = messages.iter().chain(answers).cloned().collect();
        return chat(messages, object.remove("tools").unwrap_or_default(), listed);
    }
    let mut prompt = text(prompt, prompt_key)?;
    if prompt_key == "instruction"
        && let Some(Value::String(input)) = object.get("input")
        && !input.trim().is_empty()
    {
        prompt = format!("{prompt}\n\n{input}");
    }
    let system = match object.remove(SYSTEM) {
        None | Some(Value::Null) => String::new(),
        Some(value) => text(value, SYSTEM)?,
    };
    let answer = text(answer, answer_key)?;
    // An image alone is a valid question.
    for (key, text) in [(prompt_key, &prompt), (answer_key, &answer)] {
        if text.trim().is_empty() && (key == answer_key || listed.is_empty()) {
            return Err(Reason::Field { field: key.to_owned(), what: FieldFault::Empty });
        }
    }
    listed.in_text(pair_of(&system, prompt, answer))
}

fn chat(messages: Vec<Value>, tools: Value, listed: Listed) -> Result<Content, Reason> {
    let wrong = |field: &str| Reason::Field { field: field.to_owned(), what: FieldFault::Malformed };
    if messages.is_empty() {
        return Err(Reason::Field { field: "messages".to_owned(), what: FieldFault::Empty });
    }
    for message in &messages {
        if let Some(role) = message.get("role").and_then(Value::as_str)
            && Role::deserialize(Value::from(role)).is_err()
        {
            return Err(Reason::Role { role: role.to_owned() });
        }
    }
    let parts = named::parts(&messages);
    let messages: Vec<Message> =
        serde_json::from_value(Value::Array(messages)).map_err(|_| wrong("messages"))?;
    let tools = Option::deserialize(tools).map_err(|_| wrong("tools"))?.unwrap_or_default();
    listed.in_parts(Conversation { messages, tools }, parts)
}

fn conversations(object: &mut Map<String, Value>) -> Result<Conversation, Reason> {
    let turns = array(object, "conversations")?;
    let mut messages = Vec::with_capacity(turns.len() + 1);
    if let Some(Value::String(system)) = object.remove(SYSTEM)
        && !system.trim().is_empty()
    {
        messages.push(Message::new(Role::System, system));
    }
    for turn in turns {
        // Some data sets use chat keys inside.
        let from = turn.get("from").or_else(|| turn.get("role")).and_then(Value::as_str).unwrap_or_default();
        let role = match from {
            "human" | "user" => Role::User,
            "gpt" | "assistant" | "model" | "bot" | "chatgpt" => Role::Assistant,
            "system" => Role::System,
            other => return Err(Reason::Role { role: other.to_owned() }),
        };
        let value = turn.get("value").or_else(|| turn.get("content")).cloned();
        messages.push(Message::new(role, text(value.unwrap_or_default(), "value")?));
    }
    if messages.is_empty() {
        return Err(Reason::Field { field: "conversations".to_owned(), what: FieldFault::Empty });
    }
    Ok(Conversation { messages, tools: Vec::new() })
}

fn ids(object: &mut Map<String, Value>) -> Result<Content, Reason> {
    let key = if object.contains_key("ids") { "ids" } else { "input_ids" };
    let numbers = |object: &mut Map<String, Value>, key: &str| {
        let values = array(object, key)?;
        let number = |value: &Value| {
            let wrong = || Reason::Field { field: key.to_owned(), what: FieldFault::NotIntegers };
            value.as_i64().ok_or_else(wrong)
        };
        values.iter().map(number).collect::<Result<Vec<_>, _>>()
    };
    Ok(Content::Ids { ids: numbers(object, key)?, labels: numbers(object, "labels")? })
}

fn array(object: &mut Map<String, Value>, key: &str) -> Result<Vec<Value>, Reason> {
    match object.remove(key) {
        Some(Value::Array(values)) => Ok(values),
        _ => Err(Reason::Field { field: key.to_owned(), what: FieldFault::NotAList }),
    }
}

fn text(value: Value, key: &str) -> Result<String, Reason> {
    match value {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        _ => Err(Reason::Field { field: key.to_owned(), what: FieldFault::NotText }),
    }
}
