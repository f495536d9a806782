//! What a file contains.

use serde::{Deserialize, Serialize};

/// The text of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// How the file was read.
    pub format: Format,
    /// The title that the file gives itself.
    pub title: Option<String>,
    /// The text, in reading order.
    pub sections: Vec<Section>,
    /// The pages of a PDF; empty for other formats.
    pub pages: Vec<Page>,
    /// The encoding of a file of plain text; `None` for other formats.
    pub encoding: Option<Encoding>,
}

impl Document {
    /// Whether the document has any text.
    pub fn has_text(&self) -> bool {
        self.sections.iter().any(|section| !section.text.trim().is_empty())
    }

    /// Returns the place of the document as a whole: its last page or chapter, or all of its lines, rows or paragraphs. `None` if
    /// there is nothing in it.
    #[must_use]
    pub fn whole(&self) -> Option<Place> {
        if let Ok(pages @ 1..) = u32::try_from(self.pages.len()) {
            return Some(Place::Page(pages));
        }
        let all = |span: Span| Span { first: 1, last: span.last };
        Some(match self.sections.last()?.place {
            Place::Lines(span) => Place::Lines(all(span)),
            Place::Rows(span) => Place::Rows(all(span)),
            Place::Paragraphs(span) => Place::Paragraphs(all(span)),
            place @ (Place::Page(_) | Place::Chapter(_)) => place,
        })
    }

    /// Returns the numbers of the pages, from 1, that are pictures of text.
    pub fn scanned_pages(&self) -> impl Iterator<Item = u32> {
        (1..).zip(&self.pages).filter(|(_, page)| **page == Page::Scanned).map(|(number, _)| number)
    }
}

/// A part of a document below one heading, in one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The headings above the text, from the outermost. For a table, the names of its columns.
    pub headings: Vec<String>,
    /// Where the text is.
    pub place: Place,
    /// The text. If the place is a [`Span`], its n-th line is the n-th line, row or paragraph of the span.
    pub text: String,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// A page of a PDF.
    Page(u32),
    /// Lines of a text file.
    Lines(Span),
    /// Rows of a table. The row with the names of the columns is row 1.
    Rows(Span),
    /// Paragraphs of a document without pages; a row of a table in it is one of them.
    Paragraphs(Span),
    /// A chapter of a book.
    Chapter(u32),
}

/// Consecutive lines, rows or paragraphs, numbered from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
}

impl Place {
    /// Returns the place of some lines of a section's text, counted from 0.
    #[must_use]
    pub fn of_lines(self, first: usize, last: usize) -> Self {
        let part = |span: Span| {
            let at = |line: usize| {
                span.first.saturating_add(u32::try_from(line).unwrap_or(u32::MAX)).min(span.last)
            };
            Span { first: at(first), last: at(last) }
        };
        match self {
            Self::Page(_) | Self::Chapter(_) => self,
            Self::Lines(span) => Self::Lines(part(span)),
            Self::Rows(span) => Self::Rows(part(span)),
            Self::Paragraphs(span) => Self::Paragraphs(part(span)),
        }
    }
}

/// A page of a PDF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Page {
    /// Its text is in the document.
    Text,
    /// It has pictures and no readable text.
    Scanned,
    /// It has neither text nor pictures.
    Blank,
}

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Format {
    /// Plain text, source code included.
    Text,
    /// Markdown.
    Markdown,
    /// Comma-separated values, or another delimiter.
    Table,
    /// JSON.
    Json,
    /// HTML.
    Html,
    /// PDF.
    Pdf,
    /// Office Open XML, as of Word.
    Docx,
    /// EPUB.
    Epub,
}

/// The encoding of plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-16, little-endian.
    Utf16Le,
    /// UTF-16, big-endian.
    Utf16Be,
    /// Windows-1252, the superset of Latin-1. Every file is valid in it: unless it was asked for, it is a guess.
    Latin1,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_narrows_to_lines_and_a_page_does_not() {
        let lines = Place::Lines(Span { first: 10, last: 14 });
        assert_eq!(lines.of_lines(1, 3), Place::Lines(Span { first: 11, last: 13 }));
        assert_eq!(lines.of_lines(3, usize::MAX), Place::Lines(Span { first: 13, last: 14 }));
        assert_eq!(Place::Page(2).of_lines(1, 3), Place::Page(2));
    }
}
