//! From files to rows.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::fields::{CHATS, Sides};
use super::messages::{is_message, said_by};
use super::parsed::RECORD;
use super::rows;
use super::{Columns, Format, JsonFault, MAX_ROW_BYTES, MAX_ROWS, Parsed, Problem, Reason, Row, table};

/// Names of a list of rows.
const LISTS: [&str; 6] = ["data", "train", "examples", "rows", "instances", "samples"];

/// How U+FFFD is spelled in JSON, besides itself.
const ESCAPED: [&str; 2] = ["\\ufffd", "\\uFFFD"];

impl Parsed {
    fn take(&mut self, line: u32, json: &str) {
        if json.len() > MAX_ROW_BYTES {
            return self.problem(line, Reason::TooLarge { bytes: json.len(), limit: MAX_ROW_BYTES });
        }
        if ESCAPED.iter().any(|escaped| json.contains(escaped)) {
            return self.problem(line, Reason::Replaced);
        }
        match serde_json::from_str::<Value>(json) {
            Ok(value) => self.take_value(line, json, value),
            Err(error) => {
                // A row may span several lines; this is the line in the file.
                let line = line + (error.line() as u32).saturating_sub(1);
                self.problem(line, Reason::Json { column: error.column(), what: JsonFault::of(&error) });
            }
        }
    }

    /// Adds a row, which was read from `source`.
    pub(super) fn take_value(&mut self, line: u32, source: &str, value: Value) {
        if source.contains(char::REPLACEMENT_CHARACTER) {
            return self.problem(line, Reason::Replaced);
        }
        let mut ignored = Vec::new();
        match rows::row(value, &mut ignored) {
            Ok(content) => {
                self.rows.push(Row { line, content });
                self.ignore(ignored);
            }
            Err(reason) => self.problem(line, reason),
        }
    }
}

/// Reads a text: JSON lines, one JSON array, or a table. `columns` selects the columns of a table; by default they
/// are found by name.
pub fn read(text: &str, columns: Option<&Columns>) -> Parsed {
    let text = text.trim_start_matches('\u{feff}');
    match Format::of(text) {
        Format::Table => Parsed { format: Format::Table, ..table::read(text, columns) },
        Format::Json if text.contains(RECORD) => json(&text.replace(RECORD, " ")),
        Format::Json => json(text),
    }
}

/// JSON values one after the other, on a line each or on several. If one is broken, lines are read one by one, so
/// that the others are kept.
fn json(text: &str) -> Parsed {
    let error = match values(text) {
        Ok(values) => return all(text, values),
        Err(error) => error,
    };
    let parsed = lines(text);
    let starts = |line: &str| line.trim_start().starts_with(['{', '[']);
    let is_a_value_each = text.lines().filter(|line| !line.trim().is_empty()).all(starts);
    match error {
        Some(error) if parsed.rows.is_empty() && parsed.problems.len() > 1 && !is_a_value_each => {
            let reason = Reason::Json { column: error.column(), what: JsonFault::of(&error) };
            Parsed { problems: vec![Problem { line: error.line() as u32, reason }], ..Parsed::default() }
        }
        _ => parsed,
    }
}

