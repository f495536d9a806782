//! A block that grows while an answer is written. Its parts stay the elements they are, and text is only added to, so
//! that what a person has selected in it stays selected.

use std::sync::Arc;

use leptos::prelude::*;

use super::blocks::{Alignment, Block, Inline, Item};
use super::code::CodeBlock;
use super::view;

/// What decides which element a block is. A change of it draws the block anew.
#[derive(Clone, PartialEq)]
enum Kind {
    Heading(u8),
    Paragraph,
    Code,
    Quote,
    List(Option<u64>),
    Table(Vec<Alignment>),
    /// Short, and drawn as a whole.
    Other(Block),
}

impl Kind {
    fn of(block: &Block) -> Self {
        match block {
            Block::Heading { level, .. } => Self::Heading(*level),
            Block::Paragraph(_) => Self::Paragraph,
            Block::Code { .. } => Self::Code,
            Block::Quote(_) => Self::Quote,
            Block::List { start, .. } => Self::List(*start),
            Block::Table { alignments, .. } => Self::Table(alignments.clone()),
            Block::Rule | Block::Math(_) | Block::Verbatim(_) => Self::Other(block.clone()),
        }
    }
}

/// A block that may change. `dir` is the attribute of its outermost element.
pub(super) fn block(block: Memo<Option<Block>>, dir: Option<&'static str>) -> AnyView {
    let kind = Memo::new(move |_| block.with(|block| block.as_ref().map(Kind::of)));
    (move || kind.get().map(|kind| block_of(kind, block, dir))).into_any()
}

fn block_of(kind: Kind, block: Memo<Option<Block>>, dir: Option<&'static str>) -> AnyView {
    let content = move || {
        inlines(part(block, |block| match block {
            Block::Paragraph(content) | Block::Heading { content, .. } => Some(content),
            _ => None,
        }))
    };
    match kind {
        Kind::Paragraph => view! { <p dir=dir>{content()}</p> }.into_any(),
        Kind::Heading(level) => view::heading(level, dir, content()),
        Kind::Code => {
            let language = part(block, |block| match block {
                Block::Code { language, .. } => Some(language),
                _ => None,
            });
            let text = part(block, |block| match block {
                Block::Code { text, .. } => Some(text),
                _ => None,
            });
            view! { <CodeBlock language=language text=text /> }.into_any()
        }
        Kind::Quote => {
            let inner = part(block, |block| match block {
                Block::Quote(blocks) => Some(blocks),
                _ => None,
            });
            view! { <blockquote dir=dir>{blocks(inner, false)}</blockquote> }.into_any()
        }
        Kind::List(start) => {
            let items = part(block, |block| match block {
                Block::List { items, .. } => Some(items),
                _ => None,
            });
            view::list(start, dir, each(items, item))
        }
        Kind::Table(alignments) => {
            let head = part(block, |block| match block {
                Block::Table { head, .. } => Some(head),
                _ => None,
            });
            let rows = part(block, |block| match block {
                Block::Table { rows, .. } => Some(rows),
                _ => None,
            });
            let alignments = StoredValue::new(alignments);
            let align = move |column| alignments.with_value(|all| view::align(all, column));
            let head = each_numbered(head, move |column, cell| {
                view! { <th scope="col" data-align=align(column)>{inlines(whole(cell))}</th> }.into_any()
            });
            let rows = each(rows, move |row| {
                let cells = each_numbered(whole(row), move |column, cell| {
                    view! { <td data-align=align(column)>{inlines(whole(cell))}</td> }.into_any()
                });
                view! { <tr>{cells}</tr> }.into_any()
            });
            view::table(dir, head, rows)
        }
        Kind::Other(block) => view::render(&block, dir),
    }
}

fn blocks(all: Memo<Vec<Block>>, tight: bool) -> AnyView {
    each(all, move |one| {
        if !tight {
            return block(one, None);
        }
        // In a tight list a paragraph has no element of its own.
        let bare = Memo::new(move |_| one.with(|one| matches!(one, Some(Block::Paragraph(_)))));
        (move || {
            if !bare.get() {
                return block(one, None);
            }
            inlines(part(one, |one| match one {
                Block::Paragraph(content) => Some(content),
                _ => None,
            }))
        })
        .into_any()
    })
}

fn item(item: Memo<Option<Item>>) -> AnyView {
    let about = Memo::new(move |_| item.with(|item| item.as_ref().map(|item| (item.task, item.tight))));
    (move || {
        about.get().map(|(task, tight)| {
            let inner = Memo::new(move |_| {
                item.with(|item| item.as_ref().map(|item| item.blocks.clone()).unwrap_or_default())
            });
            view::list_item(task, blocks(inner, tight))
        })
    })
    .into_any()
}

/// What decides which element a piece of a line is.
#[derive(Clone, PartialEq)]
enum Span {
    Text,
    Code,
    Emphasis,
    Strong,
    Strikethrough,
    Link(String),
    /// Drawn as a whole.
    Other(Inline),
}

impl Span {
    fn of(inline: &Inline) -> Self {
        match inline {
            Inline::Text(_) => Self::Text,
            Inline::Code(_) => Self::Code,
            Inline::Emphasis(_) => Self::Emphasis,
            Inline::Strong(_) => Self::Strong,
            Inline::Strikethrough(_) => Self::Strikethrough,
            Inline::Link { href, .. } => Self::Link(href.clone()),
            Inline::Math { .. } | Inline::Break => Self::Other(inline.clone()),
        }
    }
}

