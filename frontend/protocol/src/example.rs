//! Examples to learn from that cannot be used.

use serde::{Deserialize, Serialize};

use crate::failure::Code;
use crate::media::Sense;

/// A row that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowProblem {
    /// Its line, from 1.
    pub line: u32,
    /// Why.
    pub reason: ExampleProblem,
}

/// What is wrong with an example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExampleProblem {
    /// It is not valid JSON.
    Json {
        /// Where on the line, from 1.
        column: u32,
        /// What is wrong there.
        what: JsonProblem,
    },
    /// JSON of a shape that is not known.
    UnknownShape,
    /// `text` without a question.
    TextOnly,
    /// A question without an answer, or an answer without a question.
    Half {
        /// The field that is there.
        found: String,
        /// The field that is missing.
        missing: String,
    },
    /// A better and a worse answer, for training on preferences.
    Preference,
    /// One message of a chat.
    SingleMessage,
    /// Two answers in one turn, of which one does not count.
    Joined,
    /// It contains U+FFFD, which stands for what could not be decoded.
    Replaced,
    /// It is plain text.
    PlainText,
    /// A field holds something else than it should.
    Field {
        /// The field.
        field: String,
        /// What is wrong with it.
        what: FieldProblem,
    },
    /// An unknown role.
    Role {
        /// The role.
        role: String,
    },
    /// A cell of the table is empty.
    EmptyCell {
        /// Its column.
        column: String,
    },
    /// A cell of the table has quotation marks that do not enclose it.
    Quotes,
    /// The row of the table has more cells than there are columns.
    Cells {
        /// Its cells.
        cells: u32,
        /// The columns.
        columns: u32,
    },
    /// The table has fewer than two columns.
    TooFewColumns,
    /// The table has no such column.
    NoColumn {
        /// The column.
        column: String,
        /// The names of those that it has, with commas.
        columns: String,
    },
    /// It holds a video.
    Video,
    /// A place for a picture or a sound that names no file.
    NoFileName(Sense),
    /// It names more pictures and sounds than it has places for, or fewer.
    Places {
        /// Its places.
        places: u32,
        /// Files that it names.
        named: u32,
    },
    /// A file that it names was not given.
    MissingFile {
        /// The file.
        name: String,
    },
    /// A file that it names cannot be used.
    BadFile {
        /// The file.
        name: String,
        /// Why.
        why: Box<Code>,
    },
    /// The model has no tower for it.
    Lacks(Sense),
    /// Its pictures and sounds do not go with their places.
    MediaMismatch,
    /// The model has no such token.
    NoToken {
        /// The token.
        token: String,
    },
    /// An id outside of the vocabulary.
    NoId {
        /// The id.
        id: i64,
        /// Tokens of the vocabulary.
        vocabulary: u32,
    },
    /// Another number of labels than of ids.
    Labels {
        /// Ids.
        ids: u32,
        /// Labels.
        labels: u32,
    },
    /// It has too many tokens.
    TooLong {
        /// Its tokens.
        tokens: u32,
        /// The most that are allowed.
        limit: u32,
    },
    /// It has too many bytes.
    TooLarge {
        /// Its bytes.
        bytes: u64,
        /// The most that are allowed.
        limit: u64,
    },
    /// The model says nothing in it.
    AllMasked,
    /// There are more rows than are read.
    TooMany {
        /// The most that are read.
        limit: u32,
    },
}

/// What is wrong with JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum JsonProblem {
    /// It ends too early.
    EarlyEnd,
    /// Something stands after its end.
    TextAfterEnd,
    /// A value is missing.
    NoValue,
    /// A comma or a closing bracket is missing.
    NoComma,
    /// A colon is missing.
    NoColon,
    /// A key is not in quotation marks.
    KeyNotQuoted,
    /// A comma before a closing bracket.
    TrailingComma,
    /// A line break or another control character in a text.
    ControlCharacter,
    /// An unknown escape.
    BadEscape,
    /// Not a number, though it begins as one.
    BadNumber,
    /// Something else.
    Other,
}

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FieldProblem {
    /// It is empty.
    Empty,
    /// It is not text.
    NotText,
    /// It is not a list.
    NotAList,
    /// It holds something that is not a whole number.
    NotIntegers,
    /// It says whether something counts, but is no truth value.
    NoFlag,
    /// It says what to train on in a way that is not known.
    UnknownRule,
    /// It wants messages to count that the model did not write.
    NotOfModel,
    /// It says that the row does not count.
    LeftOut,
    /// It names no files.
    NoFileNames,
    /// It has another structure than it should.
    Malformed,
}
