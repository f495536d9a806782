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

/// A place in a document as an answer cites it, such as `p. 3`.
#[must_use]
pub fn short_place(place: Place) -> String {
    match place {
        Place::Page(number) => t().cited_page(number.into()),
        Place::Chapter(number) => t().cited_chapter(number.into()),
        Place::Lines(span) => t().cited_line(span.first.into()),
        Place::Rows(span) => t().cited_row(span.first.into()),
        Place::Paragraphs(span) => t().cited_paragraph(span.first.into()),
    }
}

/// How much there is of a document, such as `48 pages`.
#[must_use]
pub fn whole_words(whole: Place) -> String {
    match whole {
        Place::Page(count) => t().document_page_count(count.into()),
        Place::Chapter(count) => t().document_chapter_count(count.into()),
        Place::Lines(span) => t().document_line_count(span.last.into()),
        Place::Rows(span) => t().document_row_count(span.last.into()),
        Place::Paragraphs(span) => t().document_paragraph_count(span.last.into()),
    }
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
