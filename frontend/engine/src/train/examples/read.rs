//! From files to rows.

use serde_json::Value;
use serde_json::value::RawValue;

use super::{Columns, Format, JsonFault, MAX_ROW_BYTES, MAX_ROWS, Parsed, Reason, Row, rows, table};

impl Parsed {
    fn take(&mut self, line: u32, json: &str) {
        if json.len() > MAX_ROW_BYTES {
            return self.problem(line, Reason::TooLarge { bytes: json.len(), limit: MAX_ROW_BYTES });
        }
        match serde_json::from_str::<Value>(json) {
            Ok(value) => match rows::row(value) {
                Ok(content) => self.rows.push(Row { line, content }),
                Err(reason) => self.problem(line, reason),
            },
            Err(error) => {
                // An array row may span several lines; this is the line in the file.
                let line = line + (error.line() as u32).saturating_sub(1);
                self.problem(line, Reason::Json { column: error.column(), what: JsonFault::of(&error) });
            }
        }
    }
}

/// Reads a text: JSON lines, one JSON array, or a table. `columns` selects the columns of a table; by default they
/// are found by name.
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
        if parsed.rows.len() == MAX_ROWS {
            parsed.problem(number, Reason::TooMany { limit: MAX_ROWS });
            break;
        }
        parsed.take(number, line);
    }
    parsed
}

/// The text as one array of rows; `None` if it is something else, such as one chat per line.
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
        if parsed.rows.len() == MAX_ROWS {
            parsed.problem(line, Reason::TooMany { limit: MAX_ROWS });
            break;
        }
        parsed.take(line, row.get());
    }
    Some(parsed)
}
