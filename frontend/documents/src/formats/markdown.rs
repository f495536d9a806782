//! Markdown: its text as it is, in a section for each heading.

use super::text::lines;
use crate::limits::Meter;
use crate::{Document, Error, Format};

/// Headings by level, of which a deeper one ends with the next one above it.
#[derive(Default)]
pub struct Outline(Vec<(u8, String)>);

impl Outline {
    /// Starts a heading, and returns those that it is below, itself included.
    pub fn enter(&mut self, level: u8, heading: &str) -> Vec<String> {
        self.0.retain(|(above, _)| *above < level);
        self.0.push((level, heading.split_whitespace().collect::<Vec<_>>().join(" ")));
        self.0.iter().map(|(_, heading)| heading.clone()).collect()
    }
}

pub fn read(text: &str, meter: &mut Meter<'_>) -> Result<Document, Error> {
    let mut outline = Outline::default();
    let mut sections = Vec::new();
    let mut title = None;
    let mut headings = Vec::new();
    let (mut start, mut first, mut fence) = (0, 1, None);
    let mut at = 0;
    let mut before = "";
    let mut finish = |headings, from: usize, to: usize, first| {
        let text = text[from..to].trim_end();
        if !text.is_empty() {
            sections.push(lines(headings, first, text));
        }
    };
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        meter.parts(1)?;
        let content = line.trim_end();
        let found = match fence {
            Some(mark) => {
                if closes(content, mark) {
                    fence = None;
                }
                None
            }
            None => {
                fence = opens(content);
                heading(content, before)
            }
        };
        if let Some(found) = found {
            // The text of an underlined heading is the line before.
            let (from, number) =
                if found.underlined { (at - before_len(text, at), number - 1) } else { (at, number) };
            finish(std::mem::take(&mut headings), start, from, first);
            (start, first) = (from, number);
            headings = outline.enter(found.level, found.text);
            title = title.or_else(|| Some(found.text.to_owned()));
        }
        before = content;
        at += line.len();
    }
    finish(headings, start, text.len(), first);
    Ok(Document { format: Format::Markdown, title, sections, pages: Vec::new(), encoding: None })
}

/// The length of the line that ends at `at`, its line end included.
fn before_len(text: &str, at: usize) -> usize {
    let line = text[..at].trim_end_matches('\n');
    at - line.rfind('\n').map_or(0, |end| end + 1)
}

struct Heading<'a> {
    level: u8,
    text: &'a str,
    underlined: bool,
}

fn heading<'a>(line: &'a str, before: &'a str) -> Option<Heading<'a>> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    if indent > 3 {
        return None;
    }
    let line = line.trim_start();
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    if (1..=6).contains(&level) && (text.is_empty() || text.starts_with([' ', '\t'])) {
        let text = text.trim();
        let closed = text.trim_end_matches('#');
        let text = if closed.is_empty() || closed.ends_with(' ') { closed.trim_end() } else { text };
        return Some(Heading { level: level as u8, text, underlined: false });
    }
    let is_line_of = |mark: char| line.len() >= 2 && line.chars().all(|letter| letter == mark);
    let text = before.trim();
    // Not below a list, a quotation or a table, where the line means something else.
    let is_plain =
        !text.is_empty() && !text.starts_with(['-', '*', '+', '>', '#', '|', '=']) && text.len() < 200;
    let level = if is_line_of('=') {
        1
    } else if is_line_of('-') {
        2
    } else {
        return None;
    };
    is_plain.then_some(Heading { level, text, underlined: true })
}

/// The mark and length of a fence that starts a block of code.
fn opens(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.chars().take_while(|letter| *letter == mark).count();
    (length >= 3).then_some((mark, length))
}

fn closes(line: &str, (mark, length): (char, usize)) -> bool {
    let line = line.trim();
    line.chars().count() >= length && line.chars().all(|letter| letter == mark)
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

    fn outline(text: &str) -> Vec<(Vec<String>, Place, String)> {
        let sections = document(text).sections.into_iter();
        sections.map(|section| (section.headings, section.place, section.text)).collect()
    }

    fn span(first: u32, last: u32) -> Place {
        Place::Lines(Span { first, last })
    }

    #[test]
    fn sections_follow_the_headings() {
        let text = "intro\n\n# A #\ntext\n\n## B\nmore\n\nC\n===\n\nend\n";
        let expected = [
            (vec![], span(1, 1), "intro".into()),
            (vec!["A".into()], span(3, 4), "# A #\ntext".into()),
            (vec!["A".into(), "B".into()], span(6, 7), "## B\nmore".into()),
            (vec!["C".into()], span(9, 12), "C\n===\n\nend".into()),
        ];
        assert_eq!(outline(text), expected);
        assert_eq!(document(text).title.as_deref(), Some("A"));
    }

    #[test]
    fn code_and_lists_have_no_headings() {
        for text in [
            "```sh\n# comment\n```\nend",
            "~~~~\n# a\n~~~\n# b\n~~~~",
            "- item\n---\nx",
            "    # code",
            "#tag",
        ] {
            assert_eq!(outline(text), [(vec![], span(1, text.lines().count() as u32), text.to_owned())]);
        }
    }
}
