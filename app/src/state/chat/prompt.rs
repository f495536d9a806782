//! What the engine is asked: the messages, what is attached to them, and how many tokens that takes.

use std::{collections::HashMap, time::Duration};

use leptos::{leptos_dom::helpers::debounce, prelude::*, task::spawn_local};
use protocol::{Capabilities, GenerateOptions, ModelDetails, Outcome, Request};

use super::super::models::{Choice, ModelState};
use super::ChatStore;
use super::attaching::content;
use super::documents::Measure;
use crate::history::{self, Attachment, AttachmentKey, AttachmentKind, ContextStart, Conversation, NodeId};
use crate::language::t;

/// How long typing must rest before tokens are counted.
const REST: Duration = Duration::from_millis(300);

/// What a prompt takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptSize {
    /// Its tokens.
    pub tokens: u32,
    /// Tokens that the context holds.
    pub context: u32,
    /// Whether it is too long only with what is before the message, which can be left out.
    pub fits_alone: bool,
}

impl PromptSize {
    /// Whether there is no room for it and one token of an answer.
    #[must_use]
    pub fn is_too_long(self) -> bool {
        self.tokens >= self.context
    }
}

/// Returns how a model is to answer a conversation.
pub(super) fn generate_options(
    conversation: &Conversation,
    choice: &Choice,
    details: &ModelDetails,
) -> GenerateOptions {
    let mut options = conversation.generate_options(&choice.recommended(Some(details)));
    options.stop.extend(choice.entry.stop.iter().cloned());
    options.thinking &= details.capabilities.thinking;
    options
}

/// Attachments at hand.
#[derive(Default)]
pub(super) struct Gathered {
    /// Their bytes.
    pub handles: Vec<web_sys::Blob>,
    /// Their places among the handles.
    places: HashMap<AttachmentKey, u32>,
    /// How many are not in this browser any more.
    lost: u64,
    /// How many the model cannot take.
    unfit: u64,
}

impl Gathered {
    /// The messages of a conversation, with what is attached to them.
    pub fn messages(&self, asked: &Conversation, until: NodeId) -> Vec<protocol::Message> {
        asked.prompt(until, &|attachment| {
            self.places.get(&attachment.key).and_then(|&place| content(attachment, place))
        })
    }
}

impl ChatStore {
    /// A conversation with all instructions that apply to it: those of its folder, then its own; where there are neither, the
    /// model's. A preset wins over what the conversation had before, since its instructions became the conversation's own
    /// ([`Conversation::take_preset`]); a folder never does.
    pub(super) fn with_system(self, mut conversation: Conversation, choice: &Choice) -> Conversation {
        let folder = conversation.filing.folder.and_then(|id| untrack(|| self.library.folder(id)));
        let of_folder = folder.map(|folder| folder.instructions).unwrap_or_default();
        let parts = [of_folder.trim(), conversation.system.trim()];
        let own: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        conversation.system = if own.is_empty() { choice.entry.system.clone() } else { own.join("\n\n") };
        conversation
    }

    /// The messages up to `until` as the engine takes them, and handles of what is attached to them. What is left out is
    /// reported.
    pub async fn messages(
        self,
        asked: &Conversation,
        until: NodeId,
        able: Capabilities,
    ) -> (Vec<protocol::Message>, Vec<web_sys::Blob>) {
        let gathered = self.gather(&asked.attachments_to(until), able).await;
        if gathered.unfit > 0 {
            self.ui.toast(t().attachments_unfit(gathered.unfit));
        } else if gathered.lost > 0 {
            self.ui.toast(t().attachments_lost(gathered.lost));
        }
        (gathered.messages(asked, until), gathered.handles)
    }

    /// Handles of what is attached to the messages, as far as the model can take it and it is still here.
    pub(super) async fn gather(self, attachments: &[Attachment], able: Capabilities) -> Gathered {
        let mut gathered = Gathered::default();
        for attachment in attachments {
            let takes = match attachment.kind {
                AttachmentKind::Image => able.vision,
                AttachmentKind::Audio => able.audio,
                // What is given of it is text.
                AttachmentKind::Document => continue,
            };
            if gathered.places.contains_key(&attachment.key) {
                continue;
            }
            if !takes {
                gathered.unfit += 1;
            } else if let Some(blob) = self.media.blob(attachment).await {
                gathered.places.insert(attachment.key, gathered.handles.len() as u32);
                gathered.handles.push(blob);
            } else {
                gathered.lost += 1;
            }
        }
        gathered
    }

    /// Counts what the next message would take while it is written. Called once, in the browser.
    pub fn watch_prompt_size(self) {
        let mut count = debounce(REST, move |()| self.count_prompt());
        Effect::new(move |_| {
            let blank = self.draft.with(|draft| draft.trim().is_empty()) && self.attached.with(Vec::is_empty);
            let ready = self.engine.model.with(ModelState::is_ready) && !self.answer.is_running();
            self.conversation.with(|_| ());
            if blank || !ready {
                self.prompt_size.set(None);
            } else {
                count(());
            }
        });
    }

    fn count_prompt(self) {
        let ModelState::Ready { choice, details, context, .. } = self.engine.model.get_untracked() else {
            return;
        };
        let text = self.draft.get_untracked();
        let attached: Vec<_> =
            self.attached.with_untracked(|all| all.iter().map(|it| it.attachment.clone()).collect());
        let blank = text.trim().is_empty() && attached.is_empty();
        if blank || self.answer.is_running_untracked() {
            return;
        }
        let mut asked = self.with_system(self.conversation.get_untracked(), &choice);
        // What is not in order is told when it is sent.
        let Ok(until) = asked.add_user(text.trim(), attached, history::now()) else { return };
        let measure = Measure { context, able: details.capabilities };
        spawn_local(async move {
            // What cannot be chosen is told when it is sent.
            let counted = self.give(&mut asked, until, measure).await.unwrap_or_default();
            let tokens = match counted {
                Some(tokens) => Some(tokens),
                None => self.count(&asked, until, measure.able).await,
            };
            let Some(tokens) = tokens else { return };
            let mut size = PromptSize { tokens, context, fits_alone: false };
            if size.is_too_long() && asked.path_to(until).len() > 1 {
                asked.context_start = ContextStart { at: Some(until), summary: String::new() };
                let alone = self.count(&asked, until, measure.able).await;
                size.fits_alone = alone.is_some_and(|tokens| tokens < context);
            }
            // One that is newer has taken the place of one that was cancelled.
            if self.draft.get_untracked() == text {
                self.prompt_size.set(Some(size));
            }
        });
    }

    /// The tokens of the messages up to `until`; `None` if that is not known.
    pub(super) async fn count(self, asked: &Conversation, until: NodeId, able: Capabilities) -> Option<u32> {
        let gathered = self.gather(&asked.attachments_to(until), able).await;
        let messages = gathered.messages(asked, until);
        let thinking = asked.options.thinking && able.thinking;
        let tools = self.declared_tools(&asked.options).await;
        let reply =
            self.engine.request_with(gathered.handles, Request::Count { messages, thinking, tools })?;
        match reply.outcome().await {
            Some(Ok(Outcome::Counted { tokens })) => Some(tokens),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PromptSize;

    #[test]
    fn a_prompt_leaves_room_for_a_token() {
        let size = |tokens| PromptSize { tokens, context: 4096, fits_alone: false };
        assert!(!size(4095).is_too_long());
        assert!(size(4096).is_too_long());
    }
}
