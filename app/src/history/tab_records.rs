//! What each tab keeps for itself, such as a draft: a record for each tab under one name, so that no tab overwrites another's.
//! What a closed tab has left is taken over by the next one that asks for the name.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::record::write_json;
use super::records::{Table, Write};
use super::store::read_json;
use super::{ConversationId, Draft, HistoryStore, StoreError};

/// Stands between a name and a tab in a key. A key without it is of an older page, and of no tab.
const MARK: char = '#';

/// A record of a tab's.
#[derive(Serialize, Deserialize)]
struct TabRecord<T> {
    /// When it was kept, in milliseconds since 1970.
    #[serde(default)]
    kept: u64,
    #[serde(flatten)]
    what: T,
}

impl HistoryStore {
    /// What was typed and not sent in a conversation, or in the one that is not begun yet (none): by this tab, or by one that
    /// is closed. `open` gives the tabs that are open.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn draft(
        &self,
        of: Option<ConversationId>,
        tab: &str,
        open: impl AsyncFnOnce() -> BTreeSet<String>,
    ) -> Result<Draft, StoreError> {
        Ok(self.take(Table::Drafts, &draft_name(of), tab, open).await?.unwrap_or_default())
    }

    /// Keeps what was typed in this tab and not sent. An empty draft is forgotten.
    ///
    /// # Errors
    /// When the storage is full or fails.
    pub async fn set_draft(
        &self,
        of: Option<ConversationId>,
        tab: &str,
        draft: &Draft,
        now: u64,
    ) -> Result<(), StoreError> {
        let key = record_key(&draft_name(of), tab);
        let write = if draft.is_empty() {
            Write::Remove(Table::Drafts, key)
        } else {
            put(Table::Drafts, key, &TabRecord { kept: now, what: draft })?
        };
        self.backend.commit(vec![write]).await
    }

    /// Changes what was typed in this tab and not sent.
    ///
    /// # Errors
    /// When the storage is full or fails.
    pub async fn change_draft(
        &self,
        of: Option<ConversationId>,
        tab: &str,
        now: u64,
        change: impl FnOnce(&mut Draft),
    ) -> Result<(), StoreError> {
        let key = record_key(&draft_name(of), tab);
        let decide = |mut read: Vec<_>| {
            let there =
                read.pop().flatten().map(|value| read_json::<TabRecord<Draft>>(&key, value)).transpose()?;
            let mut what = there.map(|record| record.what).unwrap_or_default();
            change(&mut what);
            Ok((vec![put(Table::Drafts, key.clone(), &TabRecord { kept: now, what })?], ()))
        };
        self.backend.update(&[Table::Drafts], vec![(Table::Drafts, key.clone())], decide).await
    }

    /// The keys of the drafts of conversations, of all tabs.
    pub(super) async fn draft_keys(&self, of: &[ConversationId]) -> Result<Vec<String>, StoreError> {
        let names: BTreeSet<_> = of.iter().map(|&id| draft_name(Some(id))).collect();
        let mut keys = self.backend.keys(Table::Drafts).await?;
        keys.retain(|key| names.contains(record_name(key)));
        Ok(keys)
    }

    /// As [`Self::setting`], but of this tab, or of one that is closed: see [`Self::draft`].
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn tab_setting<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        tab: &str,
        open: impl AsyncFnOnce() -> BTreeSet<String>,
    ) -> Result<Option<T>, StoreError> {
        match self.take(Table::Settings, name, tab, open).await {
            // It is of another version.
            Err(StoreError::Broken { .. }) => Ok(None),
            other => other,
        }
    }

    /// Keeps a setting of this tab; none forgets it.
    ///
    /// # Errors
    /// When the storage is full or fails, or the value has no form in JSON.
    pub async fn set_tab_setting<T: Serialize>(
        &self,
        name: &str,
        tab: &str,
        value: Option<&T>,
        now: u64,
    ) -> Result<(), StoreError> {
        let key = record_key(name, tab);
        let write = match value {
            Some(what) => put(Table::Settings, key, &TabRecord { kept: now, what })?,
            None => Write::Remove(Table::Settings, key),
        };
        self.backend.commit(vec![write]).await
    }

    /// What a tab keeps under a name; if nothing, the latest that a closed one has left there, which it then keeps.
    async fn take<T: Serialize + DeserializeOwned>(
        &self,
        table: Table,
        name: &str,
        tab: &str,
        open: impl AsyncFnOnce() -> BTreeSet<String>,
    ) -> Result<Option<T>, StoreError> {
        let key = record_key(name, tab);
        if let Some(value) = self.backend.get(table, &key).await? {
            return Ok(Some(read_json::<TabRecord<T>>(&key, value)?.what));
        }
        let mut left = self.record_keys(table, name).await?;
        if left.is_empty() {
            return Ok(None);
        }
        // Asked after the keys were read: a tab is open before it keeps anything.
        let open = open().await;
        left.retain(|key| key.split_once(MARK).is_none_or(|(_, tab)| !open.contains(tab)));
        let places: Vec<_> = left.iter().map(|key| (table, key.clone())).collect();
        let decide = |read: Vec<_>| {
            // Another tab may have taken one meanwhile. One that cannot be read stays where it is.
            let there = left.iter().zip(read).filter_map(|(from, value)| {
                let record = read_json::<TabRecord<T>>(from, value?).ok()?;
                Some((from, record))
            });
            let Some((from, record)) = there.max_by_key(|(_, record)| record.kept) else {
                return Ok((Vec::new(), None));
            };
            let writes = vec![Write::Remove(table, from.clone()), put(table, key.clone(), &record)?];
            Ok((writes, Some(record.what)))
        };
        self.backend.update(&[table], places, decide).await
    }

    /// The keys of what all tabs keep under a name.
    async fn record_keys(&self, table: Table, name: &str) -> Result<Vec<String>, StoreError> {
        let mut keys = self.backend.keys(table).await?;
        keys.retain(|key| record_name(key) == name);
        Ok(keys)
    }
}

/// The name in a key.
fn record_name(key: &str) -> &str {
    key.split_once(MARK).map_or(key, |(name, _)| name)
}

fn draft_name(of: Option<ConversationId>) -> String {
    of.map_or_else(|| "new".to_owned(), |id| id.to_string())
}

fn record_key(name: &str, tab: &str) -> String {
    format!("{name}{MARK}{tab}")
}

fn put<T: Serialize>(table: Table, key: String, record: &TabRecord<T>) -> Result<Write, StoreError> {
    let json = write_json(&key, record)?;
    Ok(Write::Put(table, key, json))
}
