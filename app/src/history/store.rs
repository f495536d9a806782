//! Conversations, attachments, drafts and settings, kept in this browser.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::channel::Channel;

use super::backend::{Backend, Memory};
use super::record::{StoredConversation, write_json};
use super::records::{StoreError, Table, Value, Write};
use super::{
    Attachment, AttachmentKey, Change, Conversation, ConversationId, NodeId, Options, Subscription, Summary,
};

/// The tables of the history, all of [`Table`].
#[cfg(target_arch = "wasm32")]
const SCHEMA: super::indexed_db::Schema = super::indexed_db::Schema {
    version: 4,
    tables: &[
        Table::Conversations.name(),
        Table::Summaries.name(),
        Table::Attachments.name(),
        Table::Drafts.name(),
        Table::Settings.name(),
        Table::Named.name(),
    ],
};

/// Whether what is stored outlives the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Persistence {
    /// It is kept in this browser.
    Kept,
    /// It is gone when the page goes: a private window, or storage is switched off.
    UntilClosed {
        /// Why.
        why: StoreError,
    },
}

/// What was typed and not sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// The text.
    pub text: String,
    /// What was attached; the bytes are kept already.
    #[serde(default)]
    pub attachments: Vec<Attachment>,
    /// Which of them the engine was looking at when this was kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looking: Vec<AttachmentKey>,
    /// What messages of the conversation were changed to and not sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<(NodeId, String)>,
}

impl Draft {
    /// Whether there is nothing to keep.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.attachments.is_empty() && self.edits.is_empty()
    }
}

/// What became of a conversation that was to be saved.
#[derive(Clone, Debug, PartialEq)]
pub enum Saved {
    /// It is stored as it was given.
    Written(StoredConversation),
    /// Another tab had changed it: this is what both have made of it, and what is stored now.
    Merged(StoredConversation),
    /// It was deleted by another tab, and stays so.
    Gone,
}

/// What a deletion took out of the store, to be put back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deleted {
    writes: Vec<Write>,
}

impl Deleted {
    /// The conversations, without those of which there was a draft alone.
    pub fn conversation_ids(&self) -> impl Iterator<Item = ConversationId> {
        self.records().filter_map(|(key, _)| key.parse().ok())
    }

    /// One of the conversations, if it can be read.
    #[must_use]
    pub fn conversation(&self, id: ConversationId) -> Option<Conversation> {
        let id = id.to_string();
        let (key, value) = self.records().find(|(key, _)| *key == id)?;
        StoredConversation::read(key, value.clone()).ok().map(|stored| stored.conversation)
    }

    fn records(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.writes.iter().filter_map(|write| match write {
            Write::Put(Table::Conversations, key, value) => Some((key.as_str(), value)),
            _ => None,
        })
    }
}

/// The store. Clones are handles to the same one. It can be put into a Leptos context; its futures stay on the page's
/// thread.
#[derive(Clone)]
pub struct HistoryStore {
    pub(super) backend: Backend,
    pub(super) channel: Channel<Change>,
    persistence: Persistence,
}

impl HistoryStore {
    /// Opens this browser's store of this name; where there is none, one in memory: see [`Self::persistence`].
    #[cfg(target_arch = "wasm32")]
    pub async fn open(name: &str) -> Self {
        match super::indexed_db::Database::open(name, &SCHEMA).await {
            Ok(database) => Self {
                backend: Backend::Browser(database),
                channel: Channel::open(&format!("{name}-history")),
                persistence: Persistence::Kept,
            },
            Err(why) => Self::in_memory(why),
        }
    }

    /// Opens a store in memory: there is no browser here.
    #[cfg(not(target_arch = "wasm32"))]
    #[expect(clippy::unused_async, reason = "the same signature as in the browser")]
    pub async fn open(_name: &str) -> Self {
        Self::in_memory(StoreError::Unavailable { reason: "no browser".to_owned() })
    }

    /// A store in memory, for this reason.
    #[must_use]
    pub fn in_memory(why: StoreError) -> Self {
        Self::over(Memory::default(), why)
    }

