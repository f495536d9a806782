//! Small repairs to what stands within a line: addresses become links, pieces of text become one.

use documents::{Mark, marks};

use super::blocks::Inline;

/// Returns an address that is safe to open from a model's answer, which anybody may have influenced: `http`, `https` or
/// `mailto`.
pub(super) fn safe_address(address: &str) -> Option<String> {
    let scheme = address.split_once(':')?.0.to_ascii_lowercase();
    let safe = matches!(scheme.as_str(), "http" | "https" | "mailto");
    (safe && !address.chars().any(char::is_control)).then(|| address.to_owned())
}

/// Returns a raw HTML tag: shown as text, but for the line break, which models write in table cells.
pub(super) fn html(tag: &str) -> Inline {
    let name = tag.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/').trim();
    if name.eq_ignore_ascii_case("br") { Inline::Break } else { Inline::Text(tag.to_owned()) }
}

/// Joins neighbouring texts: the parser cuts them at every character that could have meant something.
pub(super) fn merge(content: Vec<Inline>) -> Vec<Inline> {
    let mut merged: Vec<Inline> = Vec::with_capacity(content.len());
    for inline in content {
        match (merged.last_mut(), inline) {
            (Some(Inline::Text(before)), Inline::Text(text)) => before.push_str(&text),
            (_, Inline::Text(text)) if text.is_empty() => {}
            (_, inline) => merged.push(inline),
        }
    }
    merged
}

/// Takes the marks that name passages of documents out of texts.
pub(super) fn take_marks(content: Vec<Inline>) -> Vec<Inline> {
    let mut taken = Vec::with_capacity(content.len());
    for inline in content {
        let Inline::Text(text) = inline else {
            taken.push(inline);
            continue;
        };
        let mut copied = 0;
        for Mark { range, passages } in marks(&text) {
            if copied < range.start {
                taken.push(Inline::Text(text[copied..range.start].to_owned()));
            }
            copied = range.end;
            taken.push(Inline::Mark { text: text[range].to_owned(), passages });
        }
        if copied < text.len() {
            taken.push(Inline::Text(text[copied..].to_owned()));
        }
    }
    taken
}

/// Makes links of the web addresses in texts.
pub(super) fn link_addresses(content: Vec<Inline>) -> Vec<Inline> {
    let mut linked = Vec::with_capacity(content.len());
    for inline in content {
        match inline {
            Inline::Text(text) if text.contains("://") => split_addresses(&text, &mut linked),
            other => linked.push(other),
        }
    }
    linked
}

fn split_addresses(text: &str, out: &mut Vec<Inline>) {
    let mut rest = text;
    while let Some((start, length)) = find_address(rest) {
        let (before, from) = rest.split_at(start);
        let (address, after) = from.split_at(length);
        if !before.is_empty() {
            out.push(Inline::Text(before.to_owned()));
        }
        out.push(Inline::Link { href: address.to_owned(), content: vec![Inline::Text(address.to_owned())] });
        rest = after;
    }
    if !rest.is_empty() {
        out.push(Inline::Text(rest.to_owned()));
    }
}

/// Where the first web address begins and how long it is, in bytes.
fn find_address(text: &str) -> Option<(usize, usize)> {
    let mut searched = 0;
    while let Some(at) = text[searched..].find("http").map(|at| at + searched) {
        searched = at + "http".len();
        let from = &text[at..];
        let scheme = ["https://", "http://"].into_iter().find(|scheme| from.starts_with(scheme));
        let word_before = text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        let Some(scheme) = scheme.filter(|_| !word_before) else { continue };
        let end = |c: char| c.is_whitespace() || c.is_control() || "<>\"`|{}\\^”’»".contains(c);
        let mut address = &from[..from.find(end).unwrap_or(from.len())];
        // A sentence's marks behind an address are not part of it, nor is a bracket that it did not open.
        while let Some(last) = address.chars().next_back() {
            let closes = match last {
                ')' => address.matches('(').count() < address.matches(')').count(),
                ']' => address.matches('[').count() < address.matches(']').count(),
                _ => ".,;:!?'*_~…".contains(last),
            };
            if !closes {
                break;
            }
            address = &address[..address.len() - last.len_utf8()];
        }
        if address.len() > scheme.len() {
            return Some((at, address.len()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_and_mail_addresses_are_safe() {
        for address in ["https://a.b/c", "HTTP://a", "mailto:a@b.c"] {
            assert!(safe_address(address).is_some(), "{address}");
        }
        for address in [
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc",
            "/a",
            "a",
            "java\nscript:x",
            "",
            "http",
        ] {
            assert!(safe_address(address).is_none(), "{address}");
        }
    }

    #[test]
    fn marks_are_taken_out_of_texts() {
        let text = |text: &str| Inline::Text(text.to_owned());
        let mark = |text: &str, passages: &[(u32, u32)]| Inline::Mark {
            text: text.to_owned(),
            passages: passages.to_vec(),
        };
        let taken = take_marks(vec![text("A [1:2], b 【2:3-4】"), Inline::Break, text("[a] [3]")]);
        let expected = [
            text("A "),
            mark("[1:2]", &[(1, 2)]),
            text(", b "),
            mark("【2:3-4】", &[(2, 3), (2, 4)]),
            Inline::Break,
            text("[a] [3]"),
        ];
        assert_eq!(taken, expected);
    }

    #[test]
    fn addresses_end_before_punctuation() {
        let found = |text: &'static str| find_address(text).map(|(at, length)| &text[at..at + length]);
        assert_eq!(found("see https://a.b/c."), Some("https://a.b/c"));
        assert_eq!(found("(https://a.b/c_(d))"), Some("https://a.b/c_(d)"));
        assert_eq!(found("https://, or xhttps://a http://b"), Some("http://b"));
        assert_eq!(found("https://"), None);
    }
}
