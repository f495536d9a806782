//! PDF: the text layer of each page, in reading order.

mod bidi;
mod content;
mod fonts;
mod layout;
mod streams;

use std::sync::Arc;

use hayro_syntax::object::{Dict, Name, Object};
use hayro_syntax::page::Resources;
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};

use self::fonts::Fonts;
use self::layout::Line;
use crate::formats::markdown::Outline;
use crate::limits::Meter;
use crate::{Document, Error, Format, Page, Place, Section};

/// A line whose letters are larger than those of the document by this factor is a heading.
const HEADING: f64 = 1.15;

/// The longest line that may be a heading, in characters.
const LONGEST_HEADING: usize = 120;

/// Sizes of headings that are told apart.
const MOST_LEVELS: usize = 12;

/// Fewer letters on a page with a picture are a stamp or a page number on a scan.
const FEW_LETTERS: usize = 16;

pub fn read(bytes: &[u8], password: Option<&str>, meter: &mut Meter<'_>) -> Result<Document, Error> {
    streams::check_file(bytes, meter)?;
    let data: Arc<Vec<u8>> = Arc::new(bytes.to_vec());
    let pdf = Pdf::new_with_password(data, password.unwrap_or_default()).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => Error::Encrypted,
        LoadPdfError::Decryption(_) | LoadPdfError::Invalid => Error::Damaged { format: Format::Pdf },
    })?;
    let count = pdf.pages().len();
    meter.pages(count)?;
    let mut fonts = Fonts::default();
    let mut pages = Vec::with_capacity(count);
    let mut lines = Vec::with_capacity(count);
    for (index, page) in pdf.pages().iter().enumerate() {
        meter.at(index, count)?;
        let found = content::read(page, &mut fonts, meter)?;
        let letters = found.glyphs.iter().flatten().filter(|glyph| !glyph.text.trim().is_empty()).count();
        let is_unreadable = found.unmapped > letters;
        let is_scanned = is_unreadable || found.pictures > 0 && letters < FEW_LETTERS;
        pages.push(match letters {
            _ if is_scanned => Page::Scanned,
            0 => Page::Blank,
            _ => Page::Text,
        });
        let mut shown = Vec::new();
        for glyphs in found.glyphs.into_iter().filter(|_| !is_unreadable) {
            shown.extend(layout::lines(glyphs, meter)?);
        }
        lines.push(shown);
    }
    meter.at(count, count)?;
    let sections = sections(&lines, meter)?;
    let title = pdf.metadata().title.as_deref().and_then(title);
    Ok(Document { format: Format::Pdf, title, sections, pages, encoding: None })
}

/// Cuts the lines of all pages at headings and ends of pages.
fn sections(pages: &[Vec<Line>], meter: &mut Meter<'_>) -> Result<Vec<Section>, Error> {
    let sizes = heading_sizes(pages);
    let mut outline = Outline::default();
    let mut headings = Vec::new();
    let mut sections = Vec::new();
    for (number, lines) in (1..).zip(pages) {
        let mut text = String::new();
        let mut finish = |text: &mut String, headings: &Vec<String>| {
            let text = std::mem::take(text);
            if !text.trim().is_empty() {
                let text = text.trim_end().to_owned();
                sections.push(Section { headings: headings.clone(), place: Place::Page(number), text });
            }
        };
        let mut before = None;
        for line in lines {
            meter.parts(1)?;
            meter.text(line.text.len() + 1)?;
            let level = sizes.iter().position(|size| *size == rounded(line.size));
            let level = level.filter(|_| line.text.chars().count() <= LONGEST_HEADING);
            // The second line of a long heading continues it.
            if let Some(level) = level.filter(|_| level != before || line.starts_paragraph) {
                finish(&mut text, &headings);
                headings = outline.enter(u8::try_from(level).unwrap_or(u8::MAX), &line.text);
            }
            before = level;
            if line.starts_paragraph && !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&line.text);
            text.push('\n');
        }
        finish(&mut text, &headings);
    }
    Ok(sections)
}

/// The sizes of letters in headings, the largest first: those above the size of most letters.
fn heading_sizes(pages: &[Vec<Line>]) -> Vec<u64> {
    let mut letters = std::collections::BTreeMap::<u64, usize>::new();
    for line in pages.iter().flatten() {
        *letters.entry(rounded(line.size)).or_default() += line.text.len();
    }
    let all: usize = letters.values().sum();
    let body = letters.iter().max_by_key(|(_, count)| **count).map_or(0, |(size, _)| *size);
    let larger = letters.iter().rev().take_while(|(size, _)| **size as f64 > body as f64 * HEADING);
    // Large print in a large part of the document isn't headings.
    let larger = larger.filter(|(_, count)| **count * 4 < all).map(|(size, _)| *size);
    larger.take(MOST_LEVELS).collect()
}

/// A size in tenths of a point.
fn rounded(size: f64) -> u64 {
    (size.clamp(0.0, 10_000.0) * 10.0).round() as u64
}

/// A title in the document's information: UTF-16 with a mark, UTF-8 with a mark, or close to Latin-1.
fn title(bytes: &[u8]) -> Option<String> {
    let text = text_string(bytes);
    let text = text.trim();
    (!text.is_empty() && text != "untitled" && text != "(anonymous)").then(|| text.to_owned())
}

/// Decodes a text string of a PDF.
fn text_string(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, rest @ ..] => {
            let units = rest.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
            char::decode_utf16(units).flatten().collect()
        }
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// The resources of a form, or those of what draws it.
fn resources_of<'a>(dict: &Dict<'a>, parent: &Resources<'a>) -> Resources<'a> {
    dict.get::<Dict<'_>>("Resources").map_or_else(|| parent.clone(), Resources::new)
}

/// What a marked content sequence replaces its text by.
fn actual_text(properties: &Object<'_>, resources: &Resources<'_>) -> Option<String> {
    let dict = match properties {
        Object::Dict(dict) => dict.clone(),
        Object::Name(name) => resources.properties.get::<Dict<'_>>(name)?,
        _ => return None,
    };
    let text = dict.get::<hayro_syntax::object::String<'_>>("ActualText")?;
    Some(text_string(text.as_bytes()))
}

/// Whether an external object is a picture.
fn is_picture(dict: &Dict<'_>) -> bool {
    dict.get::<Name<'_>>("Subtype").is_some_and(|name| name.as_ref() == b"Image".as_slice())
}
