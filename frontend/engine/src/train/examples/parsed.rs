//! The parsed content of an example file.

use super::{Problem, Reason, Row};

/// The detected format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// One JSON value a line, or one array of them.
    #[default]
    Json,
    /// A table: comma-separated values.
    Table,
}

impl Format {
    /// Detects the format: JSON starts with a bracket, everything else is a table.
    #[must_use]
    pub fn of(text: &str) -> Self {
        match text.trim_start_matches('\u{feff}').trim_start().chars().next() {
            None | Some('{' | '[') => Self::Json,
            Some(_) => Self::Table,
        }
    }
}

/// The parsed content.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// The detected format.
    pub format: Format,
    /// The valid rows, in order.
    pub rows: Vec<Row>,
    /// The invalid lines.
    pub problems: Vec<Problem>,
    /// For a table: the names of its columns.
    pub columns: Vec<String>,
    /// For a table: the columns that were used.
    pub chosen: Option<Columns>,
}

impl Parsed {
    pub(super) fn problem(&mut self, line: u32, reason: Reason) {
        self.problems.push(Problem { line, reason });
    }
}

/// The names of the columns to use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// The user's message.
    pub prompt: String,
    /// The model's answer.
    pub answer: String,
    /// System instructions; empty for none.
    pub system: String,
}
