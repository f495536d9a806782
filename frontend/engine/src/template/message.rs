//! A conversation: the JSON format of chat APIs, with Gemma's additions.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::{Map, Value};

use crate::media::Media;

/// Messages and the tools that the model may call.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Conversation {
    /// In chronological order.
    pub messages: Vec<Message>,
    /// In the order of declaration; JSON may have `null`.
    #[serde(default, deserialize_with = "null_as_default")]
    pub tools: Vec<Tool>,
}

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions for the whole conversation.
    System,
    /// The same under its newer name.
    Developer,
    /// The user.
    User,
    /// The model.
    #[serde(alias = "model")]
    Assistant,
    /// The response of a tool to a call in the assistant message before it.
    Tool,
}

/// One message. Build it with [`Message::new`], [`Message::tool`] and struct update.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Message {
    /// The author.
    pub role: Role,
    /// The content.
    #[serde(default)]
    pub content: Content,
    /// The thought before the answer, without its tags.
    #[serde(default, alias = "reasoning_content", alias = "thinking")]
    pub reasoning: Option<String>,
    /// Tools that the model called in this message.
    #[serde(default, deserialize_with = "null_as_default")]
    pub tool_calls: Vec<ToolCall>,
    /// Responses of tools included with the calls, instead of [`Role::Tool`] messages.
    #[serde(default, deserialize_with = "null_as_default")]
    pub tool_responses: Vec<ToolResponse>,
    /// For [`Role::Tool`]: the name of the tool, unless `tool_call_id` identifies it.
    #[serde(default)]
    pub name: Option<String>,
    /// For [`Role::Tool`]: the [`ToolCall::id`] that it responds to. As in the public template, a missing id
    /// matches the last call without an id.
    #[serde(default)]
    pub tool_call_id: Option<String>,
}

impl Message {
    /// Returns a message without calls or thoughts.
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

    /// Returns the response of the tool `name`, matched to the preceding calls by name only.
    pub fn tool(name: impl Into<String>, content: impl Into<Content>) -> Self {
        // An id that no call has; otherwise a call without an id would match.
        let unmatched = Some(String::new());
        Self { name: Some(name.into()), tool_call_id: unmatched, ..Self::new(Role::Tool, content) }
    }
}

/// The content of a message.
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
    /// A JSON object: the response of a tool. Ignored in messages of other roles.
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

/// A part of a message. The bytes of media are handled elsewhere; only their places are here.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    #[serde(alias = "image_url")]
    Image,
    /// Audio.
    #[serde(alias = "input_audio")]
    Audio,
    /// A sequence of images.
    Video,
    /// An unknown type, which the template ignores.
    #[serde(other)]
    Other,
}

impl Part {
    /// Returns a piece of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// Its kind of media. `None` for text.
    pub(super) fn medium(&self) -> Option<Media> {
        match self {
            Self::Image => Some(Media::Image),
            Self::Audio => Some(Media::Audio),
            Self::Video => Some(Media::Video),
            Self::Text { .. } | Self::Other => None,
        }
    }
}

/// Trims white space as defined by Python, the language of the reference.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

pub(super) fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}

/// A tool call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCall {
    /// Matches responses to calls.
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// Its arguments by name.
    pub arguments: Map<String, Value>,
}

/// The response of a tool.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ToolResponse {
    /// The tool's name; `unknown` if missing.
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
    /// Its description for the model.
    pub description: String,
    /// JSON schema of its arguments: an object type, or null.
    pub parameters: Value,
    /// JSON schema of its response.
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

/// Both `{"type": "function", "function": {…}}` and the inner object alone are accepted.
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

/// Distinguishes a key that is `null` from a missing key.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
