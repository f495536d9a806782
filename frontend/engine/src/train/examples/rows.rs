//! The formats of JSON rows.

use serde_json::{Map, Value, json};

use super::counts::{self, Counts};
use super::fields::{ANSWERS, CHATS, CHOICES, PROMPTS, Sides, THOUGHTS, about, is_preference, system, text};
use super::messages::{self, Beside};
use super::named::Listed;
use super::{Content, FieldFault, Reason};

/// The supported formats, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// `{"ids": […], "labels": […]}`; `input_ids` also works for `ids`, and a mask such as `loss_mask` for `labels`.
    Ids,
    /// A list of messages under one of the names in use, or only the list: `{"role", "content"}` of chat APIs,
    /// `{"from", "value"}` of ShareGPT, `{"role", "parts"}` of Gemini, a question with its answer, or texts in turn.
    /// Calls of tools and their responses may be turns. `tools` and `system` may stand beside it. A content may be a list of parts: `{"type": "text", "text": …}`, `{"type":
    /// "image", "image": "cat.png"}`, `{"type": "audio", "audio": …}`. Parts without a name use `images` and `audios`
    /// next to the messages.
    Messages,
    /// A question and its answer; what the question is about, instructions and earlier turns are optional.
    Pair,
}

/// Parses a JSON row. Fields that are not used are added to `ignored`.
pub(super) fn row(value: Value, ignored: &mut Vec<String>) -> Result<Content, Reason> {
    let given = match value {
        Value::Object(object) => object,
        Value::Array(turns) => return messages::chat(turns, Beside::default(), ignored),
        _ => return Err(Reason::Unknown),
    };
    // Names are the same in capitals, unless a row has both.
    let mut object = Map::new();
    let (plain, capital): (Vec<_>, Vec<_>) = given
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .partition(|(name, _)| *name == name.to_lowercase());
    for (name, value) in plain.into_iter().chain(capital) {
        let lower = name.trim().to_lowercase();
        // Rules are told in any spelling, of which capitals are a part.
        let name = if object.contains_key(&lower) || counts::is_rule(&name) { name } else { lower };
        object.insert(name, value);
    }
    if object.keys().any(|name| is_preference(&name.to_lowercase())) {
        return Err(Reason::Preference);
    }
    rename(&mut object);
    let mut counts = Counts::take(&mut object)?;
    let kind = kind(&object, &counts).ok_or_else(|| unknown(&object))?;
    let content = match kind {
        RowKind::Ids => ids(&mut object, std::mem::take(&mut counts.each)),
        RowKind::Messages => {
            let turns = CHATS.into_iter().find(|name| object.contains_key(*name)).ok_or(Reason::Unknown)?;
            let turns = array(&mut object, turns)?;
            let beside = beside(&mut object, counts)?;
            messages::chat(turns, beside, ignored)
        }
        RowKind::Pair => pair(&mut object, counts, ignored),
    }?;
    ignored.extend(messages::unused(&object, &[])?);
    Ok(content)
}

fn kind(object: &Map<String, Value>, counts: &Counts) -> Option<RowKind> {
    let has = |key: &str| object.contains_key(key);
    if (has("labels") || !counts.each.is_empty()) && (has("ids") || has("input_ids")) {
        Some(RowKind::Ids)
    } else if CHATS.into_iter().any(has) {
        Some(RowKind::Messages)
    } else {
        Sides::of(has).map(|_| RowKind::Pair)
    }
}

/// Why an object is not a valid row.
fn unknown(object: &Map<String, Value>) -> Reason {
    let has = |key: &str| object.contains_key(key);
    let half = |found: &'static str, missing: &'static str| Reason::Half { found, missing };
    if messages::is_message(&Value::Object(object.clone())) {
        return Reason::SingleMessage;
    }
    if let Some((prompt, answer)) = PROMPTS.into_iter().find(|(prompt, _)| has(prompt)) {
        return half(prompt, answer);
    }
    match ANSWERS.into_iter().find(|answer| has(answer)) {
        Some(found) => {
            let usual = PROMPTS.into_iter().find(|(_, answer)| *answer == found);
            half(found, usual.map_or("prompt", |(prompt, _)| prompt))
        }
        None if has("text") => Reason::TextAlone,
        None => Reason::Unknown,
    }
}

