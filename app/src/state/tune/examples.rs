//! The examples: where they come from, and what the engine makes of them.

use std::time::Duration;

use leptos::{prelude::*, task::spawn_local};
use protocol::tune::{ExampleData, TableColumns};
use protocol::{Cause, Event, Message, TuneEvent, TuneRequest};

use super::super::models::ModelState;
use super::TuneStore;
use crate::history::Conversation;

/// Rest after a change before the engine reads the examples again.
const REST: Duration = Duration::from_millis(350);

/// Where the examples come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Typed into a table on the page.
    #[default]
    Pairs,
    /// A file, or text that was pasted.
    Text,
    /// The conversation that was last on screen.
    Chat,
}

/// Examples as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextSource {
    /// The text.
    pub text: String,
    /// The name of its file; empty where it was pasted.
    pub file: String,
    /// Of a table: which columns to read; none to know them by their names.
    pub columns: Option<TableColumns>,
}

impl TuneStore {
    /// The conversation that was last on screen, as examples.
    #[must_use]
    pub fn chat_messages(self) -> Vec<Message> {
        self.chat.conversation.with(|conversation| {
            let leaf = conversation.leaf();
            leaf.map(|leaf| Conversation::prompt(conversation, leaf, &|_| None)).unwrap_or_default()
        })
    }

    /// The examples as they are now; none where there are none.
    #[must_use]
    pub fn data(self) -> Option<ExampleData> {
        match self.origin.get() {
            Origin::Pairs => {
                let filled =
                    |(ask, answer): &&(String, String)| !ask.trim().is_empty() && !answer.trim().is_empty();
                let pairs: Vec<_> = self.pairs.with(|pairs| pairs.iter().filter(filled).cloned().collect());
                (!pairs.is_empty()).then_some(ExampleData::Pairs(pairs))
            }
            Origin::Text => self.text.with(|source| {
                let TextSource { text, columns, .. } = source.clone();
                (!text.trim().is_empty()).then_some(ExampleData::Text { text, columns })
            }),
            Origin::Chat => {
                let messages = self.chat_messages();
                (!messages.is_empty()).then_some(ExampleData::Chat(messages))
            }
        }
    }

    /// Has the engine read the examples, once they rest. Called with every change of examples or settings.
    pub fn prepare_soon(self) {
        let change = self.changes.get_value().wrapping_add(1);
        self.changes.set_value(change);
        set_timeout(
            move || {
                if self.changes.try_get_value() == Some(change) {
                    self.prepare();
                }
            },
            REST,
        );
    }

    fn prepare(self) {
        if let Some(before) = self.reading_request.try_update_value(Option::take).flatten() {
            self.engine.cancel(before);
        }
        // Tokens are those of a model.
        let ready = self.engine.model.with_untracked(ModelState::is_ready);
        let Some(data) = untrack(|| self.data()).filter(|_| ready) else {
            self.preview.set(None);
            self.plan.set(None);
            self.unread.set(None);
            self.reading.set(false);
            return;
        };
        let settings = self.settings.get_untracked();
        let Some(reply) = self.send(TuneRequest::Prepare { data, settings }) else { return };
        let request = reply.id();
        self.reading_request.set_value(Some(request));
        self.reading.set(true);
        spawn_local(async move {
            let last = reply.last().await;
            if self.reading_request.get_value() != Some(request) {
                return;
            }
            self.reading_request.set_value(None);
            self.reading.set(false);
            match last {
                Some(Event::Tune { event, .. }) => {
                    if let TuneEvent::Prepared { preview, plan } = *event {
                        self.preview.set(Some(preview));
                        self.plan.set(plan);
                        self.unread.set(None);
                    }
                }
                Some(Event::Failed { failure, .. }) if failure.cause != Cause::Cancelled => {
                    self.preview.set(None);
                    self.plan.set(None);
                    self.unread.set(Some(failure));
                }
                _ => {}
            }
        });
    }

    /// Changes the settings, and has the plan made anew.
    pub fn change_settings(self, change: impl FnOnce(&mut protocol::tune::TuneSettings)) {
        self.settings.update(change);
        self.prepare_soon();
    }
}
