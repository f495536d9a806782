//! The `Range` header (RFC 9110, section 14).

/// What a `Range` header asks for, given the size of the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Everything: the header is absent, in another unit, malformed, or asks for several ranges. A server may ignore
    /// the header in all these cases; several ranges are not worth a multipart answer, because no reader of weights
    /// asks for them.
    Whole,
    /// The bytes from `first` to `last`, both included. `first <= last < size`.
    Part {
        /// First byte.
        first: u64,
        /// Last byte.
        last: u64,
    },
    /// A well-formed range that contains no byte of the content.
    Unsatisfiable,
}

/// Applies the value of a `Range` header to content of `size` bytes.
#[must_use]
pub fn select(header: &str, size: u64) -> Selection {
    let Some(range) = single_range(header) else { return Selection::Whole };
    match range {
        // A range may reach beyond the end; what is there is sent.
        Range::From { first, last } if first < size => {
            Selection::Part { first, last: last.unwrap_or(u64::MAX).min(size - 1) }
        }
        Range::Last { bytes } if bytes > 0 => {
            if size == 0 {
                return Selection::Whole;
            }
            Selection::Part { first: size - bytes.min(size), last: size - 1 }
        }
        Range::From { .. } | Range::Last { .. } => Selection::Unsatisfiable,
    }
}

/// One range of bytes as it is written.
enum Range {
    /// `first-` or `first-last`.
    From { first: u64, last: Option<u64> },
    /// `-bytes`.
    Last { bytes: u64 },
}

/// The range, if the header is well formed and names exactly one.
fn single_range(header: &str) -> Option<Range> {
    let (unit, set) = header.split_once('=')?;
    if !unit.trim_matches(BLANK).eq_ignore_ascii_case("bytes") {
        return None;
    }
    // Empty elements of a list do not count.
    let mut ranges = set.split(',').map(|range| range.trim_matches(BLANK)).filter(|range| !range.is_empty());
    let range = ranges.next()?;
    if ranges.next().is_some() {
        return None;
    }
    match range.split_once('-')? {
        ("", bytes) => Some(Range::Last { bytes: number(bytes)? }),
        (first, "") => Some(Range::From { first: number(first)?, last: None }),
        (first, last) => {
            let (first, last) = (number(first)?, number(last)?);
            (first <= last).then_some(Range::From { first, last: Some(last) })
        }
    }
}

/// White space in header values.
const BLANK: [char; 2] = [' ', '\t'];

/// Digits only. A number that is too large stands for the largest: either is beyond any content.
fn number(digits: &str) -> Option<u64> {
    let all_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Selection::*, *};

    #[test]
    fn one_range() {
        assert_eq!(select("bytes=0-9", 100), Part { first: 0, last: 9 });
        assert_eq!(select("bytes=90-", 100), Part { first: 90, last: 99 });
        assert_eq!(select("bytes=90-1000", 100), Part { first: 90, last: 99 });
        assert_eq!(select("bytes=-10", 100), Part { first: 90, last: 99 });
        assert_eq!(select("bytes=-1000", 100), Part { first: 0, last: 99 });
        assert_eq!(select("Bytes = 5-5 ,", 100), Part { first: 5, last: 5 });
        assert_eq!(select("bytes=0-99999999999999999999999", 100), Part { first: 0, last: 99 });
    }

    #[test]
    fn no_header_leads_outside() {
        let corpus = ["bytes=0-9", "bytes=90-", "Bytes = 5-5 ,", "bytes=-10"];
        crate::fuzz::fuzz("range", &corpus.map(|text| text.as_bytes().to_vec()), |bytes| {
            let Ok(header) = std::str::from_utf8(bytes) else { return false };
            for size in [0, 1, 100, u64::MAX] {
                if let Part { first, last } = select(header, size) {
                    assert!(first <= last && last < size, "{header}: {first} to {last} of {size}");
                }
            }
            select(header, 100) != Whole
        });
    }

    #[test]
    fn nothing_in_the_range() {
        for header in ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999999-"] {
            assert_eq!(select(header, 100), Unsatisfiable, "{header}");
        }
        assert_eq!(select("bytes=0-0", 0), Unsatisfiable);
        assert_eq!(select("bytes=-5", 0), Whole);
    }

    #[test]
    fn what_is_not_one_range_is_ignored() {
        for header in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=a-b",
            "bytes=9-0",
            "bytes=+1-2",
            "bytes=1--2",
            "bytes=0x1-2",
            "items=0-9",
            "bytes=0-1,5-6",
            "bytes 0-9",
        ] {
            assert_eq!(select(header, 100), Whole, "{header}");
        }
    }

    proptest! {
        #[test]
        fn a_part_lies_in_the_content(header in "\\PC{0,40}", size: u64) {
            if let Part { first, last } = select(&header, size) {
                prop_assert!(first <= last && last < size);
            }
        }

        #[test]
        fn numbers_select_what_they_say(first: u64, length in 1..=1_u64 << 40, size in 1_u64..) {
            let last = first.saturating_add(length - 1);
            let expected = if first < size { Part { first, last: last.min(size - 1) } } else { Unsatisfiable };
            prop_assert_eq!(select(&format!("bytes={first}-{last}"), size), expected);
            let expected = Part { first: size.saturating_sub(length), last: size - 1 };
            prop_assert_eq!(select(&format!("bytes=-{length}"), size), expected);
        }
    }
}
