//! The headers of range requests (RFC 9110, section 14).

use std::ops::Range;

/// Returns the `Range` header that asks for the bytes of `range`, which is not empty.
pub fn range_header(range: &Range<u64>) -> String {
    format!("bytes={}-{}", range.start, range.end.saturating_sub(1))
}

/// A parsed `Content-Range` header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentRange {
    /// First byte.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
    /// Size of the whole file, if the server states it.
    pub total: Option<u64>,
}

impl ContentRange {
    /// Parses `bytes 0-99/1000` or `bytes 0-99/*`. `None` for anything else, also for inconsistent ranges.
    pub fn parse(header: &str) -> Option<Self> {
        let (unit, rest) = header.trim().split_once(' ')?;
        if !unit.eq_ignore_ascii_case("bytes") {
            return None;
        }
        let (part, total) = rest.trim().split_once('/')?;
        let (first, last) = part.split_once('-')?;
        let (start, last) = (number(first)?, number(last)?);
        let total = match total {
            "*" => None,
            total => Some(number(total)?),
        };
        let end = last.checked_add(1)?;
        let consistent = start <= last && total.is_none_or(|total| end <= total);
        consistent.then_some(Self { start, end, total })
    }
}

/// Digits only: `u64::from_str` would accept a plus sign.
fn number(digits: &str) -> Option<u64> {
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parts_are_read() {
        let parse = ContentRange::parse;
        assert_eq!(parse("bytes 0-99/1000"), Some(ContentRange { start: 0, end: 100, total: Some(1000) }));
        assert_eq!(parse("Bytes 5-5/*"), Some(ContentRange { start: 5, end: 6, total: None }));
        for wrong in [
            "",
            "bytes",
            "bytes */1000",
            "bytes 0-99",
            "bytes 9-5/1000",
            "bytes 0-1000/1000",
            "bytes +1-9/10",
            "bytes -9/10",
            "bytes 0-18446744073709551615/*",
            "bytes 0-99999999999999999999/*",
            "items 0-9/10",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn what_is_asked_for_is_what_is_read(start in 0..u64::MAX / 2, len in 1..u64::MAX / 2, more in 0..9_u64) {
            let range = start..start + len;
            let header = range_header(&range).replace("bytes=", "bytes ") + &format!("/{}", range.end + more);
            let total = Some(range.end + more);
            prop_assert_eq!(ContentRange::parse(&header), Some(ContentRange { start, end: range.end, total }));
        }

        #[test]
        fn any_text_is_survived(header in "\\PC{0,40}") {
            let _ = ContentRange::parse(&header);
        }
    }
}
