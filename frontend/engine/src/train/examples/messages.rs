//! From the turns of a row to a chat.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::template::{Conversation, Message};

use super::counts::{self, Counts};
use super::fields::{Sides, about, text};
use super::named::{self, Listed};
use super::tools::{self, Called};
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

/// Names of the author of a message.
const AUTHORS: [&str; 3] = ["role", "from", "speaker"];
/// Names of what a message says, besides `content`.
const CONTENTS: [&str; 5] = ["value", "text", "parts", "message", "utterance"];

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

/// Returns the role of a name.
fn role(name: &str) -> Option<&'static str> {
    Some(match plain(name).as_str() {
        "user" | "human" | "prompter" => "user",
        "assistant" | "model" | "gpt" | "bot" | "chatgpt" | "ai" => "assistant",
        "system" => "system",
        "developer" => "developer",
        author if tools::is_call(author) => "assistant",
        author if tools::is_response(author) => "tool",
        _ => return None,
    })
}

/// Returns the name of an author as it is compared.
fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace(['-', ' '], "_")
}

/// Returns whether a value is a message rather than a row: it has an author and says something.
pub(super) fn is_message(value: &Value) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| value.get(name).is_some());
    has(&AUTHORS) && (has(&["content", "tool_calls", "function_call"]) || has(&CONTENTS))
}

/// Returns a turn in the form of chat APIs: one message, or a question with its answer.
fn messages(turn: Value) -> Result<Vec<Map<String, Value>>, Reason> {
    let Value::Object(mut turn) = turn else { return Err(wrong("messages")) };
    turn.retain(|_, value| !value.is_null());
    let author = AUTHORS.iter().find_map(|name| turn.shift_remove(*name));
    let author = author.or_else(|| {
        // `{"user": "Hello"}`, without the other side.
        let [(name, said)] = <[_; 1]>::try_from(turn.iter().collect::<Vec<_>>()).ok()?;
        let (name, said) = (role(name).map(|_| name.clone())?, said.clone());
        turn = Map::from_iter([("content".to_owned(), said)]);
        Some(name.into())
    });
    let Some(author) = author else {
        let sides = Sides::of(|name| turn.contains_key(name)).ok_or_else(|| wrong("messages"))?;
        let system = turn.shift_remove("system").unwrap_or_default();
        let [ask, answer] =
            [sides.prompt, sides.answer].map(|name| (name, turn.shift_remove(name).unwrap_or_default()));
        let said = |role: &str, content: Value| {
            Map::from_iter([("role".into(), role.into()), ("content".into(), content)])
        };
        let mut all = Vec::with_capacity(3);
        if !counts::is_empty(&system) {
            all.push(said("system", system));
        }
        let question = about(text(ask.1, ask.0)?, sides, &mut turn)?;
        all.push(said("user", question.into()));
        // What is left is about the answer.
        turn.extend(said("assistant", Value::String(text(answer.1, answer.0)?)));
        all.push(turn);
        return Ok(all);
    };
    let author = author.as_str().ok_or_else(|| wrong("role"))?;
    let role = role(author).ok_or_else(|| Reason::Role { role: author.to_owned() })?;
    turn.insert("role".into(), role.into());
    for other in CONTENTS {
        if !turn.contains_key("content")
            && let Some(content) = turn.shift_remove(other)
        {
            turn.insert("content".into(), content);
        }
    }
    if let Some(call) = turn.shift_remove("function_call")
        && !turn.contains_key("tool_calls")
    {
        turn.insert("tool_calls".into(), json!([call]));
    }
    if tools::is_call(&plain(author))
        && !turn.contains_key("tool_calls")
        && let Some(content) = turn.shift_remove("content")
    {
        turn.insert("tool_calls".into(), tools::calls(content, author)?.into());
    }
    if let Some(calls) = turn.get("tool_calls").filter(|calls| calls.is_string()) {
        // Columns of a table have one type, so lists are often spelled in texts.
        let calls =
            if counts::is_empty(calls) { Vec::new() } else { tools::calls(calls.clone(), "tool_calls")? };
        turn.insert("tool_calls".into(), calls.into());
    }
    if role == "tool"
        && let Some(content) = turn.get_mut("content")
    {
        *content = tools::said(content.take());
    }
    match (role, turn.get("content").and_then(Value::as_str)) {
        ("assistant", Some(text)) if !turn.contains_key("tool_calls") => {
            if let Some((text, calls)) = tools::marked_calls(text) {
                turn.insert("content".into(), text.into());
                turn.insert("tool_calls".into(), calls.into());
            }
        }
        ("tool", Some(text)) => {
            if let Some(responses) = tools::marked_responses(text) {
                return Ok(responses);
            }
        }
        _ => {}
    }
    let content = match turn.shift_remove("content") {
        Some(Value::Number(number)) => Some(Value::String(number.to_string())),
        Some(Value::Array(all)) => Some(parts(all)?.into()),
        // A single part; tools respond with any object.
        Some(Value::Object(part)) if role != "tool" => Some(parts(vec![part.into()])?.into()),
        content => content,
    };
    turn.extend(content.map(|content| ("content".to_owned(), content)));
    with_media(&mut turn)?;
    Ok(vec![turn])
}

