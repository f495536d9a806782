//! What the user has made and named, in the store: folders, presets, prompts.

use std::fmt::Display;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::record::write_json;
use super::records::{StoreError, Table, Value, Write};
use super::store::read_json;
use super::{Change, Folder, FolderId, HistoryStore, Preset, PresetFile, PresetId, Prompt, PromptId};

/// Something that the user has made and named.
pub trait Named: Serialize + DeserializeOwned {
    /// What its keys begin with in [`Table::Named`].
    const KIND: &'static str;
    /// What tells one from another.
    type Id: Copy + Ord + Display;

    /// Its id.
    fn id(&self) -> Self::Id;

    /// Its name.
    fn name(&self) -> &str;
}

impl Named for Folder {
    const KIND: &'static str = "folder-";
    type Id = FolderId;

    fn id(&self) -> FolderId {
        self.id
    }

    fn name(&self) -> &str {
        &self.name
    }
}

impl Named for Preset {
    const KIND: &'static str = "preset-";
    type Id = PresetId;

    fn id(&self) -> PresetId {
        self.id
    }

    fn name(&self) -> &str {
        &self.name
    }
}

impl Named for Prompt {
    const KIND: &'static str = "prompt-";
    type Id = PromptId;

    fn id(&self) -> PromptId {
        self.id
    }

    fn name(&self) -> &str {
        &self.name
    }
}

impl HistoryStore {
    /// All of a kind, by name. One that cannot be read is left out, and stays as it is.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn named<T: Named>(&self) -> Result<Vec<T>, StoreError> {
        let records = self.backend.all(Table::Named).await?;
        let of_kind = records.into_iter().filter(|(key, _)| key.starts_with(T::KIND));
        let mut all: Vec<T> = of_kind.filter_map(|(key, value)| read_json(&key, value).ok()).collect();
        all.sort_by_cached_key(|it| (it.name().to_lowercase(), it.id()));
        Ok(all)
    }

    /// Adds some, or puts them in the place of those with the same ids.
    ///
    /// # Errors
    /// When the storage is full or fails. Nothing was added then.
    pub async fn put_named<T: Named>(&self, all: &[T]) -> Result<(), StoreError> {
        let writes = all.iter().map(named_write).collect::<Result<_, _>>()?;
        self.backend.commit(writes).await?;
        self.channel.announce(&Change::Named);
        Ok(())
    }

    /// Adds what is in a file.
    ///
    /// # Errors
    /// When the storage is full or fails. Nothing was added then.
    pub async fn put_file(&self, file: &PresetFile) -> Result<(), StoreError> {
        let presets = file.presets.iter().map(named_write);
        let writes = presets.chain(file.prompts.iter().map(named_write)).collect::<Result<_, _>>()?;
        self.backend.commit(writes).await?;
        self.channel.announce(&Change::Named);
        Ok(())
    }

    /// Changes one as it is now. One that was deleted meanwhile stays deleted.
    ///
    /// # Errors
    /// When the storage is full or fails.
    pub async fn change_named<T: Named>(
        &self,
        id: T::Id,
        change: impl FnOnce(&mut T),
    ) -> Result<(), StoreError> {
        let key = key::<T>(id);
        let decide = |mut read: Vec<Option<Value>>| {
            let Some(value) = read.pop().flatten() else { return Ok((Vec::new(), ())) };
            let mut it: T = read_json(&key, value)?;
            change(&mut it);
            Ok((vec![named_write(&it)?], ()))
        };
        self.backend.update(&[Table::Named], vec![(Table::Named, key.clone())], decide).await?;
        self.channel.announce(&Change::Named);
        Ok(())
    }

    /// Deletes one. Conversations that name it stay, and count as if they named none; [`Self::put_named`] brings it back.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn delete_named<T: Named>(&self, id: T::Id) -> Result<(), StoreError> {
        self.backend.commit(vec![Write::Remove(Table::Named, key::<T>(id))]).await?;
        self.channel.announce(&Change::Named);
        Ok(())
    }
}

fn key<T: Named>(id: T::Id) -> String {
    format!("{}{id}", T::KIND)
}

/// Writes one.
pub(super) fn named_write<T: Named>(it: &T) -> Result<Write, StoreError> {
    let key = key::<T>(it.id());
    let json = write_json(&key, it)?;
    Ok(Write::Put(Table::Named, key, json))
}
