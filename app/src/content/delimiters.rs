//! Where formulas within lines begin and end.
//!
//! Models write `$…$`, `$$…$$`, `\(…\)` and `\[…\]`; people write amounts of money. Markdown itself knows none of this: it
//! takes `\(` for an escaped bracket.

use std::borrow::Cow;

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::display::line_end;
use super::dollars::{self, Code};
use super::shield::DOLLAR;
use super::tables;

/// Formulas between brackets are shorter than this, in bytes. A text full of opening delimiters is read in a time that grows
/// with its length alone.
const LONGEST: usize = 4096;

/// Returns the Markdown understood: CommonMark with tables, task lists, struck-out text and formulas.
pub(super) fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_MATH
}

/// Returns the text with all its formulas between dollar signs, and all other dollar signs shielded: so the parser, which knows
/// nothing of money, sees delimiters alone.
pub(super) fn rewrite(source: &str) -> Cow<'_, str> {
    if !["$", "\\(", "\\["].iter().any(|delimiter| source.contains(delimiter)) {
        return Cow::Borrowed(source);
    }
    let code = code_ranges(source);
    let has_table = tables::has_table(source);
    let (mut round, mut square) = (Ahead::new("\\)"), Ahead::new("\\]"));
    let mut text = String::with_capacity(source.len());
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = source[at..].find(['\\', '$']).map(|found| found + at) {
        if source[found..].starts_with('$') {
            let length = dollars::run(source, found);
            let begin = found + length;
            at = begin;
            let formula = dollars::formula(source, found, &code);
            if let Some(inner) = formula.filter(|inner| !(has_table && leaves_row(source, found, inner.end)))
            {
                at = inner.end + length;
                let quoted = source[inner.clone()].starts_with('`') && code.end_around(begin).is_some();
                if quoted {
                    text.push_str(&source[copied..begin]);
                    text.push_str(source[inner.clone()].trim_matches(['`', ' ']));
                    copied = inner.end;
                }
            } else {
                text.push_str(&source[copied..found]);
                text.push_str(&DOLLAR.repeat(length));
                copied = begin;
            }
            continue;
        }
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
        if let Some(end) = code.end_around(found) {
            at = end.max(at);
            continue;
        }
        let Some(end) = close.find(source, at).filter(|end| end - at <= LONGEST) else { continue };
        let inner = &source[at..end];
        let formula = inner.trim();
        let no_formula = formula.is_empty() || formula.contains('$') || has_blank_line(inner);
        if no_formula || (has_table && leaves_row(source, found, end)) {
            continue;
        }
        text.push_str(&source[copied..found]);
        text.push_str(mark);
        // A single dollar sign delimits nothing beside a space.
        text.push_str(if mark == "$" { formula } else { inner });
        text.push_str(mark);
        at = end + close.pattern.len();
        copied = at;
    }
    text.push_str(&source[copied..]);
    Cow::Owned(text)
}

/// Where a pattern stands next, looked for once however often it is asked from further on.
struct Ahead {
    pattern: &'static str,
    /// The place found last; `None` if nothing was looked for yet.
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

fn code_ranges(source: &str) -> Code {
    // A dollar sign in front must not hide code.
    let options = options().difference(Options::ENABLE_MATH);
    let events = Parser::new_ext(source, options).into_offset_iter();
    let code = events.filter(|(event, _)| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))));
    Code(code.map(|(_, range)| range).collect())
}

/// Whether a formula begins in one line with bars and ends in another: in a table, it begins and ends in a cell.
fn leaves_row(text: &str, from: usize, to: usize) -> bool {
    let first = text[..from].rfind('\n').map_or(0, |end| end + 1);
    text[from..to].contains('\n') && text[first..line_end(text, to)].contains('|')
}

fn has_blank_line(text: &str) -> bool {
    // The first and the last line may be blank: the delimiters stand there.
    let lines: Vec<&str> = text.trim().lines().collect();
    lines.iter().any(|line| line.trim().is_empty())
}
