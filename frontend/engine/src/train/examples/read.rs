//! A file to rows.

use serde_json::Value;
use serde_json::value::RawValue;

use super::{Columns, JsonFault, MOST_ROW_BYTES, MOST_ROWS, Problem, Reason, Row, rows, table};

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

    fn take(&mut self, line: u32, json: &str) {
        if json.len() > MOST_ROW_BYTES {
            return self.problem(line, Reason::TooLarge { bytes: json.len(), limit: MOST_ROW_BYTES });
        }
        match serde_json::from_str::<Value>(json) {
            Ok(value) => match rows::row(value) {
                Ok(content) => self.rows.push(Row { line, content }),
                Err(reason) => self.problem(line, reason),
            },
            Err(error) => {
                // A row of an array may be long: the line is the one in the file.
                let line = line + (error.line() as u32).saturating_sub(1);
                self.problem(line, Reason::Json { column: error.column(), what: JsonFault::of(&error) });
            }
        }
    }
}

/// Reads a text: JSON lines, one JSON array, or a table. `columns` chooses those of a table; without it they are known
/// by their names.
#[must_use]
pub fn read(text: &str, columns: Option<&Columns>) -> Parsed {
    let text = text.trim_start_matches('\u{feff}');
    match Format::of(text) {
        Format::Table => Parsed { format: Format::Table, ..table::read(text, columns) },
        Format::Json => array(text).unwrap_or_else(|| lines(text)),
    }
}

fn lines(text: &str) -> Parsed {
    let mut parsed = Parsed::default();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let number = index as u32 + 1;
        if parsed.rows.len() == MOST_ROWS {
            parsed.problem(number, Reason::TooMany { limit: MOST_ROWS });
            break;
        }
        parsed.take(number, line);
    }
    parsed
}

/// One array of rows over the whole text; none where it is something else, such as a chat a line.
fn array(text: &str) -> Option<Parsed> {
    let rows: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    let objects = |row: &&RawValue| row.get().starts_with('{');
    let is_message =
        |row: &&RawValue| serde_json::from_str::<Value>(row.get()).is_ok_and(|row| row.get("role").is_some());
    if rows.is_empty() || !rows.iter().all(objects) || rows.first().is_some_and(is_message) {
        return None;
    }
    let mut parsed = Parsed::default();
    let (mut line, mut counted) = (1, 0);
    for row in rows {
        // Each row is a slice of the text.
        let offset = row.get().as_ptr() as usize - text.as_ptr() as usize;
        line += text[counted..offset].matches('\n').count() as u32;
        counted = offset;
        if parsed.rows.len() == MOST_ROWS {
            parsed.problem(line, Reason::TooMany { limit: MOST_ROWS });
            break;
        }
        parsed.take(line, row.get());
    }
    Some(parsed)
}
