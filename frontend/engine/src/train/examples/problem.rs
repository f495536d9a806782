//! Errors of example rows.

use thiserror::Error;

use crate::media::{Media as Kind, MediaError};

/// A row that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The first line of the row, from 1. For conversations that are not from a file: their number.
    pub line: u32,
    /// The reason.
    pub reason: Reason,
}

/// Why a row cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum Reason {
    /// Invalid JSON.
    #[error("not valid JSON at column {column}: {what}")]
    Json {
        /// Column, from 1.
        column: usize,
        what: JsonFault,
    },
    /// JSON with an unknown structure.
    #[error(
        "nothing to learn from: a row needs “messages”, “conversations”, “prompt” and “completion”, or “ids” and “labels”"
    )]
    Unknown,
    /// A text without a question.
    #[error(
        "“text” alone can’t be learned from: put the question in “prompt” and the answer in “completion”"
    )]
    TextAlone,
    /// A question without an answer, or an answer without a question.
    #[error("“{found}” without “{missing}”")]
    Half { found: &'static str, missing: &'static str },
    /// A pair of a better and a worse answer.
    #[error(
        "“chosen” and “rejected” are for training on preferences. To train on the better answers, name them “completion” and leave the others out"
    )]
    Preference,
    /// One message of a chat.
    #[error("a single message: put all messages of a chat into one row, in “messages”")]
    SingleMessage,
    /// Two answers in one turn, of which one does not count.
    #[error(
        "two answers follow one another, and only one of them is to be trained on: put a message of the user between them"
    )]
    Joined,
    /// It contains U+FFFD, which stands for what could not be decoded.
    #[error("contains “�” in place of characters that were lost: save the file again as UTF-8")]
    Replaced,
    /// It is neither JSON nor a table.
    #[error(
        "this looks like plain text. Give one JSON object a line, or a table that starts with names such as “prompt,completion”"
    )]
    Prose,
    /// A field with a wrong type or value.
    #[error("“{field}” {what}")]
    Field { field: String, what: FieldFault },
    /// An unknown role.
    #[error("unknown role “{role}”: use system, user or assistant")]
    Role { role: String },
    /// A required cell is empty or missing.
    #[error("the column “{column}” is empty")]
    EmptyCell { column: String },
    /// A cell of the table with quotation marks that do not enclose it.
    #[error(
        "a quotation mark doesn’t begin or end a cell: enclose the whole cell in “\"”, and double those in it"
    )]
    Quotes,
    /// The row of the table has more cells than there are columns.
    #[error(
        "{cells} cells, but the table has {columns} columns: enclose texts that contain the separator in “\"”"
    )]
    Cells { cells: usize, columns: usize },
    /// The table has fewer than two columns.
    #[error("the table has fewer than two columns")]
    TooFewColumns,
    /// The table does not have this column.
    #[error("the table has no column “{column}”; it has {known}")]
    NoColumn { column: String, known: String },
    /// It contains a video.
    #[error("contains a video; only images and audio can be learned from")]
    Video,
    /// Media without a name.
    #[error("doesn’t say which file the {} is", if *media == Kind::Audio { "audio" } else { "image" })]
    Unnamed { media: Kind },
    /// The number of media differs from the number of places.
    #[error("has {places} places for images and audio, but names {named} files")]
    Places { places: usize, named: usize },
    /// A named file does not exist.
    #[error("the file “{name}” is missing")]
    Missing {
        /// The name in the row.
        name: String,
    },
    /// The model has no tower for this kind of media.
    #[error("this model has no support for {}", if *media == Kind::Audio { "audio" } else { "images" })]
    NoTower { media: Kind },
    /// The media do not match their places.
    #[error(transparent)]
    Media(#[from] MediaError),
    /// The model does not have a required token.
    #[error("the model has no token {token}")]
    NoToken { token: &'static str },
    /// An id outside of the vocabulary.
    #[error("token id {id} is outside the vocabulary of {vocabulary}")]
    NoId { id: i64, vocabulary: u32 },
    /// The numbers of ids and labels differ.
    #[error("{ids} ids, but {labels} labels")]
    Labels { ids: u32, labels: u32 },
    /// It exceeds the maximum length.
    #[error("too long: {tokens} tokens, but the limit is {limit}")]
    TooLong { tokens: u32, limit: u32 },
    /// It exceeds the maximum row size, and is not parsed.
    #[error("too long: {bytes} bytes, but the limit is {limit}")]
    TooLarge { bytes: usize, limit: usize },
    /// It has no targets.
    #[error("nothing to learn: it has no answer to train on")]
    AllMasked,
    /// The file has more rows than the maximum.
    #[error("rows from here on are skipped: the limit is {limit}")]
    TooMany { limit: usize },
}

/// Why JSON is invalid.
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
    /// A line break or another control character in a string.
    #[error("there is a control character in a text")]
    ControlCharacter,
    /// An unknown escape.
    #[error("there is an unknown escape sequence")]
    BadEscape,
    /// An invalid number.
    #[error("a number is malformed")]
    BadNumber,
    /// Something else.
    #[error("it is malformed")]
    Other,
}

impl JsonFault {
    /// Converts the parser's error, which only has a message.
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

/// Why a field is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FieldFault {
    /// It is empty.
    #[error("is empty")]
    Empty,
    /// It is not a string.
    #[error("isn’t text")]
    NotText,
    /// It is not a list.
    #[error("isn’t a list")]
    NotAList,
    /// It contains something other than integers.
    #[error("holds something that isn’t a whole number")]
    NotIntegers,
    /// It says whether something counts, but is no truth value.
    #[error("is neither 0 nor 1, true nor false")]
    NoFlag,
    /// It says what to train on in a way that is not supported.
    #[error("says what to train on in a way that gemtab doesn’t know: use “weight”, 0 or 1, in the answers")]
    UnknownRule,
    /// It wants messages to count that the model did not write.
    #[error("asks to train on a message that isn’t the model’s: only answers can be trained on")]
    NotOfModel,
    /// It says that the row does not count.
    #[error("says that this row isn’t to be trained on")]
    LeftOut,
    /// It contains something other than file names.
    #[error("names no files")]
    NoFileNames,
    /// It has an unexpected structure.
    #[error("has an unexpected structure")]
    Malformed,
}
