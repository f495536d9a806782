//! From the turns of a row to a chat.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::template::{Conversation, Message};

use super::counts::{self, Counts};
use super::fields::{Sides, text};
use super::named::{self, Listed};
use super::{Content, FieldFault, Reason};

/// The fields of a message that are read.
const FIELDS: [&str; 9] = [
    "role",
    "content",
    "reasoning",
    "reasoning_content",
    "thinking",
    "tool_calls",
    "tool_responses",
    "name",
    "tool_call_id",
];

/// What stands beside the turns of a row.
#[derive(Debug, Default)]
pub(super) struct Beside {
    pub system: String,
    pub tools: Value,
    pub listed: Listed,
    pub counts: Counts,
}

fn wrong(field: &str) -> Reason {
    Reason::Field { field: field.to_owned(), what: FieldFault::Malformed }
}

/// The role of a name.
fn role(name: &str) -> Option<&'static str> {
    Some(match name.trim().to_lowercase().as_str() {
        "user" | "human" | "prompter" => "user",
        "assistant" | "model" | "gpt" | "bot" | "chatgpt" | "ai" => "assistant",
        "system" => "system",
        "developer" => "developer",
        // OpenAI's former name.
        "tool" | "function" => "tool",
        _ => return None,
    })
}

/// Whether a value is a message rather than a row: it has an author and says something.
pub(super) fn is_message(value: &Value) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| value.get(name).is_some());
    has(&["role", "from"]) && has(&["content", "value", "text", "parts", "tool_calls", "function_call"])
}

/// A turn in the form of chat APIs: one message, or a question with its answer.
fn messages(turn: Value) -> Result<Vec<Map<String, Value>>, Reason> {
    let Value::Object(mut turn) = turn else { return Err(wrong("messages")) };
    turn.retain(|_, value| !value.is_null());
    let author = turn.remove("role").or_else(|| turn.remove("from"));
    let Some(author) = author else {
        let sides = Sides::of(|name| turn.contains_key(name)).ok_or_else(|| wrong("messages"))?;
        let system = turn.remove("system").unwrap_or_default();
        let [ask, answer] =
            [sides.prompt, sides.answer].map(|name| (name, turn.remove(name).unwrap_or_default()));
        let said = |role: &str, content: Value| {
            Map::from_iter([("role".into(), role.into()), ("content".into(), content)])
        };
        let mut all = Vec::with_capacity(3);
        if !counts::is_empty(&system) {
            all.push(said("system", system));
        }
        let question = Value::String(text(ask.1, ask.0)?);
        all.push(said("user", question));
        // What is left is about the answer.
        turn.extend(said("assistant", Value::String(text(answer.1, answer.0)?)));
        all.push(turn);
        return Ok(all);
    };
    let author = author.as_str().ok_or_else(|| wrong("role"))?;
    let role = role(author).ok_or_else(|| Reason::Role { role: author.to_owned() })?;
    turn.insert("role".into(), role.into());
    for other in ["value", "text", "parts"] {
        if !turn.contains_key("content")
            && let Some(content) = turn.remove(other)
        {
            turn.insert("content".into(), content);
        }
    }
    if let Some(call) = turn.remove("function_call")
        && !turn.contains_key("tool_calls")
    {
        turn.insert("tool_calls".into(), json!([call]));
    }
    if let Some(Value::Number(number)) = turn.get("content") {
        let text = number.to_string();
        turn.insert("content".into(), text.into());
    }
    for part in turn.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten() {
        let Value::Object(part) = part else { return Err(wrong("content")) };
        counts::of_part(part)?;
        // Some APIs leave the type of texts out.
        if part.contains_key("text") && !part.contains_key("type") {
            part.insert("type".into(), "text".into());
        }
    }
    Ok(vec![turn])
}

/// The chat of a row's turns. Fields that are not used are added to `ignored`.
pub(super) fn chat(turns: Vec<Value>, beside: Beside, ignored: &mut Vec<String>) -> Result<Content, Reason> {
    if turns.is_empty() {
        return Err(Reason::Field { field: "messages".to_owned(), what: FieldFault::Empty });
    }
    let Beside { system, tools, listed, counts } = beside;
    let mut all: Vec<Value> = Vec::with_capacity(turns.len() + 1);
    if !system.trim().is_empty() {
        all.push(json!({"role": "system", "content": system}));
    }
    let skipped = all.len();
    let (mut answers, mut context) = (Vec::new(), Vec::new());
    for turn in turns {
        for mut message in messages(turn)? {
            let is_answer = message.get("role").and_then(Value::as_str) == Some("assistant");
            if !counts::of_message(&mut message, is_answer)? && is_answer {
                context.push(all.len());
            }
            if is_answer {
                answers.push(all.len());
            }
            ignored.extend(unused(&message, &FIELDS));
            all.push(Value::Object(message));
        }
    }
    context.extend(counts.context(&answers, skipped, all.len() - skipped)?);
    context.sort_unstable();
    context.dedup();
    let parts = named::parts(&all);
    let messages: Vec<Message> = serde_json::from_value(Value::Array(all)).map_err(|_| wrong("messages"))?;
    let tools = match tools {
        Value::String(text) if text.trim().is_empty() => Value::Null,
        // Columns of a table have one type, so lists are often spelled in texts.
        Value::String(text) => serde_json::from_str(&text).map_err(|_| wrong("tools"))?,
        tools => tools,
    };
    let tools = Option::deserialize(tools).map_err(|_| wrong("tools"))?.unwrap_or_default();
    let (conversation, media) = listed.in_parts(Conversation { messages, tools }, parts)?;
    Ok(Content::Chat { conversation, media, context })
}

/// The names of fields that say something and are not among those that are read.
pub(super) fn unused(object: &Map<String, Value>, read: &[&str]) -> Vec<String> {
    let says = |(name, value): &(&String, &Value)| !read.contains(&name.as_str()) && !counts::is_empty(value);
    object.iter().filter(says).map(|(name, _)| name.clone()).collect()
}
