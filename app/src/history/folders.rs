//! Moving conversations in the store.

use super::record::StoredConversation;
use super::records::{StoreError, Table, Value};
use super::store::conversation_writes;
use super::{Change, ConversationId, Filing, HistoryStore};

/// Conversations that are changed in one transaction, so that the page stays responsive.
const AT_ONCE: usize = 50;

impl HistoryStore {
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
