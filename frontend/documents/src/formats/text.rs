//! Plain text and its encodings.

use std::borrow::Cow;

use crate::limits::Meter;
use crate::{Document, Encoding, Error, Format, Place, Section, Span};

/// What Windows-1252 has in place of the control characters 0x80 to 0x9f of Latin-1.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Bytes that are looked at to tell whether a file is text.
const SAMPLE: usize = 8192;

/// Whether bytes look like text.
pub fn is_text(bytes: &[u8]) -> bool {
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    if utf16_of(sample).is_some() {
        return true;
    }
    let control = |byte: &&u8| matches!(byte, 0..=8 | 14..=26 | 28..=31);
    !sample.contains(&0) && sample.iter().filter(control).count() * 50 <= sample.len()
}

/// Returns the text of a file in the given encoding or the likely one, with line ends of one kind.
pub fn decode<'a>(
    bytes: &'a [u8],
    encoding: Option<Encoding>,
    meter: &mut Meter<'_>,
) -> Result<(Encoding, Cow<'a, str>), Error> {
    let encoding = encoding.unwrap_or_else(|| detect(bytes));
    let text = match encoding {
        Encoding::Utf8 => String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)),
        Encoding::Utf16Le => utf16(bytes, u16::from_le_bytes),
        Encoding::Utf16Be => utf16(bytes, u16::from_be_bytes),
        Encoding::Latin1 => bytes.iter().map(|byte| latin1(*byte)).collect(),
    };
    meter.text(text.len())?;
    let text = if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text };
    Ok((encoding, text))
}

/// Returns a document of one section.
pub fn read(text: &str, meter: &mut Meter<'_>) -> Result<Document, Error> {
    meter.at(text.len(), text.len())?;
    let sections = vec![lines(Vec::new(), 1, text.trim_end())];
    Ok(Document { format: Format::Text, title: None, sections, pages: Vec::new(), encoding: None })
}

/// Returns a section of the lines of a text, the first of which has a number.
pub fn lines(headings: Vec<String>, first: u32, text: &str) -> Section {
    let count = u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX);
    let place = Place::Lines(Span { first, last: first.saturating_add(count) });
    Section { headings, place, text: text.to_owned() }
}

fn detect(bytes: &[u8]) -> Encoding {
    match utf16_of(&bytes[..bytes.len().min(SAMPLE)]) {
        Some(encoding) => encoding,
        // A damaged byte in an otherwise good file doesn't make it Latin-1.
        None if is_mostly_utf8(bytes) => Encoding::Utf8,
        None => Encoding::Latin1,
    }
}

/// Whether no more than one in ten of the bytes beyond ASCII are invalid as UTF-8.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut valid, mut invalid) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().bytes().filter(|byte| !byte.is_ascii()).count();
        invalid += chunk.invalid().len();
    }
    invalid == 0 || invalid * 10 <= valid
}

/// By the byte order mark, or because every other byte of a text in Latin script is 0.
fn utf16_of(sample: &[u8]) -> Option<Encoding> {
    match sample {
        [0xff, 0xfe, ..] => return Some(Encoding::Utf16Le),
        [0xfe, 0xff, ..] => return Some(Encoding::Utf16Be),
        _ => {}
    }
    let zeros = |odd: usize| sample.iter().skip(odd).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd, half) = (zeros(0), zeros(1), sample.len() / 2);
    if half < 2 {
        None
    } else if even == 0 && odd * 10 >= half * 7 {
        Some(Encoding::Utf16Le)
    } else if odd == 0 && even * 10 >= half * 7 {
        Some(Encoding::Utf16Be)
    } else {
        None
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Cow<'static, str> {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let text: String =
        char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text).into()
}

fn latin1(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::Limits;

    fn decoded(bytes: &[u8]) -> (Encoding, String) {
        let mut callback = |_| ControlFlow::Continue(());
        let (encoding, text) =
            decode(bytes, None, &mut Meter::new(Limits::default(), &mut callback)).unwrap();
        (encoding, text.into_owned())
    }

    #[test]
    fn encodings_are_recognized() {
        assert_eq!(decoded("grüße\r\n".as_bytes()), (Encoding::Utf8, "grüße\n".into()));
        assert_eq!(decoded(b"\xef\xbb\xbfa"), (Encoding::Utf8, "a".into()));
        let utf16: Vec<u8> = "\u{feff}grüße 𝄞".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decoded(&utf16), (Encoding::Utf16Le, "grüße 𝄞".into()));
        let unmarked: Vec<u8> = "plain text".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decoded(&unmarked), (Encoding::Utf16Be, "plain text".into()));
        assert_eq!(decoded(b"gr\xfc\xdfe \x80 5"), (Encoding::Latin1, "grüße € 5".into()));
    }

    #[test]
    fn one_damaged_byte_leaves_a_file_in_utf8() {
        let (encoding, text) = decoded(b"gr\xc3\xbc\xc3\x9fe, \xc3\xa4\xc3\xb6\xc3\xbc \xff");
        assert_eq!((encoding, text.as_str()), (Encoding::Utf8, "grüße, äöü \u{fffd}"));
    }

    #[test]
    fn a_binary_file_is_no_text() {
        assert!(is_text(b"a\tb\r\nc\x0c"));
        assert!(!is_text(b"\x00\x01\x02\x03"));
        assert!(!is_text(&[1, 2, 3, 4, 5, 6, 7, 8]));
    }
}
