//! Tables: values between separators, with column names in one of the first lines.

use std::borrow::Cow;

use csv::{ReaderBuilder, StringRecord};
use serde_json::{Map, Value};

use super::fields::{self, CHATS, Sides};
use super::{Columns, Head, MAX_ROW_BYTES, MAX_ROWS, Parsed, Reason, counts};

/// Maximum number of columns that are listed. Those behind them can be named.
const MAX_COLUMNS: usize = 100;
/// The first lines, by which the separator is found.
const SAMPLE: usize = 8;
/// Of these, those that may have the names.
const HEADS: usize = 5;
/// Maximum length of what is shown of one, in characters.
const SHOWN: usize = 80;
/// The separators, the most usual one first.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The names of columns in a line.
struct Names(StringRecord);

impl Names {
    fn of(record: &StringRecord) -> Self {
        let mut names = record.clone();
        names.trim();
        Self(names)
    }

    /// Returns the name as it is spelled here.
    fn find(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|column| column.eq_ignore_ascii_case(name))
    }

    fn sides(&self) -> Option<Sides> {
        Sides::of(|name| self.find(name).is_some())
    }

    /// Returns whether they are names that are known.
    fn are_known(&self) -> bool {
        self.sides().is_some() || CHATS.iter().any(|name| self.find(name).is_some())
    }

    /// Returns the columns to use, by name; otherwise the first two. `None` if there are fewer than two.
    fn guess(&self) -> Option<Columns> {
        let has = |name: &str| self.find(name).is_some();
        let spelled =
            |name: Option<&str>| name.and_then(|name| self.find(name)).unwrap_or_default().to_owned();
        let system = spelled(fields::system(has));
        let Some(sides) = self.sides() else {
            let (prompt, answer) = (self.0.get(0)?.to_owned(), self.0.get(1)?.to_owned());
            return Some(Columns { prompt, answer, system, ..Columns::default() });
        };
        let [prompt, answer] = [sides.prompt, sides.answer].map(|name| spelled(Some(name)));
        Some(Columns { prompt, answer, context: spelled(sides.context(has)), system, header: None })
    }

    fn place(&self, name: &str) -> Result<usize, Reason> {
        self.0.iter().position(|column| column == name.trim()).ok_or_else(|| Reason::NoColumn {
            column: name.to_owned(),
            known: self.0.iter().take(MAX_COLUMNS).collect::<Vec<_>>().join(", "),
        })
    }

    /// Returns the place of a column that may be left out.
    fn optional(&self, name: &str) -> Result<Option<usize>, Reason> {
        if name.is_empty() { Ok(None) } else { self.place(name).map(Some) }
    }
}

/// Returns whether a line is a sentence, which may contain separators, rather than column names.
fn is_prose(header: &StringRecord) -> bool {
    /// Maximum number of words in a name.
    const MAX_WORDS: usize = 6;
    let is_sentence = |name: &str| {
        let name = name.trim();
        name.ends_with(['.', '!', ':', '…']) || name.split_whitespace().count() > MAX_WORDS
    };
    header.iter().any(is_sentence)
}

/// Returns the separator that a first line such as `sep=;` names, and the text behind that line.
fn hint(text: &str) -> Option<(u8, &str)> {
    let end = text.find(['\r', '\n'])?;
    let line = text[..end].trim_matches('"');
    let (name, value) = line.split_once('=')?;
    if !name.trim().eq_ignore_ascii_case("sep") {
        return None;
    }
    // The separator may be white space itself.
    let one = |value: &str| <[u8; 1]>::try_from(value.as_bytes()).ok().filter(|one| one.is_ascii());
    let [separator] = one(value).or_else(|| one(value.trim()))?;
    let rest = &text[end..];
    Some((separator, rest.strip_prefix("\r\n").unwrap_or(&rest[1..])))
}

fn reader(text: &str, separator: u8) -> csv::Reader<&[u8]> {
    let mut builder = ReaderBuilder::new();
    builder.delimiter(separator).flexible(true).has_headers(false).from_reader(text.as_bytes())
}

