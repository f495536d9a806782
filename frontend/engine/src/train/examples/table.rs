//! Tables: comma-separated values with column names in the first line.

use csv::{ReaderBuilder, StringRecord};

use super::rows::{PAIRS, SYSTEM, pair_of};
use super::{Columns, Content, MAX_ROW_BYTES, MAX_ROWS, Parsed, Problem, Reason, Row};

/// Maximum number of columns that are listed. Those behind them can be named.
const MAX_COLUMNS: usize = 100;

impl Columns {
    /// The columns to use, by name; otherwise the first two. `None` if there are fewer than two.
    fn guess(header: &StringRecord) -> Option<Self> {
        let named = |name: &str| header.iter().find(|column| column.trim().eq_ignore_ascii_case(name));
        let pair = PAIRS.iter().find_map(|(prompt, answer)| Some((named(prompt)?, named(answer)?)));
        let (prompt, answer) = pair.or_else(|| Some((header.get(0)?, header.get(1)?)))?;
        let system = named(SYSTEM).unwrap_or_default();
        Some(Self { prompt: prompt.to_owned(), answer: answer.to_owned(), system: system.to_owned() })
    }
}

/// Whether the header is a sentence, which may contain commas, rather than column names.
fn is_prose(header: &StringRecord) -> bool {
    /// Maximum number of words in a name.
    const MAX_WORDS: usize = 6;
    let is_sentence = |name: &str| {
        let name = name.trim();
        name.ends_with(['.', '!', ':', '…']) || name.split_whitespace().count() > MAX_WORDS
    };
    header.iter().any(is_sentence)
}

/// Reads a table. The separator is comma, semicolon or tab: the most frequent one in the first line.
pub(super) fn read(text: &str, columns: Option<&Columns>) -> Parsed {
    let first = text.lines().next().unwrap_or_default();
    let separator = [b',', b';', b'\t']
        .into_iter()
        .rev()
        .max_by_key(|&separator| first.bytes().filter(|&byte| byte == separator).count())
        .unwrap_or(b',');
    let mut reader = ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(text.as_bytes());
    let mut parsed = Parsed::default();
    let header = match reader.headers() {
        Ok(header) => header.clone(),
        Err(error) => {
            parsed.problem(1, Reason::Table { what: error.to_string() });
            return parsed;
        }
    };
    if columns.is_none() && is_prose(&header) {
        parsed.problem(1, Reason::Prose);
        return parsed;
    }
    parsed.columns = header.iter().take(MAX_COLUMNS).map(str::to_owned).collect();
    let Some(chosen) = columns.cloned().or_else(|| Columns::guess(&header)) else {
        parsed.problem(1, Reason::TooFewColumns);
        return parsed;
    };
    let place = |name: &str| {
        header.iter().position(|column| column == name).ok_or_else(|| Reason::NoColumn {
            column: name.to_owned(),
            known: header.iter().take(MAX_COLUMNS).collect::<Vec<_>>().join(", "),
        })
    };
    let system = if chosen.system.is_empty() { Ok(None) } else { place(&chosen.system).map(Some) };
    let places = place(&chosen.prompt).and_then(|prompt| Ok((prompt, place(&chosen.answer)?, system?)));
    let (prompt, answer, system) = match places {
        Ok(places) => places,
        Err(reason) => {
            parsed.problem(1, reason);
            return parsed;
        }
    };
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line);
                parsed.problem(line as u32, Reason::Table { what: error.to_string() });
                continue;
            }
        };
        let line = record.position().map_or(0, csv::Position::line) as u32;
        if parsed.rows.len() == MAX_ROWS {
            parsed.problem(line, Reason::TooMany { limit: MAX_ROWS });
            break;
        }
        let bytes = record.as_slice().len();
        if bytes > MAX_ROW_BYTES {
            parsed.problem(line, Reason::TooLarge { bytes, limit: MAX_ROW_BYTES });
            continue;
        }
        let cell = |at: usize, column: &str| match record.get(at) {
            Some(text) if !text.trim().is_empty() => Ok(text.to_owned()),
            _ => Err(Reason::EmptyCell { column: column.to_owned() }),
        };
        match cell(prompt, &chosen.prompt).and_then(|prompt| Ok((prompt, cell(answer, &chosen.answer)?))) {
            Ok((prompt, answer)) => {
                let system = system.and_then(|at| record.get(at)).unwrap_or_default();
                parsed.rows.push(Row {
                    line,
                    content: Content::Chat {
                        conversation: pair_of(system, prompt, answer),
                        media: Vec::new(),
                    },
                });
            }
            Err(reason) => parsed.problems.push(Problem { line, reason }),
        }
    }
    parsed.chosen = Some(chosen);
    parsed
}
