//! Fonts: the letters and widths of codes.

use std::collections::HashMap;
use std::sync::Arc;

use hayro_cmap::BfString;
use hayro_font::{CMapResolverFn, Font, FontCache, FontGlyph, FontResolverFn};
use hayro_syntax::object::{Array, Dict, ObjRef, Stream};

use super::streams;
use crate::Error;
use crate::limits::Meter;

/// A font program with an empty glyph and nothing else. The library wants a program for a font that the file doesn't
/// contain; letters and widths come from tables by the names of glyphs.
const STAND_IN: &[u8] = include_bytes!("stand-in.cff");

/// The fonts of a file.
pub struct Fonts<'a> {
    cache: FontCache<'a>,
    found: HashMap<ObjRef, Option<Font<'a>>>,
    programs: FontResolverFn,
    cmaps: CMapResolverFn,
}

impl Default for Fonts<'_> {
    fn default() -> Self {
        Self {
            cache: FontCache::new(),
            found: HashMap::new(),
            programs: Arc::new(|_| Some((Arc::new(STAND_IN), 0))),
            cmaps: Arc::new(hayro_cmap::load_embedded),
        }
    }
}

impl<'a> Fonts<'a> {
    /// Returns a font of some resources; `None` if the file has it wrong.
    pub fn get(
        &mut self,
        fonts: &Dict<'a>,
        name: &[u8],
        meter: &mut Meter<'_>,
    ) -> Result<Option<Font<'a>>, Error> {
        let reference = fonts.get_ref(name);
        if let Some(found) = reference.and_then(|reference| self.found.get(&reference)) {
            return Ok(found.clone());
        }
        let Some(dict) = fonts.get::<Dict<'_>>(name) else { return Ok(None) };
        check(&dict, meter)?;
        let font = self.cache.font(&dict, &self.programs, &self.cmaps);
        if let Some(reference) = reference {
            self.found.insert(reference, font.clone());
        }
        Ok(font)
    }
}

/// Returns the letters of a code.
pub fn letters(font: &Font<'_>, code: u32) -> Option<String> {
    let text = match font.glyph(font.map_code(code), code) {
        FontGlyph::Outline(glyph) => glyph.as_unicode(),
        FontGlyph::Type3(glyph) => glyph.as_unicode(),
    }?;
    let text = match text {
        BfString::Char(letter) => letter.to_string(),
        BfString::String(letters) => letters,
    };
    let is_readable = |letter: char| {
        !matches!(letter, '\0' | '\u{fffd}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..)
            && (!letter.is_control() || letter.is_whitespace())
    };
    text.chars().all(is_readable).then_some(text)
}

/// Bytes that a width takes in the library's tables.
const WIDTH: u64 = 16;

/// What reading a predefined map of codes counts as, in bytes. A map may name it as often as it likes.
const PREDEFINED_MAP: u64 = 1 << 16;

/// Unpacks the streams of a font, and measures its tables of widths, within limits before the library does without.
fn check(font: &Dict<'_>, meter: &mut Meter<'_>) -> Result<(), Error> {
    let descendant =
        font.get::<Array<'_>>("DescendantFonts").and_then(|fonts| fonts.iter::<Dict<'_>>().next());
    for font in [Some(font), descendant.as_ref()].into_iter().flatten() {
        let descriptor = font.get::<Dict<'_>>("FontDescriptor").unwrap_or_default();
        let files = ["FontFile", "FontFile2", "FontFile3"].map(|key| descriptor.get::<Stream<'_>>(key));
        for stream in files.into_iter().chain([font.get::<Stream<'_>>("CIDToGIDMap")]).flatten() {
            streams::check(&stream, meter)?;
        }
        for map in ["ToUnicode", "Encoding"].iter().filter_map(|key| font.get::<Stream<'_>>(key)) {
            let map = streams::check(&map, meter)?;
            let named = map.windows(USE_MAP.len()).filter(|word| *word == USE_MAP).count() as u64;
            meter.unpacked(named.saturating_mul(PREDEFINED_MAP))?;
        }
        let first = font.get::<usize>("FirstChar").unwrap_or_default() as u64;
        meter.unpacked(first.saturating_mul(WIDTH))?;
        for (key, is_vertical) in [("W", false), ("W2", true)] {
            if let Some(widths) = font.get::<Array<'_>>(key) {
                check_widths(&widths, is_vertical, meter)?;
            }
        }
    }
    Ok(())
}

/// The operator that reads another map.
const USE_MAP: &[u8] = b"usecmap";

/// Counts what the library makes of `/W` or, for vertical writing, `/W2`, which it reads as this does: an entry for each code
/// of a range, and for each number of an array, which may be the same array many times.
fn check_widths(widths: &Array<'_>, is_vertical: bool, meter: &mut Meter<'_>) -> Result<(), Error> {
    let mut items = widths.flex_iter();
    loop {
        let entries = if let Some((_, widths)) = items.next::<(u32, Array<'_>)>() {
            widths.data().len() as u64
        } else {
            let range = if is_vertical {
                items.next::<(u32, u32, f32, f32, f32)>().map(|(first, last, ..)| (first, last))
            } else {
                items.next::<(u32, u32, f32)>().map(|(first, last, _)| (first, last))
            };
            let Some((first, last)) = range else { return Ok(()) };
            u64::from(last.saturating_sub(first)) + 1
        };
        meter.unpacked(entries.saturating_mul(WIDTH))?;
    }
}
