//! KV caches of conversations that the engine keeps in this browser, so that one that is opened again need not be read again.

use leptos::{prelude::*, task::spawn_local};
use protocol::{Forget, Outcome, Request};

use super::engine::{EnginePhase, EngineStore, KeptCaches};
use crate::history::{Conversation, ConversationId};

impl EngineStore {
    /// Returns the name under which the cache of a conversation is kept; `None` if it isn't to be.
    pub(super) fn cache_name(self, conversation: &Conversation) -> Option<String> {
        let keeps = self.settings.value.with_untracked(|settings| settings.keep_caches);
        (keeps && !conversation.temporary).then(|| conversation.id.to_string())
    }

    /// Deletes the caches of conversations that are deleted.
    pub(super) fn forget_conversations(self, ids: &[ConversationId]) {
        self.forget_caches(Forget::Of(ids.iter().map(ConversationId::to_string).collect()));
    }

    /// Reads what is kept, after deleting some of it. Without an engine, that is done as soon as there is one.
    pub fn forget_caches(self, forget: Forget) {
        let Some(reply) = self.request(None, Request::KeptCaches { forget: forget.clone() }) else {
            self.forget_later(forget);
            return;
        };
        spawn_local(async move {
            match reply.outcome().await {
                Some(Ok(Outcome::KeptCaches { conversations, bytes })) => {
                    self.kept_caches.set(Some(KeptCaches { conversations, bytes }));
                }
                Some(Err(failure)) => self.trouble.set(Some(failure)),
                Some(Ok(_)) => {}
                None => self.forget_later(forget),
            }
        });
    }

    fn forget_later(self, forget: Forget) {
        if forget != Forget::Nothing {
            self.to_forget.try_update_value(|all| all.push(forget));
        }
    }

    /// Deletes what could not be deleted before an engine ran, and all where nothing is to be kept. Called once, in the browser.
    pub(super) fn watch_kept_caches(self) {
        let keeps = self.settings.field(|settings| settings.keep_caches);
        Effect::new(move |_| {
            if self.phase.with(|phase| *phase != EnginePhase::Running) || !self.settings.known.get() {
                return;
            }
            if !keeps.get() {
                self.forget_caches(Forget::All);
            }
            let waiting = self.to_forget.try_update_value(std::mem::take).unwrap_or_default();
            waiting.into_iter().for_each(|forget| self.forget_caches(forget));
        });
    }
}
