//! What was found in a file of examples.

use super::{Problem, Reason, Row};

/// What a text was taken for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// One JSON value a line, or one array of them.
    #[default]
    Json,
    /// A table: comma-separated values.
    Table,
}

impl Format {
    /// What a text is: JSON begins with a bracket, everything else is a table.
    #[must_use]
    pub fn of(text: &str) -> Self {
        match text.trim_start_matches('\u{feff}').trim_start().chars().next() {
            None | Some('{' | '[') => Self::Json,
            Some(_) => Self::Table,
        }
    }
}

/// What was found in a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// What it was taken for.
    pub format: Format,
    /// The rows that could be read, in their order.
    pub rows: Vec<Row>,
    /// The lines that could not.
    pub problems: Vec<Problem>,
    /// Of a table: the names of its columns.
    pub columns: Vec<String>,
    /// Of a table: the columns that were read.
    pub chosen: Option<Columns>,
}

impl Parsed {
    pub(super) fn problem(&mut self, line: u32, reason: Reason) {
        self.problems.push(Problem { line, reason });
    }
}

/// Which columns hold what, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// What the person says.
    pub prompt: String,
    /// What the model is to answer.
    pub answer: String,
    /// Instructions to the model; empty for none.
    pub system: String,
}
