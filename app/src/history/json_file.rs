//! The text of a JSON file that the user picks.

/// The first byte of a file that is not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotUtf8 {
    /// Its line, counted from 1.
    pub line: usize,
    /// Its column in bytes, counted from 1.
    pub column: usize,
}

/// Returns a file's text, without the byte order mark that some editors write.
///
/// Records are stored as text, so files are read as text, too: deserializing bytes as well would double the code of each type.
///
/// # Errors
/// Where it is not UTF-8.
pub(super) fn text(bytes: &[u8]) -> Result<&str, NotUtf8> {
    let text = str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        NotUtf8 {
            line: 1 + before.iter().filter(|&&byte| byte == b'\n').count(),
            column: 1 + before.len() - start,
        }
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_byte_is_reported_with_its_line_and_column() {
        assert_eq!(text("\u{feff}{}".as_bytes()), Ok("{}"));
        assert_eq!(text(b"\xff"), Err(NotUtf8 { line: 1, column: 1 }));
        assert_eq!(text(b"{\n\"a\": \"\xe4\"}"), Err(NotUtf8 { line: 2, column: 7 }));
    }
}
