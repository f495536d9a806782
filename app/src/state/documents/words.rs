//! Places in documents, and what went wrong with them, in words.

use documents::{Error, Place, Span};

use super::worker::Trouble;
use crate::{format, language::t};

/// A place in a document, such as `page 3`.
#[must_use]
pub fn place_words(place: Place) -> String {
    match place {
        Place::Page(number) => t().document_page(number.into()),
        Place::Chapter(number) => t().document_chapter(number.into()),
        Place::Lines(span) => of_span(span, |it| t().document_line(it), |a, b| t().document_lines(a, b)),
        Place::Rows(span) => of_span(span, |it| t().document_row(it), |a, b| t().document_rows(a, b)),
        Place::Paragraphs(span) => {
            of_span(span, |it| t().document_paragraph(it), |a, b| t().document_paragraphs(a, b))
        }
    }
}

fn of_span(span: Span, one: impl Fn(u64) -> String, many: impl Fn(u64, u64) -> String) -> String {
    let (first, last) = (span.first.into(), span.last.into());
    if first == last { one(first) } else { many(first, last) }
}

/// Words for a page, a chapter, a line, a row and a paragraph, each with a number.
type Words = [fn(u64) -> String; 5];

/// The words for a place with one number, which `number` takes from what has two.
fn of_number(place: Place, number: fn(Span) -> u32, words: Words) -> String {
    let [page, chapter, line, row, paragraph] = words;
    match place {
        Place::Page(it) => page(it.into()),
        Place::Chapter(it) => chapter(it.into()),
        Place::Lines(span) => line(number(span).into()),
        Place::Rows(span) => row(number(span).into()),
        Place::Paragraphs(span) => paragraph(number(span).into()),
    }
}

/// A place in a document as an answer cites it, such as `p. 3`.
#[must_use]
pub fn short_place(place: Place) -> String {
    let words: Words = [
        |it| t().cited_page(it),
        |it| t().cited_chapter(it),
        |it| t().cited_line(it),
        |it| t().cited_row(it),
        |it| t().cited_paragraph(it),
    ];
    of_number(place, |span| span.first, words)
}

/// How much there is of a document, such as `48 pages`.
#[must_use]
pub fn whole_words(whole: Place) -> String {
    let words: Words = [
        |it| t().document_page_count(it),
        |it| t().document_chapter_count(it),
        |it| t().document_line_count(it),
        |it| t().document_row_count(it),
        |it| t().document_paragraph_count(it),
    ];
    of_number(whole, |span| span.last, words)
}

/// Why a file is refused, and what can be done.
pub(super) fn error(error: &Error) -> String {
    match error {
        // Who cancels knows it.
        Error::Canceled => String::new(),
        Error::Empty => t().document_blank().to_owned(),
        Error::TooLarge { bytes, limit } => {
            t().document_too_large(&format::bytes(*bytes), &format::bytes(*limit))
        }
        Error::Expands { .. } | Error::TooDeep { .. } => t().document_expands().to_owned(),
        Error::TooManyPages { pages, limit } => t().document_too_many_pages(*pages, (*limit).into()),
        Error::Encrypted => t().document_encrypted().to_owned(),
        Error::Unsupported => t().document_unsupported().to_owned(),
        Error::Damaged { .. } => t().document_damaged().to_owned(),
    }
}

pub(super) fn trouble(trouble: Trouble) -> &'static str {
    match trouble {
        Trouble::Canceled => "",
        Trouble::Missing => t().document_missing(),
        Trouble::Crashed => t().document_crashed(),
        Trouble::TooLong => t().document_too_long(),
    }
}