/// Returns the first records with this separator.
fn sample(text: &str, separator: u8) -> Vec<StringRecord> {
    reader(text, separator).into_records().map_while(Result::ok).take(SAMPLE).collect()
}

/// Returns the most likely separator: that with which the first lines have names that are known, or as many cells each.
fn separator(text: &str) -> u8 {
    let likely = |separator: &u8| {
        let records = sample(text, *separator);
        let is_known = records.iter().take(HEADS).any(|record| Names::of(record).are_known());
        let widths = records.iter().map(StringRecord::len).filter(|width| *width > 1);
        let same = |width: usize| records.iter().filter(|record| record.len() == width).count();
        let most = widths.map(|width| (same(width), width)).max();
        (is_known, most)
    };
    SEPARATORS.into_iter().rev().max_by_key(likely).unwrap_or(SEPARATORS[0])
}

/// Returns the line at which a record starts. The reader says where the one before it ended, before any line breaks.
fn line(text: &str, start: &csv::Position) -> u32 {
    let rest = text.as_bytes().get(start.byte() as usize..).unwrap_or_default();
    let breaks = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    start.line() as u32 + breaks.filter(|byte| **byte == b'\n').count() as u32
}

/// Which of the first records has the names; `None` if none does. Titles may precede it.
fn header(records: &[StringRecord]) -> Option<usize> {
    let known = records.iter().take(HEADS).position(|record| Names::of(record).are_known());
    if known.is_some() {
        return known;
    }
    let cells = |record: &StringRecord| record.iter().filter(|cell| !cell.trim().is_empty()).count();
    let first = records.iter().take(HEADS).position(|record| cells(record) > 1).unwrap_or(0);
    let is_number = |cell: &str| cell.trim().parse::<f64>().is_ok();
    records.get(first).filter(|record| !record.iter().any(is_number)).map(|_| first)
}

/// Returns the line under the names in a table of Markdown.
fn is_rule(record: &StringRecord) -> bool {
    let mut cells = record.iter().filter(|cell| !cell.is_empty()).peekable();
    cells.peek().is_some()
        && cells.all(|cell| cell.contains('-') && cell.trim_matches([' ', ':', '-']).is_empty())
}

