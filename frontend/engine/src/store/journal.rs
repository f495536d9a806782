//! The journal of a stored blob: a text file of JSON lines, of which the last complete one is valid.
//!
//! A line is appended after the bytes it describes were flushed. If a tab crashes while writing a line, the
//! incomplete line is ignored and the previous one is still correct.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::RangeSet;

/// Version of the lines. Other versions are ignored, so that such blobs are fetched again.
const VERSION: u32 = 1;

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    version: u32,
    /// Name of the blob, for display.
    pub name: String,
    /// Size of the blob.
    pub size: u64,
    /// Ranges that are stored.
    pub present: RangeSet,
    /// Whether all bytes are stored and their digest was correct.
    pub verified: bool,
    /// Last use, in milliseconds since 1970.
    pub last_used: f64,
}

impl Record {
    /// A blob without stored bytes.
    #[must_use]
    pub fn new(name: &str, size: u64) -> Self {
        Self {
            version: VERSION,
            name: name.to_owned(),
            size,
            present: RangeSet::default(),
            verified: false,
            last_used: 0.0,
        }
    }

    /// Marks a range as missing and the blob as unverified; returns the journal line.
    pub fn lose(&mut self, range: &Range<u64>) -> String {
        self.present.remove(range);
        self.verified = false;
        self.line()
    }

    /// Whether all bytes are stored.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.present.contains(&(0..self.size))
    }

    /// The journal line, including the line end.
    #[must_use]
    pub fn line(&self) -> String {
        // Numbers, strings and pairs always serialise.
        serde_json::to_string(self).map(|json| json + "\n").unwrap_or_default()
    }

    /// The last complete and valid line of a journal.
    #[must_use]
    pub fn last_of(journal: &str) -> Option<Self> {
        let whole = &journal[..=journal.rfind('\n')?];
        whole.lines().rev().find_map(|line| {
            let record: Self = serde_json::from_str(line).ok()?;
            let sensible = record.version == VERSION
                && record.present.end() <= record.size
                && (!record.verified || record.is_complete());
            sensible.then_some(record)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record(end: u64) -> Record {
        let mut record = Record::new("a \u{ab}model\u{bb}\nwith lines", 100);
        record.present.insert(0..end);
        record.last_used = 1_763_000_000_000.0 + end as f64;
        record
    }

    #[test]
    fn the_last_whole_line_counts() {
        let (first, second) = (record(10), record(20));
        let journal = first.line() + &second.line();
        assert_eq!(Record::last_of(&journal), Some(second.clone()));
        for cut in first.line().len()..journal.len() - 1 {
            // The truncation may be inside a character.
            let cut_off = String::from_utf8_lossy(&journal.as_bytes()[..cut]);
            assert_eq!(Record::last_of(&cut_off), Some(first.clone()), "cut at {cut}");
        }
        assert_eq!(Record::last_of(&first.line()[..20]), None);
        assert_eq!(Record::last_of(&(journal + "nonsense\n")), Some(second));
    }

    #[test]
    fn lines_that_contradict_themselves_do_not_count() {
        let good = record(10);
        let mut outside = record(10);
        outside.present.insert(90..101);
        let mut verified = record(10);
        verified.verified = true;
        let mut newer = record(10);
        newer.version = VERSION + 1;
        for wrong in [outside, verified, newer] {
            assert_eq!(Record::last_of(&wrong.line()), None);
            assert_eq!(Record::last_of(&(good.line() + &wrong.line())), Some(good.clone()));
        }
        let mut whole = record(100);
        whole.verified = true;
        assert_eq!(Record::last_of(&whole.line()), Some(whole));
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "(\\PC|\n){0,200}") {
            let _ = Record::last_of(&text);
        }
    }
}
