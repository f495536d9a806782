//! Gemma's notation for tools: values, and declarations from JSON schemas.
//!
//! Strings are between `<|"|>` tokens; keys are unquoted and sorted case-insensitively; there is no white space.
//! For unusual schemas (a type that is a list), the output is that of the public template, because the model was trained
//! with it; only the braces that it leaves open, of parameters without a type and of responses that are no objects, are
//! closed.

use serde_json::{Map, Value};

use crate::tokenizer::special::QUOTE;

use super::message::Tool;
use super::prompt::Prompt;

/// How keys of nested objects are written: quoted in schemas, unquoted in arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keys {
    Bare,
    Quoted,
}

/// The members of an object, without braces.
pub(super) fn members(prompt: &mut Prompt, object: &Map<String, Value>, keys: Keys) {
    for (index, (key, value)) in sorted(object).into_iter().enumerate() {
        if index > 0 {
            prompt.text(",");
        }
        match keys {
            Keys::Bare => prompt.text(key),
            Keys::Quoted => quoted(prompt, key),
        }
        prompt.text(":");
        argument(prompt, value, keys);
    }
}

/// A value.
pub(super) fn argument(prompt: &mut Prompt, value: &Value, keys: Keys) {
    match value {
        Value::Null => prompt.text("null"),
        Value::Bool(value) => prompt.text(if *value { "true" } else { "false" }),
        Value::Number(_) => prompt.text(&plain(value)),
        Value::String(text) => quoted(prompt, text),
        Value::Array(items) => list(prompt, items, |prompt, item| argument(prompt, item, keys)),
        Value::Object(object) => {
            prompt.text("{");
            members(prompt, object, keys);
            prompt.text("}");
        }
    }
}

/// `declaration:NAME{…}`.
pub(super) fn declaration(prompt: &mut Prompt, tool: &Tool) {
    prompt.text("declaration:");
    prompt.text(&tool.name);
    prompt.text("{description:");
    quoted(prompt, &tool.description);
    if truthy(Some(&tool.parameters)) {
        prompt.text(",parameters:{");
        if let Some(Value::Object(listed)) = field(&tool.parameters, "properties").filter(|v| truthy(Some(v)))
        {
            prompt.text("properties:{");
            properties(prompt, listed, &[]);
            prompt.text("},");
        }
        if let Some(Value::Array(names)) = field(&tool.parameters, "required").filter(|v| truthy(Some(v))) {
            required(prompt, names);
            prompt.text(",");
        }
        if let Some(kind) = field(&tool.parameters, "type").filter(|v| truthy(Some(v))) {
            prompt.text("type:");
            quoted(prompt, &plain(kind).to_uppercase());
        }
        prompt.text("}");
    }
    if let Some(response) = &tool.response {
        prompt.text(",response:{");
        if let Some(description) = field(response, "description").filter(|v| truthy(Some(v))) {
            prompt.text("description:");
            quoted(prompt, &plain(description));
            prompt.text(",");
        }
        if type_of(response) == "OBJECT" {
            prompt.text("type:");
            quoted(prompt, "OBJECT");
        }
        prompt.text("}");
    }
    prompt.text("}");
}

/// Keys of a schema that are not property names, for objects that list their properties directly.
const SCHEMA_KEYS: [&str; 5] = ["description", "type", "properties", "required", "nullable"];

fn properties(prompt: &mut Prompt, listed: &Map<String, Value>, left_out: &[&str]) {
    let mut first = true;
    for (name, schema) in sorted(listed) {
        if left_out.contains(&name.as_str()) {
            continue;
        }
        if !std::mem::take(&mut first) {
            prompt.text(",");
        }
        prompt.text(name);
        prompt.text(":{");
        property(prompt, schema);
        prompt.text("}");
    }
}

