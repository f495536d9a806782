//! A conversation as the template reads it: the JSON shape that chat APIs share, with what Gemma adds.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::{Map, Value};

/// Messages and the tools that the model may call.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Conversation {
    /// In order of time.
    pub messages: Vec<Message>,
    /// In the order in which they are declared; JSON may say `null`.
    #[serde(default, deserialize_with = "null_as_default")]
    pub tools: Vec<Tool>,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions for the whole conversation.
    System,
    /// The same under its newer name.
    Developer,
    /// The person.
    User,
    /// The model.
    #[serde(alias = "model")]
    Assistant,
    /// The answer of a tool, which belongs to the calls of the assistant message before it.
    Tool,
}

/// One message. Build it with [`Message::new`], [`Message::tool`] and struct update.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    #[serde(default)]
    pub content: Content,
    /// The model's thought before it spoke, without its tags.
    #[serde(default, alias = "reasoning_content", alias = "thinking")]
    pub reasoning: Option<String>,
    /// Tools that the model called in this message.
    #[serde(default, deserialize_with = "null_as_default")]
    pub tool_calls: Vec<ToolCall>,
    /// Answers of tools given with the calls, in place of [`Role::Tool`] messages.
    #[serde(default, deserialize_with = "null_as_default")]
    pub tool_responses: Vec<ToolResponse>,
    /// For [`Role::Tool`]: the tool's name, unless `tool_call_id` finds it.
    #[serde(default)]
    pub name: Option<String>,
    /// For [`Role::Tool`]: the [`ToolCall::id`] that is answered. As in the public template, "no id" is an id too: it
    /// finds the last call that has none.
    #[serde(default)]
    pub tool_call_id: Option<String>,
}

impl Message {
    /// A message without calls or thoughts.
    #[must_use]
    pub fn new(role: Role, content: impl Into<Content>) -> Self {
        Self {
            role,
            content: content.into(),
            reasoning: None,
            tool_calls: Vec::new(),
            tool_responses: Vec::new(),
            name: None,
            tool_call_id: None,
        }
    }

    /// The answer of the tool `name`, tied to the calls before it by name alone.
    #[must_use]
    pub fn tool(name: impl Into<String>, content: impl Into<Content>) -> Self {
        // An id that no call has: otherwise a call without id would lend its name.
        let unmatched = Some(String::new());
        Self { name: Some(name.into()), tool_call_id: unmatched, ..Self::new(Role::Tool, content) }
    }
}

/// What a message says.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Content {
    /// Nothing: `null`, or left out.
    #[default]
    None,
    /// Text.
    Text(String),
    /// Pieces in order.
    Parts(Vec<Part>),
    /// A JSON object: what a tool answered. Empty in messages of other roles.
    Object(Map<String, Value>),
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Vec<Part>> for Content {
    fn from(parts: Vec<Part>) -> Self {
        Self::Parts(parts)
    }
}

/// A piece of a message. The bytes of media travel elsewhere; here only their place counts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    #[serde(alias = "image_url")]
    Image,
    /// Sound.
    #[serde(alias = "input_audio")]
    Audio,
    /// A sequence of pictures.
    Video,
    /// A type that the template does not know and leaves out.
    #[serde(other)]
    Other,
}

impl Part {
    /// A piece of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCall {
    /// Ties answers to calls.
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// Its arguments by name.
    pub arguments: Map<String, Value>,
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ToolResponse {
    /// The tool's name; `unknown` where it is left out.
    #[serde(default, deserialize_with = "null_as_default")]
    pub name: String,
    /// The answer.
    #[serde(default)]
    pub response: Value,
}

/// A tool that the model may call.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON schema of its arguments: an object type, or null.
    pub parameters: Value,
    /// JSON schema of its answer.
    pub response: Option<Value>,
}

#[derive(Deserialize)]
struct FunctionOfCall {
    #[serde(default)]
    id: Option<String>,
    name: String,
    #[serde(default)]
    arguments: Value,
}

#[derive(Deserialize)]
struct FunctionOfTool {
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    parameters: Value,
    #[serde(default, deserialize_with = "present")]
    response: Option<Value>,
}

/// Both `{"type": "function", "function": {…}}` and the inner object alone are in use.
#[derive(Deserialize)]
#[serde(untagged)]
enum Wrapped<F> {
    Nested { id: Option<String>, function: F },
    Flat(F),
}

impl<'de> Deserialize<'de> for ToolCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (id, function) = match Wrapped::<FunctionOfCall>::deserialize(deserializer)? {
            Wrapped::Nested { id, function } => (id, function),
            Wrapped::Flat(function) => (function.id.clone(), function),
        };
        let not_an_object = || {
            D::Error::custom(format_args!(
                "the arguments of the call of {} are no JSON object",
                function.name
            ))
        };
        let arguments = match function.arguments {
            Value::Null => Map::new(),
            Value::Object(arguments) => arguments,
            Value::String(ref text) if text.trim().is_empty() => Map::new(),
            Value::String(ref text) => serde_json::from_str(text).map_err(|_| not_an_object())?,
            _ => return Err(not_an_object()),
        };
        Ok(Self { id, name: function.name, arguments })
    }
}

impl<'de> Deserialize<'de> for Tool {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let function = match Wrapped::<FunctionOfTool>::deserialize(deserializer)? {
            Wrapped::Nested { function, .. } | Wrapped::Flat(function) => function,
        };
        Ok(Self {
            name: function.name,
            description: function.description.unwrap_or_default(),
            parameters: function.parameters,
            response: function.response,
        })
    }
}

fn null_as_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Tells a key that is `null` from one that is left out.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
