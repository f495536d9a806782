//! The names of fields and columns in training data.

use serde_json::Value;

use super::{FieldFault, Reason};

/// Names of a list of messages.
pub(super) const CHATS: [&str; 9] =
    ["messages", "conversations", "conversation", "contents", "dialogue", "dialog", "chat", "turns", "items"];

/// Names of a question, each with the answer that usually goes with it.
pub(super) const PROMPTS: [(&str, &str); 9] = [
    ("prompt", "completion"),
    ("instruction", "output"),
    ("question", "answer"),
    ("query", "response"),
    ("problem", "solution"),
    ("input", "output"),
    ("inputs", "targets"),
    ("user", "assistant"),
    ("human", "assistant"),
];

/// Names of an answer.
pub(super) const ANSWERS: [&str; 11] = [
    "completion",
    "response",
    "output",
    "outputs",
    "solution",
    "answer",
    "assistant",
    "target",
    "targets",
    "bot",
    "gpt",
];

/// Names of what a question is about.
const CONTEXTS: [&str; 2] = ["input", "context"];
/// Names of instructions for the whole chat.
const SYSTEMS: [&str; 4] = ["system", "system_prompt", "system_message", "systeminstruction"];
/// Names of the thought before an answer.
pub(super) const THOUGHTS: [&str; 3] = ["reasoning", "reasoning_content", "thinking"];

/// The names of a question and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sides {
    pub prompt: &'static str,
    pub answer: &'static str,
}

impl Sides {
    /// Those of names that are there.
    pub fn of(has: impl Fn(&str) -> bool) -> Option<Self> {
        let (prompt, usual) = PROMPTS.into_iter().find(|(prompt, _)| has(prompt))?;
        let answer = std::iter::once(usual).chain(ANSWERS).find(|answer| has(answer))?;
        Some(Self { prompt, answer })
    }

    /// The name of what the question is about.
    pub fn context(self, has: impl Fn(&str) -> bool) -> Option<&'static str> {
        CONTEXTS.into_iter().find(|name| *name != self.prompt && has(name))
    }
}

/// The name of instructions that is there.
pub(super) fn system(has: impl Fn(&str) -> bool) -> Option<&'static str> {
    SYSTEMS.into_iter().find(|name| has(name))
}

/// A question with what it is about.
pub(super) fn about(question: String, context: Option<&str>) -> String {
    match context {
        Some(context) if question.trim().is_empty() => context.to_owned(),
        Some(context) => format!("{question}\n\n{context}"),
        None => question,
    }
}

/// Returns a text or a number as text.
///
/// # Errors
/// [`FieldFault::NotText`] for anything else.
pub(super) fn text(value: Value, key: &str) -> Result<String, Reason> {
    match value {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        _ => Err(Reason::Field { field: key.to_owned(), what: FieldFault::NotText }),
    }
}
