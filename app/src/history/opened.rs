//! Adapters that the user has opened for a model, to be opened again with it.

use serde::{Deserialize, Serialize};

use super::{AttachmentKey, HistoryStore, StoreError};

/// The setting that holds them.
const OPENED: &str = "opened-adapters";

/// An adapter that is open with a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenedAdapter {
    /// The model, by the name that the page has for it.
    pub model: String,
    /// What the page calls the adapter.
    pub key: String,
    /// Whether it counts.
    pub on: bool,
    /// How much it counts when it is on: 1 is as trained.
    pub scale: f32,
    /// Where its weights are.
    pub from: OpenedFrom,
}

/// Where the weights of an adapter are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum OpenedFrom {
    /// Trained in this browser, under this id.
    Kept(String),
    /// Files, by name, with their bytes among the attachments.
    Files(Vec<(String, AttachmentKey)>),
}

impl OpenedAdapter {
    /// The attachments that hold its files.
    pub(super) fn attachments(&self) -> impl Iterator<Item = AttachmentKey> {
        let files = match &self.from {
            OpenedFrom::Files(files) => files.as_slice(),
            OpenedFrom::Kept(_) => &[],
        };
        files.iter().map(|(_, key)| *key)
    }
}

impl HistoryStore {
    /// The adapters that are open with all models.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn opened_adapters(&self) -> Result<Vec<OpenedAdapter>, StoreError> {
        Ok(self.setting(OPENED).await?.unwrap_or_default())
    }

    /// Keeps which adapters are open with a model.
    ///
    /// # Errors
    /// When the storage is full or fails.
    pub async fn set_opened_adapters(
        &self,
        model: &str,
        opened: Vec<OpenedAdapter>,
    ) -> Result<(), StoreError> {
        let before = self.opened_adapters().await?;
        let mut all: Vec<_> = before.iter().filter(|it| it.model != model).cloned().collect();
        all.extend(opened);
        if all == before { Ok(()) } else { self.set_setting(OPENED, &all).await }
    }
}
