//! Calls of tools and their responses, as data sets write them.
//!
//! Chat APIs have calls beside the text of an answer. ShareGPT has turns of their own, `function_call` and
//! `observation`; Hermes marks both in the texts, with `<tool_call>` and `<tool_response>`.

use serde_json::{Map, Value, json};

use super::{FieldFault, Reason, named};

/// Names of what a tool is called with, besides `arguments`.
const ARGUMENTS: [&str; 3] = ["parameters", "args", "input"];

/// Returns whether a turn of this author, whose name is in lowercase, calls tools and does nothing else.
pub(super) fn is_call(author: &str) -> bool {
    matches!(author, "function_call" | "functioncall" | "tool_call" | "tool_calls")
}

/// Returns whether a turn of this author, whose name is in lowercase, is the response of a tool.
pub(super) fn is_response(author: &str) -> bool {
    // OpenAI's former name, ShareGPT's, and those of other programs.
    const NAMES: [&str; 7] =
        ["tool", "function", "observation", "function_response", "tool_response", "tool_output", "ipython"];
    NAMES.contains(&author)
}

/// Calls, each as chat APIs have it: one or a list, which may be spelled in a text. `field` is where they are.
///
/// # Errors
/// When they are anything else.
pub(super) fn calls(value: Value, field: &str) -> Result<Vec<Value>, Reason> {
    let wrong = || Reason::Field { field: field.to_owned(), what: FieldFault::Malformed };
    match value {
        Value::String(text) => match serde_json::from_str(text.trim()).map_err(|_| wrong())? {
            Value::String(_) => Err(wrong()),
            value => calls(value, field),
        },
        Value::Array(values) => {
            let all = values.into_iter().map(|value| match value {
                Value::Array(_) => Err(wrong()),
                value => calls(value, field),
            });
            Ok(all.collect::<Result<Vec<_>, _>>()?.concat())
        }
        Value::Object(call) => call_of(call).map(|call| vec![call]).ok_or_else(wrong),
        _ => Err(wrong()),
    }
}

fn call_of(mut call: Map<String, Value>) -> Option<Value> {
    let function = match call.get_mut("function") {
        Some(Value::Object(function)) => function,
        Some(_) => return None,
        None => &mut call,
    };
    function.get("name").filter(|name| name.is_string())?;
    if !function.contains_key("arguments")
        && let Some(arguments) = ARGUMENTS.iter().find_map(|name| function.shift_remove(*name))
    {
        function.insert("arguments".into(), arguments);
    }
    Some(Value::Object(call))
}

/// Returns the text of an answer without the calls that it marks, and the calls. `None` if it marks none, or one that cannot be
/// read.
pub(super) fn marked_calls(text: &str) -> Option<(String, Vec<Value>)> {
    let (rest, blocks) = blocks(text, "<tool_call>", "</tool_call>")?;
    let all: Result<Vec<_>, _> =
        blocks.iter().map(|block| calls(Value::String((*block).to_owned()), "content")).collect();
    Some((rest, all.ok()?.concat()))
}

/// Returns the responses that a text marks, each as the message of a tool. `None` if it marks none, or says more.
pub(super) fn marked_responses(text: &str) -> Option<Vec<Map<String, Value>>> {
    let (rest, blocks) = blocks(text, "<tool_response>", "</tool_response>")?;
    rest.is_empty().then(|| blocks.into_iter().map(response).collect())
}

fn response(block: &str) -> Map<String, Value> {
    let mut message = Map::from_iter([("role".to_owned(), json!("tool"))]);
    let (name, content) = match serde_json::from_str(block) {
        Ok(Value::Object(mut object)) if object.contains_key("name") && object.contains_key("content") => {
            (object.shift_remove("name"), object.shift_remove("content").unwrap_or_default())
        }
        Ok(value @ Value::Object(_)) => (None, value),
        _ => (None, block.into()),
    };
    if let Some(name) = name.filter(Value::is_string) {
        message.insert("name".into(), name);
    }
    message.insert("content".into(), said(content));
    message
}

/// What a tool has said, as the content of its message: a text, an object, or parts.
pub(super) fn said(content: Value) -> Value {
    let is_part = |value: &Value| value.as_object().is_some_and(|part| named::kind(part).is_some());
    match content {
        Value::Array(values) if !values.iter().all(is_part) => Value::Array(values).to_string().into(),
        value @ (Value::Number(_) | Value::Bool(_)) => value.to_string().into(),
        value => value,
    }
}

/// What is between marks, and the text around them. `None` if there are no marks, or an end is missing.
fn blocks<'a>(text: &'a str, open: &str, close: &str) -> Option<(String, Vec<&'a str>)> {
    let (mut around, mut blocks, mut rest) = (Vec::new(), Vec::new(), text);
    while let Some((before, behind)) = rest.split_once(open) {
        let (block, behind) = behind.split_once(close)?;
        around.push(before.trim());
        blocks.push(block.trim());
        rest = behind;
    }
    around.push(rest.trim());
    around.retain(|text| !text.is_empty());
    (!blocks.is_empty()).then(|| (around.join("\n"), blocks))
}

/// Whom responses belong to while the messages of a chat are read.
#[derive(Debug, Default)]
pub(super) struct Called {
    /// The names of the tools that the last answer called.
    names: Vec<String>,
    /// The ids of these calls.
    ids: Vec<Value>,
    /// How many have responded.
    responses: usize,
}

impl Called {
    /// Takes note of a message. A response that names neither its call nor its tool belongs to the next call.
    ///
    /// # Errors
    /// When it is a response to a call that was not made: no prompt can have it.
    pub fn take(&mut self, message: &mut Map<String, Value>) -> Result<(), Reason> {
        if message.get("role").and_then(Value::as_str) != Some("tool") {
            let calls = message.get("tool_calls").and_then(Value::as_array);
            let name = |call: &Value| {
                let name = call.get("function").unwrap_or(call).get("name");
                name.and_then(Value::as_str).unwrap_or_default().to_owned()
            };
            self.names = calls.into_iter().flatten().map(name).collect();
            self.ids = calls.into_iter().flatten().filter_map(|call| call.get("id").cloned()).collect();
            self.responses = 0;
            return Ok(());
        }
        let wrong = |field: &str| Reason::Field { field: field.to_owned(), what: FieldFault::Malformed };
        let last = self.names.len().checked_sub(1).ok_or_else(|| wrong("tool"))?;
        let is_other = |id: &Value| id != "" && !self.ids.is_empty() && !self.ids.contains(id);
        if message.get("tool_call_id").is_some_and(is_other) && !message.contains_key("name") {
            return Err(wrong("tool_call_id"));
        }
        if !message.contains_key("tool_call_id") {
            let next = &self.names[self.responses.min(last)];
            message.entry("name").or_insert_with(|| next.clone().into());
            // Else it would be taken for the last call.
            message.insert("tool_call_id".into(), "".into());
        }
        self.responses += 1;
        Ok(())
    }
}
