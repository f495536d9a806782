//! Code in an answer that can be shown as what it makes.

use leptos::prelude::*;

use super::blocks::Block;
use super::document::blocks;

/// What a block of code makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreviewKind {
    /// A page.
    Html,
    /// A picture.
    Svg,
    /// What a script draws or writes.
    Script,
    /// A table.
    Table,
}

impl PreviewKind {
    /// Returns what a block of code makes; `None` if that can't be shown.
    #[must_use]
    pub fn of(language: &str, text: &str) -> Option<Self> {
        let begins =
            |with: &str| text.trim_start().get(..with.len()).is_some_and(|it| it.eq_ignore_ascii_case(with));
        match language.to_ascii_lowercase().as_str() {
            "html" | "htm" | "xhtml" => Some(Self::Html),
            "" if begins("<!doctype html") => Some(Self::Html),
            "svg" => Some(Self::Svg),
            "" | "xml" if begins("<svg") => Some(Self::Svg),
            "javascript" | "js" | "mjs" => Some(Self::Script),
            "csv" | "tsv" => Some(Self::Table),
            _ => None,
        }
    }
}

/// A block of code that can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coded {
    /// What it makes.
    pub kind: PreviewKind,
    /// The code.
    pub text: String,
    /// Whether its end has been written.
    pub complete: bool,
}

/// Returns the blocks of code in a Markdown text that can be shown, in order. While it is being written (`grows`), the last block
/// may lack its end.
#[must_use]
pub fn coded(text: &str, grows: bool) -> Vec<Coded> {
    let mut found = Vec::new();
    blocks(text).iter().for_each(|block| collect(block, &mut found));
    let end = text.trim_end();
    if grows && !end.ends_with("```") && !end.ends_with("~~~") {
        let is_last = |coded: &Coded| end.ends_with(coded.text.trim_end());
        if let Some(last) = found.last_mut().filter(|last| is_last(last)) {
            last.complete = false;
        }
    }
    found
}

fn collect(block: &Block, found: &mut Vec<Coded>) {
    match block {
        Block::Code { language, text } => {
            let kind = PreviewKind::of(language, text);
            found.extend(kind.map(|kind| Coded { kind, text: text.clone(), complete: true }));
        }
        Block::Quote(blocks) => blocks.iter().for_each(|block| collect(block, found)),
        Block::List { items, .. } => {
            items.iter().flat_map(|item| &item.blocks).for_each(|block| collect(block, found));
        }
        _ => {}
    }
}

/// What can be done with code beside copying it, in the context of its view.
#[derive(Clone, Copy)]
pub struct CodeActions {
    /// Shows what the code makes.
    pub preview: Callback<(PreviewKind, String)>,
    /// Offers code of a language as a file.
    pub download: Callback<(String, String)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_shown_is_found() {
        let text = "A\n\n```html\n<p>1</p>\n```\n\n- in a list\n\n  ```js\n  draw()\n  ```\n\n```rust\nfn main() {}\n```\n\n\
            ```xml\n<svg></svg>\n```\n\n```\n<!DOCTYPE html>\n```\n\n```csv\na,b\n```";
        let kinds: Vec<_> = coded(text, false).into_iter().map(|it| (it.kind, it.text)).collect();
        let expected = [
            (PreviewKind::Html, "<p>1</p>"),
            (PreviewKind::Script, "draw()"),
            (PreviewKind::Svg, "<svg></svg>"),
            (PreviewKind::Html, "<!DOCTYPE html>"),
            (PreviewKind::Table, "a,b"),
        ];
        assert_eq!(kinds, expected.map(|(kind, text)| (kind, text.to_owned())));
    }

    #[test]
    fn a_block_is_complete_once_its_end_is_written() {
        let complete =
            |text: &str, grows| coded(text, grows).iter().map(|it| it.complete).collect::<Vec<_>>();
        assert_eq!(complete("```html\n<p>", true), [false]);
        assert_eq!(complete("```html\n<p>", false), [true], "a stopped answer has what it has");
        assert_eq!(complete("```html\n<p>\n```", true), [true]);
        assert_eq!(complete("```html\n<p>\n```\nNow the", true), [true]);
        assert_eq!(complete("```html\n<p>\n```\n\n```js\nlet", true), [true, false]);
    }
}
