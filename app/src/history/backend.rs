//! Where records lie: IndexedDB, or memory. Nothing here knows what a record means.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::StoreError;
#[cfg(target_arch = "wasm32")]
use super::indexed_db::Database;

/// A table of records, each under a key that is text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Table {
    /// Conversation id → the conversation, as JSON.
    Conversations,
    /// Conversation id → its [`super::Summary`], as JSON: the list need not read every message.
    Summaries,
    /// Attachment key → bytes.
    Attachments,
    /// Conversation id, or `new` → what was typed and not sent, as JSON.
    Drafts,
    /// Name → any JSON.
    Settings,
}

impl Table {
    /// All of them.
    #[cfg(target_arch = "wasm32")]
    pub(super) const ALL: [Self; 5] =
        [Self::Conversations, Self::Summaries, Self::Attachments, Self::Drafts, Self::Settings];

    /// The name of its object store.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Conversations => "conversations",
            Self::Summaries => "summaries",
            Self::Attachments => "attachments",
            Self::Drafts => "drafts",
            Self::Settings => "settings",
        }
    }
}

/// The content of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// JSON, in all tables but that of attachments.
    Text(String),
    /// Bytes of an attachment.
    Bytes(Vec<u8>),
}

/// A change of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Write {
    /// Adds it or replaces it.
    Put(Table, String, Value),
    /// Removes it, if it is there.
    Remove(Table, String),
}

/// Where records lie.
#[derive(Clone)]
pub(super) enum Backend {
    /// In memory, until the page goes away.
    Memory(Memory),
    /// In this browser's IndexedDB.
    #[cfg(target_arch = "wasm32")]
    Browser(Database),
}

impl Backend {
    /// One record.
    pub(super) async fn get(&self, table: Table, key: &str) -> Result<Option<Value>, StoreError> {
        match self {
            Self::Memory(memory) => Ok(memory.with(|records| records.get(&(table, key.to_owned())).cloned())),
            #[cfg(target_arch = "wasm32")]
            Self::Browser(database) => database.get(table, key).await,
        }
    }

    /// All records of a table, by key.
    pub(super) async fn all(&self, table: Table) -> Result<Vec<(String, Value)>, StoreError> {
        match self {
            Self::Memory(memory) => Ok(memory.with(|records| {
                let own = records.iter().filter(|((of, _), _)| *of == table);
                own.map(|((_, key), value)| (key.clone(), value.clone())).collect()
            })),
            #[cfg(target_arch = "wasm32")]
            Self::Browser(database) => database.all(table).await,
        }
    }

    /// All keys of a table.
    pub(super) async fn keys(&self, table: Table) -> Result<Vec<String>, StoreError> {
        match self {
            Self::Memory(memory) => Ok(memory.with(|records| {
                records.keys().filter(|(of, _)| *of == table).map(|(_, key)| key.clone()).collect()
            })),
            #[cfg(target_arch = "wasm32")]
            Self::Browser(database) => database.keys(table).await,
        }
    }

    /// Makes all changes, or none.
    pub(super) async fn commit(&self, writes: Vec<Write>) -> Result<(), StoreError> {
        match self {
            Self::Memory(memory) => memory.commit(writes),
            #[cfg(target_arch = "wasm32")]
            Self::Browser(database) => database.commit(writes).await,
        }
    }
}

type Records = BTreeMap<(Table, String), Value>;

/// Records in memory. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Memory {
    records: Arc<Mutex<Records>>,
    /// Most bytes in all, to rehearse full storage.
    limit: Option<usize>,
}

impl Memory {
    /// Holds at most this many bytes.
    #[cfg(test)]
    pub(super) fn limited(limit: usize) -> Self {
        Self { records: Arc::default(), limit: Some(limit) }
    }

    fn with<T>(&self, read: impl FnOnce(&Records) -> T) -> T {
        // A panic elsewhere cannot leave the map half changed: it is replaced whole.
        read(&self.records.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn commit(&self, writes: Vec<Write>) -> Result<(), StoreError> {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(limit) = self.limit {
            let mut after = records.clone();
            apply(&mut after, writes);
            let size = |value: &Value| match value {
                Value::Text(text) => text.len(),
                Value::Bytes(bytes) => bytes.len(),
            };
            if after.values().map(size).sum::<usize>() > limit {
                return Err(StoreError::Full);
            }
            *records = after;
        } else {
            apply(&mut records, writes);
        }
        Ok(())
    }
}

fn apply(records: &mut Records, writes: Vec<Write>) {
    for write in writes {
        match write {
            Write::Put(table, key, value) => records.insert((table, key), value),
            Write::Remove(table, key) => records.remove(&(table, key)),
        };
    }
}
