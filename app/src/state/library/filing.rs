//! Folders, and where conversations are in the list.

use leptos::prelude::*;

use super::Library;
use crate::history::{self, ConversationId, Filing, Folder, FolderId};

impl Library {
    /// Reads the folders.
    pub(super) async fn read_folders(self) {
        let Some(store) = self.store() else { return };
        if let Some(folders) = self.report(store.named::<Folder>().await)
            && self.folders.with_untracked(|before| *before != folders)
        {
            self.folders.set(folders);
        }
    }

    /// A folder; `None` if it does not exist. Tracks the folders.
    #[must_use]
    pub fn folder(self, id: FolderId) -> Option<Folder> {
        self.folders.with(|all| all.iter().find(|folder| folder.id == id).cloned())
    }

    /// Adds a folder, and returns its id; `None` if that failed, which [`Self::trouble`] then says.
    pub async fn add_folder(self, name: &str) -> Option<FolderId> {
        let folder = Folder::new(name, history::now());
        self.put_back_folder(&folder).await.then_some(folder.id)
    }

    /// Adds a folder that was deleted. Returns whether it was done.
    pub async fn put_back_folder(self, folder: &Folder) -> bool {
        let Some(store) = self.store() else { return false };
        let added = self.report(store.put_named(std::slice::from_ref(folder)).await).is_some();
        self.read_folders().await;
        added
    }

    /// Changes a folder.
    pub async fn change_folder(self, id: FolderId, change: impl FnOnce(&mut Folder)) {
        let Some(store) = self.store() else { return };
        self.report(store.change_named(id, change).await);
        self.read_folders().await;
    }

    /// Deletes a folder, and returns it as it was; its conversations stay. `None` if there was none, or that failed, which
    /// [`Self::trouble`] then says.
    pub async fn delete_folder(self, id: FolderId) -> Option<Folder> {
        let store = self.store()?;
        let folder = untrack(|| self.folder(id))?;
        self.report(store.delete_named::<Folder>(id).await)?;
        self.read_folders().await;
        Some(folder)
    }

    /// Changes where conversations are in the list.
    pub async fn file(self, ids: &[ConversationId], change: impl Fn(ConversationId, &mut Filing)) {
        let (held, others): (Vec<_>, Vec<_>) = ids.iter().partition(|id| self.at_hand(**id).is_some());
        for id in held {
            self.change(id, |conversation| change(id, &mut conversation.filing));
        }
        let Some(store) = self.store() else { return };
        if others.is_empty() || self.report(store.file(&others, &change).await).is_none() {
            return;
        }
        self.list.update(|list| {
            let others: std::collections::BTreeSet<_> = others.into_iter().collect();
            list.iter_mut()
                .filter(|summary| others.contains(&summary.id) && !summary.unreadable)
                .for_each(|summary| change(summary.id, &mut summary.filing));
        });
        self.search().await;
    }
}
