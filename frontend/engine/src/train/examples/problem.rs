//! Why a row cannot be used.

use thiserror::Error;

use crate::media::{Media as Kind, MediaError};

/// A row that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line on which the row begins, from 1. For conversations that come from no file: their number.
    pub line: u32,
    /// What is wrong with it.
    pub reason: Reason,
}

/// What is wrong with a row.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum Reason {
    /// It is no JSON.
    #[error("not valid JSON at column {column}: {what}")]
    Json {
        /// Where on the line, from 1.
        column: usize,
        what: JsonFault,
    },
    /// It is JSON of no kind that is known.
    #[error(
        "nothing to learn from: a row needs “messages”, “conversations”, “prompt” and “completion”, or “ids” and “labels”"
    )]
    Unknown,
    /// It is a text without a question.
    #[error(
        "“text” alone can’t be learned from: put the question in “prompt” and the answer in “completion”"
    )]
    TextAlone,
    /// A question without an answer, or an answer without a question.
    #[error("“{found}” without “{missing}”")]
    Half { found: &'static str, missing: &'static str },
    /// It is neither JSON nor a table.
    #[error(
        "this looks like plain text. Give one JSON object a line, or a table that starts with names such as “prompt,completion”"
    )]
    Prose,
    /// A field is not what its name says.
    #[error("“{field}” {what}")]
    Field { field: String, what: FieldFault },
    /// Nobody is known by that role.
    #[error("unknown role “{role}”: use system, user or assistant")]
    Role { role: String },
    /// A cell that is needed is empty, or the row has too few cells.
    #[error("the column “{column}” is empty")]
    EmptyCell { column: String },
    /// The table's row cannot be read.
    #[error("the table cannot be read here: {what}")]
    Table { what: String },
    /// There are not enough columns for a question and an answer.
    #[error("the table has fewer than two columns")]
    TooFewColumns,
    /// The table has no such column.
    #[error("the table has no column “{column}”; it has {known}")]
    NoColumn { column: String, known: String },
    /// It holds a video.
    #[error("contains a video; only images and audio can be learned from")]
    Video,
    /// A picture or a sound without a name.
    #[error("doesn’t say which file the {} is", if *media == Kind::Audio { "audio" } else { "image" })]
    Unnamed { media: Kind },
    /// It names more pictures and sounds than it has places for, or fewer.
    #[error("has {places} places for images and audio, but names {named} files")]
    Places { places: usize, named: usize },
    /// A file that it names is not there.
    #[error("the file “{name}” is missing")]
    Missing {
        /// The name, as the row has it.
        name: String,
    },
    /// The model does not see, or does not hear.
    #[error("this model has no support for {}", if *media == Kind::Audio { "audio" } else { "images" })]
    NoTower { media: Kind },
    /// Media that do not fit their places.
    #[error(transparent)]
    Media(#[from] MediaError),
    /// The model has no token for a part of it.
    #[error("the model has no token {token}")]
    NoToken { token: &'static str },
    /// An id is outside of the vocabulary.
    #[error("token id {id} is outside the vocabulary of {vocabulary}")]
    NoId { id: i64, vocabulary: u32 },
    /// Ids and labels differ in number.
    #[error("{ids} ids, but {labels} labels")]
    Labels { ids: u32, labels: u32 },
    /// It is longer than an example may be.
    #[error("too long: {tokens} tokens, but the limit is {limit}")]
    TooLong { tokens: u32, limit: u32 },
    /// It is longer than any example could be, and is not even read.
    #[error("too long: {bytes} bytes, but the limit is {limit}")]
    TooLarge { bytes: usize, limit: usize },
    /// No token of it is learned.
    #[error("nothing to learn: the model says nothing in it")]
    AllMasked,
    /// There are more rows than are read.
    #[error("rows from here on are skipped: the limit is {limit}")]
    TooMany { limit: usize },
}

/// What is wrong with JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum JsonFault {
    /// It ends too early.
    #[error("the line ends too early")]
    EarlyEnd,
    /// Something stands after its end.
    #[error("there is something after its end")]
    TextAfterEnd,
    /// A value is missing.
    #[error("a value is missing")]
    NoValue,
    /// A comma or a closing bracket is missing.
    #[error("a comma or a closing bracket is missing")]
    NoComma,
    /// A colon is missing.
    #[error("a colon is missing")]
    NoColon,
    /// A key is not in quotation marks.
    #[error("a key is not in quotation marks")]
    KeyNotQuoted,
    /// A comma before a closing bracket.
    #[error("there is a comma before a closing bracket")]
    TrailingComma,
    /// A line break or another control character in a text.
    #[error("there is a control character in a text")]
    ControlCharacter,
    /// An unknown escape.
    #[error("there is an unknown escape sequence")]
    BadEscape,
    /// No number, though it begins as one.
    #[error("a number is malformed")]
    BadNumber,
    /// Something else.
    #[error("it is malformed")]
    Other,
}

impl JsonFault {
    /// What the parser found. It says so in words alone.
    pub(super) fn of(error: &serde_json::Error) -> Self {
        if error.is_eof() {
            return Self::EarlyEnd;
        }
        let words = error.to_string();
        let known = [
            ("trailing characters", Self::TextAfterEnd),
            ("trailing comma", Self::TrailingComma),
            ("expected value", Self::NoValue),
            ("expected ident", Self::NoValue),
            ("expected `,`", Self::NoComma),
            ("expected `:`", Self::NoColon),
            ("key must be a string", Self::KeyNotQuoted),
            ("control character", Self::ControlCharacter),
            ("invalid escape", Self::BadEscape),
            ("lone leading surrogate", Self::BadEscape),
            ("unexpected end of hex escape", Self::BadEscape),
            ("invalid unicode code point", Self::BadEscape),
            ("invalid number", Self::BadNumber),
            ("number out of range", Self::BadNumber),
        ];
        known.iter().find(|(start, _)| words.starts_with(start)).map_or(Self::Other, |(_, fault)| *fault)
    }
}

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FieldFault {
    /// It is empty.
    #[error("is empty")]
    Empty,
    /// It is no text.
    #[error("isn’t text")]
    NotText,
    /// It is no list.
    #[error("isn’t a list")]
    NotAList,
    /// It holds something that is no whole number.
    #[error("holds something that isn’t a whole number")]
    NotIntegers,
    /// It names no files.
    #[error("names no files")]
    NoFileNames,
    /// It has another structure than it should.
    #[error("has an unexpected structure")]
    Malformed,
}
