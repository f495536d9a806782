//! The marks by which an answer names passages.

use std::ops::Range;

/// A mark in an answer, such as `[1:2]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its bytes in the answer.
    pub range: Range<usize>,
    /// The numbers of documents and of passages in them.
    pub passages: Vec<(u32, u32)>,
}

/// The longest mark, in characters.
const LONGEST_MARK: usize = 120;

/// The longest range of passages in one mark, such as `1:2-4`.
const LONGEST_RANGE: u32 = 20;

/// Finds the marks in an answer, whether or not there are such passages.
#[must_use]
pub fn marks(answer: &str) -> Vec<Mark> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = answer[at..].find(['[', '【', '［']).map(|start| start + at) {
        let inner = start + answer[start..].chars().next().map_or(1, char::len_utf8);
        at = inner;
        let mut letters = answer[inner..].char_indices().take(LONGEST_MARK);
        let close = letters.find(|(_, letter)| matches!(letter, ']' | '】' | '］'));
        let Some((length, close)) = close else { continue };
        let end = inner + length;
        let Some(passages) = passages(&answer[inner..end]) else { continue };
        let range = start..end + close.len_utf8();
        at = range.end;
        found.push(Mark { range, passages });
    }
    found
}

/// Reads `1:2`, `1:2, 2:3`, `1:2, 3` and `1:2-4`; `None` if it is something else.
fn passages(text: &str) -> Option<Vec<(u32, u32)>> {
    let mut passages = Vec::new();
    let mut document = None;
    for part in text.split([',', ';', '、', '،']) {
        let part = part.trim().trim_start_matches('[');
        let numbers = match part.split_once([':', '：']) {
            Some((number, rest)) => {
                document = Some(number.trim().parse().ok()?);
                rest
            }
            None => part,
        };
        let (first, last) = numbers.split_once(['-', '–']).unwrap_or((numbers, numbers));
        let first: u32 = first.trim().parse().ok()?;
        let last: u32 = last.trim().rsplit(':').next()?.parse().ok()?;
        let last = last.clamp(first, first.saturating_add(LONGEST_RANGE));
        let document = document?;
        passages.extend((first..=last).map(|number| (document, number)));
    }
    Some(passages)
}
