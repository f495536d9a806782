//! The journal of a stored blob: a text file of JSON lines, of which the last complete one is valid.
//!
//! A line is appended after the bytes it describes were flushed. If a tab crashes while writing a line, the
//! incomplete line is ignored and the previous one is still correct.
//!
//! The digests of the [`Chunks`] have a line of their own, because they are long and never change. Readers that don't know
//! such lines or a field skip them, so tabs with different builds of the page share a journal.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Chunks, RangeSet};

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
    /// End of the last check that found all bytes right, in milliseconds since 1970; 0 if it is not known.
    #[serde(default)]
    pub checked: f64,
    /// Chunks whose digest was wrong since the blob was last verified.
    #[serde(default, skip_serializing_if = "RangeSet::is_empty")]
    pub damaged: RangeSet,
    /// The digests of the chunks, once all bytes were right. They are in another line.
    #[serde(skip)]
    pub chunks: Option<Chunks>,
}

impl Record {
    /// Returns a blob without stored bytes.
    pub fn new(name: &str, size: u64) -> Self {
        Self {
            version: VERSION,
            name: name.to_owned(),
            size,
            present: RangeSet::default(),
            verified: false,
            last_used: 0.0,
            checked: 0.0,
            damaged: RangeSet::default(),
            chunks: None,
        }
    }

    /// Marks a range as missing and the blob as unverified; returns the journal line.
    pub fn lose(&mut self, range: &Range<u64>) -> String {
        self.present.remove(range);
        self.verified = false;
        self.line()
    }

    /// Returns whether all bytes are stored.
    pub fn is_complete(&self) -> bool {
        self.present.contains(&(0..self.size))
    }

    /// Returns the journal lines of a record that had the digests `known` before.
    pub fn lines(&self, known: Option<&Chunks>) -> String {
        if self.chunks.as_ref() == known {
            return self.line();
        }
        self.chunks.as_ref().map_or_else(Chunks::none_line, Chunks::line) + &self.line()
    }

    /// Returns the journal line, including the line end. It lacks the digests of the chunks.
    pub fn line(&self) -> String {
        // Numbers, strings and pairs always serialise.
        serde_json::to_string(self).map(|json| json + "\n").unwrap_or_default()
    }

    /// Returns the last complete and valid line of a journal, with the digests of the last line that has some.
    pub fn last_of(journal: &str) -> Option<Self> {
        let whole = &journal[..=journal.rfind('\n')?];
        let mut record = whole.lines().rev().find_map(|line| {
            let record: Self = serde_json::from_str(line).ok()?;
            let sensible = record.version == VERSION
                && record.present.end() <= record.size
                && record.damaged.end() <= record.size
                && (!record.verified || record.is_complete());
            sensible.then_some(record)
        })?;
        let chunks = whole.lines().rev().find_map(Chunks::of_line);
        record.chunks = chunks.filter(|chunks| chunks.fits(record.size));
        Some(record)
    }
}

/// A change of a record.
pub type Edit = Box<dyn FnOnce(&mut Record)>;

/// What is appended to a journal to change its record; none if it has no record.
pub fn amended(journal: &str, edit: Edit) -> Option<String> {
    let mut record = Record::last_of(journal)?;
    let known = record.chunks.clone();
    edit(&mut record);
    let lines = record.lines(known.as_ref());
    // The line end terminates a truncated line.
    Some(if journal.ends_with('\n') { lines } else { format!("\n{lines}") })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::store::Digest;

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

    #[test]
    fn digests_of_chunks_are_in_a_line_of_their_own() {
        let chunks = |byte| Chunks { size: 60, digests: vec![Digest::new([byte; 32]); 2] };
        let (first, last) = (record(10), record(20));
        let journal = first.line() + &chunks(1).line() + &chunks(2).line() + &last.line();
        let read = Record::last_of(&journal).expect("a line");
        assert_eq!(read, Record { chunks: Some(chunks(2)), ..last.clone() });
        // What is cut off does not count, and what was taken back neither.
        let cut = first.line() + &chunks(1).line()[..80] + "\n" + &last.line();
        assert_eq!(Record::last_of(&cut), Some(last.clone()));
        assert_eq!(Record::last_of(&(journal + &Chunks::none_line())), Some(last));
        // Of a blob of another size.
        let other = Chunks { size: 40, ..chunks(1) };
        assert_eq!(Record::last_of(&(first.line() + &other.line())), Some(first));
        assert_eq!(Record::last_of(&chunks(1).line()), None);
    }

    #[test]
    fn a_change_is_appended() {
        let chunks = Chunks { size: 60, digests: vec![Digest::new([1; 32]); 2] };
        let add = chunks.clone();
        let mut journal = record(10).line() + "{\"version\":1,\"na";
        let edits: [(Edit, Record); 3] = [
            (
                Box::new(move |record| record.chunks = Some(add)),
                Record { chunks: Some(chunks.clone()), ..record(10) },
            ),
            (
                Box::new(|record| record.checked = 7.0),
                Record { chunks: Some(chunks), checked: 7.0, ..record(10) },
            ),
            (Box::new(|record| record.chunks = None), Record { checked: 7.0, ..record(10) }),
        ];
        for (edit, expected) in edits {
            let lines = amended(&journal, edit).expect("there is a record");
            journal += &lines;
            assert_eq!(Record::last_of(&journal), Some(expected));
        }
        assert_eq!(journal.matches("\"chunks\"").count(), 2, "once, and taken back");
        assert_eq!(amended("", Box::new(|_| ())), None);
    }

    #[test]
    fn lines_without_the_later_fields_are_read() {
        let old = r#"{"version":1,"name":"a","size":9,"present":[[0,9]],"verified":true,"last_used":5.0}"#;
        let record = Record::last_of(&format!("{old}\n")).expect("a line");
        assert!(record.verified && record.chunks.is_none());
        assert!(record.checked == 0.0 && record.damaged.is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "(\\PC|\n){0,200}") {
            let _ = Record::last_of(&text);
        }
    }
}