/// What stands beside the turns of a row.
fn beside(object: &mut Map<String, Value>, counts: Counts) -> Result<Beside, Reason> {
    let listed = Listed::take(object)?;
    let system = match system(|name| object.contains_key(name)) {
        Some(name) => instructions(object.shift_remove(name).unwrap_or_default(), name)?,
        None => String::new(),
    };
    let tools =
        ["tools", "functions"].into_iter().find_map(|name| object.shift_remove(name)).unwrap_or_default();
    Ok(Beside { system, tools, listed, counts })
}

/// Instructions: a text, or Gemini's list of parts.
fn instructions(value: Value, field: &str) -> Result<String, Reason> {
    let parts = match &value {
        Value::Object(object) => object.get("parts").and_then(Value::as_array),
        value => value.as_array(),
    };
    let Some(parts) = parts else { return text(value, field) };
    let texts = parts.iter().map(|part| part.get("text").and_then(Value::as_str));
    let texts: Option<Vec<_>> = texts.collect();
    let wrong = || Reason::Field { field: field.to_owned(), what: FieldFault::NotText };
    texts.map(|texts| texts.join("\n")).ok_or_else(wrong)
}

fn pair(
    object: &mut Map<String, Value>,
    counts: Counts,
    ignored: &mut Vec<String>,
) -> Result<Content, Reason> {
    let sides = Sides::of(|name| object.contains_key(name)).ok_or(Reason::Unknown)?;
    let prompt = spelled_chat(object.shift_remove(sides.prompt).unwrap_or_default(), sides.prompt)?;
    let answer = spelled_chat(object.shift_remove(sides.answer).unwrap_or_default(), sides.answer)?;
    // What an index or a letter chooses from would be missing.
    let is_choice = answer.is_number() || answer.as_str().is_some_and(|text| text.trim().len() == 1);
    let is_said = |name: &&str| object.get(*name).is_some_and(|value| !counts::is_empty(value));
    let choices = CHOICES.into_iter().find(is_said);
    if let Some(choices) = choices.filter(|_| is_choice) {
        return Err(Reason::Field { field: choices.to_owned(), what: FieldFault::Malformed });
    }
    let mut turns = history(object)?;
    let beside = beside(object, counts)?;
    match prompt {
        Value::Array(messages) => turns.extend(messages),
        prompt => {
            let prompt = about(text(prompt, sides.prompt)?, sides, object)?;
            // An image alone is a valid question.
            if prompt.trim().is_empty() && beside.listed.is_empty() {
                return Err(Reason::Field { field: sides.prompt.to_owned(), what: FieldFault::Empty });
            }
            turns.push(json!({"role": "user", "content": prompt}));
        }
    }
    match answer {
        Value::Array(messages) if messages.iter().all(messages::is_message) => turns.extend(messages),
        answer => {
            let answer = text(answer, sides.answer)?;
            if answer.trim().is_empty() {
                return Err(Reason::Field { field: sides.answer.to_owned(), what: FieldFault::Empty });
            }
            let mut turn =
                Map::from_iter([("role".into(), "assistant".into()), ("content".into(), answer.into())]);
            if let Some(name) = THOUGHTS.into_iter().find(|name| object.contains_key(*name)) {
                turn.insert(
                    "reasoning".into(),
                    text(object.shift_remove(name).unwrap_or_default(), name)?.into(),
                );
            }
            turns.push(Value::Object(turn));
        }
    }
    messages::chat(turns, beside, ignored)
}

