//! The examples: where they come from, and what the engine makes of them.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use leptos::{prelude::*, task::spawn_local};
use protocol::tune::{ExampleData, TableColumns};
use protocol::{Message, Outcome, Role, TokenBudget, TuneOutcome, TuneRequest};
use web_sys::Blob;

use super::super::chat::content;
use super::super::models::ModelState;
use super::files::{self, GivenFile};
use super::{ExampleOrigin, TuneStore};
use crate::history::{Attachment, AttachmentKind, ContextStart, Conversation};
use crate::language::t;

/// Rest after a change before the engine reads the examples again.
const REST: Duration = Duration::from_millis(350);

/// Examples as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextSource {
    /// The text.
    pub text: String,
    /// The name of its file; empty where it was pasted.
    pub file: String,
    /// The encoding of the file; empty where it is Unicode or unknown.
    pub encoding: String,
    /// Of a table: which columns to read; none to know them by their names.
    pub columns: Option<TableColumns>,
    /// Pictures and sounds that the examples may name.
    pub files: Vec<GivenFile>,
    /// How many soft tokens each image may take.
    pub detail: TokenBudget,
}

impl TuneStore {
    /// The conversation that was last on screen, as examples. `place` says at which place among the handles the bytes of an
    /// attachment are; `None` if they are gone.
    fn chat_messages(self, place: impl Fn(&Attachment) -> Option<u32>) -> Vec<Message> {
        let conversation = self.whole_chat();
        let medium = |it: &Attachment| content(it, place(it)?);
        conversation.leaf().map(|leaf| conversation.prompt(leaf, &medium)).unwrap_or_default()
    }

    /// The conversation that was last on screen, with the messages that its model does not read any more.
    fn whole_chat(self) -> Conversation {
        let mut conversation = self.chat.conversation.with(Conversation::clone);
        conversation.context_start = ContextStart::default();
        conversation
    }

    /// Returns what is attached to the conversation that was last on screen, each once.
    #[must_use]
    pub fn chat_attachments(self) -> Vec<Attachment> {
        let conversation = self.whole_chat();
        let mut all = conversation.leaf().map(|leaf| conversation.attachments_to(leaf)).unwrap_or_default();
        let mut seen = HashSet::new();
        all.retain(|attachment| attachment.kind != AttachmentKind::Document && seen.insert(attachment.key));
        all
    }

    /// Answers in the conversation that was last on screen.
    #[must_use]
    pub fn chat_answers(self) -> u64 {
        let messages = self.chat_messages(|_| None);
        messages.iter().filter(|message| message.role == Role::Assistant).count() as u64
    }

    /// The examples with the handles of their pictures and sounds; `None` if there are none. What is not in this browser
    /// any more is left out, which is reported.
    pub(super) async fn given(self) -> Option<(ExampleData, Vec<Blob>)> {
        let data = untrack(|| self.data())?;
        match data {
            ExampleData::Text { text, columns, .. } => {
                let (files, handles) =
                    self.text.with_untracked(|source| files::as_sent(&source.files, source.detail));
                Some((ExampleData::Text { text, columns, files }, handles))
            }
            ExampleData::Pairs(_) => Some((data, Vec::new())),
            ExampleData::Chat(_) => {
                let (mut places, mut handles, mut lost) = (HashMap::new(), Vec::new(), 0);
                for attachment in untrack(|| self.chat_attachments()) {
                    match self.media.blob(&attachment).await {
                        Some(blob) => {
                            places.insert(attachment.key, handles.len() as u32);
                            handles.push(blob);
                        }
                        None => lost += 1,
                    }
                }
                if lost > 0 {
                    self.ui.toast(t().tune_attachments_lost(lost));
                }
                let messages = untrack(|| self.chat_messages(|it| places.get(&it.key).copied()));
                Some((ExampleData::Chat(messages), handles))
            }
        }
    }

    /// Returns the examples as they are now, without handles; `None` if there are none.
    #[must_use]
    pub fn data(self) -> Option<ExampleData> {
        match self.origin.get() {
            ExampleOrigin::Pairs => {
                let filled =
                    |(ask, answer): &&(String, String)| !ask.trim().is_empty() && !answer.trim().is_empty();
                let pairs: Vec<_> = self.pairs.with(|pairs| pairs.iter().filter(filled).cloned().collect());
                (!pairs.is_empty()).then_some(ExampleData::Pairs(pairs))
            }
            ExampleOrigin::Text => self.text.with(|source| {
                let TextSource { text, columns, files, detail, .. } = source.clone();
                let (files, _) = files::as_sent(&files, detail);
                (!text.trim().is_empty()).then_some(ExampleData::Text { text, columns, files })
            }),
            ExampleOrigin::Chat => {
                // Attachments come later, with their handles.
                let messages = self.chat_messages(|_| None);
                (!messages.is_empty()).then_some(ExampleData::Chat(messages))
            }
        }
    }

    /// Has the engine read the examples, once they rest. Called with every change of examples or settings.
    pub fn prepare_soon(self) {
        self.changes.rest(REST, move || spawn_local(self.prepare(self.changes.number())));
    }

    async fn prepare(self, change: u32) {
        if let Some(before) = self.reading_request.try_update_value(Option::take).flatten() {
            self.engine.cancel(before);
        }
        // Tokens are those of a model.
        let ready = self.engine.model.with_untracked(ModelState::is_ready);
        let given = if ready { self.given().await } else { None };
        if !self.changes.is(change) {
            return;
        }
        let Some((data, handles)) = given else {
            self.preview.set(None);
            self.plan.set(None);
            self.unread.set(None);
            self.reading.set(false);
            return;
        };
        let settings = self.settings.get_untracked();
        let Some(reply) = self.send_with(handles, TuneRequest::Prepare { data, settings }) else { return };
        let request = reply.id();
        self.reading_request.set_value(Some(request));
        self.reading.set(true);
        let last = reply.outcome().await;
        if self.reading_request.get_value() != Some(request) {
            return;
        }
        self.reading_request.set_value(None);
        self.reading.set(false);
        match last {
            Some(Ok(Outcome::Tune(outcome))) => {
                if let TuneOutcome::Prepared { preview, plan } = *outcome {
                    self.preview.set(Some(preview));
                    self.plan.set(plan);
                    self.unread.set(None);
                }
            }
            Some(Err(failure)) if !failure.is_cancelled() => {
                self.preview.set(None);
                self.plan.set(None);
                self.unread.set(Some(failure));
            }
            _ => {}
        }
    }

    /// Changes the settings, and has the plan made anew.
    pub fn change_settings(self, change: impl FnOnce(&mut protocol::tune::TuneSettings)) {
        self.settings.update(change);
        self.prepare_soon();
    }
}
