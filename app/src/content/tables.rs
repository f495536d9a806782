//! Bars in the rows of tables.
//!
//! A cell ends at the next bar, even one in code or in a formula, and cells beyond the last column are dropped. Models
//! write such bars, and mean none of this.

use std::borrow::Cow;

use super::dollars::{self, Code};
use super::shield::BAR;

/// Longer rows are read as the specification has it, in a time that grows with their length alone.
const LONGEST: usize = 4096;

/// What the tables of a text need.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tables {
    /// Where bars stand that are no borders.
    bars: Vec<usize>,
    /// A row of delimiters that ends the text before it is whole: where it begins, and what it will be.
    unfinished: Option<(usize, String)>,
}

impl Tables {
    /// Finds the tables of a text.
    pub(super) fn of(text: &str) -> Self {
        let mut tables = Self::default();
        // Most texts have no table.
        if !text.contains('|') {
            return tables;
        }
        let mut columns = None;
        let mut header: Option<Row<'_>> = None;
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let row = Row::of(line, start);
            start += line.len();
            if row.content.is_empty() {
                (columns, header) = (None, None);
            } else if let Some(columns) = columns {
                tables.bars.extend(row.inner_bars(columns));
            } else if let Some(head) = header.take().map(Row::in_item) {
                columns = row.delimiters().filter(|columns| head.has(*columns));
                match columns {
                    Some(columns) => tables.bars.extend(head.inner_bars(columns)),
                    None if start == text.len() => tables.unfinished = row.unfinished(&head),
                    None => {}
                }
                header = Some(row);
            } else {
                header = Some(row);
            }
        }
        tables
    }

    /// Returns the text with the bars shielded, and a row of delimiters that is whole.
    pub(super) fn shield<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if *self == Self::default() {
            return Cow::Borrowed(text);
        }
        let end = self.unfinished.as_ref().map_or(text.len(), |(start, _)| *start);
        let mut shielded = String::with_capacity(text.len());
        let mut copied = 0;
        for bar in &self.bars {
            shielded.push_str(&text[copied..*bar]);
            shielded.push(BAR);
            copied = bar + 1;
        }
        shielded.push_str(&text[copied..end]);
        shielded.extend(self.unfinished.iter().map(|(_, row)| row.as_str()));
        Cow::Owned(shielded)
    }

    /// Returns the text with letters for the bars, as long as before.
    pub(super) fn blank<'a>(&self, text: Cow<'a, str>) -> Cow<'a, str> {
        if self.bars.is_empty() {
            return text;
        }
        let mut blank = String::with_capacity(text.len());
        let mut copied = 0;
        for bar in &self.bars {
            blank.push_str(&text[copied..*bar]);
            blank.push('x');
            copied = bar + 1;
        }
        blank.push_str(&text[copied..]);
        Cow::Owned(blank)
    }
}

/// Whether a line is a row of delimiters.
pub(super) fn has_table(text: &str) -> bool {
    text.contains('|') && text.lines().any(|line| Row::of(line, 0).delimiters().is_some())
}

/// A line that may be a row.
struct Row<'a> {
    /// Without what holds it and the spaces around it.
    content: &'a str,
    /// Where that begins in the text.
    start: usize,
    /// Whether its line break is there.
    whole: bool,
}

impl<'a> Row<'a> {
    fn of(line: &'a str, start: usize) -> Self {
        let content = line.trim_start_matches([' ', '\t', '>']);
        let start = start + line.len() - content.len();
        Self { content: content.trim_end(), start, whole: line.ends_with('\n') }
    }

    /// The row that an item of a list begins with.
    fn in_item(self) -> Self {
        let number = self.content.trim_start_matches(|c: char| c.is_ascii_digit());
        let marks = if number.len() < self.content.len() { &['.', ')'][..] } else { &['-', '*', '+'][..] };
        let item =
            number.strip_prefix(marks).filter(|item| item.starts_with([' ', '\t'])).map(str::trim_start);
        let Some(item) = item.filter(|item| item.starts_with('|')) else { return self };
        Self { start: self.start + self.content.len() - item.len(), content: item, ..self }
    }

    /// How many columns it delimits; `None` if it is no row of delimiters.
    fn delimiters(&self) -> Option<usize> {
        let cells = self.content.strip_prefix('|').unwrap_or(self.content);
        let cells = cells.strip_suffix('|').unwrap_or(cells);
        let is_delimiter = |cell: &str| {
            let cell = cell.trim();
            let cell = cell.strip_prefix(':').unwrap_or(cell);
            let cell = cell.strip_suffix(':').unwrap_or(cell);
            !cell.is_empty() && cell.bytes().all(|byte| byte == b'-')
        };
        let delimits = self.content.contains('|') && cells.split('|').all(is_delimiter);
        delimits.then(|| cells.split('|').count())
    }

