//! The parsed content of an example file.

use serde::de::IgnoredAny;

use super::{Problem, Reason, Row};

/// Maximum number of fields that are named, of all that are not used.
const MAX_IGNORED: usize = 20;
/// Maximum length of their names in characters.
const MAX_NAME: usize = 40;

/// What RFC 7464 puts before each value of a sequence of JSON.
pub(super) const RECORD: char = '\u{1e}';

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
    /// Detects the format: JSON starts with a bracket, perhaps below a line of something else. Everything else is a
    /// table.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let is_space = |c: char| c.is_whitespace() || c == RECORD;
        let lines = text.trim_start_matches('\u{feff}').lines();
        let mut lines = lines.map(|line| line.trim_matches(is_space)).filter(|line| !line.is_empty());
        let is_json = |line: &str| {
            let is_value = || serde_json::from_str::<IgnoredAny>(line).is_ok();
            matches!(line, "{" | "[") || (line.starts_with(['{', '[']) && is_value())
        };
        match (lines.next(), lines.next()) {
            (None, _) => Self::Json,
            (Some(first), _) if first.starts_with(['{', '[']) => Self::Json,
            (_, Some(second)) if is_json(second) => Self::Json,
            _ => Self::Table,
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
    /// For a table: its first lines, any of which may have the names of the columns.
    pub heads: Vec<Head>,
    /// Fields of rows that say something and are not used, each once.
    pub ignored: Vec<String>,
}

/// A line of a table that may have the names of its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its number, from 1.
    pub line: u32,
    /// The beginning of its cells, with commas.
    pub cells: String,
}

impl Parsed {
    pub(super) fn problem(&mut self, line: u32, reason: Reason) {
        self.problems.push(Problem { line, reason });
    }

    /// Adds the names of fields that are not used.
    pub(super) fn ignore(&mut self, names: Vec<String>) {
        for name in names {
            let name: String = name.chars().take(MAX_NAME).collect();
            if self.ignored.len() < MAX_IGNORED && !self.ignored.contains(&name) {
                self.ignored.push(name);
            }
        }
    }
}

/// The columns to use, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// The line with the names; 0 if there is none, and the columns are numbered. `None` to find it.
    pub header: Option<u32>,
    /// The user's message; empty to find the columns by their names.
    pub prompt: String,
    /// The model's answer.
    pub answer: String,
    /// What the user's message is about, to follow it; empty for none.
    pub context: String,
    /// System instructions; empty for none.
    pub system: String,
}
