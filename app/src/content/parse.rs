//! One top-level block of Markdown to plain data.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, OffsetIter, Parser, Tag, TagEnd};

use super::blocks::{Alignment, Block, Inline, Item};
use super::delimiters::{self, options};
use super::shield::{COLON, unshield};
use super::tables::Tables;
use super::{flanking, inlines};

/// How deep blocks and emphasis may nest; what is deeper is shown as it is written. Views are built by recursion, and
/// a browser's stack is small.
const MAX_DEPTH: usize = 24;

/// Cells of the largest table that is drawn as one. A browser takes seconds to lay out many more.
const MAX_CELLS: usize = 5_000;

/// Returns the blocks of a source that holds one top-level block: nearly always one.
///
/// The result depends on nothing else, so that a block never changes for what comes after it. The price is that link
/// references (`[text][name]`) and their definitions are text.
pub(super) fn parse(source: &str) -> Vec<Block> {
    let shielded = source.replace("]:", &format!("]{COLON}"));
    let tables = Tables::of(&shielded).shield(&shielded);
    let formulas = delimiters::rewrite(&tables);
    let text = flanking::join(&formulas);
    let mut reader = Reader {
        events: Parser::new_ext(&text, options()).into_offset_iter(),
        source: &text,
        depth: 0,
        in_link: false,
        task: None,
        ahead: None,
    };
    reader.blocks().0
}

