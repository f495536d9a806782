//! The sections of the list: pins, folders, and days as the user's calendar has them.

use crate::history::{ConversationId, FolderId, Summary};
use crate::language::t;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// How long ago something was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Age {
    /// Since midnight.
    Today,
    /// In the day before.
    Yesterday,
    /// In the five days before that.
    Week,
    /// Before.
    Earlier,
}

impl Age {
    /// The heading of the group.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Today => t().age_today(),
            Self::Yesterday => t().age_yesterday(),
            Self::Week => t().age_week(),
            Self::Earlier => t().age_earlier(),
        }
    }
}

/// How long ago `then` was, both in milliseconds since 1970. `offset` is what a browser gives: the minutes that local
/// time is behind universal time.
#[must_use]
pub fn age(then: u64, now: u64, offset: i32) -> Age {
    match day(now, offset) - day(then, offset) {
        i64::MIN..=0 => Age::Today,
        1 => Age::Yesterday,
        2..7 => Age::Week,
        _ => Age::Earlier,
    }
}

/// A part of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Section {
    /// What is at the top.
    Pinned,
    /// A folder.
    Folder(FolderId),
    /// What is in no folder, by when it was last changed.
    Age(Age),
    /// What is put away.
    Archived,
}

/// The sections of the list, each with its conversations in the order of `list`; those of a search by age alone. Folders have
/// theirs also when nothing is in them. `now` and `offset` are as for [`age`].
#[must_use]
pub fn sections(
    list: &[Summary],
    folders: &[FolderId],
    is_search: bool,
    now: u64,
    offset: i32,
) -> Vec<(Section, Vec<ConversationId>)> {
    let (mut pinned, mut archived) = (Vec::new(), Vec::new());
    let mut in_folders = vec![Vec::new(); folders.len()];
    let mut by_age = [Age::Today, Age::Yesterday, Age::Week, Age::Earlier].map(|age| (age, Vec::new()));
    for Summary { id, updated, filing, .. } in list {
        let folder = filing.folder.and_then(|id| folders.iter().position(|folder| *folder == id));
        let part = match (is_search, folder) {
            (false, _) if filing.archived => &mut archived,
            (false, _) if filing.pinned => &mut pinned,
            (false, Some(folder)) => &mut in_folders[folder],
            _ => &mut by_age[age(*updated, now, offset) as usize].1,
        };
        part.push(*id);
    }
    let folders = folders.iter().zip(in_folders).filter(|_| !is_search);
    let filled = |(_, ids): &(Section, Vec<_>)| !ids.is_empty();
    let mut sections: Vec<_> = Some((Section::Pinned, pinned)).into_iter().filter(filled).collect();
    sections.extend(folders.map(|(id, ids)| (Section::Folder(*id), ids)));
    sections.extend(by_age.into_iter().map(|(age, ids)| (Section::Age(age), ids)).filter(filled));
    sections.extend(Some((Section::Archived, archived)).filter(filled));
    sections
}

/// The number of the day that a time is in. `offset` is as for [`age`].
#[must_use]
pub fn day(time: u64, offset: i32) -> i64 {
    (i64::try_from(time).unwrap_or(i64::MAX) - i64::from(offset) * 60_000).div_euclid(DAY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Filing;

    const HOUR: u64 = 3_600_000;
    /// 20 November 2026, 01:00 universal time.
    const NOW: u64 = 1_795_136_400_000;

    #[test]
    fn a_day_begins_at_the_persons_midnight() {
        // 23 hours later it is still the same day where it was 01:00, and the next one in Berlin.
        assert_eq!(day(NOW, 0), day(NOW + 23 * HOUR - 1, 0));
        assert_eq!(day(NOW, 0) + 1, day(NOW + 23 * HOUR, 0));
        assert_eq!(day(NOW, -60) + 1, day(NOW + 22 * HOUR, -60));
    }

    #[test]
    fn midnight_is_where_the_person_is() {
        assert_eq!(age(NOW - HOUR / 2, NOW, 0), Age::Today);
        assert_eq!(age(NOW - 2 * HOUR, NOW, 0), Age::Yesterday);
        // In Berlin it is 02:00, and two hours ago was midnight.
        assert_eq!(age(NOW - 2 * HOUR, NOW, -60), Age::Today);
        // In New York it is 20:00 of the day before.
        assert_eq!(age(NOW - 2 * HOUR, NOW, 300), Age::Today);
    }

    #[test]
    fn each_conversation_is_in_one_section() {
        let [work, empty, gone] = [1, 2, 3].map(FolderId);
        let summary = |id, folder, pinned, archived, updated| Summary {
            updated,
            filing: Filing { folder, pinned, archived },
            ..Summary::of_unreadable(ConversationId(id))
        };
        let list = [
            summary(1, None, false, false, NOW),
            summary(2, Some(work), true, false, NOW),
            summary(3, Some(work), false, false, NOW),
            summary(4, Some(gone), false, false, NOW - 30 * 24 * HOUR),
            summary(5, Some(work), false, true, 0),
        ];
        let ids = |ids: &[u128]| ids.iter().map(|&id| ConversationId(id)).collect::<Vec<_>>();
        assert_eq!(
            sections(&list, &[work, empty], false, NOW, 0),
            [
                (Section::Pinned, ids(&[2])),
                (Section::Folder(work), ids(&[3])),
                (Section::Folder(empty), ids(&[])),
                (Section::Age(Age::Today), ids(&[1])),
                (Section::Age(Age::Earlier), ids(&[4])),
                (Section::Archived, ids(&[5])),
            ]
        );
        assert_eq!(
            sections(&list, &[work, empty], true, NOW, 0),
            [(Section::Age(Age::Today), ids(&[1, 2, 3])), (Section::Age(Age::Earlier), ids(&[4, 5]))]
        );
    }

    #[test]
    fn days_add_up() {
        assert_eq!(age(NOW - 3 * 24 * HOUR, NOW, 0), Age::Week);
        assert_eq!(age(NOW - 30 * 24 * HOUR, NOW, 0), Age::Earlier);
        assert_eq!(age(NOW + HOUR, NOW, 0), Age::Today);
        assert_eq!(age(0, NOW, 0), Age::Earlier);
    }
}
