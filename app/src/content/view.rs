//! Blocks as views.

use std::sync::Arc;

use leptos::prelude::*;

use super::blocks::{Alignment, Block, Inline, Item};
use super::citations;
use super::code::CodeBlock;
use super::document::{Document, Shared};
use super::formula;
use super::live::Part;
use super::marks::few_marks;

use crate::language::t;

/// A Markdown text, which may grow. Blocks that do not change are not drawn again.
#[component]
pub fn Markdown(
    /// The text.
    #[prop(into)]
    text: Signal<String>,
) -> impl IntoView {
    let document = StoredValue::new(Document::default());
    let blocks = Memo::new(move |_| {
        let update = |document: &mut Document| text.with(|text| document.update(&few_marks(text)));
        document.try_update_value(update).unwrap_or_default()
    });
    let count = Memo::new(move |_| blocks.with(Vec::len));
    view! {
        <div class="markdown">
            <For
                each=move || 0..count.get()
                key=|index| *index
                children=move |index| {
                    let block = Memo::new(move |_| blocks.with(|blocks| blocks.get(index).cloned()));
                    top_level(block)
                }
            />
        </div>
    }
}

/// A block at the outermost level. It is drawn as it is at first, and by its parts once it changes.
fn top_level(shared: Memo<Option<Shared>>) -> impl IntoView {
    let grows = Memo::new(move |before: Option<&bool>| shared.with(|_| before.is_some()));
    move || {
        if grows.get() {
            let growing = Memo::new(move |_| shared.with(|block| block.as_deref().cloned()));
            return block(Part::Growing(growing), AUTO, false);
        }
        block(Part::Settled(shared.get_untracked().as_deref()), AUTO, false)
    }
}

/// The direction of the outermost element of a block: that of its first letter. What is within follows it.
const AUTO: Option<&str> = Some("auto");

/// The part of what a pattern matches.
macro_rules! part {
    ($of:expr, $pattern:pat => $part:ident) => {
        $of.part(|of| match of {
            $pattern => Some($part),
            _ => None,
        })
    };
}

/// Draws a block. `dir` is the attribute of its outermost element; a paragraph of a tight list has no element.
fn block(block: Part<'_, Block>, dir: Option<&'static str>, tight: bool) -> AnyView {
    block.draw(same_element, move |shape, block| {
        let content =
            || inlines(part!(block, Block::Paragraph(content) | Block::Heading { content, .. } => content));
        match shape {
            Block::Paragraph(_) if tight => content(),
            Block::Paragraph(_) => view! { <p dir=dir>{content()}</p> }.into_any(),
            Block::Heading { level, .. } => heading(*level, dir, content()),
            Block::Code { .. } => {
                let language = part!(block, Block::Code { language, .. } => language).signal();
                let text = part!(block, Block::Code { text, .. } => text).signal();
                view! { <CodeBlock language=language text=text /> }.into_any()
            }
            Block::Quote(_) => {
                let inner = blocks(part!(block, Block::Quote(blocks) => blocks), false);
                view! { <blockquote dir=dir>{inner}</blockquote> }.into_any()
            }
            Block::List { start, .. } => {
                let items = part!(block, Block::List { items, .. } => items);
                list(*start, dir, items.each(|_, one| item(one)))
            }
            Block::Table { alignments, .. } => {
                let head = part!(block, Block::Table { head, .. } => head);
                let rows = part!(block, Block::Table { rows, .. } => rows);
                table(alignments, dir, head, rows)
            }
            Block::Rule => view! { <hr /> }.into_any(),
            Block::Math(source) => formula::formula(source, true),
            Block::Verbatim(text) => view! { <p class="verbatim" dir=dir>{text.clone()}</p> }.into_any(),
        }
    })
}

/// Whether one block can become the other without a new element. What is short is drawn anew.
fn same_element(a: &Block, b: &Block) -> bool {
    match (a, b) {
        (Block::Paragraph(_), Block::Paragraph(_))
        | (Block::Code { .. }, Block::Code { .. })
        | (Block::Quote(_), Block::Quote(_)) => true,
        (Block::Heading { level: a, .. }, Block::Heading { level: b, .. }) => a == b,
        (Block::List { start: a, .. }, Block::List { start: b, .. }) => a == b,
        (Block::Table { alignments: a, .. }, Block::Table { alignments: b, .. }) => a == b,
        _ => a == b,
    }
}

