//! What an answer may be: JSON of a schema, or calls of declared tools. For the beginning of an answer, the tokens that may
//! come next.
//!
//! A [`Grammar`] is made from a schema or from declarations, and refuses what it can't enforce by its path. With a
//! [`Vocabulary`] it becomes a [`Prefix`], which takes tokens one by one and says which may follow. An [`Answer`] is a whole
//! turn of the model: thoughts, text and calls.
//!
//! The grammars are walked by [llguidance](https://github.com/guidance-ai/llguidance). A token is allowed if some answer
//! begins with what is written and the bytes of the token, however they are tokenized.

mod answer;
mod bounds;
mod calls;
mod error;
mod formats;
mod json;
mod prefix;
mod schema;
mod vocabulary;

pub use answer::{Answer, Format};
pub use calls::Tool;
pub use error::{GrammarError, Refusal};
pub use json::Whitespace;
pub use prefix::{Grammar, Prefix};
pub use vocabulary::{Markers, Mask, Vocabulary};