    pub(crate) fn over(memory: Memory, why: StoreError) -> Self {
        Self {
            backend: Backend::Memory(memory),
            channel: Channel::none(),
            persistence: Persistence::UntilClosed { why },
        }
    }

    /// Whether what is stored outlives the page.
    #[must_use]
    pub fn persistence(&self) -> &Persistence {
        &self.persistence
    }

    /// Calls back on each change that another tab makes, until the subscription is dropped.
    #[must_use]
    pub fn on_change(&self, callback: impl Fn(Change) + 'static) -> Subscription {
        self.channel.listen(callback)
    }

    /// All conversations, the one changed last first. Those that cannot be read are among them: see
    /// [`Summary::unreadable`].
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn list(&self) -> Result<Vec<Summary>, StoreError> {
        let mut left: BTreeSet<String> = self.backend.keys(Table::Conversations).await?.into_iter().collect();
        let mut summaries = Vec::new();
        for (key, value) in self.backend.all(Table::Summaries).await? {
            if let Ok(summary) = read_json::<Summary>(&key, value) {
                left.remove(&key);
                summaries.push(summary);
            }
        }
        // A summary is made from its conversation; one that is missing or cannot be read is made again.
        for key in left {
            let Ok(id) = key.parse() else { continue };
            match self.load(id).await {
                Ok(Some(stored)) => summaries.push(Summary::of(&stored.conversation)),
                Ok(None) => {}
                Err(StoreError::Broken { .. } | StoreError::Newer { .. }) => {
                    summaries.push(Summary::of_unreadable(id));
                }
                Err(error) => return Err(error),
            }
        }
        summaries.sort_by_key(|summary| (std::cmp::Reverse(summary.updated), summary.id));
        Ok(summaries)
    }

