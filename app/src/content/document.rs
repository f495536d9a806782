//! A text that grows, parsed again only where it changed.
//!
//! CommonMark decides line by line, and only the last block can change by a line that follows. So everything before
//! the last block that begins behind a blank line, and whose first line is complete, is settled for good.

use std::ops::{Deref, Range};
use std::sync::Arc;

use pulldown_cmark::{Event, Parser, Tag};

use super::blocks::Block;
use super::delimiters::options;
use super::display::{find_display, line_end};
use super::parse::parse;
use super::tables::Tables;

/// A block that lists share. Equal if it is the same one, or looks the same.
#[derive(Clone, Debug)]
pub struct Shared(Arc<Block>);

impl Deref for Shared {
    type Target = Block;

    fn deref(&self) -> &Block {
        &self.0
    }
}

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

/// Returns the blocks of a text.
#[must_use]
pub fn blocks(text: &str) -> Vec<Shared> {
    Document::default().update(text)
}

/// The blocks of a text that may grow. Any text may follow any other; one that continues the last one is parsed from
/// its last block on.
#[derive(Debug, Default)]
pub struct Document {
    /// The text of the settled blocks.
    settled: String,
    /// The settled blocks.
    blocks: Vec<Shared>,
}

impl Document {
    /// Returns the blocks of this text, the same as [`blocks()`] gives.
    pub fn update(&mut self, text: &str) -> Vec<Shared> {
        if !text.starts_with(&self.settled) {
            *self = Self::default();
        }
        let tail = &text[self.settled.len()..];
        let mut settled = 0;
        let mut count = self.blocks.len();
        let complete = tail.rfind('\n').map_or(0, |end| end + 1);
        let mut all = self.blocks.clone();
        for piece in split(tail) {
            if piece.lines.start > 0
                && piece.lines.start < complete
                && behind_blank_line(tail, piece.lines.start)
            {
                settled = piece.lines.start;
                count = all.len();
            }
            all.extend(piece.read(tail).into_iter().map(|block| Shared(Arc::new(block))));
        }
        self.blocks.extend_from_slice(&all[self.blocks.len()..count]);
        self.settled.push_str(&tail[..settled]);
        all
    }
}

/// A top-level block in the text.
#[derive(Debug, PartialEq, Eq)]
struct TopLevel {
    /// The lines it is made of.
    lines: Range<usize>,
    /// Whether Markdown has no say in it.
    kind: TopLevelKind,
}

#[derive(Debug, PartialEq, Eq)]
enum TopLevelKind {
    Markdown,
    Formula(String),
    Unfinished,
}

impl TopLevel {
    fn read(&self, text: &str) -> Vec<Block> {
        let source = text[self.lines.clone()].trim_end_matches(['\n', '\r']);
        match &self.kind {
            TopLevelKind::Markdown => parse(source),
            TopLevelKind::Formula(latex) => vec![Block::Math(latex.clone())],
            TopLevelKind::Unfinished => vec![Block::Verbatim(source.to_owned())],
        }
    }
}

/// Cuts a text into its top-level blocks.
fn split(text: &str) -> Vec<TopLevel> {
    // Definitions of link references would vanish: they are text here. This one has none, and is as long.
    let without_definitions = Tables::of(text).blank(text.replace("]:", "];").into());
    let mut pieces: Vec<TopLevel> = Vec::new();
    let mut from = 0;
    let mut read = 0_usize;
    while from < text.len() {
        read = read.saturating_add(text.len() - from);
        if read > MAX_READ {
            pieces.push(TopLevel { lines: from..text.len(), kind: TopLevelKind::Markdown });
            break;
        }
        from = split_from(&without_definitions, text, from, &mut pieces);
    }
    pieces
}

/// Bytes that are read at most, those that are read again counted again: each formula on lines of its own may have what
/// follows it read anew. What remains then is left to the parser, which knows fewer formulas.
const MAX_READ: usize = 8 << 20;

/// Cuts on from an offset, up to the end of the text, or to where Markdown and a formula disagree: there it has to be
/// read anew. Returns the offset reached. `structure` is the text for Markdown.
fn split_from(structure: &str, text: &str, from: usize, pieces: &mut Vec<TopLevel>) -> usize {
    let mut depth = 0_usize;
    // Blocks of one paragraph can be formulas already dealt with.
    let mut reached = from;
    for (event, range) in Parser::new_ext(&structure[from..], options()).into_offset_iter() {
        let range = range.start + from..range.end + from;
        let prose = matches!(event, Event::Start(Tag::Paragraph | Tag::Heading { .. }));
        let begins = depth == 0 && matches!(event, Event::Start(_) | Event::Rule);
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if !begins || range.end <= reached {
            continue;
        }
        let mut at = line_start(text, range.start).max(reached);
        let whole = text[..range.end].ends_with('\n');
        let end = if whole { range.end } else { line_end(text, range.end) };
        while prose && let Some(display) = find_display(text, at, end) {
            if at < display.lines.start {
                pieces.push(TopLevel { lines: at..display.lines.start, kind: TopLevelKind::Markdown });
            }
            at = display.lines.end;
            let kind = display.formula.map_or(TopLevelKind::Unfinished, TopLevelKind::Formula);
            pieces.push(TopLevel { lines: display.lines, kind });
            if at != end {
                // What Markdown took for the rest of the paragraph, or for a list, may be something else now.
                return at;
            }
        }
        if at < range.end {
            pieces.push(TopLevel { lines: at..range.end, kind: TopLevelKind::Markdown });
        }
        reached = reached.max(range.end);
    }
    text.len()
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

fn behind_blank_line(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\t', '\r']);
    before.strip_suffix('\n').is_some_and(|before| before.trim_end_matches([' ', '\t', '\r']).ends_with('\n'))
}
