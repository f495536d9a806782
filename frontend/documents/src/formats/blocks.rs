//! Text that comes as paragraphs, headings and rows of tables.

use super::markdown::Outline;
use crate::limits::Meter;
use crate::{Error, Place, Section, Span};

/// Collects paragraphs, one line each, into sections.
pub struct Blocks {
    /// The chapter that all is in; otherwise paragraphs are numbered.
    chapter: Option<u32>,
    outline: Outline,
    headings: Vec<String>,
    sections: Vec<Section>,
    /// The paragraphs of the section, and the number of its first.
    paragraphs: Vec<String>,
    first: u32,
    paragraph: String,
    /// Whether the paragraph is more than spaces.
    has_text: bool,
}

impl Blocks {
    pub fn new(chapter: Option<u32>) -> Self {
        Self {
            chapter,
            outline: Outline::default(),
            headings: Vec::new(),
            sections: Vec::new(),
            paragraphs: Vec::new(),
            first: 1,
            paragraph: String::new(),
            has_text: false,
        }
    }

    /// Appends text to the paragraph.
    pub fn text(&mut self, text: &str, meter: &mut Meter<'_>) -> Result<(), Error> {
        meter.text(text.len())?;
        self.paragraph.push_str(text);
        self.has_text |= !text.trim().is_empty();
        Ok(())
    }

    /// Separates two cells of a row.
    pub fn cell(&mut self) {
        if self.has_text {
            self.paragraph.push_str(" | ");
        }
    }

    /// Ends the paragraph. Spaces in it are made one, unless it is preformatted.
    pub fn end(&mut self, is_preformatted: bool) {
        let paragraph = std::mem::take(&mut self.paragraph);
        self.has_text = false;
        let trimmed = paragraph.trim_end().trim_end_matches(" |");
        if trimmed.trim().is_empty() {
            return;
        }
        self.paragraphs.push(match is_preformatted {
            true => trimmed.replace('\n', " "),
            false => trimmed.split_whitespace().collect::<Vec<_>>().join(" "),
        });
    }

    /// Ends the paragraph, which is a heading.
    pub fn end_heading(&mut self, level: u8) {
        let heading = std::mem::take(&mut self.paragraph);
        if heading.trim().is_empty() {
            self.has_text = false;
            return;
        }
        self.end_section();
        self.headings = self.outline.enter(level, &heading);
        self.paragraph = heading;
        self.end(false);
    }

    /// Returns the sections.
    pub fn finish(mut self) -> Vec<Section> {
        self.end(false);
        self.end_section();
        self.sections
    }

    fn end_section(&mut self) {
        let Ok(count) = u32::try_from(self.paragraphs.len()) else { return };
        if count == 0 {
            return;
        }
        let last = self.first.saturating_add(count - 1);
        let place = self.chapter.map_or(Place::Paragraphs(Span { first: self.first, last }), Place::Chapter);
        let text = std::mem::take(&mut self.paragraphs).join("\n");
        self.sections.push(Section { headings: self.headings.clone(), place, text });
        self.first = last.saturating_add(1);
    }
}
