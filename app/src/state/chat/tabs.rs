//! The other tabs of this page: what they answer and what they delete.
//!
//! Every save is announced, and a tab that has the conversation at hand reads it again. While a tab writes an answer it holds a
//! lock with the answer's name, so that the others can tell a running answer from one whose tab was closed.

use leptos::{prelude::*, task::spawn_local};

use super::{Absence, ChatStore};
use crate::locks;
use crate::state::library::Removed;
use crate::{
    history::{ConversationId, NodeId},
    language::t,
};

/// Returns the lock that a tab holds while it writes this answer.
pub(super) fn lock_name(conversation: ConversationId, node: NodeId) -> String {
    format!("gemtab-answer-{conversation}-{node}")
}

impl ChatStore {
    /// Follows the other tabs. Called once, in the browser.
    pub fn watch_tabs(self) {
        Effect::new(move |_| self.watch_live());
        Effect::new(move |_| {
            let (id, open) = self.conversation.with(|it| (it.id, it.unfinished()));
            let own = self.answer.place.get();
            for node in open {
                let at = (id, node);
                let own = own.is_some_and(|own| (own.conversation, own.node) == at);
                let new = || self.asked.try_update_value(|asked| asked.insert(at)) == Some(true);
                if !own && new() {
                    spawn_local(self.follow_elsewhere(at));
                }
            }
        });
        Effect::new(move |_| {
            // Another tab, or Undo, may have taken the message away that is being written.
            let Some(place) = self.answer.place.get() else { return };
            let there = self.library.at_hand(place.conversation);
            if there.is_some_and(|now| now.with(|now| now.node(place.node).is_none())) {
                self.stop();
            }
        });
    }

    /// Takes leave of a conversation that another tab has deleted.
    pub fn lose(self, lost: Removed) {
        let &[id] = lost.ids() else { return };
        let answering = self.forget(id);
        let here = self.conversation.with_untracked(|open| open.id == id);
        if here {
            self.drop_draft();
            self.show_blank(Some(Absence::NotHere));
        }
        if here || answering {
            self.ui.toast_with_undo(t().deleted_elsewhere(), move || {
                let lost = lost.clone();
                spawn_local(async move {
                    self.library.restore(lost).await;
                    self.open_again(id);
                });
            });
        }
    }

    /// Whether another tab is writing this answer.
    #[must_use]
    pub fn is_elsewhere(self, conversation: ConversationId, node: NodeId) -> bool {
        self.elsewhere.with(|all| all.contains(&(conversation, node)))
    }

    /// Whether another tab is writing the last answer on screen, so that nothing can follow it yet.
    #[must_use]
    pub fn is_answered_elsewhere(self) -> bool {
        let last = self.conversation.with(|open| open.leaf().map(|leaf| (open.id, leaf)));
        last.is_some_and(|(conversation, node)| self.is_elsewhere(conversation, node))
    }

    /// Says that the conversation on screen is being answered in another tab, if it is.
    pub(super) fn refused_for_elsewhere(self) -> bool {
        let refused = untrack(|| self.is_answered_elsewhere());
        if refused {
            self.ui.toast(t().answered_elsewhere());
        }
        refused
    }

    /// Takes note of an answer while another tab writes it.
    async fn follow_elsewhere(self, at: (ConversationId, NodeId)) {
        let name = lock_name(at.0, at.1);
        if locks::is_held(&name).await {
            self.elsewhere.update(|all| {
                all.insert(at);
            });
            locks::wait(&name).await;
            self.library.reread(|id| id == at.0);
            self.library.settled(at.0).await;
            self.elsewhere.update(|all| {
                all.remove(&at);
            });
            self.live.forget(at);
        }
        self.asked.update_value(|asked| {
            asked.remove(&at);
        });
    }
}
