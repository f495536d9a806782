//! The names of fields and columns in training data.

use serde_json::{Map, Value};

use super::{FieldFault, Reason, counts};

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
const CONTEXTS: [&str; 9] = [
    "input",
    "context",
    "passage",
    "paragraph",
    "document",
    "article",
    "background",
    "knowledge",
    "evidence",
];
/// Names of a question below an instruction.
const QUESTIONS: [&str; 3] = ["question", "query", "problem"];
/// Names of the texts that an answer chooses from, or of the first of them.
pub(super) const CHOICES: [&str; 8] =
    ["choices", "options", "a", "opa", "option_a", "optiona", "choice_a", "option1"];
/// Names that tell a better answer from a worse one begin with the first, or have the second in them.
const PREFERENCE: [&str; 2] = ["chosen", "rejected"];
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
    /// Returns those of names that are there.
    pub fn of(has: impl Fn(&str) -> bool) -> Option<Self> {
        let (prompt, usual) = PROMPTS.into_iter().find(|(prompt, _)| has(prompt))?;
        let answer = std::iter::once(usual).chain(ANSWERS).find(|answer| has(answer))?;
        Some(Self { prompt, answer })
    }

    /// The names of what the question is about.
    pub fn contexts(self, has: impl Fn(&str) -> bool) -> Vec<&'static str> {
        let questions = QUESTIONS.into_iter().filter(|_| self.prompt == "instruction");
        CONTEXTS.into_iter().chain(questions).filter(|name| *name != self.prompt && has(name)).collect()
    }
}

/// Returns the name of instructions that is there.
pub(super) fn system(has: impl Fn(&str) -> bool) -> Option<&'static str> {
    SYSTEMS.into_iter().find(|name| has(name))
}

/// A question with what it is about, whose fields are removed.
///
/// # Errors
/// When one of them is no text.
pub(super) fn about(
    question: String,
    sides: Sides,
    object: &mut Map<String, Value>,
) -> Result<String, Reason> {
    let contexts = sides.contexts(|name| object.get(name).is_some_and(|value| !counts::is_empty(value)));
    let mut texts = vec![question];
    for name in contexts {
        texts.push(text(object.shift_remove(name).unwrap_or_default(), name)?);
    }
    texts.retain(|text| !text.trim().is_empty());
    Ok(texts.join("\n\n"))
}

/// Whether a field of this name, in lowercase, has one of two answers that are compared.
pub(super) fn is_preference(name: &str) -> bool {
    name.starts_with(PREFERENCE[0]) || name.contains(PREFERENCE[1])
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