/// The parts of a content: texts and places of media.
///
/// # Errors
/// When a part is anything else, which would be left out without a word.
fn parts(parts: Vec<Value>) -> Result<Vec<Value>, Reason> {
    let part = |part: Value| {
        let Value::Object(mut part) = part else { return Err(wrong("content")) };
        counts::of_part(&mut part)?;
        let kind = named::kind(&part).ok_or_else(|| wrong("content"))?;
        let is_thought = part.get("thought").is_some_and(|thought| *thought != Value::Bool(false));
        if is_thought || (kind == "text" && !part.get("text").is_some_and(Value::is_string)) {
            return Err(wrong("content"));
        }
        part.insert("type".into(), kind.into());
        Ok(Value::Object(part))
    };
    parts.into_iter().map(part).collect()
}

/// Puts the pictures and sounds that a message names beside its text before it.
fn with_media(turn: &mut Map<String, Value>) -> Result<(), Reason> {
    let media = Listed::take(turn)?.into_parts();
    if media.is_empty() {
        return Ok(());
    }
    let said = match turn.shift_remove("content") {
        Some(Value::Array(parts)) => parts,
        Some(Value::String(text)) if text.contains("<image>") || text.contains("<audio>") => {
            return Err(wrong("content"));
        }
        Some(Value::String(text)) => vec![json!({"type": "text", "text": text})],
        _ => Vec::new(),
    };
    turn.insert("content".into(), [media, said].concat().into());
    Ok(())
}

/// Whether a message has something in it.
fn says_something(message: &Map<String, Value>) -> bool {
    ["content", "reasoning", "reasoning_content", "thinking", "tool_calls", "tool_responses"]
        .iter()
        .any(|name| message.get(*name).is_some_and(|value| !counts::is_empty(value)))
}

/// Returns the chat of a row's turns. Fields that are not used are added to `ignored`.
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
    let mut called = Called::default();
    let has_media = !listed.is_empty();
    for turn in authored(turns)? {
        for mut message in messages(turn)? {
            let is_of = |role: &str| message.get("role").is_some_and(|it| it == role);
            let (is_question, is_answer) = (is_of("user"), is_of("assistant"));
            let is_learned = counts::of_message(&mut message, is_answer)?;
            let was_learned = context.last().is_none_or(|last| last + 1 != all.len());
            if let Some(calls) = only_calls(&message)
                && let Some(before) = all.last_mut().and_then(Value::as_object_mut)
                && let Some(all_calls) = only_calls(before)
            {
                // Calls that nothing stands between are made at once, and responses follow all of them.
                if is_learned != was_learned {
                    return Err(Reason::Joined);
                }
                let joined = [all_calls, calls].concat();
                before.insert("tool_calls".into(), joined.into());
                called.take(before)?;
                continue;
            }
            called.take(&mut message)?;
            if !is_learned && is_answer {
                context.push(all.len());
            }
            if is_answer {
                answers.push(all.len());
            }
            // Pictures beside the messages may be all that is asked.
            let must_speak = is_answer || (is_question && !has_media);
            if must_speak && !says_something(&message) {
                return Err(Reason::Field { field: "content".to_owned(), what: FieldFault::Empty });
            }
            ignored.extend(unused(&message, &FIELDS)?);
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

/// Turns that are only texts, with their authors: the user begins. Others stay as they are.
///
/// # Errors
/// When one says nothing, or nobody answers.
fn authored(turns: Vec<Value>) -> Result<Vec<Value>, Reason> {
    if turns.iter().all(|turn| said_by(turn).is_some()) {
        return Ok(turns.iter().filter_map(said_by).collect());
    }
    let is_pair = |turn: &Value| turn.as_array().is_some_and(|pair| pair.len() == 2);
    let turns = if turns.iter().all(is_pair) {
        turns.into_iter().flat_map(|turn| turn.as_array().cloned().unwrap_or_default()).collect()
    } else {
        turns
    };
    let Some(texts) = turns.iter().map(Value::as_str).collect::<Option<Vec<_>>>() else { return Ok(turns) };
    if texts.len() < 2 {
        return Err(wrong("messages"));
    }
    // Each may begin with who says it.
    let named: Option<Vec<_>> = texts
        .iter()
        .map(|text| text.split_once(':').and_then(|(name, said)| Some((role(name)?, said.trim_start()))))
        .collect();
    let said = named.unwrap_or_else(|| ["user", "assistant"].into_iter().cycle().zip(texts).collect());
    if said.iter().any(|(_, text)| text.trim().is_empty()) {
        return Err(Reason::Field { field: "messages".to_owned(), what: FieldFault::Empty });
    }
    Ok(said.into_iter().map(|(role, text)| json!({"role": role, "content": text})).collect())
}

/// The message that a list of an author and a text is.
pub(super) fn said_by(turn: &Value) -> Option<Value> {
    let [author, text] = turn.as_array()?.as_slice() else { return None };
    let role = role(author.as_str()?).filter(|_| text.is_string())?;
    Some(json!({"role": role, "content": text}))
}

/// Returns the calls of an answer that says nothing besides.
fn only_calls(message: &Map<String, Value>) -> Option<Vec<Value>> {
    let is_silent = ["content", "reasoning", "reasoning_content", "thinking"]
        .iter()
        .all(|name| message.get(*name).is_none_or(counts::is_empty));
    let calls = message.get("tool_calls").filter(|_| is_silent)?.as_array()?;
    (!calls.is_empty()).then(|| calls.clone())
}

/// The names of fields that say something and are not among those that are read.
///
/// # Errors
/// When one of them says what not to train on.
pub(super) fn unused(object: &Map<String, Value>, read: &[&str]) -> Result<Vec<String>, Reason> {
    let says = |(name, value): &(&String, &Value)| !read.contains(&name.as_str()) && !counts::is_empty(value);
    let unread = |(name, value): (&String, &Value)| counts::of_unread(value).map(|()| name.clone());
    object.iter().filter(says).map(unread).collect()
}
