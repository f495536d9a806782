//! Documents of a conversation: how they are attached, and what of them goes to the model.

use std::sync::Arc;

use js_sys::Array;
use leptos::prelude::*;
use protocol::Capabilities;
use web_sys::{File, FilePropertyBag};

use super::ChatStore;
use super::attaching::Attaching;
use crate::history::{Attachment, AttachmentKind, Conversation, NodeId};
use crate::language::t;
use crate::state::documents::extent;

/// A pasted text of more characters becomes an attachment.
const LONG_PASTE: usize = 4_000;

/// A pasted text of more lines becomes an attachment.
const MANY_LINES: usize = 40;

/// How often it is tried to fit the documents to the context, each time with half of the tokens.
const TRIES: usize = 5;

/// What a prompt is measured by.
#[derive(Clone, Copy)]
pub(super) struct Measure {
    /// Tokens that the context holds.
    pub context: u32,
    /// What the model takes.
    pub able: Capabilities,
}

/// Whether a text is so long that it is attached where it is pasted.
#[must_use]
pub fn is_long_paste(text: &str) -> bool {
    text.chars().nth(LONG_PASTE).is_some() || text.lines().nth(MANY_LINES).is_some()
}

impl ChatStore {
    /// Attaches a text that was pasted. `as_text` puts it into the field instead, where the user wants that.
    pub fn attach_pasted(self, text: &str, as_text: impl Fn() + Send + Sync + 'static) {
        let options = FilePropertyBag::new();
        options.set_type("text/plain");
        let pieces = Array::of1(&text.into());
        let Ok(file) = File::new_with_str_sequence_and_options(&pieces, t().pasted_file(), &options) else {
            return as_text();
        };
        let before: Vec<_> =
            self.attached.with_untracked(|all| all.iter().map(|it| it.attachment.key).collect());
        let reading = self.attach(vec![file]);
        self.ui.toast_with(t().pasted_long(), t().paste_as_text(), move || {
            if let Some(number) = reading {
                self.cancel_reading(number);
            }
            // Only the one that came with this paste.
            let is_it = |it: &Attachment| it.name == t().pasted_file() && !before.contains(&it.key);
            self.attached.update(|all| all.retain(|it| !is_it(&it.attachment)));
            as_text();
        });
    }

    /// Reads a document, and attaches it.
    pub(super) async fn add_document(
        self,
        file: &File,
        name: &str,
        attaching: Attaching,
    ) -> Result<(), String> {
        let goes_on = |percent: Option<u64>| match percent {
            Some(percent) => self.tell_reading(attaching, t().attach_reading_share(name, percent)),
            None => self.is_wanted(attaching),
        };
        let Some(document) = self.documents.read(name, file, goes_on).await? else { return Ok(()) };
        let extent = extent(&document)?;
        let key = self.media.keep(file, attaching.to.temporary).await?;
        self.documents.hold(key, document);
        let attachment = Attachment {
            size: file.size() as u64,
            extent: Some(extent),
            ..Attachment::new(AttachmentKind::Document, name, file.type_(), key)
        };
        self.add(attachment, attaching).await
    }

    /// Chooses what of the documents goes to the model with the last message, and keeps that with it. What goes wrong is told.
    pub(super) async fn give_documents(self, asked: &mut Conversation, until: NodeId, measure: Measure) {
        if !asked.wants_documents(until) {
            return;
        }
        self.answer.sensing.set(Some(t().documents_choosing().to_owned()));
        if let Err(reason) = self.give(asked, until, measure).await {
            self.ui.toast(reason);
        }
        self.answer.sensing.set(None);
        let given = asked.message(until).and_then(|message| message.given.clone());
        self.library.change(asked.id, |conversation| {
            if let Some(message) = conversation.message_mut(until) {
                message.given = given;
            }
        });
    }

    /// Chooses what of the documents goes to the model with the last message, so that the prompt leaves room for an answer.
    /// Returns the tokens of the prompt, if there was something to choose and they are known.
    ///
    /// # Errors
    /// Why a document is missing, in a sentence.
    pub(super) async fn give(
        self,
        asked: &mut Conversation,
        until: NodeId,
        Measure { context, able }: Measure,
    ) -> Result<Option<u32>, String> {
        if !asked.wants_documents(until) {
            return Ok(None);
        }
        let question = asked.message(until).map(|message| message.text.clone()).unwrap_or_default();
        let mut documents: Vec<(_, Arc<_>)> = Vec::new();
        let mut missing = Ok(());
        for open in asked.open_documents(until) {
            match self.documents.text(&open.attachment).await {
                Ok(document) => documents.push((open, document)),
                Err(reason) => missing = Err(t().named(&open.attachment.name, &reason)),
            }
        }
        if documents.is_empty() {
            return missing.map(|()| None);
        }
        let most = context.saturating_sub(context / 8);
        let mut budget = (context / 2).saturating_sub(asked.given_tokens(until)).max(context / 8);
        let mut counted = None;
        for _ in 0..TRIES {
            let given = self.documents.choose(&question, &documents, budget).await?;
            let is_empty = given.text.is_empty();
            if let Some(message) = asked.message_mut(until) {
                message.given = Some(given);
            }
            counted = self.count(asked, until, able).await;
            // Where the estimate was too low for this model, less is given.
            if is_empty || counted.is_none_or(|tokens| tokens <= most) {
                break;
            }
            budget /= 2;
        }
        missing.map(|()| counted)
    }
}

#[cfg(test)]
mod tests {
    use super::is_long_paste;

    #[test]
    fn a_long_paste_has_many_letters_or_many_lines() {
        assert!(!is_long_paste(&"a".repeat(4_000)));
        assert!(is_long_paste(&"a".repeat(4_001)));
        assert!(!is_long_paste(&"a\n".repeat(40)));
        assert!(is_long_paste(&"a\n".repeat(41)));
    }
}
