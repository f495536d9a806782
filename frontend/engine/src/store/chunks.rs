//! Digests of a blob's chunks.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Digest;

/// Size of a chunk: what is fetched again when a bit of it is wrong.
pub const CHUNK_SIZE: u64 = 64 << 20;

/// The digests of a blob's chunks.
///
/// They were computed from bytes whose overall digest was right. So they belong to the blob and not to a copy of it: they
/// stay right when the copy is damaged, and show where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunks {
    /// Size of a chunk; the last one may be smaller.
    pub(super) size: u64,
    /// In order.
    pub(super) digests: Vec<Digest>,
}

/// A journal line with the digests. Other lines lack its fields.
#[derive(Serialize, Deserialize)]
struct Line {
    version: u32,
    chunk_size: u64,
    chunks: Vec<Digest>,
}

/// Version of the line.
const VERSION: u32 = 1;

impl Chunks {
    /// Returns the journal line, including the line end.
    pub fn line(&self) -> String {
        let line = Line { version: VERSION, chunk_size: self.size, chunks: self.digests.clone() };
        // Numbers and strings always serialise.
        serde_json::to_string(&line).map(|json| json + "\n").unwrap_or_default()
    }

    /// Returns a journal line that takes back the ones before.
    pub fn none_line() -> String {
        Self { size: 0, digests: Vec::new() }.line()
    }

    /// Returns the content of a journal line, if it has digests. They may be of a blob of another size.
    pub(super) fn of_line(line: &str) -> Option<Self> {
        // Most lines are others; this is faster than to parse them.
        if !line.contains("\"chunks\"") {
            return None;
        }
        let line: Line = serde_json::from_str(line).ok()?;
        (line.version == VERSION).then_some(Self { size: line.chunk_size, digests: line.chunks })
    }

    /// Returns whether a blob of `size` bytes has so many chunks.
    pub(super) fn fits(&self, size: u64) -> bool {
        self.size > 0 && size.div_ceil(self.size) == self.digests.len() as u64
    }

    /// Returns all chunks of a blob of `size` bytes that overlap `range`, as one range.
    pub(super) fn around(chunk_size: u64, size: u64, range: &Range<u64>) -> Range<u64> {
        let start = range.start / chunk_size * chunk_size;
        let end = range.end.div_ceil(chunk_size).saturating_mul(chunk_size);
        start..end.min(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_written() {
        let chunks = Chunks { size: 64, digests: vec![Digest::new([1; 32]), Digest::new([2; 32])] };
        assert_eq!(Chunks::of_line(chunks.line().trim_end()), Some(chunks.clone()));
        assert!(chunks.fits(65) && chunks.fits(128));
        assert!(!chunks.fits(64) && !chunks.fits(129));
        let none = Chunks::of_line(Chunks::none_line().trim_end()).expect("a line");
        assert!(!none.fits(0) && !none.fits(1));
    }

    #[test]
    fn a_range_grows_to_whole_chunks() {
        assert_eq!(Chunks::around(64, 200, &(70..71)), 64..128);
        assert_eq!(Chunks::around(64, 200, &(63..129)), 0..192);
        assert_eq!(Chunks::around(64, 200, &(199..200)), 192..200);
        assert_eq!(Chunks::around(u64::MAX, 200, &(7..8)), 0..200);
    }
}
