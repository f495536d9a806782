//! The lexer for languages of words.

use super::Kind;
use super::languages::{Keys, Words};

/// Cuts code into pieces that together are the code.
pub(super) fn lex<'a>(words: &Words, code: &'a str) -> Vec<(Kind, &'a str)> {
    let mut spans = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let (kind, length) = next(words, code, at);
        spans.push((kind, &code[at..at + length]));
        at += length;
    }
    spans
}

/// The piece that begins at an offset: at least one character long.
fn next(words: &Words, code: &str, at: usize) -> (Kind, usize) {
    let rest = &code[at..];
    let before = code[..at].chars().next_back();
    let Some(first) = rest.chars().next() else { return (Kind::Plain, 0) };
    if first.is_whitespace() {
        let end = rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len());
        return (Kind::Plain, end);
    }
    if let Some(length) = comment(words, rest, before) {
        return (Kind::Comment, length);
    }
    if let Some(length) = words.meta.and_then(|mark| meta(mark, rest, code, at)) {
        return (Kind::Meta, length);
    }
    if words.dollar && first == '$' {
        return (Kind::Property, variable(rest));
    }
    if let Some(length) = string(words, rest) {
        let key = words.keys == Keys::Strings && rest[length..].trim_start().starts_with(':');
        return (if key { Kind::Property } else { Kind::String }, length);
    }
    if first.is_ascii_digit() {
        return (Kind::Number, number(rest));
    }
    if is_name(words, first) && !words.name_marks.contains(first) {
        let length = rest.find(|c: char| !is_name(words, c)).unwrap_or(rest.len());
        return (name(words, code, at, length), length);
    }
    (Kind::Plain, first.len_utf8())
}

fn is_name(words: &Words, c: char) -> bool {
    c.is_alphanumeric() || c == '_' || words.name_marks.contains(c)
}

fn comment(words: &Words, rest: &str, before: Option<char>) -> Option<usize> {
    for mark in words.line_comments.iter().filter(|mark| rest.starts_with(**mark)) {
        // `a#b` is a word, also for a shell.
        if mark.len() == 1 && before.is_some_and(|c| !c.is_whitespace() && !";)}]".contains(c)) {
            continue;
        }
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    let (open, close, nests) = words.block_comment.filter(|(open, ..)| rest.starts_with(open))?;
    let mut depth = 1_usize;
    let mut at = open.len();
    while depth > 0 {
        let after = &rest[at..];
        let Some(end) = after.find(close) else { return Some(rest.len()) };
        match after.find(open).filter(|start| nests && *start < end) {
            Some(start) => {
                depth += 1;
                at += start + open.len();
            }
            None => {
                depth -= 1;
                at += end + close.len();
            }
        }
    }
    Some(at)
}

fn meta(mark: &str, rest: &str, code: &str, at: usize) -> Option<usize> {
    let after = rest.strip_prefix(mark)?;
    match mark {
        // `#[name(…)]`, or `#![…]`, within one line.
        "#[" => {
            let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
            line.rfind(']').map(|end| end + 1)
        }
        // A directive stands at the start of its line.
        "#" => {
            let leads = code[..at].rsplit('\n').next().unwrap_or_default().trim().is_empty();
            let directive = after.trim_start_matches([' ', '\t']);
            let letters = directive.find(|c: char| !c.is_alphabetic()).unwrap_or(directive.len());
            (leads && letters > 0).then_some(rest.len() - directive.len() + letters)
        }
        _ => {
            let name =
                after.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').unwrap_or(after.len());
            (name > 0).then_some(mark.len() + name)
        }
    }
}

fn variable(rest: &str) -> usize {
    let after = &rest[1..];
    if after.starts_with('{') {
        return after
            .find(['}', '\n'])
            .map_or(rest.len(), |end| 1 + end + usize::from(after[end..].starts_with('}')));
    }
    let name = after.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(after.len());
    match after.chars().next() {
        Some(c) if name == 0 && "?!#@*$-".contains(c) => 2,
        _ => 1 + name,
    }
}

fn string(words: &Words, rest: &str) -> Option<usize> {
    // The longest prefix that a quote follows; most often there is none.
    let letters = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let prefix = words.string_prefixes.iter().find(|prefix| **prefix == &rest[..letters]);
    let prefix = prefix.map_or(0, |prefix| prefix.len());
    if prefix != letters {
        return None;
    }
    let body = &rest[prefix..];
    if words.lifetimes
        && rest[..prefix].contains('r')
        && let Some(length) = raw_string(body)
    {
        return Some(prefix + length);
    }
    let quote = words.strings.iter().find(|quote| body.starts_with(quote.mark))?;
    let inner = &body[quote.mark.len()..];
    if words.lifetimes && quote.mark == "'" && !is_char(inner) {
        return None;
    }
    let mut escaped = false;
    for (at, c) in inner.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' && quote.escapes {
            escaped = true;
        } else if inner[at..].starts_with(quote.mark) {
            return Some(prefix + at + 2 * quote.mark.len());
        } else if c == '\n' && !quote.lines {
            // It was an apostrophe, or the code is not finished.
            return Some(prefix + quote.mark.len() + at);
        }
    }
    Some(rest.len())
}

/// Whether what follows a single quote in Rust is a character, and not a lifetime.
fn is_char(inner: &str) -> bool {
    let mut chars = inner.chars();
    match chars.next() {
        Some('\\') => true,
        Some(_) => chars.next() == Some('\''),
        None => false,
    }
}

/// `#"…"#` of Rust, with any number of marks.
fn raw_string(body: &str) -> Option<usize> {
    let marks = body.find(|c| c != '#').unwrap_or(body.len());
    if marks == 0 || !body[marks..].starts_with('"') {
        return None;
    }
    let close = format!("\"{}", &body[..marks]);
    let inner = marks + 1;
    Some(body[inner..].find(&close).map_or(body.len(), |end| inner + end + close.len()))
}

fn number(rest: &str) -> usize {
    let mut previous = ' ';
    for (at, c) in rest.char_indices() {
        let sign = (c == '-' || c == '+') && matches!(previous, 'e' | 'E') && !rest.starts_with("0x");
        let point = c == '.' && rest[at + 1..].starts_with(|c: char| c.is_ascii_digit());
        if !(c.is_ascii_alphanumeric() || c == '_' || sign || point) {
            return at;
        }
        previous = c;
    }
    rest.len()
}

/// Whether a list with spaces between has this word.
fn among(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

fn name(words: &Words, code: &str, at: usize, length: usize) -> Kind {
    let text = &code[at..at + length];
    let after = &code[at + length..];
    if let Keys::Lines(mark) = words.keys {
        let line = code[..at].rsplit('\n').next().unwrap_or_default();
        let leads = line.trim_start_matches([' ', '\t', '-']).is_empty();
        if leads && after.trim_start_matches([' ', '\t']).starts_with(mark) {
            return Kind::Property;
        }
    }
    let lower = text.to_ascii_lowercase();
    let word = if words.ignore_case { lower.as_str() } else { text };
    if among(words.keywords, word) {
        return Kind::Keyword;
    }
    if among(words.constants, word) {
        return Kind::Constant;
    }
    if among(words.types, word) {
        return Kind::Type;
    }
    if after.starts_with('(') || after.starts_with("!(") {
        return Kind::Function;
    }
    if words.capital_types && text.starts_with(char::is_uppercase) && text.chars().any(char::is_lowercase) {
        return Kind::Type;
    }
    Kind::Plain
}