fn blocks(all: Part<'_, Vec<Block>>, tight: bool) -> AnyView {
    all.each(move |_, one| block(one, None, tight))
}

/// Headings begin at level 3: the page has the first level and its messages the second.
fn heading(level: u8, dir: Option<&'static str>, content: AnyView) -> AnyView {
    match level {
        1 => view! { <h3 class="heading-1" dir=dir>{content}</h3> }.into_any(),
        2 => view! { <h4 class="heading-2" dir=dir>{content}</h4> }.into_any(),
        3 => view! { <h5 class="heading-3" dir=dir>{content}</h5> }.into_any(),
        _ => view! { <h6 class="heading-4" dir=dir>{content}</h6> }.into_any(),
    }
}

fn list(start: Option<u64>, dir: Option<&'static str>, items: AnyView) -> AnyView {
    match start {
        None => view! { <ul dir=dir>{items}</ul> }.into_any(),
        Some(start) => {
            let start = (start != 1).then(|| start.to_string());
            view! { <ol start=start dir=dir>{items}</ol> }.into_any()
        }
    }
}

fn item(item: Part<'_, Item>) -> AnyView {
    let same = |a: &Item, b: &Item| (a.task, a.tight) == (b.task, b.tight);
    item.draw(same, |shape, item| {
        let mark = shape.task.map(|done| {
            let label = if done { t().task_done() } else { t().task_open() };
            view! { <input type="checkbox" disabled=true checked=done aria-label=label /> }
        });
        let task = shape.task.map(|done| if done { "done" } else { "open" });
        let content = blocks(item.part(|item| Some(&item.blocks)), shape.tight);
        view! { <li data-task=task>{mark}{content}</li> }.into_any()
    })
}

type Cells = Vec<Vec<Inline>>;

