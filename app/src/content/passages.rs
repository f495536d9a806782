//! What the user wrote: as it is, but for code. Long texts come in passages, so that a browser lays out those in sight only.

use leptos::prelude::*;

use super::blocks::Inline;
use super::code::CodeBlock;
use super::live::Part;
use super::view;

/// Bytes of a passage, about: a browser lays out a few of these in no time, but takes seconds for a text of a megabyte.
const LENGTH: usize = 4096;

/// Bytes that are shown until all is asked for.
const SHOWN: usize = 100_000;

/// A piece of a text on lines of its own.
#[derive(Clone, Debug, PartialEq)]
pub enum Passage {
    /// Text as it is written, and code in it.
    Words(Vec<Inline>),
    /// Code between fences.
    Code {
        /// The language as written after the fence; empty when none is.
        language: String,
        /// The code.
        text: String,
    },
}

/// Returns the passages of a text, and how many of them are shown until all is asked for.
#[must_use]
pub fn passages(text: &str) -> (Vec<Passage>, usize) {
    let mut passages = Vec::new();
    let mut shown = None;
    let mut rest = text;
    while !rest.is_empty() {
        if shown.is_none() && text.len() - rest.len() >= SHOWN {
            shown = Some(passages.len());
        }
        if let Some((passage, after)) = fenced(rest) {
            passages.push(passage);
            rest = after;
            continue;
        }
        let (words, after) = rest.split_at(words_end(rest));
        // The line break before the next passage is where it begins.
        passages.push(Passage::Words(inlines(words.strip_suffix('\n').unwrap_or(words))));
        rest = after;
    }
    let count = passages.len();
    (passages, shown.unwrap_or(count))
}

/// The code that a text begins with, and what follows it; `None` if it begins with none. Code without an end goes on to
/// the text's.
fn fenced(text: &str) -> Option<(Passage, &str)> {
    let (mark, length, info) = fence(text)?;
    let begin = line_end(text);
    let mut end = begin;
    while end < text.len() {
        let line = &text[end..end + line_end(&text[end..])];
        let closes = fence(line)
            .is_some_and(|(other, count, rest)| other == mark && count >= length && rest.is_empty());
        if closes {
            let code = text[begin..end].strip_suffix('\n').unwrap_or(&text[begin..end]);
            return Some((code_of(info, code), &text[end + line.len()..]));
        }
        end += line.len();
    }
    Some((code_of(info, text[begin..].trim_end_matches('\n')), ""))
}

fn code_of(info: &str, text: &str) -> Passage {
    let language = super::parse::language(info);
    // What else stands behind the fence was written, too.
    let text = if language == info { text.to_owned() } else { format!("{info}\n{text}") };
    Passage::Code { language, text }
}

/// The fence that a text begins with: its character, how many of them, and what stands behind it.
fn fence(text: &str) -> Option<(char, usize, &str)> {
    let line = text[..line_end(text)].trim_end();
    let fence = line.trim_start_matches(' ');
    let mark = fence.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = fence.trim_start_matches(mark);
    let length = fence.len() - info.len();
    let is_fence = length >= 3 && line.len() - fence.len() < 4 && !(mark == '`' && info.contains('`'));
    is_fence.then(|| (mark, length, info.trim()))
}

/// Where the words end that a text begins with: before code, or where they are long enough.
fn words_end(text: &str) -> usize {
    let mut end = 0;
    while end < text.len() && (end == 0 || fence(&text[end..]).is_none()) {
        let line = line_end(&text[end..]);
        if end + line > LENGTH {
            return if end > 0 { end } else { line_cut(&text[..line]) };
        }
        end += line;
    }
    end
}

/// Where a line is cut that is too long: behind a space, if there is one.
fn line_cut(line: &str) -> usize {
    let limit = (0..=LENGTH).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(line.len());
    line[..limit]
        .rfind(char::is_whitespace)
        .map_or(limit, |space| space + line[space..].chars().next().map_or(0, char::len_utf8))
}

fn line_end(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |end| end + 1)
}

