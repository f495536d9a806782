//! Sets of byte ranges.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A set of byte positions, as sorted ranges that neither overlap nor touch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<(u64, u64)>", into = "Vec<(u64, u64)>")]
pub struct RangeSet(Vec<Range<u64>>);

impl RangeSet {
    /// Returns the number of positions in the set.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|range| range.end - range.start).sum()
    }

    /// Returns whether it has no position.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One past the last position; 0 when there is none.
    pub fn end(&self) -> u64 {
        self.0.last().map_or(0, |range| range.end)
    }

    /// Returns whether all of `range` is in the set.
    pub fn contains(&self, range: &Range<u64>) -> bool {
        range.is_empty() || self.0.iter().any(|have| have.start <= range.start && range.end <= have.end)
    }

    /// Adds `range`.
    pub fn insert(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        // Ranges that overlap or touch it are merged with it.
        let first = self.0.partition_point(|have| have.end < range.start);
        let last = self.0.partition_point(|have| have.start <= range.end);
        let joined = match self.0.get(first..last) {
            Some([only]) => only.start.min(range.start)..only.end.max(range.end),
            Some([start, .., end]) => start.start.min(range.start)..end.end.max(range.end),
            _ => range,
        };
        self.0.splice(first..last, [joined]);
    }

    /// Removes `range`.
    pub fn remove(&mut self, range: &Range<u64>) {
        if range.is_empty() {
            return;
        }
        let keep = |have: &Range<u64>| {
            [have.start..have.end.min(range.start), have.start.max(range.end)..have.end]
                .into_iter()
                .filter(|part| !part.is_empty())
        };
        self.0 = self.0.iter().flat_map(|have| keep(have).collect::<Vec<_>>()).collect();
    }

    /// Splits `range` into parts that are in the set (true) and parts that are not (false), in order.
    pub fn split(&self, range: &Range<u64>) -> Vec<(Range<u64>, bool)> {
        let mut parts = Vec::new();
        let mut at = range.start;
        for have in &self.0 {
            let (start, end) = (have.start.max(at), have.end.min(range.end));
            if start >= end {
                continue;
            }
            if at < start {
                parts.push((at..start, false));
            }
            parts.push((start..end, true));
            at = end;
        }
        if at < range.end {
            parts.push((at..range.end, false));
        }
        parts
    }

    /// Returns the first part of `range` that is not in the set.
    pub fn first_missing(&self, range: &Range<u64>) -> Option<Range<u64>> {
        self.split(range).into_iter().find(|(_, here)| !here).map(|(part, _)| part)
    }
}

impl From<RangeSet> for Vec<(u64, u64)> {
    fn from(set: RangeSet) -> Self {
        set.0.into_iter().map(|range| (range.start, range.end)).collect()
    }
}

impl TryFrom<Vec<(u64, u64)>> for RangeSet {
    type Error = &'static str;

    fn try_from(pairs: Vec<(u64, u64)>) -> Result<Self, Self::Error> {
        let ordered = pairs.windows(2).all(|pair| pair[0].1 < pair[1].0);
        if !ordered || pairs.iter().any(|(start, end)| start >= end) {
            return Err("ranges must not be empty, and be sorted and apart");
        }
        Ok(Self(pairs.into_iter().map(|(start, end)| start..end).collect()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIZE: u64 = 64;

    fn check(set: &RangeSet, model: &[bool]) {
        assert_eq!(set.count(), model.iter().filter(|here| **here).count() as u64);
        assert_eq!(set.end(), model.iter().rposition(|here| *here).map_or(0, |last| last as u64 + 1));
        let pairs = Vec::from(set.clone());
        assert_eq!(RangeSet::try_from(pairs).as_ref(), Ok(set), "sorted, apart, not empty");
        for start in 0..SIZE {
            for end in [start, start + 1, (start + 7).min(SIZE), SIZE] {
                let all = (start..end).all(|at| model[at as usize]);
                assert_eq!(set.contains(&(start..end)), all, "{start}..{end} of {set:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn it_is_a_set_of_positions(edits in proptest::collection::vec((0..SIZE, 0..SIZE, any::<bool>()), 0..24)) {
            let mut set = RangeSet::default();
            let mut model = vec![false; SIZE as usize];
            for (a, b, insert) in edits {
                let range = a.min(b)..a.max(b);
                if insert { set.insert(range.clone()) } else { set.remove(&range) }
                range.for_each(|at| model[at as usize] = insert);
                check(&set, &model);
            }
        }

        #[test]
        fn splitting_covers_the_range_in_order(
            inserted in proptest::collection::vec((0..SIZE, 0..SIZE), 0..8),
            (a, b) in (0..SIZE, 0..SIZE),
        ) {
            let mut set = RangeSet::default();
            inserted.into_iter().for_each(|(a, b)| set.insert(a.min(b)..a.max(b)));
            let range = a.min(b)..a.max(b);
            let parts = set.split(&range);
            let mut at = range.start;
            for (part, here) in &parts {
                prop_assert_eq!(part.start, at);
                prop_assert!(part.end > part.start);
                for position in part.clone() {
                    prop_assert_eq!(set.contains(&(position..position + 1)), *here);
                }
                at = part.end;
            }
            prop_assert_eq!(at, range.end.max(range.start));
            prop_assert!(parts.windows(2).all(|pair| pair[0].1 != pair[1].1), "parts alternate");
            prop_assert_eq!(set.first_missing(&range).is_none(), set.contains(&range));
        }
    }

    #[test]
    fn broken_ranges_are_not_read() {
        for wrong in ["[[5,5]]", "[[5,3]]", "[[0,5],[5,9]]", "[[6,9],[0,5]]", "[[-1,5]]", "[[0.5,2]]"] {
            assert!(serde_json::from_str::<RangeSet>(wrong).is_err(), "{wrong}");
        }
        let read: RangeSet = serde_json::from_str("[[0,5],[6,9]]").expect("a good set");
        assert_eq!(serde_json::to_string(&read).expect("numbers"), "[[0,5],[6,9]]");
    }
}
