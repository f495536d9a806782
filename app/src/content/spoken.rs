//! A text as it is read aloud: sentence by sentence, without what is only to be seen.

use super::blocks::{Block, Inline};
use super::document::Document;
use super::marks::few_marks;
use crate::sentences::sentences;

/// A piece that is spoken at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spoken {
    /// A sentence of the text.
    Sentence(String),
    /// There is code.
    Code,
    /// There is a table.
    Table,
    /// There is a formula.
    Formula,
}

/// Characters that stand in a text while a mark is still open. What they are in comes once the block is complete.
const OPEN: &[char] = &['*', '_', '`', '$', '[', '|', '<', '\\', '~'];

/// Returns what is spoken of a Markdown text. While it is `growing`, what may still change is left out, so that each longer text
/// begins with the pieces of the shorter one. `formula` stands for a formula within a sentence.
pub fn spoken(document: &mut Document, text: &str, growing: bool, formula: &str) -> Vec<Spoken> {
    let blocks = document.update(&few_marks(text));
    let mut reader = Reader { pieces: Vec::new(), formula };
    for (at, block) in blocks.iter().enumerate() {
        if !reader.block(block, growing && at + 1 == blocks.len()) {
            break;
        }
    }
    reader.pieces
}

struct Reader<'a> {
    pieces: Vec<Spoken>,
    formula: &'a str,
}

impl Reader<'_> {
    /// Reads a block, which is `open` if it may go on. Returns whether all of it was read.
    fn block(&mut self, block: &Block, open: bool) -> bool {
        match block {
            Block::Heading { content, .. } | Block::Paragraph(content) => self.line(content, open),
            Block::Code { .. } => self.note(Spoken::Code),
            Block::Table { .. } => self.note(Spoken::Table),
            Block::Math(_) => self.note(Spoken::Formula),
            Block::Quote(blocks) => self.blocks(blocks, open),
            Block::List { items, .. } => items
                .iter()
                .enumerate()
                .all(|(at, item)| self.blocks(&item.blocks, open && at + 1 == items.len())),
            Block::Rule | Block::Verbatim(_) => true,
        }
    }

    fn blocks(&mut self, blocks: &[Block], open: bool) -> bool {
        blocks.iter().enumerate().all(|(at, block)| self.block(block, open && at + 1 == blocks.len()))
    }

    fn note(&mut self, what: Spoken) -> bool {
        self.pieces.push(what);
        true
    }

    fn line(&mut self, content: &[Inline], open: bool) -> bool {
        let mut line = String::new();
        self.inlines(content, &mut line);
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let (whole, rest) = sentences(&line);
        for sentence in whole {
            if open && sentence.contains(OPEN) {
                return false;
            }
            self.sentence(sentence);
        }
        if !open {
            self.sentence(rest);
        }
        !open
    }

    fn sentence(&mut self, sentence: &str) {
        if sentence.contains(char::is_alphanumeric) {
            self.pieces.push(Spoken::Sentence(sentence.to_owned()));
        }
    }

    fn inlines(&self, content: &[Inline], line: &mut String) {
        for inline in content {
            match inline {
                // An address is read as the place that it leads to.
                Inline::Text(text) if text.starts_with("http") && text.contains("://") => {
                    let place = text.split_once("://").map_or("", |(_, place)| place);
                    line.push_str(place.split('/').next().unwrap_or_default());
                }
                Inline::Text(text) => line.extend(text.chars().filter(|&c| !is_picture(c))),
                Inline::Code(code) => {
                    line.extend(code.chars().map(|c| if c.is_alphanumeric() || c == '.' { c } else { ' ' }));
                }
                Inline::Emphasis(content)
                | Inline::Strong(content)
                | Inline::Strikethrough(content)
                | Inline::Link { content, .. } => self.inlines(content, line),
                Inline::Math { source, .. } if source.chars().all(char::is_alphanumeric) => {
                    line.push_str(source)
                }
                Inline::Math { .. } => line.push_str(self.formula),
                Inline::Break => line.push(' '),
                Inline::Mark { .. } => {}
            }
        }
    }
}

/// Whether a character is a picture: an arrow, a symbol, an emoji.
fn is_picture(character: char) -> bool {
    matches!(character, '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, growing: bool) -> Vec<String> {
        let pieces = spoken(&mut Document::default(), text, growing, "formula");
        pieces
            .into_iter()
            .map(|piece| match piece {
                Spoken::Sentence(text) => text,
                other => format!("{other:?}").to_uppercase(),
            })
            .collect()
    }

    #[test]
    fn marks_code_tables_and_formulas_are_not_spoken() {
        for (text, expected) in [
            (
                "# A **b**old\nOne. Two [link](https://b.c) `a_b(3)`.",
                &["A bold", "One.", "Two link a b 3 ."][..],
            ),
            ("- one\n- two. Three\n\n> four", &["one", "two.", "Three", "four"]),
            ("See:\n```rust\nfn main() {}\n```\nDone.", &["See:", "CODE", "Done."]),
            ("| a | b |\n|--|--|\n| c | d |\n\nEnd", &["TABLE", "End"]),
            ("With $M$ and $T^2$:\n\n$$x^2$$\n\nSo.", &["With M and formula:", "FORMULA", "So."]),
            ("At https://b.c/d?e=f → go 🎉 now. [1:2]", &["At b.c go now."]),
            ("<b>\n\n---\n\n***", &[]),
        ] {
            assert_eq!(all(text, false), expected, "{text}");
        }
    }

    #[test]
    fn a_growing_text_only_adds_to_what_was_spoken() {
        let text = "Here is **one. Two** of them. Three.\n\n1. A `b.` c. D\n2. E\n\n| a | b |\n|--|--|\n| c. | d |\n\n\
            ```\nx. y\n```\nBy $T^2 = a. b$ it is. So\nthis is the end";
        let mut document = Document::default();
        let mut before = Vec::new();
        for (end, _) in text.char_indices() {
            let now = spoken(&mut document, &text[..end], true, "formula");
            assert!(now.starts_with(&before), "{before:?} then {now:?}");
            before = now;
        }
        let whole = spoken(&mut document, text, false, "formula");
        assert!(whole.starts_with(&before) && whole.len() > before.len());
        assert!(before.len() > 6, "most of it is spoken while it grows: {before:?}");
    }
}
