//! Which messages of a conversation the model reads: all, or from its [`ContextStart`](super::ContextStart) on. A turn, a question
//! with all that follows up to the next one, is read as a whole or not at all: so roles alternate as the model's template wants,
//! and no call of a tool is without its result.

use protocol::Role;

use super::{Conversation, NodeId};

impl Conversation {
    /// The messages up to `until` that the model reads, that one included: the turns with a pinned message, and those from the
    /// start on.
    #[must_use]
    pub fn read_to(&self, until: NodeId) -> Vec<NodeId> {
        let path = self.path_to(until);
        let (before, rest) = path.split_at(self.start_on(&path).unwrap_or(0));
        let is_pinned = |node: &NodeId| self.message(*node).is_some_and(|message| message.pinned);
        let turns = before.chunk_by(|_, next| !self.is_question(*next));
        turns.filter(|turn| turn.iter().any(is_pinned)).flatten().chain(rest).copied().collect()
    }

    /// The place on a path of the first message that the model reads, besides those that are pinned: the question of the turn in
    /// which it is to begin. `None` if it reads everything.
    #[must_use]
    pub fn start_on(&self, path: &[NodeId]) -> Option<usize> {
        let at = path.iter().position(|&node| Some(node) == self.context_start.at)?;
        Some((0..=at).rev().find(|&place| self.is_question(path[place])).unwrap_or(0))
    }

    /// The questions up to `until` at which the model could begin to read so that it reads less than now, in order.
    #[must_use]
    pub fn later_starts(&self, until: NodeId) -> Vec<NodeId> {
        let path = self.path_to(until);
        let now = self.start_on(&path).unwrap_or(0);
        path.into_iter().skip(now + 1).filter(|&node| self.is_question(node)).collect()
    }

    fn is_question(&self, node: NodeId) -> bool {
        self.message(node).is_some_and(|message| message.role == Role::User)
    }
}

/// Returns the first of `starts` with which a prompt takes at most `most` tokens, or the last if none is late enough. `count` tells
/// the tokens with a start; it is called a few times only. `None` if there are no starts, or a count is not known.
pub async fn first_that_fits(
    starts: &[NodeId],
    most: u32,
    count: impl AsyncFn(NodeId) -> Option<u32>,
) -> Option<NodeId> {
    let (mut low, mut high) = (0, starts.len().checked_sub(1)?);
    while low < high {
        let middle = low.midpoint(high);
        if count(starts[middle]).await? <= most {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    starts.get(low).copied()
}
