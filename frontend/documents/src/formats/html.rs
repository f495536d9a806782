//! HTML: what a reader would see, in paragraphs.

use html5gum::{State, Token, Tokenizer};

use super::blocks::Blocks;
use crate::limits::Meter;
use crate::{Document, Error, Format, Section};

/// Elements of which nothing is text for a reader.
const HIDDEN: [&str; 6] = ["script", "style", "template", "noscript", "svg", "iframe"];

/// Elements that are a paragraph, or separate paragraphs.
const BLOCKS: [&str; 35] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "caption",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "tbody",
    "tfoot",
    "thead",
    "tr",
    "ul",
    "head",
    "html",
];

/// Elements that end the row of a table.
const ROWS: [&str; 5] = ["table", "tbody", "tfoot", "thead", "tr"];

pub fn read(text: &str, meter: &mut Meter<'_>) -> Result<Document, Error> {
    let (title, sections) = sections(text, None, meter)?;
    Ok(Document { format: Format::Html, title, sections, pages: Vec::new(), encoding: None })
}

/// Returns the title and the sections of a page, or of a chapter of a book.
pub fn sections(
    text: &str,
    chapter: Option<u32>,
    meter: &mut Meter<'_>,
) -> Result<(Option<String>, Vec<Section>), Error> {
    let mut blocks = Blocks::new(chapter);
    let mut title = None;
    // The element whose content is left out and how many of its kind are open, the heading, preformatted text.
    let mut hidden: Option<(Vec<u8>, u32)> = None;
    let mut in_title = false;
    let mut heading = None;
    let mut preformatted = 0_u32;
    let mut in_cell = false;
    let mut tokenizer = Tokenizer::new(text);
    while let Some(Ok(token)) = tokenizer.next() {
        meter.parts(1)?;
        match token {
            Token::StartTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name).into_owned();
                if let Some((open, count)) = &mut hidden {
                    *count += u32::from(**open == **tag.name && !tag.self_closing);
                    continue;
                }
                // Of XHTML, too: there, an element can end where it starts.
                if tag.self_closing && (HIDDEN.contains(&name.as_str()) || name == "title") {
                    continue;
                }
                match name.as_str() {
                    "script" => tokenizer.set_state(State::ScriptData),
                    "style" | "iframe" => tokenizer.set_state(State::RawText),
                    "title" => tokenizer.set_state(State::RcData),
                    _ => {}
                }
                match name.as_str() {
                    "title" => in_title = true,
                    "td" | "th" => {
                        blocks.cell();
                        in_cell = true;
                    }
                    name if HIDDEN.contains(&name) => hidden = Some((name.as_bytes().to_vec(), 1)),
                    name if level(name).is_some() => {
                        blocks.end(false);
                        heading = level(name);
                    }
                    // The cells of a row stay in it.
                    name if BLOCKS.contains(&name) && in_cell && !ROWS.contains(&name) => {
                        blocks.text(" ", meter)?
                    }
                    name if BLOCKS.contains(&name) && heading.is_none() => {
                        in_cell = false;
                        blocks.end(preformatted > 0);
                        preformatted += u32::from(name == "pre");
                        if name == "li" {
                            blocks.text("- ", meter)?;
                        }
                    }
                    "br" => blocks.text(" ", meter)?,
                    _ => {}
                }
            }
            Token::EndTag(tag) => {
                if let Some((open, count)) = &mut hidden {
                    *count -= u32::from(**open == **tag.name);
                    if *count == 0 {
                        hidden = None;
                    }
                    continue;
                }
                let name = String::from_utf8_lossy(&tag.name).into_owned();
                match name.as_str() {
                    "title" => in_title = false,
                    name if level(name).is_some() => {
                        blocks.end_heading(heading.take().unwrap_or(6));
                    }
                    name if BLOCKS.contains(&name) && in_cell && !ROWS.contains(&name) => {
                        blocks.text(" ", meter)?
                    }
                    name if BLOCKS.contains(&name) && heading.is_none() => {
                        in_cell = false;
                        blocks.end(preformatted > 0);
                        preformatted -= u32::from(name == "pre" && preformatted > 0);
                    }
                    _ => {}
                }
            }
            Token::String(text) if in_title => {
                let text =
                    String::from_utf8_lossy(&text.value).split_whitespace().collect::<Vec<_>>().join(" ");
                title = title.or(Some(text)).filter(|title| !title.is_empty());
            }
            Token::String(text) if hidden.is_none() => {
                let text = String::from_utf8_lossy(&text.value);
                if preformatted == 0 {
                    blocks.text(&text, meter)?;
                    continue;
                }
                for (number, line) in text.split('\n').enumerate() {
                    if number > 0 {
                        blocks.end(true);
                    }
                    blocks.text(line, meter)?;
                }
            }
            _ => {}
        }
    }
    Ok((title, blocks.finish()))
}

fn level(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [b'h', level @ b'1'..=b'6'] => Some(level - b'0'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::{Limits, Place, Span};

    fn document(text: &str) -> Document {
        let mut callback = |_| ControlFlow::Continue(());
        read(text, &mut Meter::new(Limits::default(), &mut callback)).unwrap()
    }

    #[test]
    fn a_page_has_sections_of_paragraphs() {
        let page = "<!doctype html><title>The &amp;\n title</title><style>p { color: red }</style><script>if (a < b) {}</script>
            <h1>One <em>head</em></h1><p>First\n  text &uuml;ber <b>bold</b>.<p>Second<br>line
            <h2>Two</h2><ul><li>a<li>b</ul><table><tr><th>x<th>y<tr><td><p>1</p><p>one</p><td>2</table><pre>code\n  more</pre>";
        let document = document(page);
        assert_eq!(document.title.as_deref(), Some("The & title"));
        let found: Vec<_> = document
            .sections
            .into_iter()
            .map(|section| (section.headings, section.place, section.text))
            .collect();
        let place = |first, last| Place::Paragraphs(Span { first, last });
        let expected = [
            (
                vec!["One head".to_owned()],
                place(1, 4),
                "One head\nFirst text über bold.\nSecond\nline".to_owned(),
            ),
            (
                vec!["One head".to_owned(), "Two".to_owned()],
                place(5, 11),
                "Two\n- a\n- b\nx | y\n1 one | 2\ncode\n  more".to_owned(),
            ),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn hidden_elements_end_where_they_end() {
        let document =
            document("<p>a</p><svg><svg></svg><text>x</text></svg><p>b</p><script/><p>c</p><svg>open");
        assert_eq!(document.sections[0].text, "a\nb\nc");
    }
}
