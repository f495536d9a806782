//! Chat template: messages to prompt, and the answer's tokens back to text, thoughts and tool calls.
//!
//! [`render`] writes what the public Gemma 4 chat template writes, character for character, without a template
//! engine, as a list of [`Segment`]s: control tokens apart from text. [`Prompt::encode`] makes ids of them and never
//! reads control tokens out of a text, so nobody can end a turn by typing `<turn|>`.
//!
//! [`AnswerParser`] works on token ids, where control tokens cannot be mistaken for text either.

mod call;
mod message;
mod notation;
mod parse;
mod prompt;
mod render;
mod stop;

pub use call::{CallError, ToolCallText};
pub use message::{Content, Conversation, Message, Part, Role, Tool, ToolCall, ToolResponse};
pub use parse::{AnswerParser, Piece};
pub use prompt::{KnownCounts, Prompt, PromptError, Segment};
pub use render::{RenderOptions, Variant, render};
pub use stop::StopStrings;
