//! Where formulas begin and end.
//!
//! Models write `$…$`, `$$…$$`, `\(…\)`, `\[…\]` and bare environments; people write amounts of money. Markdown itself
//! knows none of this: it takes `\(` for an escaped bracket, and `+ 1` at the start of a line for a list.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag};

/// A text whose `\(…\)` and `\[…\]` are now `$…$` and `$$…$$`, which the parser understands.
#[derive(Debug)]
pub(super) struct Rewritten<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// Where in it formulas begin that need not be told from amounts of money.
    sure: BTreeSet<usize>,
}

/// Rewrites the delimiters outside code.
pub(super) fn rewrite(source: &str) -> Rewritten<'_> {
    if !source.contains("\\(") && !source.contains("\\[") {
        return Rewritten { text: Cow::Borrowed(source), sure: BTreeSet::new() };
    }
    let code = code_ranges(source);
    let mut code = code.iter().peekable();
    let (mut round, mut square) = (Ahead::new("\\)"), Ahead::new("\\]"));
    let mut text = String::with_capacity(source.len());
    let mut sure = BTreeSet::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = source[at..].find('\\').map(|found| found + at) {
        let (close, mark) = match source.as_bytes().get(found + 1) {
            Some(b'(') => (&mut round, "$"),
            Some(b'[') => (&mut square, "$$"),
            // An escaped character, perhaps a backslash: it opens nothing.
            Some(byte) if byte.is_ascii() => {
                at = found + 2;
                continue;
            }
            _ => {
                at = found + 1;
                continue;
            }
        };
        at = found + 2;
        while code.next_if(|range| range.end <= found).is_some() {}
        if let Some(range) = code.peek()
            && range.contains(&found)
        {
            at = range.end.max(at);
            continue;
        }
        let Some(end) = close.find(source, at).filter(|end| end - at <= LONGEST) else { continue };
        let inner = &source[at..end];
        let formula = inner.trim();
        if formula.is_empty() || formula.contains('$') || has_blank_line(inner) {
            continue;
        }
        text.push_str(&source[copied..found]);
        sure.insert(text.len());
        text.push_str(mark);
        if mark == "$" && !formula.contains("\\begin") {
            // A bar would end a cell of a table; these mean the same.
            text.push_str(formula.replace("\\|", "\\Vert ").replace('|', "\\vert ").trim_end());
        } else {
            text.push_str(formula);
        }
        text.push_str(mark);
        at = end + close.pattern.len();
        copied = at;
    }
    text.push_str(&source[copied..]);
    Rewritten { text: Cow::Owned(text), sure }
}

/// Formulas are shorter than this, in bytes. A text full of opening delimiters is read in a time that grows with its
/// length alone.
const LONGEST: usize = 4096;

/// Where a pattern stands next, looked for once however often it is asked from further on.
struct Ahead {
    pattern: &'static str,
    /// The place found last; none when nothing was looked for yet.
    found: Option<Option<usize>>,
}

impl Ahead {
    fn new(pattern: &'static str) -> Self {
        Self { pattern, found: None }
    }

    /// The first place at or after `from`, which only grows from call to call.
    fn find(&mut self, source: &str, from: usize) -> Option<usize> {
        match self.found {
            Some(None) => None,
            Some(Some(place)) if place >= from => Some(place),
            _ => {
                let place = source[from..].find(self.pattern).map(|place| place + from);
                self.found = Some(place);
                place
            }
        }
    }
}

fn code_ranges(source: &str) -> Vec<Range<usize>> {
    let events = Parser::new_ext(source, super::parse::options()).into_offset_iter();
    let code = events.filter(|(event, _)| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))));
    code.map(|(_, range)| range).collect()
}

/// Whether what stands between single dollar signs is a formula, and not text between two amounts of money.
pub(super) fn is_formula(source: &Rewritten<'_>, range: &Range<usize>) -> bool {
    if source.sure.contains(&range.start) {
        return true;
    }
    let text = source.text.as_ref();
    let inner = text.get(range.start + 1..range.end.saturating_sub(1)).unwrap_or_default();
    let before = text[..range.start].chars().next_back();
    let after = text[range.end..].chars().next();
    // `$5-$10`, `US$5 or US$6`.
    let amount_beside =
        after.is_some_and(|c| c.is_ascii_digit()) || before.is_some_and(|c| c.is_ascii_alphanumeric());
    !amount_beside && !begins_with_amount(inner)
}

