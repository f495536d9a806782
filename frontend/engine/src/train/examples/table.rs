//! Tables: values between separators, with column names in one of the first lines.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::fields::{self, CHATS, CHOICES, Sides};
use super::records::{Record, Records};
use super::{Columns, Head, MAX_ROW_BYTES, MAX_ROWS, Parsed, Reason, counts};

/// Maximum number of columns that are listed. Those behind them can be named.
const MAX_COLUMNS: usize = 100;
/// The first lines, by which the separator is found.
const SAMPLE: usize = 8;
/// Of these, those that may have the names.
const HEADS: usize = 5;
/// Maximum length of what is shown of one, in characters.
const SHOWN: usize = 80;
/// The separators, those first that texts rarely have.
const SEPARATORS: [u8; 4] = [b'\t', b';', b'|', b','];
/// Names of columns with neither a question nor an answer.
const OTHERS: [&str; 16] = [
    "",
    "#",
    "id",
    "idx",
    "index",
    "no",
    "nr",
    "number",
    "uuid",
    "key",
    "date",
    "timestamp",
    "source",
    "category",
    "split",
    "language",
];

type Cells<'a> = Vec<Cow<'a, str>>;

/// The names of columns in a line.
struct Names(Vec<String>);

impl Names {
    fn of(cells: &[Cow<'_, str>]) -> Self {
        Self(cells.iter().map(|cell| cell.trim().to_owned()).collect())
    }

    /// Returns the name as it is spelled here.
    fn find(&self, name: &str) -> Option<&str> {
        self.0.iter().map(String::as_str).find(|column| column.eq_ignore_ascii_case(name))
    }

    fn sides(&self) -> Option<Sides> {
        Sides::of(|name| self.find(name).is_some())
    }

    /// Whether a column is named like a chat, and one of the records after the names has a list there.
    fn have_chat<'a, 'b: 'a>(&self, mut after: impl Iterator<Item = &'a Cells<'b>>) -> bool {
        let is_chat = |name: &String| CHATS.iter().any(|chat| name.eq_ignore_ascii_case(chat));
        let Some(at) = self.0.iter().position(is_chat) else { return false };
        after.any(|cells| cells.get(at).is_some_and(|cell| cell.trim_start().starts_with(['[', '{'])))
    }

    /// The columns to use, by name; otherwise the first two with texts. `None` if there are fewer than two.
    fn guess<'a, 'b: 'a>(&self, after: impl Iterator<Item = &'a Cells<'b>> + Clone) -> Option<Columns> {
        let has = |name: &str| self.find(name).is_some();
        let spelled =
            |name: Option<&str>| name.and_then(|name| self.find(name)).unwrap_or_default().to_owned();
        let system = spelled(fields::system(has));
        let Some(sides) = self.sides() else {
            let is_other = |at: &usize| OTHERS.iter().any(|other| self.0[*at].eq_ignore_ascii_case(other));
            let has_numbers = |at: &usize| {
                let mut cells = after.clone().filter_map(|cells| cells.get(*at)).peekable();
                cells.peek().is_some() && cells.all(|cell| is_number(cell))
            };
            // Two columns are left in any case.
            let last = self.0.len().checked_sub(2)?;
            let first = (0..last).find(|at| !is_other(at) && !has_numbers(at)).unwrap_or(last);
            let second = (first + 1..self.0.len()).find(|at| !is_other(at)).unwrap_or(first + 1);
            let (prompt, answer) = (self.0[first].clone(), self.0[second].clone());
            return Some(Columns { prompt, answer, system, ..Columns::default() });
        };
        let [prompt, answer] = [sides.prompt, sides.answer].map(|name| spelled(Some(name)));
        Some(Columns {
            prompt,
            answer,
            context: spelled(sides.contexts(has).into_iter().next()),
            system,
            header: None,
        })
    }

    /// The names with their places.
    fn named(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.iter().map(String::as_str).zip(0..)
    }

    fn place(&self, name: &str) -> Result<usize, Reason> {
        self.0.iter().position(|column| column == name.trim()).ok_or_else(|| Reason::NoColumn {
            column: name.to_owned(),
            known: self.0[..self.0.len().min(MAX_COLUMNS)].join(", "),
        })
    }

    /// Returns the place of a column that may be left out.
    fn optional(&self, name: &str) -> Result<Option<usize>, Reason> {
        if name.is_empty() { Ok(None) } else { self.place(name).map(Some) }
    }
}

/// Whether a line is a sentence, which may contain separators, rather than column names.
fn is_prose(cells: &[Cow<'_, str>]) -> bool {
    /// Maximum number of words in a name.
    const MAX_WORDS: usize = 6;
    let is_sentence = |name: &Cow<'_, str>| {
        let name = name.trim();
        name.ends_with(['.', '!', ':', '…']) || name.split_whitespace().count() > MAX_WORDS
    };
    cells.iter().any(is_sentence)
}

