//! Export and import.

use std::collections::{BTreeMap, BTreeSet};

use super::archive::ArchiveWriter;
use super::named::named_write;
use super::record::StoredConversation;
use super::records::{Table, Value, Write};
use super::store::conversation_writes;
use super::{
    Archive, Change, Conversation, ConversationId, Folder, HistoryStore, ImportError, Named, Options, Preset,
    Prompt, SkippedCounts, StoreError,
};

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Conversations added.
    pub added: Vec<ConversationId>,
    /// Conversations that were here already and have got something new.
    pub merged: Vec<ConversationId>,
    /// How many were here already, with all that the file has of them.
    pub known: usize,
    /// Attachments added.
    pub attachments: usize,
    /// Attachments that conversations name and the file lacks.
    pub missing_attachments: usize,
    /// What was left out of a file of another program.
    pub skipped: SkippedCounts,
}

impl HistoryStore {
    /// Writes conversations with their folders and presets as the JSON of an [`Archive`], piece by piece; of all conversations,
    /// all folders, presets and prompts. Of one that `live` gives, that is written and not what is stored. Returns how many could
    /// not be read and were left out.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn export(
        &self,
        ids: &[ConversationId],
        live: impl Fn(ConversationId) -> Option<Conversation>,
        take: impl FnMut(String),
    ) -> Result<usize, StoreError> {
        let mut writer = ArchiveWriter::new(super::now(), take);
        let (mut named, mut unreadable) = (BTreeSet::new(), 0);
        let (mut in_folders, mut with_presets) = (BTreeSet::new(), BTreeSet::new());
        let whole = ids.len() >= self.backend.keys(Table::Conversations).await?.len();
        for &id in ids {
            let conversation = match live(id) {
                Some(conversation) => conversation,
                None => match self.load(id).await {
                    Ok(Some(stored)) => stored.conversation,
                    Ok(None) => continue,
                    Err(StoreError::Broken { .. } | StoreError::Newer { .. }) => {
                        unreadable += 1;
                        continue;
                    }
                    Err(error) => return Err(error),
                },
            };
            named.extend(conversation.attachment_keys());
            in_folders.extend(conversation.filing.folder);
            with_presets.extend(conversation.preset);
            writer.conversation(&conversation);
        }
        let mut folders = self.named::<Folder>().await?;
        folders.retain(|folder| whole || in_folders.contains(&folder.id));
        let mut presets = self.named::<Preset>().await?;
        presets.retain(|preset| whole || with_presets.contains(&preset.id));
        let prompts = if whole { self.named::<Prompt>().await? } else { Vec::new() };
        writer.named(&folders, &presets, &prompts);
        for key in named {
            if let Some(bytes) = self.attachment(key).await? {
                writer.attachment(key, &bytes);
            }
        }
        writer.end();
        Ok(unreadable)
    }

    /// Adds what an [`Archive`] or an export of another program holds: all of it, or nothing. A conversation that is here already
    /// gets what it lacks; a folder, preset or prompt that is here stays as it is.
    ///
    /// # Errors
    /// When the text is no such archive, with the place of the fault, or when the storage is full or fails.
    pub async fn import(&self, json: &[u8]) -> Result<ImportReport, ImportError> {
        let Archive { conversations, folders, presets, prompts, mut attachments, skipped, .. } =
            Archive::from_json(json)?;
        let held: BTreeSet<String> = self.backend.keys(Table::Attachments).await?.into_iter().collect();
        let places = conversations.iter().map(|it| (Table::Conversations, it.id.to_string())).collect();
        let mut new_named = self.missing_writes(&folders).await?;
        new_named.extend(self.missing_writes(&presets).await?);
        new_named.extend(self.missing_writes(&prompts).await?);
        let tables = [Table::Conversations, Table::Summaries, Table::Attachments, Table::Named];
        let decide = |there: Vec<Option<Value>>| {
            let mut report = ImportReport { skipped, ..ImportReport::default() };
            let mut named = BTreeSet::new();
            // What each becomes; the file may have one twice.
            let mut joined_by_id: BTreeMap<ConversationId, Conversation> = BTreeMap::new();
            for (imported, value) in conversations.into_iter().zip(there) {
                let mut imported = imported;
                named.extend(imported.attachment_keys());
                let key = imported.id.to_string();
                let here = match (joined_by_id.get(&imported.id), value) {
                    (Some(before), _) => Some(Ok(before.clone())),
                    (None, Some(value)) => {
                        Some(StoredConversation::read(&key, value).map(|it| it.conversation))
                    }
                    (None, None) => None,
                };
                let joined =
                    here.map(|here| here.ok().and_then(|here| Some((join(&here, &imported)?, here))));
                match joined {
                    Some(Some((joined, here))) if joined == here => report.known += 1,
                    Some(Some((joined, _))) => {
                        report.merged.push(joined.id);
                        joined_by_id.insert(joined.id, joined);
                    }
                    None => {
                        report.added.push(imported.id);
                        joined_by_id.insert(imported.id, imported);
                    }
                    // What is here under this name is another conversation, or cannot be read: it stays as it is.
                    Some(None) => {
                        imported.id = ConversationId::random();
                        report.added.push(imported.id);
                        joined_by_id.insert(imported.id, imported);
                    }
                }
            }
            let mut writes = new_named;
            for conversation in joined_by_id.into_values() {
                writes.extend(conversation_writes(&StoredConversation::next(conversation))?);
            }
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
            Ok((writes, report))
        };
        let report = self.backend.update(&tables, places, decide).await?;
        self.channel.announce(&Change::Imported);
        Ok(report)
    }

    /// Writes those that are not here.
    async fn missing_writes<T: Named>(&self, all: &[T]) -> Result<Vec<Write>, StoreError> {
        let here: BTreeSet<_> = self.named::<T>().await?.iter().map(Named::id).collect();
        all.iter().filter(|it| !here.contains(&it.id())).map(named_write).collect()
    }
}

/// What is here with what a file has of the same conversation; the later one decides where they differ. None where they are
/// two conversations. What is on screen, and when it was last changed, stays.
fn join(here: &Conversation, imported: &Conversation) -> Option<Conversation> {
    let blank = Conversation::new(here.id, Options::default(), 0);
    let (first, second) = if imported.updated > here.updated { (imported, here) } else { (here, imported) };
    let joined = Conversation::merge(&blank, first, second).ok()?;
    Some(joined)
}
