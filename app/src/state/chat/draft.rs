//! What is typed and not sent. Each tab keeps its own (`history/tab_records.rs`).

use std::time::Duration;

use leptos::{ev, prelude::*, task::spawn_local};

use super::{Attached, ChatStore, Look};
use crate::history::{ConversationId, Draft};

/// How long typing must rest before the draft is kept.
const DRAFT_REST: Duration = Duration::from_millis(400);

/// The message that something belongs to before it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DraftPlace {
    conversation: ConversationId,
    /// Whether the conversation had begun: the next message of those that had not is one and the same.
    begun: bool,
    /// Whether nothing of it is kept.
    pub(super) temporary: bool,
}

impl ChatStore {
    /// Takes what is typed, and keeps it once typing rests.
    pub fn set_draft(self, text: String) {
        self.draft.set(text);
        self.rest_draft();
    }

    /// Keeps the draft once typing rests.
    pub(super) fn rest_draft(self) {
        self.draft_waits.set_value(true);
        self.draft_changes.rest(DRAFT_REST, move || self.keep_draft());
    }

    /// Keeps what is typed now, unless what was kept before is not read yet.
    pub(super) fn keep_draft(self) {
        if !self.draft_known.get_value() {
            return;
        }
        self.draft_waits.set_value(false);
        if self.is_temporary() {
            return;
        }
        let text = self.draft.get_untracked();
        let (attachments, looking) = self.attached.with_untracked(|all| {
            let looking = all.iter().filter(|it| it.look != Look::None).map(|it| it.attachment.key).collect();
            (all.iter().map(|it| it.attachment.clone()).collect(), looking)
        });
        let edits = self.edits_on_screen();
        self.library.keep_draft(self.draft_owner(), Draft { text, attachments, looking, edits });
    }

    /// Keeps what was typed last when the page may go before typing rests. Called once, in the browser.
    pub fn watch_leaving(self) {
        // These listeners live as long as the page.
        let keep = move || {
            if self.draft_waits.get_value() {
                self.keep_draft();
            }
        };
        window_event_listener(ev::pagehide, move |_| keep());
        window_event_listener(ev::visibilitychange, move |_| keep());
    }

    /// Forgets what was sent.
    pub(super) fn forget_draft(self, owner: Option<ConversationId>) {
        if self.draft_known.get_value() && !self.is_temporary() {
            self.library.keep_draft(owner, Draft { edits: self.edits_on_screen(), ..Draft::default() });
        }
        self.draft.set(String::new());
        self.attached.set(Vec::new());
        self.attach_trouble.set(None);
        self.draft_waits.set_value(false);
        self.draft_changes.begin();
    }

    /// Clears the field for another conversation. What was typed before the draft of this one was read goes along.
    pub(super) fn put_draft_aside(self) {
        if self.draft_known.get_value() {
            self.keep_draft();
            self.drop_draft();
        }
    }

    /// Clears the field, and keeps nothing of it.
    pub(super) fn drop_draft(self) {
        self.draft_known.set_value(false);
        self.draft_waits.set_value(false);
        self.draft_reads.begin();
        self.draft_changes.begin();
        self.draft.set(String::new());
        self.attached.set(Vec::new());
        self.attach_trouble.set(None);
    }

    /// Whether nothing of the conversation on screen is kept.
    #[must_use]
    pub fn is_temporary(self) -> bool {
        self.conversation.with_untracked(|conversation| conversation.temporary)
    }

    /// Returns the conversation that the draft belongs to; `None` for one that has not begun.
    pub(super) fn draft_owner(self) -> Option<ConversationId> {
        self.has_begun().then(|| self.conversation.id_untracked())
    }

    /// Returns the message that is being written now.
    pub(super) fn draft_place(self) -> DraftPlace {
        let (conversation, temporary) = self.conversation.with_untracked(|it| (it.id, it.temporary));
        DraftPlace { conversation, begun: self.has_begun(), temporary }
    }

    /// Whether a message is the one that is being written now.
    pub(super) fn is_written(self, place: DraftPlace) -> bool {
        let now = self.draft_place();
        now.conversation == place.conversation
            || !(now.begun || place.begun || now.temporary || place.temporary)
    }

    /// Returns the conversation of a message that is not being written now; `None` for one that has not begun.
    pub(super) fn owner_of(self, place: DraftPlace) -> Option<ConversationId> {
        let listed =
            || self.library.list.with_untracked(|list| list.iter().any(|it| it.id == place.conversation));
        (place.begun || listed()).then_some(place.conversation)
    }

    /// Brings back what was typed in the conversation on screen. What is typed until it is read follows it.
    pub(super) fn read_draft(self) {
        let of = self.draft_owner();
        let read = self.draft_reads.begin();
        if self.is_temporary() {
            self.draft_known.set_value(true);
            return;
        }
        spawn_local(async move {
            let kept = self.library.draft(of).await;
            if !self.draft_reads.is(read) {
                return;
            }
            self.draft_known.set_value(true);
            let typed = self.draft.get_untracked();
            let more = !typed.is_empty()
                || self.attached.with_untracked(|all| !all.is_empty())
                || !self.edits_on_screen().is_empty();
            // A first message that was sent meanwhile has begun the conversation.
            if !kept.is_empty() && self.draft_owner() == of {
                self.draft.set(joined(kept.text, &typed));
                self.take_edits(kept.edits);
                let stopped = |key| if kept.looking.contains(&key) { Look::Stopped } else { Look::None };
                let kept = kept.attachments.into_iter().map(|attachment| {
                    let look = stopped(attachment.key);
                    Attached { attachment, report: None, look }
                });
                let mut all: Vec<_> = kept.collect();
                let is_new = |it: &Attached| all.iter().all(|kept| kept.attachment.key != it.attachment.key);
                let new: Vec<_> = self.attached.get_untracked().into_iter().filter(is_new).collect();
                all.extend(new);
                self.attached.set(all);
                self.examine_all();
            }
            if more {
                self.keep_draft();
            }
        });
    }
}

/// What was kept, and what was typed before it was read. Firefox fills a field with what was in it when the page is reloaded:
/// that goes on from what was kept.
fn joined(mut kept: String, typed: &str) -> String {
    if typed.starts_with(&kept) {
        return typed.to_owned();
    }
    if !typed.is_empty() {
        kept.push('\n');
    }
    kept.push_str(typed);
    kept
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn what_is_typed_follows_what_was_kept() {
        assert_eq!(joined("Half a thought".into(), "and"), "Half a thought\nand");
        assert_eq!(joined(String::new(), "and"), "and");
        assert_eq!(joined("Half".into(), ""), "Half");
        assert_eq!(joined("Half".into(), "Half a thought"), "Half a thought", "the browser's own");
    }
}
