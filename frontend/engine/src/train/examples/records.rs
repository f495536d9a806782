//! Records of a table: cells between separators, a record per line, as in RFC 4180.

use std::borrow::Cow;

/// Maximum number of cells that are kept of one record.
const MAX_CELLS: usize = 10_000;

/// One record.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Record<'a> {
    /// Its first line, from 1.
    pub line: u32,
    /// Its text, line breaks at its end included.
    pub source: &'a str,
    /// Its cells, without quotation marks around them; `None` if a quotation mark does not begin or end a cell.
    pub cells: Option<Vec<Cow<'a, str>>>,
}

/// The records of a text. Blank lines are left out.
pub(super) struct Records<'a> {
    text: &'a str,
    separator: u8,
    at: usize,
    line: u32,
}

impl<'a> Records<'a> {
    /// Those of `text`, which begins at `line`.
    pub fn new(text: &'a str, separator: u8, line: u32) -> Self {
        Self { text, separator, at: 0, line }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn is_end(&self, at: usize) -> bool {
        self.byte(at).is_none_or(|byte| byte == self.separator || matches!(byte, b'\r' | b'\n'))
    }

    fn skip_spaces(&self, at: usize) -> usize {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t') && *byte != self.separator;
        at + self.text.as_bytes()[at..].iter().take_while(|byte| is_space(byte)).count()
    }

    /// The place behind the line break at `at`, if there is one.
    fn next_line(&self, at: usize) -> Option<usize> {
        match (self.byte(at)?, self.byte(at + 1)) {
            (b'\r', Some(b'\n')) => Some(at + 2),
            (b'\r' | b'\n', _) => Some(at + 1),
            _ => None,
        }
    }

    /// The cell that begins at `at`, and its end. `None` if its quotation marks do not match.
    fn cell(&self, at: usize) -> Option<(Cow<'a, str>, usize)> {
        let start = self.skip_spaces(at);
        if self.byte(start) == Some(b'"') {
            let quoted = self.quoted(start + 1, false).or_else(|| self.quoted(start + 1, true));
            // Tables with tabs are often written without quotation.
            let may_be_plain = start > at || self.separator == b'\t';
            if quoted.is_some() || !may_be_plain {
                return quoted;
            }
        }
        // In a table of Markdown, a bar of a text has a backslash.
        let is_escaped = |end: usize| self.byte(end) == Some(b'|') && self.text[at..end].ends_with('\\');
        let is_end = |end: &usize| self.is_end(*end) && !is_escaped(*end);
        let end = (at..self.text.len()).find(is_end).unwrap_or(self.text.len());
        let cell = &self.text[at..end];
        let is_marked = self.separator == b'|' && cell.contains("\\|");
        Some((if is_marked { cell.replace("\\|", "|").into() } else { cell.into() }, end))
    }

    /// The quoted cell whose content begins at `start`, and its end. `escapes`: a backslash precedes quotation marks
    /// of the content, instead of another one.
    fn quoted(&self, start: usize, escapes: bool) -> Option<(Cow<'a, str>, usize)> {
        let (mark, mut at) = (if escapes { "\\\"" } else { "\"\"" }, start);
        loop {
            let found = at + self.text[at..].find('"')?;
            if escapes && self.byte(found - 1) == Some(b'\\') {
                at = found + 1;
            } else if !escapes && self.byte(found + 1) == Some(b'"') {
                at = found + 2;
            } else {
                let end = self.skip_spaces(found + 1);
                let content = &self.text[start..found];
                let content =
                    if content.contains(mark) { content.replace(mark, "\"").into() } else { content.into() };
                return self.is_end(end).then_some((content, end));
            }
        }
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        while let Some(next) = self.next_line(self.at) {
            self.at = next;
            self.line += 1;
        }
        let start = self.at;
        if start == self.text.len() {
            return None;
        }
        let line = self.line;
        let (mut cells, mut is_whole) = (Vec::new(), true);
        loop {
            let Some((cell, end)) = self.cell(self.at) else {
                is_whole = false;
                // What follows is on a line of its own, whatever the mark was meant to enclose.
                let rest = &self.text[self.at..];
                self.at += rest.find(['\r', '\n']).unwrap_or(rest.len());
                break;
            };
            if cells.len() < MAX_CELLS {
                cells.push(cell);
            }
            self.at = end;
            if self.byte(end) != Some(self.separator) {
                break;
            }
            self.at += 1;
        }
        let source = &self.text[start..self.at];
        let breaks = source.matches(['\r', '\n']).count() - source.matches("\r\n").count();
        self.line += breaks as u32;
        Some(Record { line, source, cells: is_whole.then_some(cells) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str, separator: u8) -> Vec<(u32, Option<Vec<String>>)> {
        let owned = |record: Record<'_>| {
            let cells = record.cells.map(|cells| cells.into_iter().map(Cow::into_owned).collect());
            (record.line, cells)
        };
        Records::new(text, separator, 1).map(owned).collect()
    }

    fn record(line: u32, cells: &[&str]) -> (u32, Option<Vec<String>>) {
        (line, Some(cells.iter().map(|cell| (*cell).to_owned()).collect()))
    }

    #[test]
    fn cells_may_be_quoted() {
        let text = "a,\"b, \"\"c\"\"\"\r\n\r\n\"d\ne\",\nf,\"g\" , \"h, i\"\rj, k \"l\"\n";
        let records = [
            record(1, &["a", "b, \"c\""]),
            record(3, &["d\ne", ""]),
            record(5, &["f", "g", "h, i"]),
            record(6, &["j", " k \"l\""]),
        ];
        assert_eq!(cells(text, b','), records);
        assert_eq!(cells(r#""say \"hi\", now","C:\""#, b','), [record(1, &["say \"hi\", now", "C:\\"])]);
        assert_eq!(
            cells("\"Hi\" he said\tb\n\"open\tc\n\"d\"\te", b'\t'),
            [record(1, &["\"Hi\" he said", "b"]), record(2, &["\"open", "c"]), record(3, &["d", "e"]),]
        );
        assert_eq!(cells("", b','), []);
    }

    #[test]
    fn a_wrong_quotation_mark_spoils_its_line_alone() {
        for wrong in ["\"a,b", "x,\"a", "\"a\" b,c", "x,\"a\"\"", "\"p\nq\",\"a"] {
            let line = 3 + wrong.matches('\n').count() as u32;
            let text = format!("p,c\n{wrong}\nd,e\nf,g\n");
            let records =
                [record(1, &["p", "c"]), (2, None), record(line, &["d", "e"]), record(line + 1, &["f", "g"])];
            assert_eq!(cells(&text, b','), records, "{wrong}");
        }
    }
}
