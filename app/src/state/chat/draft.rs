//! What is typed and not sent.

use gloo_timers::future::TimeoutFuture;
use leptos::{prelude::*, task::spawn_local};

use super::{Attached, ChatStore, Look};
use crate::history::{ConversationId, Draft};

/// How long typing must rest before the draft is kept, in milliseconds.
const DRAFT_REST_MS: u32 = 400;

impl ChatStore {
    /// Takes what is typed, and keeps it once typing rests.
    pub fn set_draft(self, text: String) {
        self.draft.set(text);
        let change = self.draft_changes.get_value().wrapping_add(1);
        self.draft_changes.set_value(change);
        spawn_local(async move {
            TimeoutFuture::new(DRAFT_REST_MS).await;
            if self.draft_changes.get_value() == change {
                self.keep_draft();
            }
        });
    }

    /// Keeps what is typed now.
    pub(super) fn keep_draft(self) {
        let text = self.draft.get_untracked();
        let (attachments, looking) = self.attached.with_untracked(|all| {
            let looking = all.iter().filter(|it| it.look != Look::None).map(|it| it.attachment.key).collect();
            (all.iter().map(|it| it.attachment.clone()).collect(), looking)
        });
        self.library.keep_draft(self.draft_owner(), Draft { text, attachments, looking });
    }

    /// The conversation that the draft belongs to; none for one that has not begun.
    pub(super) fn draft_owner(self) -> Option<ConversationId> {
        self.has_begun().then(|| self.conversation.id_untracked())
    }

    /// Brings back what was typed in the conversation on screen.
    pub(super) fn read_draft(self) {
        let of = self.draft_owner();
        self.draft_changes.update_value(|change| *change = change.wrapping_add(1));
        let change = self.draft_changes.get_value();
        self.draft.set(String::new());
        self.attached.set(Vec::new());
        self.attach_trouble.set(None);
        spawn_local(async move {
            let draft = self.library.draft(of).await;
            // What was typed meanwhile is newer.
            if self.draft_changes.get_value() == change && !draft.is_empty() {
                self.draft.set(draft.text);
                let attached = draft.attachments.into_iter().map(|attachment| {
                    let stopped = draft.looking.contains(&attachment.key);
                    let look = if stopped { Look::Stopped } else { Look::None };
                    Attached { attachment, report: None, look }
                });
                self.attached.set(attached.collect());
                self.examine_all();
            }
        });
    }
}