/// A side of a pair that spells a list of messages, as that list.
///
/// # Errors
/// When it seems to be one, but cannot be read, as Python writes it.
fn spelled_chat(value: Value, field: &str) -> Result<Value, Reason> {
    let Some(text) = value.as_str().map(str::trim).filter(|text| text.starts_with('[')) else {
        return Ok(value);
    };
    let begin: String = text.chars().filter(|it| !it.is_whitespace()).take(12).collect();
    let is_chat = ["role", "content", "from"].iter().any(|name| {
        begin.starts_with(&format!("[{{\"{name}\":")) || begin.starts_with(&format!("[{{'{name}':"))
    });
    if !is_chat {
        return Ok(value);
    }
    serde_json::from_str(text)
        .map_err(|_| Reason::Field { field: field.to_owned(), what: FieldFault::NotAList })
}

/// Names that data sets have, as they are read here: the dialogue of UltraChat, and the answers of SQuAD, of which the
/// first counts.
fn rename(object: &mut Map<String, Value>) {
    let is_dialogue =
        |value: &Value| value.as_array().is_some_and(|texts| texts.iter().all(Value::is_string));
    if object.get("data").is_some_and(is_dialogue)
        && let Some(data) = object.shift_remove("data")
    {
        object.entry("dialogue").or_insert(data);
    }
    let first = object.get("answers").and_then(|answers| answers.get("text")?.get(0)).cloned();
    if let Some(first) = first
        && !object.contains_key("answer")
    {
        object.shift_remove("answers");
        object.insert("answer".into(), first);
    }
}

/// Earlier turns beside a question: pairs of texts, or messages.
fn history(object: &mut Map<String, Value>) -> Result<Vec<Value>, Reason> {
    if object.get("history").is_none_or(counts::is_empty) {
        object.shift_remove("history");
        return Ok(Vec::new());
    }
    let mut turns = Vec::new();
    for turn in array(object, "history")? {
        match turn {
            Value::Array(pair) => {
                let [ask, answer] = <[Value; 2]>::try_from(pair).map_err(|_| Reason::Field {
                    field: "history".to_owned(),
                    what: FieldFault::Malformed,
                })?;
                turns.push(json!({"role": "user", "content": text(ask, "history")?}));
                turns.push(json!({"role": "assistant", "content": text(answer, "history")?}));
            }
            turn => turns.push(turn),
        }
    }
    Ok(turns)
}

fn ids(object: &mut Map<String, Value>, masks: Vec<(String, Vec<bool>)>) -> Result<Content, Reason> {
    let numbers = |object: &mut Map<String, Value>, key: &str| {
        let values = array(object, key)?;
        let number = |value: &Value| {
            let wrong = || Reason::Field { field: key.to_owned(), what: FieldFault::NotIntegers };
            value.as_i64().ok_or_else(wrong)
        };
        values.iter().map(number).collect::<Result<Vec<_>, _>>()
    };
    let ids = numbers(object, if object.contains_key("ids") { "ids" } else { "input_ids" })?;
    let mut labels = if object.contains_key("labels") { numbers(object, "labels")? } else { ids.clone() };
    for (field, mask) in masks {
        if mask.len() != labels.len() {
            return Err(Reason::Field { field, what: FieldFault::Malformed });
        }
        for (label, _) in labels.iter_mut().zip(mask).filter(|(_, counts)| !counts) {
            *label = i64::from(crate::train::MASKED);
        }
    }
    object.shift_remove("attention_mask");
    Ok(Content::Ids { ids, labels })
}

/// Returns a list, or one that is spelled in a text.
fn array(object: &mut Map<String, Value>, key: &str) -> Result<Vec<Value>, Reason> {
    let wrong = || Reason::Field { field: key.to_owned(), what: FieldFault::NotAList };
    match object.shift_remove(key) {
        Some(Value::Array(values)) => Ok(values),
        Some(Value::String(text)) => serde_json::from_str(&text).map_err(|_| wrong()),
        _ => Err(wrong()),
    }
}
