//! Conversations, attachments, drafts and settings, kept in this browser.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::backend::{Backend, Memory, Table, Value, Write};
use super::changes::Channel;
use super::{
    Archive, Attachment, AttachmentKey, Change, Conversation, ConversationId, ImportError, Subscription,
    Summary,
};

/// How long an attachment stays when nothing names it any more, in milliseconds.
pub const GRACE_MS: u64 = 600_000;

/// The setting that holds since when attachments are loose, by their keys.
const LOOSE: &str = "loose-attachments";

/// What can go wrong with storage.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The browser gives no more room.
    #[error("this browser's storage is full")]
    Full,
    /// The browser gives no storage.
    #[error("this browser keeps no data for this page: {reason}")]
    Unavailable {
        /// In the browser's words.
        reason: String,
    },
    /// A record is not what it should be.
    #[error("the record `{key}` cannot be read: {reason}")]
    Broken {
        /// Where it lies.
        key: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Anything else that the browser reported.
    #[error("this browser's storage failed: {reason}")]
    Failed {
        /// In the browser's words.
        reason: String,
    },
}

/// Whether what is stored outlives the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Persistence {
    /// It is kept in this browser.
    Kept,
    /// It is gone when the page goes: a private window, or storage is switched off.
    UntilClosed {
        /// Why, in the browser's words.
        reason: String,
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
}

impl Draft {
    /// Whether there is nothing to keep.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.attachments.is_empty()
    }
}

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Conversations added, by the ids they have now.
    pub added: Vec<ConversationId>,
    /// How many of them got a new id, because theirs was taken.
    pub renamed: usize,
    /// Attachments added.
    pub attachments: usize,
    /// Attachments that conversations name and the file lacks.
    pub missing_attachments: usize,
}

/// The store. Clones are handles to the same one. It can be put into a Leptos context; its futures stay on the page's
/// thread.
#[derive(Clone)]
pub struct HistoryStore {
    backend: Backend,
    channel: Channel,
    persistence: Persistence,
}

impl HistoryStore {
    /// Opens this browser's store of this name; where there is none, one in memory: see [`Self::persistence`].
    #[cfg(target_arch = "wasm32")]
    pub async fn open(name: &str) -> Self {
        match super::indexed_db::Database::open(name).await {
            Ok(database) => Self {
                backend: Backend::Browser(database),
                channel: Channel::open(name),
                persistence: Persistence::Kept,
            },
            Err(StoreError::Unavailable { reason }) => Self::in_memory(reason),
            Err(error) => Self::in_memory(error.to_string()),
        }
    }

    /// Opens a store in memory: there is no browser here.
    #[cfg(not(target_arch = "wasm32"))]
    #[expect(clippy::unused_async, reason = "the same signature as in the browser")]
    pub async fn open(_name: &str) -> Self {
        Self::in_memory("there is no browser".to_owned())
    }

    /// A store in memory, for this reason.
    #[must_use]
    pub fn in_memory(reason: String) -> Self {
        Self::over(Memory::default(), reason)
    }

    pub(super) fn over(memory: Memory, reason: String) -> Self {
        Self {
            backend: Backend::Memory(memory),
            channel: Channel::none(),
            persistence: Persistence::UntilClosed { reason },
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

    /// All conversations, the one changed last first.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn list(&self) -> Result<Vec<Summary>, StoreError> {
        let mut summaries = Vec::new();
        for (key, value) in self.backend.all(Table::Summaries).await? {
            match read_json::<Summary>(&key, value) {
                Ok(summary) => summaries.push(summary),
                // A summary is made from its conversation; one that cannot be read is made again.
                Err(_) => summaries.extend(self.summarize(&key).await?),
            }
        }
        summaries.sort_by_key(|summary| (std::cmp::Reverse(summary.updated), summary.id));
        Ok(summaries)
    }

    /// A conversation; none when there is none of this name.
    ///
    /// # Errors
    /// When the browser's storage fails, or the record is broken.
    pub async fn load(&self, id: ConversationId) -> Result<Option<Conversation>, StoreError> {
        let key = id.to_string();
        let Some(value) = self.backend.get(Table::Conversations, &key).await? else { return Ok(None) };
        let conversation: Conversation = read_json(&key, value)?;
        match conversation.check() {
            Ok(()) => Ok(Some(conversation)),
            Err(error) => Err(StoreError::Broken { key, reason: error.to_string() }),
        }
    }

    /// Keeps a conversation as it is now. Attachments that nobody names any more stay until they are swept, so that
    /// what was deleted can come back whole: see [`Self::sweep_attachments`].
    ///
    /// # Errors
    /// When the storage is full or fails; what was kept before stays.
    pub async fn save(&self, conversation: &Conversation) -> Result<(), StoreError> {
        let summary = Summary::of(conversation);
        self.backend.commit(conversation_writes(conversation, &summary)?.into()).await?;
        self.channel.announce(&Change::Saved { id: conversation.id });
        Ok(())
    }

    /// Deletes a conversation and its draft. Its attachments stay until they are swept.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn delete(&self, id: ConversationId) -> Result<(), StoreError> {
        let key = id.to_string();
        let tables = [Table::Conversations, Table::Summaries, Table::Drafts];
        self.backend.commit(tables.map(|table| Write::Remove(table, key.clone())).into()).await?;
        self.channel.announce(&Change::Deleted { id });
        Ok(())
    }