    /// For a row of delimiters that ends too early below a row of names: where it begins, and what it will be.
    fn unfinished(&self, head: &Row<'_>) -> Option<(usize, String)> {
        let begins = self.content.starts_with('|') && head.content.starts_with('|');
        if !begins || self.content.contains(|c| !"|:- ".contains(c)) {
            return None;
        }
        let cells = self.content.trim_matches('|').split('|').map(|cell| match cell.trim() {
            "" | "-" => Some("-".to_owned()),
            ":" => Some(":-".to_owned()),
            cell => {
                let dashes = cell.trim_start_matches(':').trim_end_matches(':');
                let valid =
                    cell.len() <= dashes.len() + 2 && !dashes.is_empty() && !dashes.contains([':', ' ']);
                valid.then(|| cell.to_owned())
            }
        });
        let mut cells: Vec<String> = cells.collect::<Option<_>>()?;
        let borders = head.borders();
        let columns = head.cells(&borders).max(1);
        if cells.len() > columns {
            return None;
        }
        cells.resize(columns, "-".to_owned());
        Some((self.start, format!("|{}|", cells.join("|"))))
    }

    /// Whether it names so many columns.
    fn has(&self, columns: usize) -> bool {
        let (borders, guarded) = (self.borders(), self.guarded());
        let outer: Vec<usize> =
            borders.iter().copied().filter(|bar| guarded.end_around(*bar).is_none()).collect();
        self.cells(&borders) == columns || self.cells(&outer) == columns
    }

    /// Where bars stand in the text that are no borders, in a table with so many columns.
    fn inner_bars(&self, columns: usize) -> Vec<usize> {
        let borders = self.borders();
        let guarded = self.guarded();
        let (mut inner, outer): (Vec<_>, Vec<_>) =
            borders.iter().partition(|bar| guarded.end_around(**bar).is_some());
        // The specification has it otherwise; where that fits, it is what was meant.
        if self.whole && self.cells(&borders) == columns && self.cells(&outer) < columns {
            return Vec::new();
        }
        // What is beyond the last column is kept in it.
        let between = outer.iter().copied().filter(|bar| !self.is_edge(*bar));
        inner.extend(between.skip(columns.saturating_sub(1)));
        inner.sort_unstable();
        inner.into_iter().map(|bar| self.start + bar).collect()
    }

    fn is_edge(&self, bar: usize) -> bool {
        bar == 0 || bar + 1 == self.content.len()
    }

    /// How many cells borders make.
    fn cells(&self, borders: &[usize]) -> usize {
        borders.iter().filter(|bar| !self.is_edge(**bar)).count() + 1
    }

    /// The bars that are not escaped.
    fn borders(&self) -> Vec<usize> {
        let bars = self.content.match_indices('|').map(|(at, _)| at);
        bars.filter(|at| !self.content[..*at].ends_with('\\')).collect()
    }

    /// Code and formulas. In a row that is being written, one without an end goes on to the row's.
    fn guarded(&self) -> Code {
        let text = self.content;
        let mut guarded = Code::default();
        if text.len() > LONGEST {
            return guarded;
        }
        let mut at = 0;
        while let Some(found) = text[at..].find(['`', '$', '\\']).map(|found| found + at) {
            let (opener, end) = match text.as_bytes()[found] {
                b'`' => {
                    let length = text[found..].len() - text[found..].trim_start_matches('`').len();
                    (length, code_end(text, found + length, length))
                }
                b'$' => {
                    let length = dollars::run(text, found);
                    let formula = dollars::formula(text, found, &Code::default());
                    let money = text[found + length..]
                        .starts_with(|c: char| !c.is_alphabetic() && c != '\\' && c != '|');
                    let end = formula.map(|inner| inner.end + length);
                    if end.is_none() && (money || length > 2) {
                        at = found + length;
                        continue;
                    }
                    (length, end)
                }
                _ => {
                    let close = match text.as_bytes().get(found + 1) {
                        Some(b'(') => "\\)",
                        Some(b'[') => "\\]",
                        _ => {
                            at = found + 1 + text[found + 1..].chars().next().map_or(0, char::len_utf8);
                            continue;
                        }
                    };
                    (2, text[found + 2..].find(close).map(|end| found + 2 + end + close.len()))
                }
            };
            at = match end {
                None if !self.whole => text.len(),
                None => found + opener,
                Some(end) => end,
            };
            if at > found + opener {
                guarded.0.push(found..at);
            }
        }
        guarded
    }
}

/// Where the code ends that begins behind so many backticks.
fn code_end(text: &str, from: usize, length: usize) -> Option<usize> {
    let mut at = from;
    while let Some(found) = text[at..].find('`').map(|found| found + at) {
        let run = text[found..].len() - text[found..].trim_start_matches('`').len();
        at = found + run;
        if run == length {
            return Some(at);
        }
    }
    None
}