/// Returns the objects and lists of a text; `Err` if it has anything else.
fn values(text: &str) -> Result<Vec<&RawValue>, Option<serde_json::Error>> {
    let mut values = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter() {
        let value: &RawValue = value.map_err(Some)?;
        if !is_row(&value) {
            return Err(None);
        }
        values.push(value);
    }
    Ok(values)
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

/// Returns the rows of values, which are slices of the text.
fn all(text: &str, mut values: Vec<&RawValue>) -> Parsed {
    let mut parsed = Parsed::default();
    if let [only] = values[..]
        && let Some((rows, beside)) = listed(only)
    {
        values = rows;
        parsed.ignore(beside);
    }
    let (mut line, mut counted) = (1, 0);
    let head = values.first().and_then(|first| head(first));
    for row in values.into_iter().skip(usize::from(head.is_some())) {
        let offset = row.get().as_ptr() as usize - text.as_ptr() as usize;
        line += text[counted..offset].matches('\n').count() as u32;
        counted = offset;
        if parsed.rows.len() == MAX_ROWS {
            parsed.problem(line, Reason::TooMany { limit: MAX_ROWS });
            break;
        }
        let cells = head.as_ref().and_then(|_| serde_json::from_str::<Vec<Value>>(row.get()).ok());
        match head.iter().zip(cells).next() {
            None => parsed.take(line, row.get()),
            Some((names, cells)) if cells.len() == names.len() => {
                let named: Map<_, _> = names.iter().cloned().zip(cells).collect();
                parsed.take(line, &Value::Object(named).to_string());
            }
            Some((names, cells)) => {
                parsed.problem(line, Reason::Cells { cells: cells.len(), columns: names.len() });
            }
        }
    }
    parsed
}

/// The names of columns that a list has, as the first of a table of lists.
fn head(row: &RawValue) -> Option<Vec<String>> {
    let names: Vec<String> = serde_json::from_str(row.get()).ok()?;
    let has = |name: &str| names.iter().any(|other| other.trim().eq_ignore_ascii_case(name));
    Sides::of(has).map(|_| names)
}

/// Returns whether a value may be a row: an object or a list.
fn is_row(value: &&RawValue) -> bool {
    value.get().starts_with(['{', '['])
}

/// Returns the rows of a value that is a list of them, or an object with such a list, and the names of what stands beside it;
/// `None` if it is a row itself.
fn listed(value: &RawValue) -> Option<(Vec<&RawValue>, Vec<String>)> {
    if let Ok(rows) = serde_json::from_str::<Vec<&RawValue>>(value.get()) {
        let is_list = !rows.is_empty() && rows.iter().all(is_row) && !begins_chat(&rows);
        return is_list.then_some((rows, Vec::new()));
    }
    let object: BTreeMap<String, &RawValue> = serde_json::from_str(value.get()).ok()?;
    let has_chat = |name: &&str| {
        let list = object.get(*name).map(|value| serde_json::from_str::<Vec<&RawValue>>(value.get()));
        list.is_some_and(|list| list.is_ok_and(|list| begins_chat(&list)))
    };
    if Sides::of(|name| object.contains_key(name)).is_some() || CHATS.iter().any(has_chat) {
        return None;
    }
    let rows_of = |name: &str| {
        let rows: Vec<&RawValue> = serde_json::from_str(object.get(name)?.get()).ok()?;
        (!rows.is_empty() && rows.iter().all(is_row) && !begins_chat(&rows)).then_some(rows)
    };
    // Below the name of a chat there may be many, each a list or an object with one.
    let chats_of = |name: &str| {
        let is_chat = |row: &&RawValue| {
            let has_chat =
                |object: BTreeMap<String, &RawValue>| CHATS.iter().any(|name| object.contains_key(*name));
            row.get().starts_with('[') || serde_json::from_str(row.get()).is_ok_and(has_chat)
        };
        rows_of(name).filter(|rows| rows.iter().all(is_chat))
    };
    let found = LISTS.iter().find_map(|name| Some((*name, rows_of(name)?)));
    let (name, mut rows) = found.or_else(|| CHATS.iter().find_map(|name| Some((*name, chats_of(name)?))))?;
    let mut beside: Vec<String> = object.keys().filter(|other| *other != name).cloned().collect();
    let are_lists = rows.iter().all(|row| row.get().starts_with('['));
    if let Some(columns) = object.get("columns").filter(|_| are_lists) {
        // As pandas writes a table, with the numbers of its rows.
        head(columns)?;
        rows.insert(0, columns);
        beside.retain(|other| !["columns", "index"].contains(&other.as_str()));
    }
    Some((rows, beside))
}

/// Returns whether a list begins with a message, so that it is a chat.
fn begins_chat(rows: &[&RawValue]) -> bool {
    let first = rows.first().filter(|row| head(row).is_none());
    let first = first.and_then(|row| serde_json::from_str::<Value>(row.get()).ok());
    first.is_some_and(|row| is_message(&row) || said_by(&row).is_some())
}
