//! Blocks as views.

use leptos::prelude::*;

use super::blocks::{Alignment, Block, Inline, Item};
use super::code::CodeBlock;
use super::document::{Document, Shared};
use super::formula;

/// A Markdown text, which may grow. Blocks that do not change are not drawn again.
#[component]
pub fn Markdown(
    /// The text.
    #[prop(into)]
    text: Signal<String>,
) -> impl IntoView {
    let document = StoredValue::new(Document::default());
    let blocks = Memo::new(move |_| {
        let update = |document: &mut Document| text.with(|text| document.update(text));
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

/// A block that may change. Code keeps its view while it grows, others are drawn anew.
fn top_level(block: Memo<Option<Shared>>) -> impl IntoView {
    let is_code =
        Memo::new(move |_| block.with(|block| matches!(block.as_deref(), Some(Block::Code { .. }))));
    move || {
        if !is_code.get() {
            // A closure of its own: one that reads a memo and then the memo it comes from is not woken by the latter.
            return (move || block.get().map(|block| render(&block))).into_any();
        }
        let part = move |part: fn(&Block) -> Option<&String>| {
            Memo::new(move |_| {
                block.with(|block| block.as_deref().and_then(part).cloned()).unwrap_or_default()
            })
        };
        let language = part(|block| match block {
            Block::Code { language, .. } => Some(language),
            _ => None,
        });
        let text = part(|block| match block {
            Block::Code { text, .. } => Some(text),
            _ => None,
        });
        view! { <CodeBlock language=language text=text /> }.into_any()
    }
}

fn render_all(blocks: &[Block]) -> Vec<AnyView> {
    blocks.iter().map(render).collect()
}

fn render(block: &Block) -> AnyView {
    match block {
        Block::Heading { level, content } => heading(*level, inlines(content)),
        Block::Paragraph(content) => view! { <p>{inlines(content)}</p> }.into_any(),
        Block::Code { language, text } => {
            view! { <CodeBlock language=language.clone() text=text.clone() /> }.into_any()
        }
        Block::Quote(blocks) => view! { <blockquote>{render_all(blocks)}</blockquote> }.into_any(),
        Block::List { start: None, items } => view! { <ul>{list_items(items)}</ul> }.into_any(),
        Block::List { start: Some(start), items } => {
            let start = (*start != 1).then(|| start.to_string());
            view! { <ol start=start>{list_items(items)}</ol> }.into_any()
        }
        Block::Table { alignments, head, rows } => table(alignments, head, rows),
        Block::Rule => view! { <hr /> }.into_any(),
        Block::Math(source) => formula::display(source),
        Block::Verbatim(text) => view! { <p class="verbatim">{text.clone()}</p> }.into_any(),
    }
}

/// Headings begin at level 3: the page has the first level and its messages the second.
fn heading(level: u8, content: Vec<AnyView>) -> AnyView {
    match level {
        1 => view! { <h3 class="heading-1">{content}</h3> }.into_any(),
        2 => view! { <h4 class="heading-2">{content}</h4> }.into_any(),
        3 => view! { <h5 class="heading-3">{content}</h5> }.into_any(),
        _ => view! { <h6 class="heading-4">{content}</h6> }.into_any(),
    }
}

fn list_items(items: &[Item]) -> Vec<AnyView> {
    items.iter().map(list_item).collect()
}

fn list_item(item: &Item) -> AnyView {
    let mut content = Vec::new();
    if let Some(done) = item.task {
        let label = if done { "done" } else { "to do" };
        content
            .push(view! { <input type="checkbox" disabled=true checked=done aria-label=label /> }.into_any());
    }
    for block in &item.blocks {
        content.push(match block {
            Block::Paragraph(text) if item.tight => inlines(text).into_any(),
            block => render(block),
        });
    }
    let task = item.task.map(|done| if done { "done" } else { "open" });
    view! { <li data-task=task>{content}</li> }.into_any()
}

fn table(alignments: &[Alignment], head: &[Vec<Inline>], rows: &[Vec<Vec<Inline>>]) -> AnyView {
    let align = |column: usize| match alignments.get(column) {
        Some(Alignment::Left) => Some("left"),
        Some(Alignment::Center) => Some("center"),
        Some(Alignment::Right) => Some("right"),
        Some(Alignment::Natural) | None => None,
    };
    let head = head.iter().enumerate().map(|(column, cell)| {
        view! { <th scope="col" data-align=align(column)>{inlines(cell)}</th> }.into_any()
    });
    let head: Vec<_> = head.collect();
    let row = |row: &Vec<Vec<Inline>>| {
        let cells = row
            .iter()
            .enumerate()
            .map(|(column, cell)| view! { <td data-align=align(column)>{inlines(cell)}</td> }.into_any());
        view! { <tr>{cells.collect::<Vec<_>>()}</tr> }.into_any()
    };
    let rows: Vec<_> = rows.iter().map(row).collect();
    // Focusable, so that the keyboard can scroll it.
    view! {
        <div class="table-scroll" tabindex="0" role="group" aria-label="Table">
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

fn inlines(content: &[Inline]) -> Vec<AnyView> {
    content.iter().map(inline).collect()
}

fn inline(inline: &Inline) -> AnyView {
    match inline {
        Inline::Text(text) => text.clone().into_any(),
        Inline::Code(code) => view! { <code>{code.clone()}</code> }.into_any(),
        Inline::Emphasis(content) => view! { <em>{inlines(content)}</em> }.into_any(),
        Inline::Strong(content) => view! { <strong>{inlines(content)}</strong> }.into_any(),
        Inline::Strikethrough(content) => view! { <s>{inlines(content)}</s> }.into_any(),
        Inline::Link { href, content } => view! {
            <a href=href.clone() target="_blank" rel="noopener noreferrer">
                {inlines(content)}
            </a>
        }
        .into_any(),
        Inline::Math { source, display: true } => formula::display(source),
        Inline::Math { source, display: false } => formula::inline(source),
        Inline::Break => view! { <br /> }.into_any(),
    }
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
            "<p>a <em>b</em> <strong>c</strong> <s>d</s> <code>e</code></p>"
        );
        assert_eq!(html("# Title"), "<h3 class=\"heading-1\">Title</h3>");
        assert_eq!(html("---"), "<hr>");
    }

    #[test]
    fn lists() {
        assert_eq!(html("- a\n- b"), "<ul><li>a</li><li>b</li></ul>");
        assert_eq!(html("3. a\n\n4. b"), "<ol start=\"3\"><li><p>a</p></li><li><p>b</p></li></ol>");
        assert!(html("- [x] a").contains("checked"));
    }

    #[test]
    fn links_open_apart_and_tell_nothing() {
        assert_eq!(
            html("[a](https://b.c)"),
            "<p><a href=\"https://b.c\" target=\"_blank\" rel=\"noopener noreferrer\">a</a></p>"
        );
        assert_eq!(html("[a](javascript:alert(1))"), "<p>a</p>");
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
