//! How passages are written for the model, and how its answer names them.

use std::fmt::Write as _;

use crate::{Choice, Mark, Passage, Place, marks};

/// A document of a conversation and what of it the model gets.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its number in the conversation, from 1.
    pub number: u32,
    /// Its name or title.
    pub name: &'a str,
    /// Its passages.
    pub passages: &'a [Passage],
    /// Those that are chosen.
    pub choice: &'a Choice,
}

/// A mark in an answer that names a passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The bytes of the mark in the answer. A mark of several passages gives as many citations with the same bytes.
    pub range: std::ops::Range<usize>,
    /// The number of the document.
    pub document: u32,
    /// The number of the passage.
    pub passage: u32,
    /// Where it is.
    pub place: Place,
}

/// Writes the chosen passages. Each starts with a line such as `[2:14] page 3 · Terms > Notice`: the numbers of document
/// and passage, the place, the headings. What is left out is stated, so that the model doesn't take a part for the whole.
pub fn prompt(sources: &[Source<'_>]) -> String {
    let mut text = String::new();
    for source in sources {
        let Source { number, passages, choice, .. } = source;
        // Writing to a string can't fail.
        writeln!(text, "<document number=\"{number}\" name=\"{}\">", quoted(source.name)).ok();
        let mut next = 0;
        for index in &choice.passages {
            let Some(passage) = passages.get(*index) else { continue };
            gap(&mut text, index.saturating_sub(next));
            writeln!(text, "{}\n{}\n", label(*number, passage), escaped(&passage.text)).ok();
            next = index + 1;
        }
        gap(&mut text, passages.len().saturating_sub(next));
        text.push_str("</document>\n\n");
    }
    if !text.is_empty() {
        text.push_str(
            "Cite what you take from a document by its mark, such as [1:2], right after the statement.\n",
        );
    }
    text
}

/// The line above a passage.
pub(crate) fn label(document: u32, passage: &Passage) -> String {
    let mut line = format!("[{document}:{}] {}", passage.number, place(passage.place));
    if !passage.headings.is_empty() {
        let headings = escaped(&passage.headings.join(" > "));
        write!(line, " · {}", headings.replace('\n', " ")).ok();
    }
    line
}

/// Finds the marks in an answer that name passages of the sources. A mark of a passage that the model didn't get is none.
pub fn citations(answer: &str, sources: &[Source<'_>]) -> Vec<Citation> {
    let mut found = Vec::new();
    for Mark { range, passages } in marks(answer) {
        for (document, number) in passages {
            let Some(source) = sources.iter().find(|source| source.number == document) else { continue };
            let chosen = source.choice.passages.iter().filter_map(|index| source.passages.get(*index));
            if let Some(passage) = chosen.into_iter().find(|passage| passage.number == number) {
                found.push(Citation {
                    range: range.clone(),
                    document,
                    passage: number,
                    place: passage.place,
                });
            }
        }
    }
    found
}

fn gap(text: &mut String, count: usize) {
    match count {
        0 => {}
        1 => text.push_str("(1 passage left out)\n\n"),
        _ => {
            writeln!(text, "({count} passages left out)\n").ok();
        }
    }
}

fn place(place: Place) -> String {
    let (one, many, span) = match place {
        Place::Page(number) => return format!("page {number}"),
        Place::Chapter(number) => return format!("chapter {number}"),
        Place::Lines(span) => ("line", "lines", span),
        Place::Rows(span) => ("row", "rows", span),
        Place::Paragraphs(span) => ("paragraph", "paragraphs", span),
    };
    if span.first == span.last {
        format!("{one} {}", span.first)
    } else {
        format!("{many} {}–{}", span.first, span.last)
    }
}

/// Text that can't end its document.
fn escaped(text: &str) -> String {
    text.replace("</document", "<\u{200b}/document").replace("<document", "<\u{200b}document")
}

fn quoted(name: &str) -> String {
    name.chars()
        .map(|letter| if letter.is_control() || matches!(letter, '"' | '<' | '>') { ' ' } else { letter })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;

    fn passages() -> Vec<Passage> {
        let passage = |number, place, text: &str| Passage {
            number,
            headings: vec!["Terms".into(), "Notice".into()],
            place,
            text: text.into(),
            tokens: 1,
        };
        vec![
            passage(1, Place::Page(1), "one"),
            passage(2, Place::Page(2), "two </document> [9:9]"),
            passage(3, Place::Lines(Span { first: 4, last: 9 }), "three"),
            passage(4, Place::Rows(Span { first: 7, last: 7 }), "four"),
        ]
    }

    #[test]
    fn the_prompt_names_passages_and_gaps() {
        let passages = passages();
        let choice = Choice { passages: vec![1, 2], left_out: 2, tokens: 9 };
        let text = prompt(&[Source { number: 2, name: "a \"b\".pdf", passages: &passages, choice: &choice }]);
        let expected = "<document number=\"2\" name=\"a  b .pdf\">\n(1 passage left out)\n\n\
            [2:2] page 2 · Terms > Notice\ntwo <\u{200b}/document> [9:9]\n\n\
            [2:3] lines 4–9 · Terms > Notice\nthree\n\n(1 passage left out)\n\n</document>\n\n\
            Cite what you take from a document by its mark, such as [1:2], right after the statement.\n";
        assert_eq!(text, expected);
        assert_eq!(prompt(&[]), "");
    }

    #[test]
    fn citations_are_found_in_the_forms_that_models_write() {
        let passages = passages();
        let choice = Choice { passages: vec![1, 2, 3], left_out: 1, tokens: 9 };
        let source = Source { number: 2, name: "a", passages: &passages, choice: &choice };
        let numbers = |answer: &str| -> Vec<u32> {
            citations(answer, &[source]).into_iter().map(|citation| citation.passage).collect()
        };
        assert_eq!(numbers("Three months [2:2]."), [2]);
        assert_eq!(numbers("So [2:2][2:4], and 【2:3】"), [2, 4, 3]);
        assert_eq!(numbers("[2:2, 2:3] [2:2; 4] [[2:3]] ［2：4］"), [2, 3, 2, 4, 3, 4]);
        assert_eq!(numbers("[2:2-4] [2:2–2:3]"), [2, 3, 4, 2, 3]);
        // Not given, not there, no mark.
        assert!(numbers("[2:1] [2:9] [1:2] [2] [x:2] [link](a) [2:2").is_empty());
        let found = citations("x [2:3] y", &[source]);
        let place = Place::Lines(Span { first: 4, last: 9 });
        assert_eq!(found, [Citation { range: 2..7, document: 2, passage: 3, place }]);
    }
}