struct Reader<'a> {
    events: OffsetIter<'a>,
    source: &'a str,
    depth: usize,
    in_link: bool,
    /// The mark of the task that is being read.
    task: Option<bool>,
    /// An event looked at and not yet consumed.
    ahead: Option<(Event<'a>, Range<usize>)>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<(Event<'a>, Range<usize>)> {
        if self.ahead.is_some() {
            return self.ahead.take();
        }
        let (event, range) = self.events.next()?;
        let event = match event {
            Event::Text(text) => Event::Text(unshield(text)),
            Event::Code(text) => Event::Code(unshield(text)),
            Event::InlineMath(text) => Event::InlineMath(unshield(text)),
            Event::DisplayMath(text) => Event::DisplayMath(unshield(text)),
            Event::Html(text) => Event::Html(unshield(text)),
            Event::InlineHtml(text) => Event::InlineHtml(unshield(text)),
            other => other,
        };
        Some((event, range))
    }

    /// The text that an event was made of.
    fn slice(&self, range: Range<usize>) -> CowStr<'a> {
        unshield(self.source.get(range).unwrap_or_default().into())
    }

    /// Passes over the rest of what has just begun.
    fn skip(&mut self) {
        let mut open = 1_usize;
        while open > 0
            && let Some((event, _)) = self.next()
        {
            match event {
                Event::Start(_) => open += 1,
                Event::End(_) => open -= 1,
                _ => {}
            }
        }
    }

    /// The blocks up to the end of what holds them, which is consumed, and whether text stood there without a
    /// paragraph around it: so does the text of a tight list.
    fn blocks(&mut self) -> (Vec<Block>, bool) {
        let mut blocks = Vec::new();
        let mut tight = false;
        while let Some((event, range)) = self.next() {
            match event {
                Event::End(_) => break,
                Event::Start(tag) if is_block(&tag) => {
                    if self.depth >= MAX_DEPTH {
                        self.skip();
                        blocks.push(Block::Verbatim(self.slice(range).trim_end().to_owned()));
                    } else {
                        self.depth += 1;
                        let block = self.block(tag);
                        self.depth -= 1;
                        blocks.extend(block.map(|block| match block {
                            Block::Table { head, rows, .. } if head.len() * (rows.len() + 1) > MAX_CELLS => {
                                Block::Verbatim(self.slice(range).trim_end().to_owned())
                            }
                            block => block,
                        }));
                    }
                }
                Event::Rule => blocks.push(Block::Rule),
                Event::Html(html) => verbatim(&mut blocks, &html),
                inline => {
                    self.ahead = Some((inline, range));
                    tight = true;
                    let content = self.loose_inlines();
                    if !content.is_empty() {
                        blocks.push(paragraph(content));
                    }
                }
            }
        }
        (blocks, tight)
    }

    fn block(&mut self, tag: Tag<'a>) -> Option<Block> {
        Some(match tag {
            Tag::Paragraph => paragraph(self.inlines()),
            Tag::Heading { level, .. } => Block::Heading { level: level as u8, content: self.inlines() },
            Tag::BlockQuote(_) => Block::Quote(self.blocks().0),
            Tag::CodeBlock(kind) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => unshield(info),
                    CodeBlockKind::Indented => "".into(),
                };
                Block::Code { language: language(&info), text: self.raw_text() }
            }
            Tag::HtmlBlock => Block::Verbatim(self.raw_text()),
            Tag::List(start) => Block::List { start, items: self.items() },
            Tag::Table(alignments) => {
                let (head, rows) = self.table();
                Block::Table { alignments: alignments.into_iter().map(alignment).collect(), head, rows }
            }
            // The options switch everything else off.
            _ => {
                self.skip();
                return None;
            }
        })
    }

    /// The text of all events up to the end of what holds them, without a line break at its end.
    fn raw_text(&mut self) -> String {
        let mut text = String::new();
        while let Some((event, _)) = self.next() {
            match event {
                Event::End(_) => break,
                Event::Text(piece) | Event::Html(piece) => text.push_str(&piece),
                _ => {}
            }
        }
        if text.ends_with('\n') {
            text.pop();
        }
        text
    }

    fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while let Some((event, _)) = self.next() {
            match event {
                Event::End(TagEnd::List(_)) => break,
                Event::Start(Tag::Item) => {
                    let outer = self.task.take();
                    let (blocks, tight) = self.blocks();
                    let task = std::mem::replace(&mut self.task, outer);
                    items.push(Item { task, blocks, tight });
                }
                _ => {}
            }
        }
        items
    }

    fn table(&mut self) -> (Vec<Vec<Inline>>, Vec<Vec<Vec<Inline>>>) {
        let mut head = Vec::new();
        let mut rows = Vec::new();
        let mut row = Vec::new();
        while let Some((event, _)) = self.next() {
            match event {
                Event::Start(Tag::TableCell) => row.push(self.inlines()),
                Event::End(TagEnd::TableHead) => head = std::mem::take(&mut row),
                Event::End(TagEnd::TableRow) => rows.push(std::mem::take(&mut row)),
                Event::End(TagEnd::Table) => break,
                _ => {}
            }
        }
        (head, rows)
    }

    /// What stands in a line, up to the end of what holds it, which is consumed.
    fn inlines(&mut self) -> Vec<Inline> {
        let mut content = Vec::new();
        while let Some((event, range)) = self.next() {
            if matches!(event, Event::End(_)) {
                break;
            }
            self.inline(event, range, &mut content);
        }
        self.finish(content)
    }

    /// What stands in a line, up to the next block or the end of what holds it, which is left to be read.
    fn loose_inlines(&mut self) -> Vec<Inline> {
        let mut content = Vec::new();
        while let Some((event, range)) = self.next() {
            let over = match &event {
                Event::End(_) | Event::Rule | Event::Html(_) => true,
                Event::Start(tag) => is_block(tag),
                _ => false,
            };
            if over {
                self.ahead = Some((event, range));
                break;
            }
            self.inline(event, range, &mut content);
        }
        self.finish(content)
    }

    fn finish(&self, content: Vec<Inline>) -> Vec<Inline> {
        let content = inlines::merge(content);
        if self.in_link { content } else { inlines::link_addresses(inlines::take_marks(content)) }
    }

    fn inline(&mut self, event: Event<'a>, range: Range<usize>, content: &mut Vec<Inline>) {
        match event {
            Event::Text(text) | Event::Html(text) => content.push(Inline::Text(text.into_string())),
            Event::InlineHtml(html) => content.push(inlines::html(&html)),
            Event::Code(code) => content.push(Inline::Code(code.into_string())),
            Event::SoftBreak => content.push(Inline::Text("\n".to_owned())),
            Event::HardBreak => content.push(Inline::Break),
            Event::DisplayMath(formula) => content.push(self.formula(&formula, range, true)),
            Event::InlineMath(formula) => content.push(self.formula(&formula, range, false)),
            Event::Start(tag) if self.depth >= MAX_DEPTH => {
                self.skip();
                drop(tag);
                content.push(Inline::Text(self.slice(range).into_string()));
            }
            Event::Start(tag) => {
                self.depth += 1;
                self.span(tag, range, content);
                self.depth -= 1;
            }
            Event::TaskListMarker(done) => self.task = Some(done),
            // A rule is a block, ends are read where they belong, and the options switch footnotes off.
            Event::FootnoteReference(_) | Event::Rule | Event::End(_) => {}
        }
    }

    fn formula(&self, formula: &str, range: Range<usize>, display: bool) -> Inline {
        if formula.trim().is_empty() {
            return Inline::Text(self.slice(range).into_string());
        }
        Inline::Math { source: formula.trim().to_owned(), display }
    }

    fn span(&mut self, tag: Tag<'a>, range: Range<usize>, content: &mut Vec<Inline>) {
        match tag {
            Tag::Emphasis => content.push(Inline::Emphasis(self.inlines())),
            Tag::Strong => content.push(Inline::Strong(self.inlines())),
            Tag::Strikethrough => {
                let inner = self.inlines();
                if self.slice(range).starts_with("~~") {
                    content.push(Inline::Strikethrough(inner));
                } else {
                    // A single tilde mostly means “about”.
                    content.push(Inline::Text("~".to_owned()));
                    content.extend(inner);
                    content.push(Inline::Text("~".to_owned()));
                }
            }
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let outer = std::mem::replace(&mut self.in_link, true);
                let mut inner = self.inlines();
                self.in_link = outer;
                let dest_url = unshield(dest_url);
                let href = inlines::safe_address(&dest_url).filter(|_| !outer);
                if inner.is_empty() {
                    inner.push(Inline::Text(dest_url.into_string()));
                }
                match href {
                    Some(href) => content.push(Inline::Link { href, content: inner }),
                    None => content.extend(inner),
                }
            }
            _ => self.skip(),
        }
    }
}

