//! Models that the user has opened from files on this computer, remembered over visits.

use std::collections::HashMap;

use leptos::{prelude::*, task::spawn_local};
use send_wrapper::SendWrapper;

use super::library::{self, Library};
use super::models::ModelId;
use crate::failures::PickedTrouble;
use crate::file_handles::{self, HandleError, OpenFile};
use crate::history::{self, PickedFile, PickedModel, PickedModels, Subscription};

/// The models that are remembered. Nothing where the browser has no handles of files.
#[derive(Clone, Copy)]
pub struct PickedStore {
    /// All of them, the one opened last first.
    pub list: RwSignal<Vec<PickedModel>>,
    /// Why some of them were not opened, by their ids.
    pub troubles: RwSignal<HashMap<String, PickedTrouble>>,
    library: Library,
    store: StoredValue<Option<PickedModels>>,
    subscription: StoredValue<Option<Subscription>>,
}

impl PickedStore {
    /// Nothing is known yet.
    #[must_use]
    pub fn new(library: Library) -> Self {
        Self {
            list: RwSignal::new(Vec::new()),
            troubles: RwSignal::new(HashMap::new()),
            library,
            store: StoredValue::new(None),
            subscription: StoredValue::new(None),
        }
    }

    /// Reads what is remembered, now and whenever another tab has changed it. Called once, in the browser.
    pub async fn open(self) {
        if !file_handles::are_there() {
            return;
        }
        // Where there is no storage, the library says so.
        let Ok(store) = PickedModels::open(library::name()).await else { return };
        let subscription = store.on_change(move || spawn_local(self.read()));
        self.subscription.set_value(Some(subscription));
        self.store.set_value(Some(store));
        self.read().await;
    }

    async fn read(self) {
        let Some(store) = self.store.get_value() else { return };
        if let Some(list) = self.library.report(store.list().await) {
            self.list.set(list);
        }
    }

    /// Remembers a model that was opened from these files, if the browser has a handle for each.
    pub(super) async fn keep(self, id: &ModelId, opened: &[OpenFile]) {
        let Some(store) = self.store.get_value() else { return };
        let (mut files, mut handles) = (Vec::new(), Vec::new());
        for it in opened {
            let Some(handle) = it.handle().await else { return };
            files.push(stamp(&it.file));
            handles.push(handle);
        }
        let Some(first) = handles.first().cloned() else { return };
        let handles = SendWrapper::new(handles);
        let model = PickedModel { id: id.0.clone(), files, opened: history::now(), handles };
        if self.library.report(store.keep(&model).await).is_none() {
            return;
        }
        // The same file may be remembered as it was before it changed.
        for before in self.list.get_untracked() {
            let is_other = before.id != model.id && before.files.len() == model.files.len();
            let handle = before.handles.first().filter(|_| is_other);
            if let Some(handle) = handle
                && file_handles::are_same(handle, &first).await
            {
                self.library.report(store.forget(&before.id).await);
            }
        }
        self.note(&model.id, None);
        self.read().await;
    }

    /// Reads the files of a model that is remembered. One that has changed is read only if the user knows it. Must be
    /// called on a press of a button.
    ///
    /// # Errors
    /// What is wrong, which [`Self::troubles`] then has as well.
    pub async fn files(self, model: &PickedModel) -> Result<Vec<OpenFile>, PickedTrouble> {
        let is_warned = self
            .troubles
            .with_untracked(|all| matches!(all.get(&model.id), Some(PickedTrouble::Changed { .. })));
        let opened = file_handles::open(&model.handles).await.map_err(|(at, error)| {
            let name = model.files.get(at).map(|file| file.name.clone()).unwrap_or_default();
            match error {
                HandleError::NotAllowed => PickedTrouble::NotAllowed { name },
                HandleError::Gone => PickedTrouble::Gone { name },
                HandleError::Unreadable => PickedTrouble::Unreadable { name },
            }
        });
        let unchanged = opened.and_then(|opened| {
            let mut pairs = model.files.iter().zip(&opened);
            match pairs.find(|(before, now)| **before != stamp(&now.file)) {
                Some((before, _)) if !is_warned => Err(PickedTrouble::Changed { name: before.name.clone() }),
                _ => Ok(opened),
            }
        });
        self.note(&model.id, unchanged.as_ref().err().cloned());
        unchanged
    }

    /// Forgets a model. Its files stay where they are.
    pub async fn forget(self, id: String) {
        let Some(store) = self.store.get_value() else { return };
        self.library.report(store.forget(&id).await);
        self.note(&id, None);
        self.read().await;
    }

    fn note(self, id: &str, trouble: Option<PickedTrouble>) {
        self.troubles.update(|all| {
            match trouble {
                Some(trouble) => all.insert(id.to_owned(), trouble),
                None => all.remove(id),
            };
        });
    }
}

/// A file as it is now.
fn stamp(file: &web_sys::File) -> PickedFile {
    PickedFile { name: file.name(), size: file.size() as u64, modified: file.last_modified() }
}
