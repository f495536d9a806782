//! The conversations of this browser: the list, and keeping them.

use std::collections::BTreeMap;

use gloo_timers::future::TimeoutFuture;
use leptos::{prelude::*, task::spawn_local};
use serde::Serialize;

use crate::history::{
    self, Change, Conversation, ConversationId, Draft, GRACE_MS, HistoryStore, ImportReport, Persistence,
    StoreError, Subscription, Summary,
};

/// The name of the browser's store.
const NAME: &str = "gemtab";
/// Its name while the engine is simulated: what that one says is not put among a person's conversations.
const SIMULATED: &str = "gemtab-simulated";

/// The browser's store of conversations, with the list of what is in it.
#[derive(Clone, Copy)]
pub struct Library {
    store: StoredValue<Option<HistoryStore>>,
    /// Whether the store is open and the list was read.
    pub open: RwSignal<bool>,
    /// All conversations, the one changed last first.
    pub list: RwSignal<Vec<Summary>>,
    /// What the search looks for; empty for everything.
    pub query: RwSignal<String>,
    /// What the search found; none when nothing is searched for.
    pub found: RwSignal<Option<Vec<Summary>>>,
    /// What is wrong with the store, in words; none when nothing is.
    pub trouble: RwSignal<Option<String>>,
    /// What another tab changed last.
    pub changed_elsewhere: RwSignal<Option<Change>>,
    unsaved: StoredValue<BTreeMap<ConversationId, Conversation>>,
    saving: StoredValue<bool>,
    subscription: StoredValue<Option<send_wrapper::SendWrapper<Subscription>>>,
}

impl Library {
    /// A library that is not open yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            store: StoredValue::new(None),
            open: RwSignal::new(false),
            list: RwSignal::new(Vec::new()),
            query: RwSignal::new(String::new()),
            found: RwSignal::new(None),
            trouble: RwSignal::new(None),
            changed_elsewhere: RwSignal::new(None),
            unsaved: StoredValue::new(BTreeMap::new()),
            saving: StoredValue::new(false),
            subscription: StoredValue::new(None),
        }
    }

    /// Opens the browser's store and reads the list.
    pub async fn open(self) {
        let name = if super::engine::simulation().is_some() { SIMULATED } else { NAME };
        let store = HistoryStore::open(name).await;
        if let Persistence::UntilClosed { reason } = store.persistence() {
            self.trouble.set(Some(format!(
                "This browser keeps nothing for this page, so conversations are gone when you close it ({reason})."
            )));
        }
        let subscription = store.on_change(move |change| {
            self.changed_elsewhere.set(Some(change));
            spawn_local(self.refresh());
        });
        self.subscription.set_value(Some(send_wrapper::SendWrapper::new(subscription)));
        self.store.set_value(Some(store));
        self.refresh().await;
        self.open.set(true);
        spawn_local(async move {
            // What nothing names any more goes, a while after it was last named.
            loop {
                if let Some(store) = self.store() {
                    self.report(store.sweep_attachments(history::now()).await);
                }
                TimeoutFuture::new(GRACE_MS as u32).await;
            }
        });
    }

    /// The store, once it is open.
    #[must_use]
    pub fn store(self) -> Option<HistoryStore> {
        self.store.get_value()
    }

    /// Reads the list again, and the search's findings with it.
    pub async fn refresh(self) {
        let Some(store) = self.store() else { return };
        if let Some(list) = self.report(store.list().await) {
            self.list.set(list);
        }
        self.search().await;
    }

    /// Looks for what [`Self::query`] says.
    pub async fn search(self) {
        let query = self.query.get_untracked();
        if query.trim().is_empty() {
            self.found.set(None);
            return;
        }
        let Some(store) = self.store() else { return };
        let found = self.report(store.search(&query).await);
        // A later key press may have begun a later search.
        if self.query.get_untracked() == query {
            self.found.set(found);
        }
    }

    /// A conversation; none when it is not here or cannot be read, which [`Self::trouble`] then says.
    pub async fn load(self, id: ConversationId) -> Option<Conversation> {
        if let Some(unsaved) = self.unsaved.with_value(|unsaved| unsaved.get(&id).cloned()) {
            return Some(unsaved);
        }
        let store = self.store()?;
        self.report(store.load(id).await).flatten()
    }

    /// Keeps a conversation as it is now. The writes are made one after another; of several that wait, the last one
    /// of each conversation is made.
    pub fn save(self, conversation: Conversation) {
        let summary = Summary::of(&conversation);
        self.list.update(|list| {
            list.retain(|other| other.id != summary.id);
            let place = list.partition_point(|other| other.updated > summary.updated);
            list.insert(place, summary);
        });
        self.unsaved.update_value(|unsaved| {
            unsaved.insert(conversation.id, conversation);
        });
        if self.saving.get_value() {
            return;
        }
        self.saving.set_value(true);
        spawn_local(async move {
            while let Some((id, conversation)) = self.unsaved.with_value(|unsaved| {
                unsaved.first_key_value().map(|(&id, conversation)| (id, conversation.clone()))
            }) {
                let Some(store) = self.store() else { break };
                self.report(store.save(&conversation).await);
                self.unsaved.update_value(|unsaved| {
                    // It may have changed while it was written: then it is written again.
                    if unsaved.get(&id) == Some(&conversation) {
                        unsaved.remove(&id);
                    }
                });
            }
            self.saving.set_value(false);
        });
    }

    /// Deletes a conversation. Gives it back, so that the deletion can be undone with [`Self::save`].
    pub async fn delete(self, id: ConversationId) -> Option<Conversation> {
        let conversation = self.load(id).await;
        self.unsaved.update_value(|unsaved| {
            unsaved.remove(&id);
        });
        let store = self.store()?;
        self.report(store.delete(id).await)?;
        self.refresh().await;
        conversation
    }

    /// Gives a conversation another name.
    pub async fn rename(self, id: ConversationId, title: String) {
        if let Some(mut conversation) = self.load(id).await {
            conversation.title = title;
            self.save(conversation);
        }
    }

    /// Adds the conversations of a file.
    ///
    /// # Errors
    /// What is wrong with the file, in words. Nothing of it was added then.
    pub async fn import(self, json: &str) -> Result<ImportReport, String> {
        let store = self.store().ok_or("The browser's store is not open yet.")?;
        let report = store.import(json).await.map_err(|error| error.to_string())?;
        self.refresh().await;
        Ok(report)
    }

    /// What was typed and not sent.
    pub async fn draft(self, of: Option<ConversationId>) -> Draft {
        let Some(store) = self.store() else { return Draft::default() };
        self.report(store.draft(of).await).unwrap_or_default()
    }

    /// Keeps what was typed and not sent.
    pub fn keep_draft(self, of: Option<ConversationId>, draft: Draft) {
        let Some(store) = self.store() else { return };
        spawn_local(async move {
            self.report(store.set_draft(of, &draft).await);
        });
    }

    /// Keeps a setting.
    pub fn keep_setting<T: Serialize + 'static>(self, name: &'static str, value: T) {
        let Some(store) = self.store() else { return };
        spawn_local(async move {
            self.report(store.set_setting(name, &value).await);
        });
    }

    /// Says what went wrong, once for all that use the store.
    fn report<T>(self, result: Result<T, StoreError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                let text = error.to_string();
                let mut letters = text.chars();
                let first =
                    letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
                self.trouble.set(Some(format!("{first}{}.", letters.as_str())));
                None
            }
        }
    }
}

impl Default for Library {
    fn default() -> Self {
        Self::new()
    }
}
