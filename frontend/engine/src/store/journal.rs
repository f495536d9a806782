//! What is known of a kept blob: a text file of JSON lines, of which the last whole one counts.
//!
//! A line is appended when bytes were written, after they reached the file. A tab that dies while it writes a line
//! leaves half a line, which does not count, and the line before it still tells the truth.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::RangeSet;

/// Version of the lines. Others do not count, so that a blob written by another version is fetched anew.
const VERSION: u32 = 1;

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    version: u32,
    /// What the blob is called, for people.
    pub name: String,
    /// Bytes of the whole blob.
    pub size: u64,
    /// Which of them are here.
    pub present: RangeSet,
    /// Whether all are here and their digest was found right.
    pub verified: bool,
    /// Last use, in milliseconds since 1970.
    pub last_used: f64,
}

impl Record {
    /// A blob of which nothing is here yet.
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

    /// Notes that these bytes are not here any more, and with them that the blob is not proven; gives the line.
    pub fn lose(&mut self, range: &Range<u64>) -> String {
        self.present.remove(range);
        self.verified = false;
        self.line()
    }

    /// Whether every byte is here.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.present.contains(&(0..self.size))
    }

    /// It as a line, with its end.
    #[must_use]
    pub fn line(&self) -> String {
        // Numbers, strings and pairs: nothing that JSON could refuse.
        serde_json::to_string(self).map(|json| json + "\n").unwrap_or_default()
    }

    /// The last whole line of a journal that makes sense.
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
            // A cut may fall inside a character.
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
        let mut proven = record(10);
        proven.verified = true;
        let mut newer = record(10);
        newer.version = VERSION + 1;
        for wrong in [outside, proven, newer] {
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