    /// Conversations that have this text in their title or in any branch, the one changed last first. The snippet is
    /// the text around what was found. An empty text finds all.
    ///
    /// # Errors
    /// When the browser's storage fails. Records that cannot be read are passed over.
    pub async fn search(&self, text: &str) -> Result<Vec<Summary>, StoreError> {
        let summaries = self.list().await?;
        if text.trim().is_empty() {
            return Ok(summaries);
        }
        let mut found = Vec::new();
        for summary in summaries {
            match self.load(summary.id).await {
                Ok(conversation) => found.extend(conversation.and_then(|it| Summary::find(&it, text))),
                Err(StoreError::Broken { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    /// Everything, as the JSON of an [`Archive`].
    ///
    /// # Errors
    /// When the browser's storage fails. Conversations that cannot be read are left out.
    pub async fn export_all(&self) -> Result<String, StoreError> {
        let ids: Vec<_> = self.list().await?.into_iter().map(|summary| summary.id).collect();
        self.export(&ids).await
    }

    /// Some conversations, as the JSON of an [`Archive`].
    ///
    /// # Errors
    /// When the browser's storage fails. Conversations that cannot be read are left out.
    pub async fn export(&self, ids: &[ConversationId]) -> Result<String, StoreError> {
        let mut archive = Archive::new(super::now());
        for &id in ids {
            let conversation = match self.load(id).await {
                Ok(Some(conversation)) => conversation,
                Ok(None) | Err(StoreError::Broken { .. }) => continue,
                Err(error) => return Err(error),
            };
            for key in conversation.attachment_keys() {
                if !archive.attachments.contains_key(&key)
                    && let Some(bytes) = self.attachment(key).await?
                {
                    archive.attachments.insert(key, bytes);
                }
            }
            archive.conversations.push(conversation);
        }
        Ok(archive.to_json())
    }

    /// Adds what an [`Archive`] holds: all of it, or nothing. A conversation whose id is taken gets a new one.
    ///
    /// # Errors
    /// When the text is no such archive, with the place of the fault, or when the storage is full or fails.
    pub async fn import(&self, json: &str) -> Result<ImportReport, ImportError> {
        let archive = Archive::from_json(json)?;
        let mut taken: BTreeSet<String> =
            self.backend.keys(Table::Conversations).await?.into_iter().collect();
        let held: BTreeSet<String> = self.backend.keys(Table::Attachments).await?.into_iter().collect();
        let mut report = ImportReport::default();
        let mut writes = Vec::new();
        let mut named = BTreeSet::new();
        for mut conversation in archive.conversations {
            while !taken.insert(conversation.id.to_string()) {
                conversation.id = ConversationId::random();
                report.renamed += 1;
            }
            let summary = Summary::of(&conversation);
            named.extend(summary.attachments.iter().copied());
            writes.extend(conversation_writes(&conversation, &summary)?);
            report.added.push(conversation.id);
        }
        let mut attachments = archive.attachments;
        for key in named {
            // What is here already is not replaced: the file could name another conversation's attachment.
            let here = held.contains(&key.to_string());
            match attachments.remove(&key) {
                Some(bytes) if !here => {
                    writes.push(Write::Put(Table::Attachments, key.to_string(), Value::Bytes(bytes)));
                    report.attachments += 1;
                }
                None if !here => report.missing_attachments += 1,
                _ => {}
            }
        }
        self.backend.commit(writes).await?;
        self.channel.announce(&Change::Imported);
        Ok(report)
    }

    /// Keeps the bytes of an attachment.
    ///
    /// # Errors
    /// When the storage is full or fails.
    pub async fn put_attachment(&self, bytes: Vec<u8>) -> Result<AttachmentKey, StoreError> {
        let key = AttachmentKey::random();
        self.backend
            .commit(vec![Write::Put(Table::Attachments, key.to_string(), Value::Bytes(bytes))])
            .await?;
        Ok(key)
    }

    /// The bytes of an attachment; none when they are gone.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn attachment(&self, key: AttachmentKey) -> Result<Option<Vec<u8>>, StoreError> {
        match self.backend.get(Table::Attachments, &key.to_string()).await? {
            None => Ok(None),
            Some(Value::Bytes(bytes)) => Ok(Some(bytes)),
            Some(Value::Text(_)) => {
                Err(StoreError::Broken { key: key.to_string(), reason: "it is text, not bytes".to_owned() })
            }
        }
    }

    /// Removes attachments that no conversation and no draft has named for [`GRACE_MS`]: until then a deletion may be
    /// undone, or another tab may be about to name them. An earlier sweep must have found them loose. Gives how many
    /// went; `now` in milliseconds.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn sweep_attachments(&self, now: u64) -> Result<usize, StoreError> {
        let mut named: BTreeSet<String> = BTreeSet::new();
        for summary in self.list().await? {
            named.extend(summary.attachments.iter().map(AttachmentKey::to_string));
        }
        for (key, value) in self.backend.all(Table::Drafts).await? {
            let draft: Draft = read_json(&key, value)?;
            named.extend(draft.attachments.iter().map(|attachment| attachment.key.to_string()));
        }
        let kept = self.backend.keys(Table::Attachments).await?;
        let before: BTreeMap<String, u64> = self.setting(LOOSE).await?.unwrap_or_default();
        let mut loose = BTreeMap::new();
        let mut writes = Vec::new();
        for key in kept.into_iter().filter(|key| !named.contains(key)) {
            let since = before.get(&key).copied().unwrap_or(now);
            if now.saturating_sub(since) >= GRACE_MS {
                writes.push(Write::Remove(Table::Attachments, key));
            } else {
                loose.insert(key, since);
            }
        }
        let count = writes.len();
        if loose != before {
            writes.push(Write::Put(Table::Settings, LOOSE.to_owned(), write_json(LOOSE, &loose)?));
        }
        if !writes.is_empty() {
            self.backend.commit(writes).await?;
        }
        Ok(count)
    }

    /// What was typed and not sent in a conversation, or in the one that is not begun yet (none).
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn draft(&self, of: Option<ConversationId>) -> Result<Draft, StoreError> {
        let key = draft_key(of);
        let value = self.backend.get(Table::Drafts, &key).await?;
        value.map_or_else(|| Ok(Draft::default()), |value| read_json(&key, value))
    }

    /// Keeps what was typed and not sent. An empty draft is forgotten.
    ///
    /// # Errors
    /// When the storage is full or fails.
    pub async fn set_draft(&self, of: Option<ConversationId>, draft: &Draft) -> Result<(), StoreError> {
        let key = draft_key(of);
        let write = if draft.is_empty() {
            Write::Remove(Table::Drafts, key)
        } else {
            let json = write_json(&key, draft)?;
            Write::Put(Table::Drafts, key, json)
        };
        self.backend.commit(vec![write]).await
    }

    /// A setting; none when it was never set. One of another shape (from another version) counts as never set.
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

    async fn summarize(&self, key: &str) -> Result<Option<Summary>, StoreError> {
        let Ok(id) = key.parse() else { return Ok(None) };
        match self.load(id).await {
            Ok(conversation) => Ok(conversation.as_ref().map(Summary::of)),
            Err(StoreError::Broken { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn draft_key(of: Option<ConversationId>) -> String {
    of.map_or_else(|| "new".to_owned(), |id| id.to_string())
}

fn conversation_writes(conversation: &Conversation, summary: &Summary) -> Result<[Write; 2], StoreError> {
    let key = conversation.id.to_string();
    Ok([
        Write::Put(Table::Conversations, key.clone(), write_json(&key, conversation)?),
        Write::Put(Table::Summaries, key.clone(), write_json(&key, summary)?),
    ])
}

fn read_json<T: DeserializeOwned>(key: &str, value: Value) -> Result<T, StoreError> {
    let broken = |reason: String| StoreError::Broken { key: key.to_owned(), reason };
    match value {
        Value::Text(text) => serde_json::from_str(&text).map_err(|error| broken(error.to_string())),
        Value::Bytes(_) => Err(broken("it is bytes, not text".to_owned())),
    }
}

fn write_json<T: Serialize>(key: &str, value: &T) -> Result<Value, StoreError> {
    let broken =
        |error: serde_json::Error| StoreError::Broken { key: key.to_owned(), reason: error.to_string() };
    serde_json::to_string(value).map(Value::Text).map_err(broken)
}
