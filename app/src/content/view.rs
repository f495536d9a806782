//! Blocks as views.

use leptos::prelude::*;

use super::blocks::{Alignment, Block, Inline, Item};
use super::code::CodeBlock;
use super::document::{Document, Shared};
use super::live;
use super::marks::few_marks;

use crate::{language::t, later};

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
    // Erased, or the types of pages that hold messages would grow past the compiler's limits.
    .into_any()
}

/// A block that may change. It is drawn at once as it is; what changes afterwards is drawn by its parts.
fn top_level(block: Memo<Option<Shared>>) -> impl IntoView {
    let grows = Memo::new(move |before: Option<&bool>| block.with(|_| before.is_some()));
    move || {
        if grows.get() {
            let block = Memo::new(move |_| block.with(|block| block.as_deref().cloned()));
            return live::block(block, AUTO);
        }
        block.get_untracked().map(|block| render(&block, AUTO)).into_any()
    }
}

/// The direction of the outermost element of a block: that of its first letter. What is within follows it.
const AUTO: Option<&str> = Some("auto");

fn render_all(blocks: &[Block]) -> Vec<AnyView> {
    blocks.iter().map(|block| render(block, None)).collect()
}

pub(super) fn render(block: &Block, dir: Option<&'static str>) -> AnyView {
    match block {
        Block::Heading { level, content } => heading(*level, dir, inlines(content).into_any()),
        Block::Paragraph(content) => view! { <p dir=dir>{inlines(content)}</p> }.into_any(),
        Block::Code { language, text } => {
            view! { <CodeBlock language=language.clone() text=text.clone() /> }.into_any()
        }
        Block::Quote(blocks) => view! { <blockquote dir=dir>{render_all(blocks)}</blockquote> }.into_any(),
        Block::List { start, items } => {
            let items: Vec<_> = items.iter().map(whole_item).collect();
            list(*start, dir, items.into_any())
        }
        Block::Table { alignments, head, rows } => whole_table(alignments, head, rows, dir),
        Block::Rule => view! { <hr /> }.into_any(),
        Block::Math(source) => later::formula(source, true),
        Block::Verbatim(text) => view! { <p class="verbatim" dir=dir>{text.clone()}</p> }.into_any(),
    }
}

/// Headings begin at level 3: the page has the first level and its messages the second.
pub(super) fn heading(level: u8, dir: Option<&'static str>, content: AnyView) -> AnyView {
    match level {
        1 => view! { <h3 class="heading-1" dir=dir>{content}</h3> }.into_any(),
        2 => view! { <h4 class="heading-2" dir=dir>{content}</h4> }.into_any(),
        3 => view! { <h5 class="heading-3" dir=dir>{content}</h5> }.into_any(),
        _ => view! { <h6 class="heading-4" dir=dir>{content}</h6> }.into_any(),
    }
}

pub(super) fn list(start: Option<u64>, dir: Option<&'static str>, items: AnyView) -> AnyView {
    match start {
        None => view! { <ul dir=dir>{items}</ul> }.into_any(),
        Some(start) => {
            let start = (start != 1).then(|| start.to_string());
            view! { <ol start=start dir=dir>{items}</ol> }.into_any()
        }
    }
}

pub(super) fn list_item(task: Option<bool>, content: AnyView) -> AnyView {
    let mark = task.map(|done| {
        let label = if done { t().task_done() } else { t().task_open() };
        view! { <input type="checkbox" disabled=true checked=done aria-label=label /> }
    });
    let task = task.map(|done| if done { "done" } else { "open" });
    view! { <li data-task=task>{mark}{content}</li> }.into_any()
}

fn whole_item(item: &Item) -> AnyView {
    let content: Vec<_> = item
        .blocks
        .iter()
        .map(|block| match block {
            Block::Paragraph(text) if item.tight => inlines(text).into_any(),
            block => render(block, None),
        })
        .collect();
    list_item(item.task, content.into_any())
}

/// How a column is aligned, for the style sheet.
pub(super) fn align(alignments: &[Alignment], column: usize) -> Option<&'static str> {
    match alignments.get(column) {
        Some(Alignment::Left) => Some("left"),
        Some(Alignment::Center) => Some("center"),
        Some(Alignment::Right) => Some("right"),
        Some(Alignment::Natural) | None => None,
    }
}

/// A table of these cells and rows.
pub(super) fn table(dir: Option<&'static str>, head: AnyView, rows: AnyView) -> AnyView {
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

fn whole_table(
    alignments: &[Alignment],
    head: &[Vec<Inline>],
    rows: &[Vec<Vec<Inline>>],
    dir: Option<&'static str>,
) -> AnyView {
    let cell = |(column, cell): (usize, &Vec<Inline>)| {
        view! { <th scope="col" data-align=align(alignments, column)>{inlines(cell)}</th> }.into_any()
    };
    let head: Vec<_> = head.iter().enumerate().map(cell).collect();
    let row = |row: &Vec<Vec<Inline>>| {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            view! { <td data-align=align(alignments, column)>{inlines(cell)}</td> }.into_any()
        });
        view! { <tr>{cells.collect::<Vec<_>>()}</tr> }.into_any()
    };
    let rows: Vec<_> = rows.iter().map(row).collect();
    table(dir, head.into_any(), rows.into_any())
}

fn inlines(content: &[Inline]) -> Vec<AnyView> {
    content.iter().map(inline).collect()
}

pub(super) fn inline(inline: &Inline) -> AnyView {
    match inline {
        Inline::Text(text) => text.clone().into_any(),
        Inline::Code(code) => view! { <code>{code.clone()}</code> }.into_any(),
        Inline::Emphasis(content) => view! { <em>{inlines(content)}</em> }.into_any(),
        Inline::Strong(content) => view! { <strong>{inlines(content)}</strong> }.into_any(),
        Inline::Strikethrough(content) => view! { <s>{inlines(content)}</s> }.into_any(),
        Inline::Link { href, content } => link(href.clone(), inlines(content).into_any()),
        Inline::Math { source, display } => later::formula(source, *display),
        Inline::Break => view! { <br /> }.into_any(),
    }
}

/// A link, which opens apart and tells its target nothing.
pub(super) fn link(href: String, content: AnyView) -> AnyView {
    view! { <a href=href target="_blank" rel="noopener noreferrer">{content}</a> }.into_any()
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