/// Whether a cell is a number, with a point or a comma.
fn is_number(cell: &str) -> bool {
    cell.trim().replace(',', ".").parse::<f64>().is_ok()
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

/// The first records with this separator, with their lines.
fn sample(text: &str, separator: u8, line: u32) -> Vec<(u32, Cells<'_>)> {
    let records = Records::new(text, separator, line).take(SAMPLE);
    records.filter_map(|record| Some((record.line, record.cells?))).collect()
}

/// Which of the first records has names that are known.
fn known(records: &[(u32, Cells<'_>)]) -> Option<usize> {
    let is_known = |at: &usize| {
        let names = Names::of(&records[*at].1);
        names.sides().is_some() || names.have_chat(records[at + 1..].iter().map(|(_, cells)| cells))
    };
    (0..records.len().min(HEADS)).find(is_known)
}

/// How many of the first records have the most usual number of cells above one, and this number.
fn usual_width(records: &[(u32, Cells<'_>)]) -> Option<(usize, usize)> {
    let widths = || records.iter().map(|(_, cells)| cells.len()).filter(|width| *width > 1);
    widths().map(|width| (widths().filter(|other| *other == width).count(), width)).max()
}

/// Returns the most likely separator: that with which the first lines have names that are known, or as many cells each.
fn separator(text: &str) -> u8 {
    let likely = |separator: &u8| {
        let records = sample(text, *separator, 1);
        (known(&records).is_some(), usual_width(&records).map(|(same, _)| same))
    };
    SEPARATORS.into_iter().rev().max_by_key(likely).unwrap_or(SEPARATORS[0])
}

/// Which of the first records has the names; `None` if none does. Titles may precede it.
fn header(records: &[(u32, Cells<'_>)]) -> Option<usize> {
    let filled = |cells: &Cells<'_>| cells.iter().filter(|cell| !cell.trim().is_empty()).count();
    known(records).or_else(|| {
        let first = records.iter().take(HEADS).position(|(_, cells)| filled(cells) > 1).unwrap_or(0);
        records.get(first).filter(|(_, cells)| !cells.iter().any(|cell| is_number(cell))).map(|_| first)
    })
}

/// The line under the names in a table of Markdown.
fn is_rule(cells: &[Cow<'_, str>]) -> bool {
    let mut cells = cells.iter().filter(|cell| !cell.is_empty()).peekable();
    cells.peek().is_some()
        && cells.all(|cell| cell.contains('-') && cell.trim_matches([' ', ':', '-', '+']).is_empty())
}

/// Reads a table.
pub(super) fn read(text: &str, columns: Option<&Columns>) -> Parsed {
    let mut parsed = Parsed::default();
    // Lines are counted by line feeds.
    let text = &if text.contains('\n') { Cow::Borrowed(text) } else { Cow::Owned(text.replace('\r', "\n")) };
    let (named, body) = hint(text).map_or((None, &**text), |(separator, body)| (Some(separator), body));
    let start = 1 + text[..text.len() - body.len()].matches('\n').count() as u32;
    let separator = named.unwrap_or_else(|| separator(body));
    let first = sample(body, separator, start);
    let head = |(line, cells): &(u32, Cells<'_>)| Head {
        line: *line,
        cells: cells[..cells.len().min(SHOWN)].join(", ").chars().take(SHOWN).collect(),
    };
    parsed.heads = first.iter().take(HEADS).map(head).collect();

    let wanted = columns.and_then(|columns| columns.header);
    let found = match wanted {
        None => header(&first),
        Some(wanted) => first.iter().position(|(line, _)| *line == wanted),
    };
    if wanted.is_none() && named.is_none() && first.get(found.unwrap_or(0)).is_some_and(|it| is_prose(&it.1))
    {
        parsed.problem(1, Reason::Prose);
        return parsed;
    }
    let mut names = match found {
        Some(at) => Names::of(&first[at].1),
        None => {
            // A wider record has a separator in a text.
            let width = usual_width(&first).map_or(1, |(_, width)| width).min(MAX_COLUMNS);
            Names((1..=width).map(|number| number.to_string()).collect())
        }
    };
    // Rows of Markdown end with a bar.
    if separator == b'|' && names.0.last().is_some_and(String::is_empty) {
        names.0.pop();
    }
    let head_line = found.map_or(0, |at| first[at].0);
    parsed.columns = names.0.iter().take(MAX_COLUMNS).cloned().collect();
    let after = first.iter().filter(|(line, _)| *line > head_line).map(|(_, cells)| cells);
    let whole = names.sides().is_none() && names.have_chat(after.clone());
    if whole {
        // There is nothing to choose.
        parsed.columns.clear();
    }
    let given = columns.filter(|columns| !columns.prompt.is_empty()).cloned();
    let is_preference = names.0.iter().any(|name| fields::is_preference(&name.to_lowercase()));
    if given.is_none() && is_preference {
        parsed.chosen = names.guess(after).map(|chosen| Columns { header: Some(head_line), ..chosen });
        parsed.problem(head_line.max(1), Reason::Preference);
        return parsed;
    }
    let chosen = match given.or_else(|| if whole { Some(Columns::default()) } else { names.guess(after) }) {
        Some(chosen) => Columns { header: Some(head_line), ..chosen },
        None => {
            parsed.problem(head_line.max(1), Reason::TooFewColumns);
            return parsed;
        }
    };
    let places = match Places::of(&names, &chosen) {
        Ok(places) => places,
        Err(reason) => {
            parsed.problem(head_line.max(1), reason);
            return parsed;
        }
    };
    // A record may be wide, and of one there are several copies here.
    drop(first);
    for record in Records::new(body, separator, start).skip_while(|record| record.line <= head_line) {
        let Record { line, source, cells } = record;
        if parsed.rows.len() == MAX_ROWS {
            parsed.problem(line, Reason::TooMany { limit: MAX_ROWS });
            break;
        }
        if source.len() > MAX_ROW_BYTES {
            parsed.problem(line, Reason::TooLarge { bytes: source.len(), limit: MAX_ROW_BYTES });
            continue;
        }
        let Some(cells) = cells else {
            parsed.problem(line, Reason::Quotes);
            continue;
        };
        let is_empty = cells.iter().all(|cell| cell.trim().is_empty());
        // Tables that were joined have their names again.
        let is_head = found.is_some()
            && cells.len() >= names.0.len()
            && names.0.iter().zip(&cells).all(|(name, cell)| cell.trim() == name);
        if is_empty || is_head || (separator == b'|' && is_rule(&cells)) {
            continue;
        }
        match places.row(&cells) {
            Ok(row) => parsed.take_value(line, source, Value::Object(row)),
            Err(reason) => parsed.problem(line, reason),
        }
    }
    parsed.chosen = Some(chosen);
    parsed
}

/// Which cells of a record make a row.
struct Places<'a> {
    /// The number of columns.
    columns: usize,
    /// Those that must not be empty: the name of the field, that of the column, and its place.
    needed: Vec<(&'static str, &'a str, usize)>,
    /// The others.
    others: Vec<(&'a str, usize)>,
}

impl<'a> Places<'a> {
    fn of(names: &'a Names, chosen: &'a Columns) -> Result<Self, Reason> {
        let columns = names.0.len();
        if chosen.prompt.is_empty() {
            // Rows of JSON in a column.
            let others = names.named().filter(|(name, _)| !name.is_empty()).collect();
            return Ok(Self { columns, needed: Vec::new(), others });
        }
        let needed = vec![
            ("prompt", chosen.prompt.as_str(), names.place(&chosen.prompt)?),
            ("completion", &chosen.answer, names.place(&chosen.answer)?),
        ];
        let optional =
            [("context", names.optional(&chosen.context)?), ("system", names.optional(&chosen.system)?)];
        let mut others: Vec<_> = optional.into_iter().filter_map(|(name, at)| Some((name, at?))).collect();
        // What a row says of itself, whichever columns are chosen.
        let is_read = |(name, at): &(&str, usize)| {
            let is_known = ["history"].iter().chain(&CHOICES).any(|known| name.eq_ignore_ascii_case(known));
            (is_known || counts::is_rule(name)) && needed.iter().all(|it| it.2 != *at)
        };
        others.extend(names.named().filter(is_read));
        Ok(Self { columns, needed, others })
    }

    /// # Errors
    /// When a cell that is needed is empty, or there are more cells than columns, so that it is not known which is which.
    fn row(&self, cells: &[Cow<'_, str>]) -> Result<Map<String, Value>, Reason> {
        let filled = cells.iter().rposition(|cell| !cell.trim().is_empty()).map_or(0, |last| last + 1);
        if filled > self.columns {
            return Err(Reason::Cells { cells: filled, columns: self.columns });
        }
        let mut row = Map::new();
        for &(field, column, at) in &self.needed {
            match cells.get(at) {
                Some(text) if !text.trim().is_empty() => row.insert(field.to_owned(), text.as_ref().into()),
                _ => return Err(Reason::EmptyCell { column: column.to_owned() }),
            };
        }
        for &(field, at) in &self.others {
            if let Some(text) = cells.get(at).filter(|text| !text.trim().is_empty()) {
                row.insert(field.to_owned(), text.as_ref().into());
            }
        }
        Ok(row)
    }
}