    /// What the list shows of one conversation; `None` if there is none of this name.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn summary(&self, id: ConversationId) -> Result<Option<Summary>, StoreError> {
        let key = id.to_string();
        let known = self.backend.get(Table::Summaries, &key).await?;
        if let Some(Ok(summary)) = known.map(|value| read_json(&key, value)) {
            return Ok(Some(summary));
        }
        match self.load(id).await {
            Ok(stored) => Ok(stored.map(|stored| Summary::of(&stored.conversation))),
            Err(StoreError::Broken { .. } | StoreError::Newer { .. }) => Ok(Some(Summary::of_unreadable(id))),
            Err(error) => Err(error),
        }
    }

    /// A conversation; `None` if there is none of this name.
    ///
    /// # Errors
    /// When the browser's storage fails, or the record is broken or of a newer version.
    pub async fn load(&self, id: ConversationId) -> Result<Option<StoredConversation>, StoreError> {
        let key = id.to_string();
        let value = self.backend.get(Table::Conversations, &key).await?;
        value.map(|value| StoredConversation::read(&key, value)).transpose()
    }

    /// The record of a conversation as it is, to be saved where it cannot be read; `None` if there is none.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn raw(&self, id: ConversationId) -> Result<Option<Vec<u8>>, StoreError> {
        let value = self.backend.get(Table::Conversations, &id.to_string()).await?;
        Ok(value.map(|value| match value {
            Value::Text(text) => text.into_bytes(),
            Value::Bytes(bytes) => bytes,
        }))
    }

    /// Keeps a conversation. `base` is what the store held when it was last read or written; `None` for a new one. Where
    /// another tab has written meanwhile, both are joined. Attachments that nobody names any more stay until they are swept,
    /// so that what was deleted can come back whole: see [`Self::sweep_attachments`].
    ///
    /// # Errors
    /// When the storage is full or fails, or what is there cannot be read; what was kept before stays.
    pub async fn save(
        &self,
        ours: &Conversation,
        base: Option<&StoredConversation>,
    ) -> Result<Saved, StoreError> {
        let (id, key) = (ours.id, ours.id.to_string());
        let decide = |mut read: Vec<Option<Value>>| {
            let there =
                read.pop().flatten().map(|value| StoredConversation::read(&key, value)).transpose()?;
            let saved = match (there, base) {
                (None, Some(_)) => return Ok((Vec::new(), Saved::Gone)),
                (Some(there), base) if base.is_none_or(|base| base.revision != there.revision) => {
                    let blank = Conversation::new(id, Options::default(), 0);
                    let base = base.map_or(&blank, |base| &base.conversation);
                    let merged = Conversation::merge(base, ours, &there.conversation);
                    let broken = |error: super::TreeError| StoreError::Broken {
                        key: key.clone(),
                        reason: format!("{error:?}"),
                    };
                    Saved::Merged(StoredConversation::next(merged.map_err(broken)?))
                }
                _ => Saved::Written(StoredConversation::next(ours.clone())),
            };
            let writes = match &saved {
                Saved::Written(stored) | Saved::Merged(stored) => conversation_writes(stored)?.into(),
                Saved::Gone => Vec::new(),
            };
            Ok((writes, saved))
        };
        let tables = [Table::Conversations, Table::Summaries];
        let saved = self.backend.update(&tables, vec![(Table::Conversations, key.clone())], decide).await?;
        if saved != Saved::Gone {
            self.channel.announce(&Change::Saved { id });
        }
        Ok(saved)
    }

    /// Deletes conversations and their drafts, and returns what was deleted, for [`Self::restore`]. Their attachments stay until
    /// they are swept.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn delete(&self, ids: &[ConversationId]) -> Result<Deleted, StoreError> {
        let tables = [Table::Conversations, Table::Summaries, Table::Drafts];
        let mut places = Vec::new();
        for id in ids {
            places.extend([Table::Conversations, Table::Summaries].map(|table| (table, id.to_string())));
        }
        places.extend(self.draft_keys(ids).await?.into_iter().map(|key| (Table::Drafts, key)));
        let decide = |read: Vec<Option<Value>>| {
            let kept = places
                .iter()
                .zip(read)
                .filter_map(|((table, key), value)| Some(Write::Put(*table, key.clone(), value?)));
            let deleted = Deleted { writes: kept.collect() };
            let removals = places.iter().map(|(table, key)| Write::Remove(*table, key.clone()));
            Ok((removals.collect(), deleted))
        };
        let deleted = self.backend.update(&tables, places.clone(), decide).await?;
        self.channel.announce(&Change::Deleted { ids: ids.to_vec() });
        Ok(deleted)
    }

    /// Puts back what [`Self::delete`] took.
    ///
    /// # Errors
    /// When the storage is full or fails.
    pub async fn restore(&self, deleted: &Deleted) -> Result<(), StoreError> {
        self.backend.commit(deleted.writes.clone()).await?;
        for id in deleted.conversation_ids() {
            self.channel.announce(&Change::Saved { id });
        }
        Ok(())
    }

    /// A setting; `None` if it was never set. One of another shape (from another version) counts as never set.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn setting<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, StoreError> {
        let value = self.backend.get(Table::Settings, name).await?;
        Ok(value.and_then(|value| read_json(name, value).ok()))
    }

    /// Keeps a setting.
    ///
    /// # Errors
    /// When the storage is full or fails, or the value has no form in JSON.
    pub async fn set_setting<T: Serialize>(&self, name: &str, value: &T) -> Result<(), StoreError> {
        let json = write_json(name, value)?;
        self.backend.commit(vec![Write::Put(Table::Settings, name.to_owned(), json)]).await?;
        self.channel.announce(&Change::Setting { name: name.to_owned() });
        Ok(())
    }
}

pub(super) fn conversation_writes(stored: &StoredConversation) -> Result<[Write; 2], StoreError> {
    let key = stored.conversation.id.to_string();
    let summary = write_json(&key, &Summary::of(&stored.conversation))?;
    Ok([
        Write::Put(Table::Conversations, key.clone(), stored.write(&key)?),
        Write::Put(Table::Summaries, key, summary),
    ])
}

pub(super) fn read_json<T: DeserializeOwned>(key: &str, value: Value) -> Result<T, StoreError> {
    let broken = |reason: String| StoreError::Broken { key: key.to_owned(), reason };
    match value {
        Value::Text(text) => serde_json::from_str(&text).map_err(|error| broken(error.to_string())),
        Value::Bytes(_) => Err(broken("not text".to_owned())),
    }
}
