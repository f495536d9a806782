//! One message and what hangs on it.

use documents::{Given, Place};
use protocol::failure::EngineFailure;
use protocol::{Failure, Finish, Role, Timings, TokenBudget, ToolCall};
use serde::{Deserialize, Serialize};

use super::AttachmentKey;

/// A message as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks: the user, the assistant or a tool. The system prompt belongs to the conversation.
    pub role: Role,
    /// What is said, in Markdown.
    #[serde(default)]
    pub text: String,
    /// The model's thought before it spoke.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thought: String,
    /// How long it thought, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought_ms: Option<u64>,
    /// Tools that the model called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// For an answer of a tool: the tool's name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// For an answer of a tool: the id of the call.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub call: String,
    /// For an answer of a tool: whether it is an error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// Pictures, sound and documents, in order, shown before the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// For a question: what of the conversation's documents the model gets with it. `None` until it is chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Given>,
    /// For an answer: the model that gave it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// Why the answer ended; `None` while it runs, and if the page went away before it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<Finish>,
    /// Figures of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timings: Option<Timings>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<AnswerError>,
    /// Whether the user changed this answer after the model gave it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
    /// Whether the model reads it also where the messages around it are left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// When it was made, in milliseconds since 1970.
    pub created: u64,
}

impl Message {
    /// A message of nothing but its role.
    #[must_use]
    pub fn empty(role: Role, now: u64) -> Self {
        Self {
            role,
            text: String::new(),
            thought: String::new(),
            thought_ms: None,
            calls: Vec::new(),
            tool: String::new(),
            call: String::new(),
            failed: false,
            attachments: Vec::new(),
            given: None,
            model: String::new(),
            finish: None,
            timings: None,
            error: None,
            edited: false,
            pinned: false,
            created: now,
        }
    }
}

/// What went wrong in an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AnswerError {
    /// As the engine told it. Its sentence is made when it is shown.
    Failed(Failure),
    /// In words, as it was kept once.
    Words(String),
    /// A failure that only a newer page knows. It stays as it is.
    Unknown(serde_json::Value),
}

impl From<Failure> for AnswerError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl AnswerError {
    /// As a failure. One of which only the words are known has them as its detail.
    #[must_use]
    pub fn failure(&self) -> Failure {
        match self {
            Self::Failed(failure) => failure.clone(),
            Self::Words(words) => Failure::new(EngineFailure::Generating).detailed(words),
            Self::Unknown(value) => Failure::new(EngineFailure::Generating).detailed(value),
        }
    }
}

/// A picture, a sound or a document that belongs to a message. Its bytes are kept apart, under `key`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// What it is.
    pub kind: AttachmentKind,
    /// Its file name, as the user knows it.
    pub name: String,
    /// Its media type, such as `image/png`.
    pub mime: String,
    /// Bytes of the file.
    pub size: u64,
    /// Where its bytes are kept.
    pub key: AttachmentKey,
    /// For a picture: most tokens that it may take.
    #[serde(default)]
    pub budget: TokenBudget,
    /// For a sound: its length in milliseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub millis: u64,
    /// For a part of a video: which, and where in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moment: Option<Moment>,
    /// For a document: how much there is of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extent: Option<Extent>,
}

impl Attachment {
    /// An attachment of which nothing else is known.
    #[must_use]
    pub fn new(
        kind: AttachmentKind,
        name: impl Into<String>,
        mime: impl Into<String>,
        key: AttachmentKey,
    ) -> Self {
        Self {
            kind,
            name: name.into(),
            mime: mime.into(),
            size: 0,
            key,
            budget: TokenBudget::default(),
            millis: 0,
            moment: None,
            extent: None,
        }
    }
}

/// A place in a video. A video is kept as pictures and a sound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// The video: the same for all parts of one.
    pub video: String,
    /// Milliseconds from its beginning.
    pub millis: u64,
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// What an attachment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AttachmentKind {
    /// A picture.
    Image,
    /// Sound.
    Audio,
    /// A document.
    Document,
}

/// How much there is of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    /// Its last page or chapter, or all of its lines, rows or paragraphs.
    pub whole: Place,
    /// About how many tokens its text takes.
    pub tokens: u32,
    /// Pages that are pictures, of which nothing was read.
    #[serde(default)]
    pub scanned: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(error: &str) -> Message {
        let json = format!(r#"{{"role":"assistant","created":1,"error":{error}}}"#);
        serde_json::from_str(&json).expect("a message")
    }

    #[test]
    fn errors_of_older_and_newer_pages_are_read_and_stay_as_they_are() {
        let failure = Failure::new(EngineFailure::Generating).detailed("there is no token 9");
        let kept = serde_json::to_string(&failure).expect("it is written");
        for (json, sentence) in [
            (kept.as_str(), "Something went wrong while generating the answer. Try again."),
            (r#""The context holds 2 048.""#, "The context holds 2 048."),
            (
                r#"{"code":{"Magic":{"wand":1}},"detail":""}"#,
                "Something went wrong while generating the answer. Try again.",
            ),
        ] {
            let message = read(json);
            let error = message.error.clone().expect("an error");
            assert_eq!(crate::failures::answer(&error), sentence);
            assert_eq!(serde_json::to_string(&error).expect("it is written"), json);
        }
        assert_eq!(read(&kept).error, Some(failure.into()));
        let words = read(r#""The context holds 2 048.""#).error.expect("an error").failure();
        assert_eq!(words.detail, "The context holds 2 048.");
    }
}
