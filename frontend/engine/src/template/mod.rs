//! Chat template: from messages to a prompt, and from the answer's tokens to text, thoughts and tool calls.
//!
//! [`render`] produces exactly the same text as the public chat templates of Gemma 4 and Gemma 3, without a template
//! engine, as a list of [`Segment`]s that separates control tokens from text. [`Prompt::encode`] converts it to ids and
//! never parses control tokens in text, so nobody can end a turn by typing `<turn|>`.
//!
//! [`AnswerParser`] works on token ids, so text cannot be mistaken for control tokens there either.

mod call;
mod gemma3;
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
