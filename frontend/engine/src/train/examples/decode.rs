//! From bytes to text.

use thiserror::Error;

/// Bytes that are neither UTF-8 nor UTF-16.
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
    std::str::from_utf8(bytes).map(str::to_owned).map_err(line)
}

/// How UTF-16 is ordered. Texts have no NUL, but half of each ASCII character is zero there.
fn utf16_without_mark(bytes: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    let zeros = |at: usize| bytes.iter().skip(at).step_by(2).filter(|byte| **byte == 0).count();
    match (zeros(0), zeros(1)) {
        (0, 1..) => Some(u16::from_le_bytes),
        (1.., 0) => Some(u16::from_be_bytes),
        _ => None,
    }
}
