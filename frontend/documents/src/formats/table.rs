//! Comma-separated values: a line of text for each row.

use crate::limits::Meter;
use crate::{Document, Error, Format, Place, Section, Span};

/// Rows that are looked at to find the delimiter.
const SAMPLE: usize = 20;

pub fn read(name: &str, text: &str, meter: &mut Meter<'_>) -> Result<Document, Error> {
    let is_tabbed = [".tsv", ".tab"].iter().any(|end| name.to_ascii_lowercase().ends_with(end));
    let delimiter = if is_tabbed { b'\t' } else { delimiter_of(text) };
    let mut rows = rows(text, delimiter).into_records();
    let header = match rows.next() {
        Some(Ok(header)) => joined(&header),
        _ => return Err(Error::Damaged { format: Format::Table }),
    };
    let mut lines = String::new();
    let mut last = 1_u32;
    for row in rows {
        let row = row.map_err(|_| Error::Damaged { format: Format::Table })?;
        meter.parts(1 + row.len() as u64)?;
        let line = joined(&row);
        meter.text(line.len() + 1)?;
        if last > 1 {
            lines.push('\n');
        }
        lines.push_str(&line);
        last = last.saturating_add(1);
    }
    // A table of one row has no header.
    let section = if last == 1 {
        Section { headings: Vec::new(), place: Place::Rows(Span { first: 1, last: 1 }), text: header }
    } else {
        Section { headings: vec![header], place: Place::Rows(Span { first: 2, last }), text: lines }
    };
    Ok(Document {
        format: Format::Table,
        title: None,
        sections: vec![section],
        pages: Vec::new(),
        encoding: None,
    })
}

fn rows(text: &str, delimiter: u8) -> csv::Reader<&[u8]> {
    let mut builder = csv::ReaderBuilder::new();
    builder.has_headers(false).flexible(true).delimiter(delimiter).from_reader(text.as_bytes())
}

/// The delimiter that gives the first rows the same number of cells, and the most of them.
fn delimiter_of(text: &str) -> u8 {
    let score = |delimiter: u8| {
        let counts: Vec<_> =
            rows(text, delimiter).into_records().take(SAMPLE).flatten().map(|row| row.len()).collect();
        let first = counts.first().copied().unwrap_or(0);
        let same = counts.iter().filter(|count| **count == first).count();
        if first < 2 { 0 } else { same * 100 + first.min(99) }
    };
    // The last of equals is taken.
    [b'|', b'\t', b';', b','].into_iter().max_by_key(|delimiter| score(*delimiter)).unwrap_or(b',')
}

/// The cells of a row on one line.
fn joined(row: &csv::StringRecord) -> String {
    let cells = row.iter().map(|cell| cell.split_whitespace().collect::<Vec<_>>().join(" "));
    cells.collect::<Vec<_>>().join(" | ")
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::Limits;

    fn section(name: &str, text: &str) -> Section {
        let mut callback = |_| ControlFlow::Continue(());
        let document = read(name, text, &mut Meter::new(Limits::default(), &mut callback)).unwrap();
        document.sections.into_iter().next().unwrap()
    }

    #[test]
    fn rows_are_lines_below_their_header() {
        let expected = Section {
            headings: vec!["name | note".into()],
            place: Place::Rows(Span { first: 2, last: 4 }),
            text: "Ada | x, y\nBob | two lines\nCy".into(),
        };
        assert_eq!(section("a.csv", "name,note\nAda,\"x, y\"\nBob,\"two\nlines\"\nCy\n"), expected);
    }

    #[test]
    fn the_delimiter_is_found() {
        for text in ["a;b,c;d\n1;2,0;3", "a\tb,c\td\n1\t2,0\t3", "a|b,c|d\n1|2,0|3"] {
            assert_eq!(section("a.csv", text).text, "1 | 2,0 | 3");
        }
        assert_eq!(section("a.tsv", "a,b\tc\n1,2\t3").headings, ["a,b | c"]);
    }

    #[test]
    fn one_row_is_no_header() {
        assert_eq!(section("a.csv", "only,row").text, "only | row");
    }
}