fn inlines(content: Memo<Vec<Inline>>) -> AnyView {
    each(content, |inline| {
        let span = Memo::new(move |_| inline.with(|inline| inline.as_ref().map(Span::of)));
        (move || span.get().map(|span| span_of(span, inline))).into_any()
    })
}

fn span_of(span: Span, inline: Memo<Option<Inline>>) -> AnyView {
    let text = move || {
        grown(part(inline, |inline| match inline {
            Inline::Text(text) | Inline::Code(text) => Some(text),
            _ => None,
        }))
    };
    let inner = move || {
        inlines(part(inline, |inline| match inline {
            Inline::Emphasis(content)
            | Inline::Strong(content)
            | Inline::Strikethrough(content)
            | Inline::Link { content, .. } => Some(content),
            _ => None,
        }))
    };
    match span {
        Span::Text => text(),
        Span::Code => view! { <code>{text()}</code> }.into_any(),
        Span::Emphasis => view! { <em>{inner()}</em> }.into_any(),
        Span::Strong => view! { <strong>{inner()}</strong> }.into_any(),
        Span::Strikethrough => view! { <s>{inner()}</s> }.into_any(),
        Span::Link(href) => view::link(href, inner()),
        Span::Other(inline) => view::inline(&inline),
    }
}

/// A piece of a text that grows: a node that never changes.
#[derive(Clone, Debug, PartialEq)]
struct Piece {
    number: u32,
    text: Arc<str>,
}

/// The pieces of a text that grows.
#[derive(Clone, Debug, Default, PartialEq)]
struct Pieces {
    all: Vec<Piece>,
    next: u32,
}

impl Pieces {
    /// The pieces of the text that comes after the one of `before`. Those that it begins with stay.
    fn after(before: Option<&Self>, text: &str) -> Self {
        let mut pieces = before.cloned().unwrap_or_default();
        let mut rest = text;
        let mut kept = 0;
        while let Some(next) = pieces.all.get(kept).and_then(|piece| rest.strip_prefix(&*piece.text)) {
            rest = next;
            kept += 1;
        }
        pieces.all.truncate(kept);
        if !rest.is_empty() {
            pieces.all.push(Piece { number: pieces.next, text: rest.into() });
            pieces.next = pieces.next.wrapping_add(1);
        }
        pieces
    }
}

fn grown(text: Memo<String>) -> AnyView {
    let pieces = Memo::new(move |before: Option<&Pieces>| text.with(|text| Pieces::after(before, text)));
    view! {
        <For
            each=move || pieces.with(|pieces| pieces.all.clone())
            key=|piece| piece.number
            children=|piece| piece.text.to_string()
        />
    }
    .into_any()
}

/// A part of what may change; its default where there is none.
fn part<T, P>(of: Memo<Option<T>>, read: fn(&T) -> Option<&P>) -> Memo<P>
where
    T: Send + Sync + 'static,
    P: Clone + Default + PartialEq + Send + Sync + 'static,
{
    Memo::new(move |_| of.with(|of| of.as_ref().and_then(read).cloned()).unwrap_or_default())
}

fn whole<T>(of: Memo<Option<T>>) -> Memo<T>
where
    T: Clone + Default + PartialEq + Send + Sync + 'static,
{
    part(of, |of| Some(of))
}

/// A view for each of a list, which stays while the list grows.
fn each<T>(
    all: Memo<Vec<T>>,
    draw: impl Fn(Memo<Option<T>>) -> AnyView + Clone + Send + Sync + 'static,
) -> AnyView
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    each_numbered(all, move |_, one| draw(one))
}

fn each_numbered<T>(
    all: Memo<Vec<T>>,
    draw: impl Fn(usize, Memo<Option<T>>) -> AnyView + Clone + Send + Sync + 'static,
) -> AnyView
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    let count = Memo::new(move |_| all.with(Vec::len));
    view! {
        <For
            each=move || 0..count.get()
            key=|index| *index
            children=move |index| {
                draw(index, Memo::new(move |_| all.with(|all| all.get(index).cloned())))
            }
        />
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::Pieces;

    fn texts(pieces: &Pieces) -> Vec<(u32, &str)> {
        pieces.all.iter().map(|piece| (piece.number, &*piece.text)).collect()
    }

    #[test]
    fn what_is_there_stays_while_a_text_grows() {
        let first = Pieces::after(None, "One");
        let second = Pieces::after(Some(&first), "One two");
        assert_eq!(texts(&second), [(0, "One"), (1, " two")]);
        assert_eq!(Pieces::after(Some(&second), "One two"), second);
    }

    #[test]
    fn what_is_different_is_replaced() {
        let grown = Pieces::after(Some(&Pieces::after(None, "One ")), "One **two");
        let cut = Pieces::after(Some(&grown), "One ");
        assert_eq!(texts(&cut), [(0, "One ")]);
        let other = Pieces::after(Some(&cut), "Two");
        assert_eq!(texts(&other), [(2, "Two")]);
        assert_eq!(texts(&Pieces::after(Some(&other), "")), []);
    }
}
