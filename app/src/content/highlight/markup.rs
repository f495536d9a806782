//! The lexers for what is not made of words: markup, styles, differences.

use super::Kind;

/// HTML and XML.
pub(super) fn lex_markup(code: &str) -> Vec<(Kind, &str)> {
    let mut spans = Vec::new();
    let mut rest = code;
    while !rest.is_empty() {
        let length = if rest.starts_with("<!--") {
            let end = rest.find("-->").map_or(rest.len(), |end| end + "-->".len());
            spans.push((Kind::Comment, &rest[..end]));
            end
        } else if rest.starts_with("<!") || rest.starts_with("<?") {
            let end = rest.find('>').map_or(rest.len(), |end| end + 1);
            spans.push((Kind::Meta, &rest[..end]));
            end
        } else if rest.starts_with('<') && rest[1..].starts_with(|c: char| c.is_alphabetic() || c == '/') {
            let end = tag_end(rest);
            lex_tag(&rest[..end], &mut spans);
            end
        } else if let Some(end) = entity(rest) {
            spans.push((Kind::Constant, &rest[..end]));
            end
        } else {
            let first = rest.chars().next().map_or(1, char::len_utf8);
            let end = rest[first..].find(['<', '&']).map_or(rest.len(), |end| end + first);
            spans.push((Kind::Plain, &rest[..end]));
            end
        };
        rest = &rest[length..];
    }
    spans
}

/// `&name;`
fn entity(rest: &str) -> Option<usize> {
    let name = rest.strip_prefix('&')?;
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '#')?;
    (end > 0 && name[end..].starts_with(';')).then_some(end + 2)
}

/// Where a tag ends, quoted `>` left aside.
fn tag_end(rest: &str) -> usize {
    let mut quote = None;
    for (at, c) in rest.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, '>') => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

fn lex_tag<'a>(tag: &'a str, spans: &mut Vec<(Kind, &'a str)>) {
    let mut named = false;
    let mut rest = tag;
    while let Some(first) = rest.chars().next() {
        let is_name = |c: char| c.is_alphanumeric() || "-_:.@".contains(c);
        let (kind, length) = if first == '"' || first == '\'' {
            (Kind::String, rest[1..].find(first).map_or(rest.len(), |end| end + 2))
        } else if is_name(first) {
            let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
            let kind = if named { Kind::Property } else { Kind::Tag };
            named = true;
            (kind, length)
        } else {
            (Kind::Plain, first.len_utf8())
        };
        spans.push((kind, &rest[..length]));
        rest = &rest[length..];
    }
}

/// CSS and its kin.
pub(super) fn lex_styles(code: &str) -> Vec<(Kind, &str)> {
    let mut spans = Vec::new();
    let mut rest = code;
    let mut inside = 0_usize;
    let mut value = false;
    while let Some(first) = rest.chars().next() {
        let is_name = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        let (kind, length) = if rest.starts_with("/*") {
            (Kind::Comment, rest.find("*/").map_or(rest.len(), |end| end + 2))
        } else if first == '"' || first == '\'' {
            let close = rest[1..].find([first, '\n']).map_or(rest.len(), |end| end + 1);
            (Kind::String, close + usize::from(rest[close..].starts_with(first)))
        } else if first == '@' {
            (Kind::Keyword, 1 + rest[1..].find(|c: char| !is_name(c)).unwrap_or(rest.len() - 1))
        } else if first == '#' && value {
            (Kind::Number, 1 + rest[1..].find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len() - 1))
        } else if first.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '%');
            (Kind::Number, end.unwrap_or(rest.len()))
        } else if is_name(first) {
            let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
            let after = rest[length..].trim_start();
            let kind = match () {
                () if inside > 0 && !value && after.starts_with(':') => Kind::Property,
                () if value && after.starts_with('(') => Kind::Function,
                () if value || inside > 0 => Kind::Plain,
                () => Kind::Tag,
            };
            (kind, length)
        } else {
            match first {
                '{' => inside += 1,
                '}' => inside = inside.saturating_sub(1),
                _ => {}
            }
            match first {
                ':' if inside > 0 => value = true,
                ';' | '{' | '}' => value = false,
                _ => {}
            }
            (Kind::Plain, first.len_utf8())
        };
        spans.push((kind, &rest[..length]));
        rest = &rest[length..];
    }
    spans
}

/// Differences between files.
pub(super) fn lex_diff(code: &str) -> Vec<(Kind, &str)> {
    let kind = |line: &str| match line.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] | [b'd', b'i', b'f', b'f', b' ', ..] => Kind::Meta,
        [b'@', b'@', ..] => Kind::Meta,
        [b'+', ..] => Kind::Inserted,
        [b'-', ..] => Kind::Deleted,
        _ => Kind::Plain,
    };
    code.split_inclusive('\n').map(|line| (kind(line), line)).collect()
}
