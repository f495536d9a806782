//! Looking for words in the conversation on screen.

use leptos::prelude::*;

use crate::{find::Hit, history::ConversationId};

/// What is looked for, and where one is.
#[derive(Clone, Copy, Default)]
pub struct FindStore {
    /// The conversation in which something is looked for; `None` while nothing is.
    pub of: RwSignal<Option<ConversationId>>,
    /// The words.
    pub words: RwSignal<String>,
    /// The place that was gone to; `None` before that is another one than the first.
    pub at: RwSignal<Option<Hit>>,
    /// The place that is on screen.
    pub shown: RwSignal<Option<Hit>>,
    /// Counts how often a place was gone to.
    pub went: RwSignal<u32>,
}

impl FindStore {
    /// Looks for words in a conversation, from its first place on.
    pub fn begin(self, of: ConversationId, words: String) {
        self.look_for(words);
        self.of.set(Some(of));
    }

    /// Looks for other words.
    pub fn look_for(self, words: String) {
        self.words.set(words);
        self.at.set(None);
        self.go_again();
    }

    /// Goes so many places on, from the end to the beginning, or back.
    pub fn go(self, hits: &[Hit], from: usize, by: isize) {
        let Some(count) = isize::try_from(hits.len()).ok().filter(|count| *count > 0) else { return };
        let to = from.cast_signed().saturating_add(by).rem_euclid(count).cast_unsigned();
        self.at.set(hits.get(to).copied());
        self.go_again();
    }

    /// Looks for nothing any more.
    pub fn end(self) {
        self.of.set(None);
    }

    fn go_again(self) {
        self.went.update(|count| *count = count.wrapping_add(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::NodeId;

    #[test]
    fn places_are_gone_to_in_a_circle() {
        let owner = Owner::new();
        owner.set();
        let find = FindStore::default();
        let hits = [1, 2, 3].map(|node| Hit { node: NodeId(node), index: 0 });
        find.begin(ConversationId(1), "word".to_owned());
        for (from, by, to) in [(0, 1, 1), (2, 1, 0), (0, -1, 2), (1, -1, 0)] {
            find.go(&hits, from, by);
            assert_eq!(find.at.get_untracked(), Some(hits[to]), "{from} {by}");
        }
        let went = find.went.get_untracked();
        find.go(&hits[..1], 0, 1);
        assert_eq!(find.at.get_untracked(), Some(hits[0]));
        assert_ne!(find.went.get_untracked(), went, "the only place is gone to again");
        find.go(&[], 0, 1);
        find.look_for("other".to_owned());
        assert_eq!(find.at.get_untracked(), None);
    }
}