fn table(
    alignments: &[Alignment],
    dir: Option<&'static str>,
    head: Part<'_, Cells>,
    rows: Part<'_, Vec<Cells>>,
) -> AnyView {
    let alignments: Arc<[Alignment]> = alignments.into();
    // For the style sheet.
    let align = move |column: usize| match alignments.get(column) {
        Some(Alignment::Left) => Some("left"),
        Some(Alignment::Center) => Some("center"),
        Some(Alignment::Right) => Some("right"),
        Some(Alignment::Natural) | None => None,
    };
    let of_head = align.clone();
    let head = head.each(move |column, cell| {
        view! { <th scope="col" data-align=of_head(column)>{inlines(cell)}</th> }.into_any()
    });
    let rows = rows.each(move |_, row| {
        let align = align.clone();
        let cells = row
            .each(move |column, cell| view! { <td data-align=align(column)>{inlines(cell)}</td> }.into_any());
        view! { <tr>{cells}</tr> }.into_any()
    });
    // Focusable, so that the keyboard can scroll it.
    view! {
        <div class="table-scroll" dir=dir tabindex="0" role="group" aria-label=t().code_table()>
            <table>
                <thead>
                    <tr>{head}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn inlines(all: Part<'_, Vec<Inline>>) -> AnyView {
    all.each(|_, one| inline(one))
}

/// Draws what stands within a line.
pub(super) fn inline(inline: Part<'_, Inline>) -> AnyView {
    let same = |a: &Inline, b: &Inline| match (a, b) {
        (Inline::Text(_), Inline::Text(_))
        | (Inline::Code(_), Inline::Code(_))
        | (Inline::Emphasis(_), Inline::Emphasis(_))
        | (Inline::Strong(_), Inline::Strong(_))
        | (Inline::Strikethrough(_), Inline::Strikethrough(_)) => true,
        (Inline::Link { href: a, .. }, Inline::Link { href: b, .. }) => a == b,
        _ => a == b,
    };
    inline.draw(same, |shape, inline| {
        let text = || part!(inline, Inline::Text(text) | Inline::Code(text) => text).text();
        let inner = || {
            inlines(part!(
                inline,
                Inline::Emphasis(content)
                    | Inline::Strong(content)
                    | Inline::Strikethrough(content)
                    | Inline::Link { content, .. } => content
            ))
        };
        match shape {
            Inline::Text(_) => text(),
            Inline::Code(_) => view! { <code>{text()}</code> }.into_any(),
            Inline::Emphasis(_) => view! { <em>{inner()}</em> }.into_any(),
            Inline::Strong(_) => view! { <strong>{inner()}</strong> }.into_any(),
            Inline::Strikethrough(_) => view! { <s>{inner()}</s> }.into_any(),
            // Opens apart, and tells its target nothing.
            Inline::Link { href, .. } => {
                view! { <a href=href.clone() target="_blank" rel="noopener noreferrer">{inner()}</a> }
                    .into_any()
            }
            Inline::Math { source, display } => formula::formula(source, *display),
            Inline::Mark { text, passages } => citations::mark(text, passages),
            Inline::Break => view! { <br /> }.into_any(),
        }
    })
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;

    /// The HTML of a text, without the marks that hydration needs.
    fn html(text: &str) -> String {
        let owner = Owner::new();
        let text = text.to_owned();
        let html = owner.with(|| view! { <Markdown text=Signal::stored(text) /> }.into_view().to_html());
        let html = html.replace("<!>", "").replace("<!---->", "");
        let inner =
            html.strip_prefix("<div class=\"markdown\">").and_then(|html| html.strip_suffix("</div>"));
        inner.expect("has its wrapper").to_owned()
    }

    #[test]
    fn text() {
        assert_eq!(
            html("a *b* **c** ~~d~~ `e`"),
            "<p dir=\"auto\">a <em>b</em> <strong>c</strong> <s>d</s> <code>e</code></p>"
        );
        assert_eq!(html("# Title"), "<h3 dir=\"auto\" class=\"heading-1\">Title</h3>");
        assert_eq!(html("---"), "<hr>");
    }

    #[test]
    fn lists() {
        assert_eq!(html("- a\n- b"), "<ul dir=\"auto\"><li>a</li><li>b</li></ul>");
        assert_eq!(
            html("3. a\n\n4. b"),
            "<ol start=\"3\" dir=\"auto\"><li><p>a</p></li><li><p>b</p></li></ol>"
        );
        assert!(html("- [x] a").contains("checked"));
    }

    #[test]
    fn links_open_apart_and_tell_nothing() {
        assert_eq!(
            html("[a](https://b.c)"),
            "<p dir=\"auto\"><a href=\"https://b.c\" target=\"_blank\" rel=\"noopener noreferrer\">a</a></p>"
        );
        assert_eq!(html("[a](javascript:alert(1))"), "<p dir=\"auto\">a</p>");
    }

    #[test]
    fn nothing_from_elsewhere_is_loaded() {
        let html = html("![cat](https://a.b/cat.png) <img src=\"https://a.b/c.png\" onerror=\"x()\">");
        assert!(!html.contains("<img"), "{html}");
        assert!(html.contains("&lt;img"), "{html}");
    }

    #[test]
    fn code() {
        let html = html("```rust\nlet a = \"<b>\";\n```");
        assert!(html.contains("<span class=\"code-language\">Rust</span>"), "{html}");
        assert!(html.contains("<span class=\"tok-keyword\">let</span>"), "{html}");
        assert!(html.contains("&lt;b&gt;") && !html.contains("<b>"), "{html}");
    }

    #[test]
    fn tables() {
        let html = html("| a | b |\n|:--|--:|\n| 1 | 2 |");
        assert!(html.contains("<th scope=\"col\" data-align=\"left\">a</th>"), "{html}");
        assert!(html.contains("<td data-align=\"right\">2</td>"), "{html}");
    }

    #[test]
    fn formulas() {
        assert!(html("$x^2$").contains("<msup><mi>x</mi><mn>2</mn></msup>"), "{}", html("$x^2$"));
        assert!(html("$$x$$").contains("<math display=\"block\">"), "{}", html("$$x$$"));
        assert!(html(r"$\frac{$").contains(r"\frac{"));
    }
}