/// The words and the code between backticks.
fn inlines(text: &str) -> Vec<Inline> {
    let mut found = Vec::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(start) = text[at..].find('`').map(|start| start + at) {
        let rest = text[start..].trim_start_matches('`');
        let begin = text.len() - rest.len();
        at = begin;
        let paragraph = &rest[..rest.find("\n\n").unwrap_or(rest.len())];
        let Some(length) = code_length(paragraph, begin - start) else { continue };
        if copied < start {
            found.push(Inline::Text(text[copied..start].to_owned()));
        }
        found.push(Inline::Code(trimmed(&paragraph[..length]).to_owned()));
        at = begin + length + (begin - start);
        copied = at;
    }
    if copied < text.len() {
        found.push(Inline::Text(text[copied..].to_owned()));
    }
    found
}

/// How long the code is that ends with so many backticks; `None` if none does.
fn code_length(text: &str, backticks: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`').map(|found| found + at) {
        let behind = text[found..].trim_start_matches('`');
        at = text.len() - behind.len();
        if at - found == backticks {
            return (found > 0).then_some(found);
        }
    }
    None
}

/// Code without the space at both ends that keeps its own backticks from those around it.
fn trimmed(code: &str) -> &str {
    let inner = code.strip_prefix(' ').and_then(|code| code.strip_suffix(' '));
    inner.filter(|inner| !inner.trim().is_empty()).unwrap_or(code)
}

/// Passages as views.
pub fn draw_passages(passages: &[Passage]) -> Vec<AnyView> {
    let draw = |passage: &Passage| match passage {
        Passage::Words(words) => {
            let words: Vec<_> = words.iter().map(|it| view::inline(Part::Settled(Some(it)))).collect();
            view! { <div class="passage" dir="auto">{words}</div> }.into_any()
        }
        Passage::Code { language, text } => {
            view! { <CodeBlock language=language.clone() text=text.clone() /> }.into_any()
        }
    };
    passages.iter().map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> Vec<String> {
        let of = |passage: &Passage| match passage {
            Passage::Code { language, text } => format!("[{language}]{text}"),
            Passage::Words(words) => words
                .iter()
                .map(|inline| match inline {
                    Inline::Text(text) => text.clone(),
                    Inline::Code(code) => format!("‹{code}›"),
                    other => panic!("{other:?}"),
                })
                .collect(),
        };
        passages(text).0.iter().map(of).collect()
    }

    #[test]
    fn code_is_told_from_words() {
        for (text, expected) in [
            ("a **b** _c_ $5", &["a **b** _c_ $5"][..]),
            ("a `b` c ``d ` e`` ` f", &["a ‹b› c ‹d ` e› ` f"]),
            ("`a\n\nb`", &["`a\n\nb`"]),
            ("a\n```js\nlet x;\n\ny\n```\nb\n", &["a", "[js]let x;\n\ny", "b"]),
            ("~~~\n```\n~~~", &["[]```"]),
            ("````md\n```\n````\nx", &["[md]```", "x"]),
            ("```js\nlet x;", &["[js]let x;"]),
            ("```js a.js\nlet x;\n```", &["[js]js a.js\nlet x;"]),
            ("see ```js``` here", &["see ‹js› here"]),
            ("```a``` b", &["‹a› b"]),
            ("a\n\n\nb", &["a\n\n\nb"]),
            ("    ```\nx", &["    ```\nx"]),
            ("", &[]),
        ] {
            assert_eq!(shown(text), expected, "{text:?}");
        }
    }

    #[test]
    fn long_texts_are_cut_into_passages() {
        for text in
            ["word ".repeat(50_000), "x".repeat(250_000), "ü".repeat(125_000), "line\n".repeat(50_000)]
        {
            let (all, shown) = passages(&text);
            assert!(all.len() > 50 && shown < all.len() / 2, "{}", all.len());
            let length = |passage: &Passage| match passage {
                Passage::Words(words) => {
                    words.iter().map(|inline| format!("{inline:?}").len()).sum::<usize>()
                }
                Passage::Code { .. } => 0,
            };
            assert!(all.iter().all(|passage| length(passage) < 8 * LENGTH));
        }
        let (all, shown) = passages("short");
        assert_eq!((all.len(), shown), (1, 1));
    }

    proptest! {
        #[test]
        fn nothing_vanishes(
            pieces in proptest::collection::vec(
                proptest::sample::select(&["a", "é ", "`", "``", "\n", "\n\n", "\n```\n", "\n~~~ x\n", "b\n", " "][..]), 0..30),
        ) {
            let text = pieces.concat();
            let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).collect::<String>();
            let shown = shown(&text).concat();
            prop_assert!(letters(&shown).len() >= letters(&text).len(), "{:?}: {:?}", text, shown);
        }
    }
}
