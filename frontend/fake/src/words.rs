//! Numbers in what the fake engine says.

/// Bytes in gigabytes, or megabytes where they are fewer.
pub fn bytes(count: u64) -> String {
    if count < 1_000_000_000 {
        format!("{:.1} MB", count as f64 / 1e6)
    } else {
        format!("{:.1} GB", count as f64 / 1e9)
    }
}

/// A count with commas between groups of three digits.
pub fn count(value: u32) -> String {
    let digits = value.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

/// A count of something with its noun.
pub fn counted(value: usize, noun: &str) -> String {
    format!("{value} {noun}{}", if value == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_engine_writes_them() {
        assert_eq!((count(999), count(8_192)), ("999".to_owned(), "8,192".to_owned()));
        assert_eq!((bytes(13_661_216), bytes(7_162_394_016)), ("13.7 MB".to_owned(), "7.2 GB".to_owned()));
        assert_eq!(
            (counted(1, "picture"), counted(0, "sound")),
            ("1 picture".to_owned(), "0 sounds".to_owned())
        );
    }
}
