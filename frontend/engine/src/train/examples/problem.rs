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
pub enum Reason {
    /// It is no JSON.
    #[error("not valid JSON at column {column}: {what}")]
    Json {
        /// Where on the line, from 1.
        column: usize,
        /// What is wrong there.
        what: String,
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
    Half {
        /// What it has.
        found: &'static str,
        /// What is missing beside it.
        missing: &'static str,
    },
    /// It is neither JSON nor a table.
    #[error(
        "this looks like plain text. Give one JSON object a line, or a table that starts with names such as “prompt,completion”"
    )]
    Prose,
    /// A field is not what its name says.
    #[error("“{field}” {what}")]
    Field {
        /// The field.
        field: String,
        /// What is wrong with it.
        what: String,
    },
    /// Nobody is known by that role.
    #[error("nobody is known as “{role}”: roles are system, user and assistant")]
    Role {
        /// The role.
        role: String,
    },
    /// A cell that is needed is empty, or the row has too few cells.
    #[error("the column “{column}” is empty")]
    EmptyCell {
        /// The column.
        column: String,
    },
    /// The table's row cannot be read.
    #[error("the table cannot be read here: {what}")]
    Table {
        /// In the words of the parser.
        what: String,
    },
    /// The table has no such column.
    #[error("the table has no column “{column}”; it has {known}")]
    NoColumn {
        /// The column.
        column: String,
        /// The names of its columns.
        known: String,
    },
    /// It holds a video.
    #[error("it holds a video; pictures and sound can be learned from")]
    Video,
    /// A picture or a sound without a name.
    #[error("it has a place for {what} and does not say which file")]
    Unnamed {
        /// “a picture” or “a sound”.
        what: &'static str,
    },
    /// It names more pictures and sounds than it has places for, or fewer.
    #[error("it has places for {places} pictures and sounds, and names {named}")]
    Places {
        /// Its places.
        places: usize,
        /// What it names.
        named: usize,
    },
    /// A file that it names is not there.
    #[error("the file “{name}” is missing")]
    Missing {
        /// The name, as the row has it.
        name: String,
    },
    /// A file that it names cannot be used.
    #[error("the file “{name}” cannot be used: {what}")]
    File {
        /// The name, as the row has it.
        name: String,
        /// What is wrong with it.
        what: String,
    },
    /// The model does not see, or does not hear.
    #[error("this model cannot {}", if *media == Kind::Audio { "hear sound" } else { "see pictures" })]
    NoTower {
        /// What it would have to take.
        media: Kind,
    },
    /// Media that do not fit their places.
    #[error(transparent)]
    Media(#[from] MediaError),
    /// The model has no token for a part of it.
    #[error("the model has no token {token}")]
    NoToken {
        /// The token's text.
        token: &'static str,
    },
    /// An id is outside of the vocabulary.
    #[error("{id} is no token of this model, which has {vocabulary}")]
    NoId {
        /// The id.
        id: i64,
        /// Pieces of the vocabulary.
        vocabulary: u32,
    },
    /// Ids and labels differ in number.
    #[error("there are {ids} ids and {labels} labels")]
    Labels {
        /// Ids.
        ids: u32,
        /// Labels.
        labels: u32,
    },
    /// It is longer than an example may be.
    #[error("it takes {tokens} tokens, and an example may have {limit}")]
    TooLong {
        /// Its tokens.
        tokens: u32,
        /// The most that are allowed.
        limit: u32,
    },
    /// It is longer than any example could be, and is not even read.
    #[error("it has {bytes} bytes, and a row may have {limit}")]
    TooLarge {
        /// Its bytes.
        bytes: usize,
        /// The most that are allowed.
        limit: usize,
    },
    /// No token of it is learned.
    #[error("nothing of it is learned: the model says nothing in it")]
    AllMasked,
    /// There are more rows than are read.
    #[error("rows from here on are not read: {limit} are the most")]
    TooMany {
        /// The most that are read.
        limit: usize,
    },
}
