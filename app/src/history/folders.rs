//! Folders in the store, and moving conversations.

use super::record::{StoredConversation, write_json};
use super::records::{StoreError, Table, Value, Write};
use super::store::{conversation_writes, read_json};
use super::{Change, ConversationId, Filing, Folder, FolderId, HistoryStore};

/// Conversations that are changed in one transaction, so that the page stays responsive.
const AT_ONCE: usize = 50;

/// What the key of a folder begins with in [`Table::Named`].
pub(super) const FOLDER: &str = "folder-";

impl HistoryStore {
    /// All folders, by name. One that cannot be read is left out, and stays as it is.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn folders(&self) -> Result<Vec<Folder>, StoreError> {
        let records = self.backend.all(Table::Named).await?;
        let folders = records.into_iter().filter(|(key, _)| key.starts_with(FOLDER));
        let mut folders: Vec<Folder> =
            folders.filter_map(|(key, value)| read_json(&key, value).ok()).collect();
        folders.sort_by_cached_key(|folder| (folder.name.to_lowercase(), folder.id));
        Ok(folders)
    }

    /// Adds a folder.
    ///
    /// # Errors
    /// When the storage is full or fails.
    pub async fn add_folder(&self, folder: &Folder) -> Result<(), StoreError> {
        self.backend.commit(vec![folder_write(folder)?]).await?;
        self.channel.announce(&Change::Folders);
        Ok(())
    }

    /// Changes a folder as it is now. One that was deleted meanwhile stays deleted.
    ///
    /// # Errors
    /// When the storage is full or fails.
    pub async fn change_folder(
        &self,
        id: FolderId,
        change: impl FnOnce(&mut Folder),
    ) -> Result<(), StoreError> {
        let key = folder_key(id);
        let decide = |mut read: Vec<Option<Value>>| {
            let Some(value) = read.pop().flatten() else { return Ok((Vec::new(), ())) };
            let mut folder: Folder = read_json(&key, value)?;
            change(&mut folder);
            Ok((vec![folder_write(&folder)?], ()))
        };
        self.backend.update(&[Table::Named], vec![(Table::Named, key.clone())], decide).await?;
        self.channel.announce(&Change::Folders);
        Ok(())
    }

    /// Deletes a folder. Its conversations stay, in no folder; [`Self::add_folder`] brings it back with them.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn delete_folder(&self, id: FolderId) -> Result<(), StoreError> {
        self.backend.commit(vec![Write::Remove(Table::Named, folder_key(id))]).await?;
        self.channel.announce(&Change::Folders);
        Ok(())
    }

    /// Changes where conversations are in the list. Those that cannot be read, or were deleted, stay as they are.
    ///
    /// # Errors
    /// When the storage is full or fails.
    pub async fn file(
        &self,
        ids: &[ConversationId],
        change: impl Fn(ConversationId, &mut Filing),
    ) -> Result<(), StoreError> {
        for ids in ids.chunks(AT_ONCE) {
            let places = ids.iter().map(|id| (Table::Conversations, id.to_string())).collect();
            let decide = |read: Vec<Option<Value>>| {
                let mut writes = Vec::new();
                for (id, value) in ids.iter().zip(read) {
                    let stored =
                        value.and_then(|value| StoredConversation::read(&id.to_string(), value).ok());
                    let Some(StoredConversation { mut conversation, .. }) = stored else { continue };
                    let before = conversation.filing;
                    change(*id, &mut conversation.filing);
                    if conversation.filing != before {
                        writes.extend(conversation_writes(&StoredConversation::next(conversation))?);
                    }
                }
                Ok((writes, ()))
            };
            self.backend.update(&[Table::Conversations, Table::Summaries], places, decide).await?;
            for &id in ids {
                self.channel.announce(&Change::Saved { id });
            }
        }
        Ok(())
    }
}

fn folder_key(id: FolderId) -> String {
    format!("{FOLDER}{id}")
}

/// Writes a folder.
pub(super) fn folder_write(folder: &Folder) -> Result<Write, StoreError> {
    let key = folder_key(folder.id);
    let json = write_json(&key, folder)?;
    Ok(Write::Put(Table::Named, key, json))
}
