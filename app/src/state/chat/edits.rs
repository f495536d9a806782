//! Messages that are being put in other words. What was changed stays, wherever the user goes, until it is sent or discarded.

use leptos::prelude::*;

use super::ChatStore;
use crate::{history::NodeId, language::t};

impl ChatStore {
    /// Returns what a message on screen was changed to and not sent.
    #[must_use]
    pub fn edit_of(self, node: NodeId) -> Option<String> {
        let place = (self.conversation.id_untracked(), node);
        self.edits.with_value(|edits| edits.get(&place).cloned())
    }

    /// Takes what a message on screen is changed to; `None` if it is as it was.
    pub fn note_edit(self, node: NodeId, text: Option<String>) {
        let place = (self.conversation.id_untracked(), node);
        self.edits.update_value(|edits| {
            match text {
                Some(text) => edits.insert(place, text),
                None => edits.remove(&place),
            };
        });
        self.rest_draft();
    }

    /// Returns what messages of the conversation on screen were changed to and not sent.
    pub(super) fn edits_on_screen(self) -> Vec<(NodeId, String)> {
        let id = self.conversation.id_untracked();
        self.edits.with_value(|edits| {
            let own = edits.iter().filter(|((of, _), _)| *of == id);
            own.map(|((_, node), text)| (*node, text.clone())).collect()
        })
    }

    /// Takes what was kept of the conversation on screen. What was changed since counts.
    pub(super) fn take_edits(self, kept: Vec<(NodeId, String)>) {
        let id = self.conversation.id_untracked();
        self.edits.update_value(|edits| {
            for (node, text) in kept {
                edits.entry((id, node)).or_insert(text);
            }
        });
    }

    /// Closes the field of a message, whose change was taken.
    pub(super) fn end_edit(self, node: NodeId) {
        self.note_edit(node, None);
        self.editing.set(None);
    }

    /// Closes the field of a message. What was changed can be brought back.
    pub fn discard_edit(self, node: NodeId) {
        let (id, text) = (self.conversation.id_untracked(), self.edit_of(node));
        self.end_edit(node);
        let Some(text) = text else { return };
        self.ui.toast_with_undo(t().edit_discarded(), move || {
            self.edits.update_value(|edits| {
                edits.insert((id, node), text.clone());
            });
            // Elsewhere it is there when the message is edited again.
            if self.conversation.id_untracked() == id {
                self.editing.set(Some(node));
            }
        });
    }
}
