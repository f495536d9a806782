//! Bytes of attachments, and when they go.

use std::collections::{BTreeMap, BTreeSet};

use super::record::write_json;
use super::records::{Table, Value, Write};
use super::store::read_json;
use super::{AttachmentKey, Draft, HistoryStore, OpenedAdapter, StoreError};

/// How long an attachment stays when nothing names it any more, in milliseconds.
pub const GRACE_MS: u64 = 600_000;

/// The setting that holds since when attachments are loose, by their keys.
const LOOSE: &str = "loose-attachments";

impl HistoryStore {
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

    /// The bytes of an attachment; `None` if they are gone.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn attachment(&self, key: AttachmentKey) -> Result<Option<Vec<u8>>, StoreError> {
        match self.backend.get(Table::Attachments, &key.to_string()).await? {
            None => Ok(None),
            Some(Value::Bytes(bytes)) => Ok(Some(bytes)),
            Some(Value::Text(_)) => {
                Err(StoreError::Broken { key: key.to_string(), reason: "not bytes".to_owned() })
            }
        }
    }

    /// Removes attachments that no conversation, no draft and no open adapter has named for [`GRACE_MS`]: until then a deletion may be
    /// undone, or another tab may be about to name them. An earlier sweep must have found them loose. Nothing goes while
    /// a conversation or a draft cannot be read, since nobody knows what it names. Returns how many went; `now` in
    /// milliseconds.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn sweep_attachments(&self, now: u64) -> Result<usize, StoreError> {
        let Some(named) = self.named_attachments().await? else { return Ok(0) };
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

    /// Keys of all attachments that something names; `None` if something cannot be read.
    async fn named_attachments(&self) -> Result<Option<BTreeSet<String>>, StoreError> {
        let mut named = BTreeSet::new();
        let summaries = self.list().await?;
        if self.backend.keys(Table::Conversations).await?.len() > summaries.len() {
            // There is one under a key that is no id.
            return Ok(None);
        }
        for summary in summaries {
            if summary.unreadable {
                return Ok(None);
            }
            named.extend(summary.attachments.iter().map(AttachmentKey::to_string));
        }
        for (key, value) in self.backend.all(Table::Drafts).await? {
            let Ok(draft) = read_json::<Draft>(&key, value) else { return Ok(None) };
            named.extend(draft.attachments.iter().map(|attachment| attachment.key.to_string()));
        }
        let adapters = self.opened_adapters().await?;
        named.extend(adapters.iter().flat_map(OpenedAdapter::attachments).map(|key| key.to_string()));
        Ok(Some(named))
    }
}