/// Reads a table.
pub(super) fn read(text: &str, columns: Option<&Columns>) -> Parsed {
    let mut parsed = Parsed::default();
    // Lines are counted by line feeds.
    let text = &if text.contains('\n') { Cow::Borrowed(text) } else { Cow::Owned(text.replace('\r', "\n")) };
    let (named, body) = hint(text).map_or((None, &**text), |(separator, body)| (Some(separator), body));
    let body = body.trim_start_matches(['\r', '\n']);
    let before = text[..text.len() - body.len()].matches('\n').count() as u32;
    let separator = named.unwrap_or_else(|| separator(body));
    let line = |record: &StringRecord| record.position().map_or(0, |start| line(body, start)) + before;
    let first = sample(body, separator);
    let head = |record: &StringRecord| Head {
        line: line(record),
        cells: record.iter().take(SHOWN).collect::<Vec<_>>().join(", ").chars().take(SHOWN).collect(),
    };
    parsed.heads = first.iter().take(HEADS).map(head).collect();

    let wanted = columns.and_then(|columns| columns.header);
    let found = match wanted {
        None => header(&first),
        Some(wanted) => first.iter().position(|record| line(record) == wanted),
    };
    if wanted.is_none() && named.is_none() && first.get(found.unwrap_or(0)).is_some_and(is_prose) {
        parsed.problem(1, Reason::Prose);
        return parsed;
    }
    let names = match found {
        Some(at) => Names::of(&first[at]),
        None => {
            let width = first.iter().map(StringRecord::len).max().unwrap_or(0).min(MAX_COLUMNS);
            Names((1..=width).map(|number| number.to_string()).collect::<Vec<_>>().into())
        }
    };
    let head_line = found.map_or(0, |at| line(&first[at]));
    parsed.columns = names.0.iter().take(MAX_COLUMNS).map(str::to_owned).collect();
    let whole = names.sides().is_none() && names.are_known();
    if whole {
        // There is nothing to choose.
        parsed.columns.clear();
    }
    let given = columns.filter(|columns| !columns.prompt.is_empty()).cloned();
    let chosen = match given.or_else(|| if whole { Some(Columns::default()) } else { names.guess() }) {
        Some(chosen) => Columns { header: Some(head_line), ..chosen },
        None => {
            parsed.problem(head_line.max(1), Reason::TooFewColumns);
            return parsed;
        }
    };
    let cells = match Cells::of(&names, &chosen) {
        Ok(cells) => cells,
        Err(reason) => {
            parsed.problem(head_line.max(1), reason);
            return parsed;
        }
    };
    // A record may be wide, and of one there are several copies here.
    drop(first);
    let mut reader = reader(body, separator);
    let mut record = StringRecord::new();
    let mut skipped = found.map_or(0, |at| at + 1);
    loop {
        match reader.read_record(&mut record) {
            Ok(false) => break,
            Ok(true) if skipped > 0 => {
                skipped -= 1;
                continue;
            }
            Ok(true) => {}
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line) as u32 + before;
                parsed.problem(line, Reason::Table { what: error.to_string() });
                continue;
            }
        }
        let line = line(&record);
        if parsed.rows.len() == MAX_ROWS {
            parsed.problem(line, Reason::TooMany { limit: MAX_ROWS });
            break;
        }
        let bytes = record.as_slice().len();
        if bytes > MAX_ROW_BYTES {
            parsed.problem(line, Reason::TooLarge { bytes, limit: MAX_ROW_BYTES });
            continue;
        }
        if separator == b'|' && is_rule(&record) {
            continue;
        }
        match cells.row(&record) {
            Ok(row) => parsed.take_value(line, record.as_slice(), Value::Object(row)),
            Err(reason) => parsed.problem(line, reason),
        }
    }
    parsed.chosen = Some(chosen);
    parsed
}

/// Which cells of a record make a row.
struct Cells<'a> {
    /// Those that must not be empty: the name of the field, that of the column, and its place.
    needed: Vec<(&'static str, &'a str, usize)>,
    /// The others.
    others: Vec<(&'a str, usize)>,
}

impl<'a> Cells<'a> {
    fn of(names: &'a Names, chosen: &'a Columns) -> Result<Self, Reason> {
        if chosen.prompt.is_empty() {
            // Rows of JSON in a column.
            let named = names.0.iter().zip(0..).filter(|(name, _)| !name.is_empty());
            let others = named.collect();
            return Ok(Self { needed: Vec::new(), others });
        }
        let needed = vec![
            ("prompt", chosen.prompt.as_str(), names.place(&chosen.prompt)?),
            ("completion", &chosen.answer, names.place(&chosen.answer)?),
        ];
        let optional =
            [("context", names.optional(&chosen.context)?), ("system", names.optional(&chosen.system)?)];
        let mut others: Vec<_> = optional.into_iter().filter_map(|(name, at)| Some((name, at?))).collect();
        let is_rule =
            |(name, at): &(&str, usize)| counts::is_rule(name) && needed.iter().all(|it| it.2 != *at);
        others.extend(names.0.iter().zip(0..).filter(is_rule));
        Ok(Self { needed, others })
    }

    fn row(&self, record: &StringRecord) -> Result<Map<String, Value>, Reason> {
        let mut row = Map::new();
        for &(field, column, at) in &self.needed {
            match record.get(at) {
                Some(text) if !text.trim().is_empty() => row.insert(field.to_owned(), text.into()),
                _ => return Err(Reason::EmptyCell { column: column.to_owned() }),
            };
        }
        for &(field, at) in &self.others {
            if let Some(text) = record.get(at).filter(|text| !text.trim().is_empty()) {
                row.insert(field.to_owned(), text.into());
            }
        }
        Ok(row)
    }
}
