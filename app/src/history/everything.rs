//! Deleting everything.

use std::collections::BTreeSet;

use super::records::{StoreError, Table, Write};
use super::{Change, HistoryStore, OpenedAdapter};

impl HistoryStore {
    /// Deletes all conversations, folders, presets, prompts and drafts for good, with what is attached to them. Settings and open adapters stay.
    ///
    /// # Errors
    /// When the browser's storage fails. Nothing was deleted then.
    pub async fn delete_all(&self) -> Result<(), StoreError> {
        let adapters = self.opened_adapters().await?;
        let kept: BTreeSet<_> =
            adapters.iter().flat_map(OpenedAdapter::attachments).map(|key| key.to_string()).collect();
        let (mut writes, mut ids) = (Vec::new(), Vec::new());
        for table in [Table::Conversations, Table::Summaries, Table::Drafts, Table::Attachments, Table::Named]
        {
            for key in self.backend.keys(table).await? {
                let stays = table == Table::Attachments && kept.contains(&key);
                if let (Table::Conversations, Ok(id)) = (table, key.parse()) {
                    ids.push(id);
                }
                if !stays {
                    writes.push(Write::Remove(table, key));
                }
            }
        }
        self.backend.commit(writes).await?;
        self.channel.announce(&Change::Deleted { ids });
        self.channel.announce(&Change::Named);
        Ok(())
    }
}
