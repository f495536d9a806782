//! From bytes to text.

use thiserror::Error;

/// Bytes that are neither UTF-8 nor UTF-16, or a text in an encoding whose bytes are all ASCII.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line} isn’t UTF-8: save the file as UTF-8, such as “CSV UTF-8” in Excel")]
pub struct NotUnicode {
    /// The first line that cannot be decoded, from 1.
    pub line: usize,
}

/// Returns the text of a file: UTF-8, or UTF-16 with or without a byte order mark.
///
/// # Errors
/// When it is in another encoding, so that nothing is replaced.
pub fn decode(bytes: &[u8]) -> Result<String, NotUnicode> {
    let (unit, bytes): (fn([u8; 2]) -> u16, _) = match bytes {
        // UTF-32.
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => return Err(NotUnicode { line: 1 }),
        [0xFF, 0xFE, rest @ ..] => (u16::from_le_bytes, rest),
        [0xFE, 0xFF, rest @ ..] => (u16::from_be_bytes, rest),
        _ => match utf16_without_mark(bytes) {
            Some(unit) => (unit, bytes),
            None => return utf8(bytes),
        },
    };
    let units = bytes.chunks(2).map(|pair| unit([pair[0], pair.get(1).copied().unwrap_or(0)]));
    let text: Result<String, _> = char::decode_utf16(units.clone()).collect();
    let line = || {
        let valid = char::decode_utf16(units).map_while(Result::ok);
        valid.filter(|character| *character == '\n').count() + 1
    };
    text.map_err(|_| NotUnicode { line: line() })
}

fn utf8(bytes: &[u8]) -> Result<String, NotUnicode> {
    let line = |error: std::str::Utf8Error| {
        let valid = &bytes[..error.valid_up_to()];
        NotUnicode { line: valid.iter().filter(|byte| **byte == b'\n').count() + 1 }
    };
    let text = std::str::from_utf8(bytes).map_err(line)?;
    // UTF-32 without a mark, or no text.
    if text.matches('\0').count() > text.len() / 4 {
        return Err(NotUnicode { line: 1 });
    }
    // ISO 2022-JP shifts between alphabets.
    match text.find("\u{1b}$").or_else(|| text.find("\u{1b}(J")) {
        Some(shift) => Err(NotUnicode { line: text[..shift].matches('\n').count() + 1 }),
        None => Ok(text.to_owned()),
    }
}

/// How UTF-16 is ordered; `None` if it is something else. Half of each ASCII character is zero there, but so is half of
/// some others: its spaces and line breaks tell.
fn utf16_without_mark(bytes: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    let zeros = bytes.iter().filter(|byte| **byte == 0).count();
    let is_utf8 = std::str::from_utf8(bytes).is_ok();
    if zeros == 0 || (is_utf8 && zeros <= bytes.len() / 4) {
        return None;
    }
    let usual = |unit: fn([u8; 2]) -> u16| {
        let units = || bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        // UTF-32 has NULs.
        if units().any(|unit| unit == 0) {
            return 0;
        }
        units().filter(|unit| [0x0A, 0x0D, 0x20, 0x2C, 0x22, 0x3B].contains(unit)).count()
    };
    match (usual(u16::from_le_bytes), usual(u16::from_be_bytes)) {
        (0, 0) => None,
        (little, big) if little >= big => Some(u16::from_le_bytes),
        _ => Some(u16::from_be_bytes),
    }
}