fn paragraph(mut content: Vec<Inline>) -> Block {
    if let [Inline::Math { source, display: true }] = content.as_mut_slice() {
        return Block::Math(std::mem::take(source));
    }
    Block::Paragraph(content)
}

fn verbatim(blocks: &mut Vec<Block>, html: &str) {
    match blocks.last_mut() {
        Some(Block::Verbatim(text)) => text.push_str(html),
        _ => blocks.push(Block::Verbatim(html.to_owned())),
    }
}

fn is_block(tag: &Tag<'_>) -> bool {
    !matches!(tag, Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. })
}

/// Returns the language in a fence's info: its first word, without braces, a leading dot or a file name after a colon.
pub(super) fn language(info: &str) -> String {
    let word = info.split([' ', '\t', ',', ':', '{']).find(|word| !word.is_empty()).unwrap_or_default();
    word.trim_start_matches('.').trim_end_matches('}').chars().take(32).collect()
}

fn alignment(alignment: pulldown_cmark::Alignment) -> Alignment {
    match alignment {
        pulldown_cmark::Alignment::None => Alignment::Natural,
        pulldown_cmark::Alignment::Left => Alignment::Left,
        pulldown_cmark::Alignment::Center => Alignment::Center,
        pulldown_cmark::Alignment::Right => Alignment::Right,
    }
}