/// `5 and 10`, `1,000 a month`: a number, and words. A formula such as `2 x` or `3 \cdot 4` has none.
fn begins_with_amount(inner: &str) -> bool {
    let is_word = |word: &str| {
        let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
        word.chars().count() >= 2 && word.chars().all(char::is_alphabetic)
    };
    let words = inner.split_whitespace().skip(1);
    inner.starts_with(|c: char| c.is_ascii_digit()) && !inner.contains('\\') && words.into_iter().any(is_word)
}

/// A formula on lines of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Display {
    /// The lines it takes, the line break after the last one included.
    pub lines: Range<usize>,
    /// The LaTeX; none when its end is missing.
    pub formula: Option<String>,
}

/// Environments that stand without other delimiters.
const ENVIRONMENTS: [&str; 12] = [
    "equation",
    "equation*",
    "align",
    "align*",
    "aligned",
    "gather",
    "gather*",
    "multline",
    "multline*",
    "cases",
    "matrix",
    "pmatrix",
];

/// The first formula that begins a line of `text` between the offsets `from` and `to`, and ends a line, there or after
/// them. A blank line ends it in any case.
pub(super) fn find_display(text: &str, from: usize, to: usize) -> Option<Display> {
    let mut start = from;
    let mut limit = from;
    while start < to {
        let end = line_end(text, start);
        let line = &text[start..end];
        let open = start + (line.len() - line.trim_start().len());
        if let Some((opener, closer, keep)) = delimiters_of(text[open..end].trim_end()) {
            if limit <= start {
                limit = blank_line(text, start);
            }
            let inner = open + opener;
            let found = text.get(inner..limit).and_then(|rest| rest.find(closer.as_str()));
            match found.map(|found| inner + found) {
                None => return Some(Display { lines: start..limit, formula: None }),
                Some(close) => {
                    let close_end = close + closer.len();
                    let last = line_end(text, close_end);
                    let formula = if keep { &text[open..close_end] } else { &text[inner..close] }.trim();
                    // A comma or full stop behind the closing delimiter belongs to the sentence.
                    let behind = &text[close_end..last];
                    let (mark, behind) =
                        behind.split_at(behind.len() - behind.trim_start_matches(['.', ',', ';', ':']).len());
                    let alone = behind.trim().is_empty();
                    if alone || close >= end {
                        let end = if alone { last } else { close_end + mark.len() };
                        let formula = (!formula.is_empty()).then(|| format!("{formula}{mark}"));
                        return Some(Display { lines: start..end, formula });
                    }
                    // It stands within a line: the parser knows such.
                }
            }
        }
        start = end;
    }
    None
}

/// For a line that begins a formula: how long the opening delimiter is, the closing one, and whether both belong to
/// the LaTeX.
fn delimiters_of(line: &str) -> Option<(usize, String, bool)> {
    if line.starts_with("$$") {
        return Some((2, "$$".to_owned(), false));
    }
    if line.starts_with("\\[") {
        return Some((2, "\\]".to_owned(), false));
    }
    let name = line.strip_prefix("\\begin{")?.split_once('}')?.0;
    let opener = "\\begin{}".len() + name.len();
    ENVIRONMENTS.contains(&name).then(|| (opener, format!("\\end{{{name}}}"), true))
}

/// Where the line ends that holds the offset: behind its line break.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

/// Where the first blank line at or after the offset begins, or the text ends.
fn blank_line(text: &str, at: usize) -> usize {
    let mut start = at;
    while start < text.len() {
        let end = line_end(text, start);
        if text[start..end].trim().is_empty() {
            return start;
        }
        start = end;
    }
    text.len()
}

fn has_blank_line(text: &str) -> bool {
    // The first and the last line may be blank: the delimiters stand there.
    let lines: Vec<&str> = text.trim().lines().collect();
    lines.iter().any(|line| line.trim().is_empty())
}