/// The content of one property: description, then type-specific keys, then the type.
fn property(prompt: &mut Prompt, schema: &Value) {
    let kind = type_of(schema);
    if let Some(description) = field(schema, "description").filter(|v| truthy(Some(v))) {
        prompt.text("description:");
        quoted(prompt, &plain(description));
        prompt.text(",");
    }
    match kind.as_str() {
        "STRING" => {
            if let Some(choices) = field(schema, "enum").filter(|v| truthy(Some(v))) {
                prompt.text("enum:");
                argument(prompt, choices, Keys::Quoted);
                prompt.text(",");
            }
        }
        "ARRAY" => {
            if let Some(Value::Object(item)) = field(schema, "items").filter(|v| truthy(Some(v))) {
                prompt.text("items:{");
                items(prompt, item);
                prompt.text("},");
            }
        }
        _ => {}
    }
    if truthy(field(schema, "nullable")) {
        prompt.text("nullable:true,");
    }
    if kind == "OBJECT" {
        if let Some(Value::Object(listed)) = field(schema, "properties") {
            prompt.text("properties:{");
            properties(prompt, listed, &[]);
            prompt.text("},");
        } else if let Value::Object(listed) = schema {
            prompt.text("properties:{");
            properties(prompt, listed, &SCHEMA_KEYS);
            prompt.text("},");
        }
        if let Some(Value::Array(names)) = field(schema, "required").filter(|v| truthy(Some(v))) {
            required(prompt, names);
            prompt.text(",");
        }
    }
    prompt.text("type:");
    quoted(prompt, &kind);
}

/// The schema of an array's items.
fn items(prompt: &mut Prompt, item: &Map<String, Value>) {
    let set = sorted(item).into_iter().filter(|(_, value)| !value.is_null());
    for (index, (key, value)) in set.enumerate() {
        if index > 0 {
            prompt.text(",");
        }
        match (key.as_str(), value) {
            ("properties", _) => {
                prompt.text("properties:{");
                if let Value::Object(listed) = value {
                    properties(prompt, listed, &[]);
                }
                prompt.text("}");
            }
            ("required", Value::Array(names)) => required(prompt, names),
            ("type", Value::Array(kinds)) => {
                prompt.text("type:");
                list(prompt, kinds, |prompt, kind| quoted(prompt, &plain(kind).to_uppercase()));
            }
            ("type", _) => {
                prompt.text("type:");
                quoted(prompt, &plain(value).to_uppercase());
            }
            _ => {
                prompt.text(key);
                prompt.text(":");
                argument(prompt, value, Keys::Quoted);
            }
        }
    }
}

fn required(prompt: &mut Prompt, names: &[Value]) {
    prompt.text("required:");
    list(prompt, names, |prompt, name| quoted(prompt, &plain(name)));
}

fn list(prompt: &mut Prompt, items: &[Value], mut write: impl FnMut(&mut Prompt, &Value)) {
    prompt.text("[");
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            prompt.text(",");
        }
        write(prompt, item);
    }
    prompt.text("]");
}

fn quoted(prompt: &mut Prompt, text: &str) {
    prompt.special(QUOTE);
    prompt.text(text);
    prompt.special(QUOTE);
}

/// Members by their keys in lowercase; of equal ones, in the order of the object. Jinja's `dictsort`.
fn sorted(object: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut members: Vec<_> = object.iter().collect();
    members.sort_by_cached_key(|(key, _)| key.to_lowercase());
    members
}

fn field<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    value.as_object()?.get(key)
}

fn type_of(schema: &Value) -> String {
    field(schema, "type").map(plain).unwrap_or_default().to_uppercase()
}

/// Python's truthiness: not missing, null, false, zero or empty.
fn truthy(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::Bool(value)) => *value,
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Object(object)) => !object.is_empty(),
    }
}

/// Returns a value converted to text like in Python, the language of the reference.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(value) => if *value { "True" } else { "False" }.to_owned(),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(float) => python_float(float),
            None => number.to_string(),
        },
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let inner: Vec<String> = items
                .iter()
                .map(|item| match item {
                    Value::String(text) => format!("'{text}'"),
                    other => plain(other),
                })
                .collect();
            format!("[{}]", inner.join(", "))
        }
        Value::Object(_) => value.to_string(),
    }
}

/// Python's float format: shortest digits, exponents from 1e16 and below 1e-4, with a sign and at least two digits.
/// Rust's `{:?}` has the same digits and limits, but other exponents.
fn python_float(value: f64) -> String {
    let text = format!("{value:?}");
    match text.split_once('e') {
        None => text,
        Some((digits, exponent)) => {
            let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |e| ('-', e));
            format!("{digits}e{sign}{exponent:0>2}")
        }
    }
}
