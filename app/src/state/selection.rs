//! Conversations that are selected in the list, to do something with all of them.

use std::collections::BTreeSet;

use leptos::prelude::*;

use crate::history::ConversationId;

/// Which conversations are selected.
#[derive(Clone, Copy, Default)]
pub struct SelectionStore {
    /// Those that are; `None` while none can be selected.
    pub ids: RwSignal<Option<BTreeSet<ConversationId>>>,
    /// The conversations that can be selected, in the order of the list.
    pub listed: RwSignal<Vec<ConversationId>>,
    /// The one that was changed last, from which a range begins.
    last: StoredValue<Option<ConversationId>>,
}

impl SelectionStore {
    /// Begins to select, with these.
    pub fn begin(self, ids: impl IntoIterator<Item = ConversationId>) {
        let ids: BTreeSet<_> = ids.into_iter().collect();
        self.last.set_value(ids.first().copied());
        self.ids.set(Some(ids));
    }

    /// Ends it.
    pub fn end(self) {
        self.ids.set(None);
    }

    /// Whether conversations can be selected.
    #[must_use]
    pub fn is_on(self) -> bool {
        self.ids.with(Option::is_some)
    }

    /// Whether a conversation is selected.
    #[must_use]
    pub fn contains(self, id: ConversationId) -> bool {
        self.ids.with(|ids| ids.as_ref().is_some_and(|ids| ids.contains(&id)))
    }

    /// How many are selected.
    #[must_use]
    pub fn count(self) -> usize {
        self.ids.with(|ids| ids.as_ref().map_or(0, BTreeSet::len))
    }

    /// Those that are selected, in the order of the list.
    #[must_use]
    pub fn in_order(self) -> Vec<ConversationId> {
        let ids = self.ids.get_untracked().unwrap_or_default();
        let mut ordered: Vec<_> =
            self.listed.with_untracked(|all| all.iter().copied().filter(|id| ids.contains(id)).collect());
        // Some may have left the list, such as those of a folder that was closed.
        let listed: BTreeSet<_> = ordered.iter().copied().collect();
        ordered.extend(ids.difference(&listed));
        ordered
    }

    /// Selects a conversation or not; with `range` all from the one changed last to this one.
    pub fn set(self, id: ConversationId, on: bool, range: bool) {
        let from = self.last.get_value().filter(|_| range).unwrap_or(id);
        let changed = self.listed.with_untracked(|all| {
            let place = |id| all.iter().position(|&it| it == id);
            match (place(from), place(id)) {
                (Some(a), Some(b)) => all[a.min(b)..=a.max(b)].to_vec(),
                _ => vec![id],
            }
        });
        self.last.set_value(Some(id));
        self.ids.update(|ids| {
            let ids = ids.get_or_insert_default();
            for id in changed {
                if on {
                    ids.insert(id)
                } else {
                    ids.remove(&id)
                };
            }
        });
    }

    /// Selects all in the list, or none if all are selected.
    pub fn set_all(self) {
        let all = self.listed.get_untracked();
        let have_all = self
            .ids
            .with_untracked(|ids| ids.as_ref().is_some_and(|ids| all.iter().all(|id| ids.contains(id))));
        self.ids.set(Some(if have_all { BTreeSet::new() } else { all.into_iter().collect() }));
    }

    /// Lets go of conversations that are gone.
    pub fn keep(self, is_there: impl Fn(ConversationId) -> bool) {
        if self.ids.with_untracked(|ids| ids.as_ref().is_some_and(|ids| !ids.iter().all(|id| is_there(*id))))
        {
            self.ids.update(|ids| {
                if let Some(ids) = ids {
                    ids.retain(|id| is_there(*id));
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_ones_ranges_and_all_are_selected() {
        let owner = Owner::new();
        owner.set();
        let it = SelectionStore::default();
        let ids = [5, 3, 9, 1].map(ConversationId);
        it.listed.set(ids.to_vec());
        assert!(!it.is_on());
        it.begin([ids[1]]);
        it.set(ids[3], true, true);
        assert_eq!(it.in_order(), &ids[1..]);
        it.set(ids[2], false, false);
        assert_eq!(it.in_order(), [ids[1], ids[3]]);
        it.set(ids[0], false, true);
        assert_eq!(it.in_order(), [ids[3]], "a range upward, off");
        it.set_all();
        assert_eq!((it.count(), it.in_order()), (4, ids.to_vec()));
        it.listed.update(|all| all.truncate(2));
        assert_eq!(it.in_order(), [ids[0], ids[1], ids[3], ids[2]], "also what isn't listed any more");
        it.keep(|id| id != ids[0]);
        assert_eq!(it.count(), 3);
        it.set_all();
        it.set_all();
        assert_eq!((it.count(), it.is_on()), (0, true));
        it.end();
        assert!(!it.is_on() && !it.contains(ids[0]));
    }
}
