//! A text as it is read on the page, for the search within a conversation: without marks, addresses and formulas.

use super::blocks::{Block, Inline};
use super::document::blocks;
use super::marks::few_marks;
use super::passages::{Passage, passages};

/// Returns what the user wrote, as it is shown. What stands apart is on lines of its own.
#[must_use]
pub fn plain_passages(text: &str) -> String {
    let mut plain = String::new();
    for passage in passages(&few_marks(text)).0 {
        match &passage {
            Passage::Words(words) => line(words, &mut plain),
            Passage::Code { text, .. } => add_line(text, &mut plain),
        }
    }
    plain
}

/// Returns a Markdown text, as it is shown. What stands apart is on lines of its own.
#[must_use]
pub fn plain_markdown(text: &str) -> String {
    let mut plain = String::new();
    blocks(&few_marks(text)).iter().for_each(|block| add_block(block, &mut plain));
    plain
}

fn add_block(block: &Block, plain: &mut String) {
    match block {
        Block::Heading { content, .. } | Block::Paragraph(content) => line(content, plain),
        Block::Code { text, .. } | Block::Verbatim(text) => add_line(text, plain),
        Block::Quote(blocks) => blocks.iter().for_each(|block| add_block(block, plain)),
        Block::List { items, .. } => {
            items.iter().flat_map(|item| &item.blocks).for_each(|block| add_block(block, plain));
        }
        Block::Table { head, rows, .. } => {
            head.iter().chain(rows.iter().flatten()).for_each(|cell| line(cell, plain));
        }
        Block::Rule | Block::Math(_) => {}
    }
}

fn line(content: &[Inline], plain: &mut String) {
    add_inlines(content, plain);
    plain.push('\n');
}

fn add_line(text: &str, plain: &mut String) {
    plain.push_str(text);
    plain.push('\n');
}

fn add_inlines(content: &[Inline], plain: &mut String) {
    for inline in content {
        match inline {
            Inline::Text(text) | Inline::Code(text) => plain.push_str(text),
            Inline::Emphasis(content)
            | Inline::Strong(content)
            | Inline::Strikethrough(content)
            | Inline::Link { content, .. } => add_inlines(content, plain),
            Inline::Math { .. } | Inline::Mark { .. } | Inline::Break => plain.push('\n'),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_without_its_marks() {
        for (text, expected) in [
            ("# A **b**old\nword [link](https://b.c) `code`", "A bold\nword link code\n"),
            ("- one\n- two\n\n> three", "one\ntwo\nthree\n"),
            ("| a | b |\n|--|--|\n| c | d |", "a\nb\nc\nd\n"),
            ("```rust\nfn main\n```\n$$x^2$$", "fn main\n"),
        ] {
            assert_eq!(plain_markdown(text), expected, "{text}");
        }
    }

    #[test]
    fn a_question_keeps_all_but_the_marks_of_code() {
        assert_eq!(plain_passages("a **b** `c`\n```js\nd\n```"), "a **b** c\nd\n");
    }
}
