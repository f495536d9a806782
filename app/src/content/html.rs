//! Markdown as the text of an HTML document, for files and for the clipboard. The page itself is built of elements.

use std::fmt::Write as _;

use super::blocks::{Alignment, Block, Inline, Item};
use super::document::blocks;
use super::marks::few_marks;
use super::math::{self, Element, Node};

/// Returns a Markdown text as HTML without scripts, with formulas as MathML.
#[must_use]
pub fn html(markdown: &str) -> String {
    let mut out = String::new();
    blocks(&few_marks(markdown)).iter().for_each(|it| block(it, false, &mut out));
    out
}

/// Returns a text with what has a meaning in HTML replaced, also between double quotes.
#[must_use]
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn push(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    out.write_fmt(arguments).ok();
}

/// Writes a block. A paragraph of a tight list has no element.
fn block(block: &Block, tight: bool, out: &mut String) {
    match block {
        Block::Heading { level, content } => {
            // A conversation has the first two levels.
            let level = (level + 2).min(6);
            push(out, format_args!("<h{level}>"));
            inlines(content, out);
            push(out, format_args!("</h{level}>\n"));
        }
        Block::Paragraph(content) if tight => inlines(content, out),
        Block::Paragraph(content) => {
            out.push_str("<p>");
            inlines(content, out);
            out.push_str("</p>\n");
        }
        Block::Code { text, .. } => push(out, format_args!("<pre><code>{}</code></pre>\n", escape(text))),
        Block::Quote(inner) => {
            out.push_str("<blockquote>\n");
            inner.iter().for_each(|it| self::block(it, false, out));
            out.push_str("</blockquote>\n");
        }
        Block::List { start, items } => {
            let tag = if start.is_some() { "ol" } else { "ul" };
            let start = start.filter(|&start| start != 1).map(|start| format!(" start=\"{start}\""));
            push(out, format_args!("<{tag}{}>\n", start.unwrap_or_default()));
            items.iter().for_each(|it| item(it, out));
            push(out, format_args!("</{tag}>\n"));
        }
        Block::Table { alignments, head, rows } => table(alignments, head, rows, out),
        Block::Rule => out.push_str("<hr>\n"),
        Block::Math(source) => formula(source, true, out),
        Block::Verbatim(text) => push(out, format_args!("<pre>{}</pre>\n", escape(text))),
    }
}

fn item(item: &Item, out: &mut String) {
    out.push_str("<li>");
    if let Some(done) = item.task {
        out.push_str(if done { "☑ " } else { "☐ " });
    }
    item.blocks.iter().for_each(|it| block(it, item.tight, out));
    out.push_str("</li>\n");
}

fn table(alignments: &[Alignment], head: &[Vec<Inline>], rows: &[Vec<Vec<Inline>>], out: &mut String) {
    let row = |tag: &str, cells: &[Vec<Inline>], out: &mut String| {
        out.push_str("<tr>");
        for (column, cell) in cells.iter().enumerate() {
            let align = match alignments.get(column) {
                Some(Alignment::Left) => " style=\"text-align: left\"",
                Some(Alignment::Center) => " style=\"text-align: center\"",
                Some(Alignment::Right) => " style=\"text-align: right\"",
                Some(Alignment::Natural) | None => "",
            };
            push(out, format_args!("<{tag}{align}>"));
            inlines(cell, out);
            push(out, format_args!("</{tag}>"));
        }
        out.push_str("</tr>\n");
    };
    out.push_str("<table>\n<thead>\n");
    row("th", head, out);
    out.push_str("</thead>\n<tbody>\n");
    rows.iter().for_each(|cells| row("td", cells, out));
    out.push_str("</tbody>\n</table>\n");
}

fn inlines(all: &[Inline], out: &mut String) {
    for inline in all {
        let (tag, content) = match inline {
            Inline::Text(text) | Inline::Mark { text, .. } => {
                out.push_str(&escape(text));
                continue;
            }
            Inline::Code(text) => {
                push(out, format_args!("<code>{}</code>", escape(text)));
                continue;
            }
            Inline::Math { source, display } => {
                formula(source, *display, out);
                continue;
            }
            Inline::Break => {
                out.push_str("<br>\n");
                continue;
            }
            Inline::Link { href, content } => {
                push(out, format_args!("<a href=\"{}\">", escape(href)));
                ("a", content)
            }
            Inline::Emphasis(content) => ("em", content),
            Inline::Strong(content) => ("strong", content),
            Inline::Strikethrough(content) => ("s", content),
        };
        if tag != "a" {
            push(out, format_args!("<{tag}>"));
        }
        inlines(content, out);
        push(out, format_args!("</{tag}>"));
    }
}

/// Writes a formula; one that is not understood as it is written.
fn formula(source: &str, display: bool, out: &mut String) {
    match math::parse(source, display) {
        Ok(root) => element(&root, out),
        Err(_) => push(out, format_args!("<code>{}</code>", escape(source))),
    }
    if display {
        out.push('\n');
    }
}

fn element(element: &Element, out: &mut String) {
    let tag = element.tag.name();
    push(out, format_args!("<{tag}"));
    for (name, value) in &element.attributes {
        push(out, format_args!(" {name}=\"{}\"", escape(value)));
    }
    out.push('>');
    for child in &element.children {
        match child {
            Node::Element(inner) => self::element(inner, out),
            Node::Text(text) => out.push_str(&escape(text)),
        }
    }
    push(out, format_args!("</{tag}>"));
}

#[cfg(test)]
mod tests {
    use super::html;

    #[test]
    fn markdown_becomes_html() {
        for (text, expected) in [
            (
                "# A\n*b* **c** ~~d~~ `<e>`",
                "<h3>A</h3>\n<p><em>b</em> <strong>c</strong> <s>d</s> <code>&lt;e&gt;</code></p>\n",
            ),
            ("1. a\n2. b", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n"),
            ("- [x] a", "<ul>\n<li>☑ a</li>\n</ul>\n"),
            ("```html\n<script>\n```", "<pre><code>&lt;script&gt;</code></pre>\n"),
            (
                "| a |\n|--:|\n| b |",
                "<table>\n<thead>\n<tr><th style=\"text-align: right\">a</th></tr>\n</thead>\n\
                <tbody>\n<tr><td style=\"text-align: right\">b</td></tr>\n</tbody>\n</table>\n",
            ),
            ("> q", "<blockquote>\n<p>q</p>\n</blockquote>\n"),
        ] {
            assert_eq!(html(text), expected, "{text}");
        }
        assert!(html("$x^2$").contains("<msup><mi>x</mi><mn>2</mn></msup>"), "{}", html("$x^2$"));
    }

    #[test]
    fn nothing_of_the_text_is_markup() {
        let text = "<img src=x onerror=alert(1)> [a](https://b.c/\"onclick=\"x) [d](javascript:alert(1)) \
            `<b>` $\\text{<i>}$\n\n<script>alert(1)</script>\n\n```\n</code></pre><u>\n```";
        let html = html(text);
        for tag in ["<img", "<script", "<b>", "<i>", "<u>", "href=\"javascript:", "\"onclick=\""] {
            assert!(!html.contains(tag), "{tag}: {html}");
        }
    }
}
