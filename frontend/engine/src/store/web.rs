//! The store of this origin in this browser.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};

use futures_util::FutureExt as _;
use js_sys::Reflect;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{FileSystemDirectoryHandle, StorageManager, WorkerGlobalScope};

use crate::bytes::{BlobSource, ByteSource, LocalSource};

use super::journal::Record;
use super::opfs::{OpfsMedium, OpfsSource, append_to_journal, file, journal_name, store_error};
use super::{CachingSource, Digest, Journal, Opened, ProvenSource, StoreError};

/// The folder of blobs in the origin's private file system.
const FOLDER: &str = "blobs";

/// Weights kept by this origin in this browser. Needs a worker.
pub struct Store {
    folder: FileSystemDirectoryHandle,
    storage: StorageManager,
    /// Blobs that this worker is writing: their journals are locked and behind what is true.
    writing: RefCell<HashMap<Digest, Weak<CachingSource>>>,
}

/// A blob that may be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// Its digest.
    pub digest: Digest,
    /// What it is called, for people.
    pub name: String,
}

/// A kept blob.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its digest.
    pub digest: Digest,
    /// What it is called, for people.
    pub name: String,
    /// Bytes in all.
    pub size: u64,
    /// Bytes that are here.
    pub present: u64,
    /// Whether all are here and their digest was found right.
    pub verified: bool,
    /// Last use, in milliseconds since 1970.
    pub last_used: f64,
}

/// Room of this origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Bytes used, by everything that the origin keeps. Browsers round.
    pub used: u64,
    /// Bytes that it may use.
    pub quota: u64,
    /// Whether the browser promised not to delete them by itself.
    pub persisted: bool,
}

impl Store {
    /// Opens the store.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] where there is no private file system.
    pub async fn open() -> Result<Self, StoreError> {
        let (root, storage) = private_root().await?;
        let options = web_sys::FileSystemGetDirectoryOptions::new();
        options.set_create(true);
        let folder = root
            .get_directory_handle_with_options(FOLDER, &options)
            .await
            .map_err(|error| store_error(&error))?
            .unchecked_into();
        let store = Self { folder, storage, writing: RefCell::default() };
        store.sweep().await;
        Ok(store)
    }

    /// Opens a blob: from this browser if it is here whole and proven, else from `upstream`, and kept on the way if
    /// `keep` says so. Never fails: where it cannot be kept, it comes from `upstream` and `trouble` says why.
    pub async fn blob(&self, blob: &Blob, upstream: Rc<dyn ByteSource>, keep: bool) -> Opened {
        if let Some((source, local)) = self.whole(blob, &upstream).await {
            return Opened { source, local: Some(local), keeping: None, trouble: None };
        }
        let plain = |trouble| Opened { source: upstream.clone(), local: None, keeping: None, trouble };
        if !keep {
            return plain(None);
        }
        match self.start_keeping(blob, upstream.clone()).await {
            Ok(source) => {
                Opened { source: source.clone(), local: None, keeping: Some(source), trouble: None }
            }
            Err(error) => plain(Some(error)),
        }
    }

    /// The blob from this browser, if it is here whole and proven: as a source that has `upstream` to fall back to, and as
    /// one that reads nothing but what is here.
    async fn whole(
        &self,
        blob: &Blob,
        upstream: &Rc<dyn ByteSource>,
    ) -> Option<(Rc<dyn ByteSource>, Rc<dyn LocalSource>)> {
        let size = upstream.len();
        let mut record = self.record(&blob.digest).await?;
        if !record.verified || record.size != size {
            return None;
        }
        let name = blob.digest.file_name();
        let local: Rc<dyn LocalSource> = match OpfsSource::open(&self.folder, &name).await {
            Ok(source) => Rc::new(source),
            // Locked by another tab: a `File` can be read beside it.
            Err(_) => Rc::new(BlobSource::new(self.snapshot(&name).await?)),
        };
        if local.len() < size {
            // The file lock must end before the journal is opened for the blob to be completed.
            let line = record.lose(&(local.len()..size));
            drop(local);
            append_to_journal(&self.folder, &name, &line).await.ok();
            return None;
        }
        self.touch(&blob.digest).await;
        let folder = self.folder.clone();
        let journal: Journal = Box::new(move |line| {
            let (folder, name) = (folder.clone(), name.clone());
            async move { append_to_journal(&folder, &name, &line).await.unwrap_or_default() }.boxed_local()
        });
        let proven =
            ProvenSource::new(Rc::clone(&local) as Rc<dyn ByteSource>, Rc::clone(upstream), record, journal);
        Some((Rc::new(proven), local))
    }

    async fn start_keeping(
        &self,
        blob: &Blob,
        upstream: Rc<dyn ByteSource>,
    ) -> Result<Rc<CachingSource>, StoreError> {
        let (medium, journal) = OpfsMedium::open(&self.folder, &blob.digest.file_name()).await?;
        let size = upstream.len();
        let mut record = Record::last_of(&journal)
            .filter(|record| record.size == size)
            .unwrap_or_else(|| Record::new(&blob.name, size));
        record.name.clone_from(&blob.name);
        record.last_used = js_sys::Date::now();

        let needed = size - record.present.count();
        let usage = self.usage().await;
        let available = usage.quota.saturating_sub(usage.used);
        if usage.quota > 0 && needed > available {
            return Err(StoreError::NoRoom { needed, available });
        }
        let source = Rc::new(CachingSource::new(blob.digest, record, upstream, Box::new(medium)));
        self.writing.borrow_mut().insert(blob.digest, Rc::downgrade(&source));
        Ok(source)
    }

    /// Everything kept, last used first.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub async fn list(&self) -> Result<Vec<Entry>, StoreError> {
        let mut entries = Vec::new();
        for name in self.names().await? {
            let Some(Ok(digest)) = name.strip_suffix(".json").map(str::parse::<Digest>) else { continue };
            let Some(record) = self.record(&digest).await else { continue };
            entries.push(Entry {
                digest,
                present: record.present.count(),
                name: record.name,
                size: record.size,
                verified: record.verified,
                last_used: record.last_used,
            });
        }
        entries.sort_by(|a, b| b.last_used.total_cmp(&a.last_used));
        Ok(entries)
    }

    /// Deletes a blob. One that is not there is deleted already.
    ///
    /// # Errors
    /// [`StoreError::InUse`] while it is open, here or in another tab.
    pub async fn delete(&self, digest: &Digest) -> Result<(), StoreError> {
        let name = digest.file_name();
        // The data first: should this be cut off between the two, the journal still names the blob.
        self.remove(&name).await?;
        self.remove(&journal_name(&name)).await
    }

    /// Notes that a blob was used. Does nothing where it is being written or another tab has it.
    pub async fn touch(&self, digest: &Digest) {
        let Some(mut record) = self.record(digest).await else { return };
        if self.live(digest).is_some() {
            return;
        }
        record.last_used = js_sys::Date::now();
        // Worth no message: it only orders a list.
        append_to_journal(&self.folder, &digest.file_name(), &record.line()).await.ok();
    }

    /// Room used and left. Zeros where the browser does not say.
    pub async fn usage(&self) -> Usage {
        let number = |object: &JsValue, key: &str| {
            Reflect::get(object, &key.into()).ok().and_then(|value| value.as_f64()).unwrap_or(0.0) as u64
        };
        let mut usage = Usage::default();
        if let Ok(promise) = self.storage.estimate()
            && let Ok(estimate) = promise.await
        {
            usage.used = number(&estimate, "usage");
            usage.quota = number(&estimate, "quota");
        }
        if let Ok(promise) = self.storage.persisted()
            && let Ok(persisted) = promise.await
        {
            usage.persisted = persisted.is_truthy();
        }
        usage
    }

    /// Asks the browser not to delete what is kept by itself. Returns whether it promised. (Browsers that ask the
    /// person do so for pages only, not for workers: call it there too.)
    pub async fn persist(&self) -> bool {
        match self.storage.persist() {
            Ok(promise) => promise.await.is_ok_and(|promised| promised.is_truthy()),
            Err(_) => false,
        }
    }

    /// The blob if this worker is writing it.
    fn live(&self, digest: &Digest) -> Option<Rc<CachingSource>> {
        self.writing.borrow().get(digest)?.upgrade()
    }

    /// What is known of a blob.
    async fn record(&self, digest: &Digest) -> Option<Record> {
        if let Some(source) = self.live(digest) {
            return Some(source.record());
        }
        let journal = self.snapshot(&journal_name(&digest.file_name())).await?;
        let text = journal.text().await.ok()?.as_string()?;
        Record::last_of(&text)
    }

    /// A file as it is now; needs no lock.
    async fn snapshot(&self, name: &str) -> Option<web_sys::Blob> {
        let handle = file(&self.folder, name, false).await.ok()?;
        Some(handle.get_file().await.ok()?.unchecked_into())
    }

    async fn names(&self) -> Result<Vec<String>, StoreError> {
        file_names(&self.folder).await
    }

    async fn remove(&self, name: &str) -> Result<(), StoreError> {
        remove_file(&self.folder, name).await
    }

    /// Deletes data that no journal speaks of: what a tab left that died early, or another version of this program.
    /// Files that another tab has open refuse to be deleted and stay.
    async fn sweep(&self) {
        let Ok(names) = self.names().await else { return };
        for name in names.iter().filter(|name| !name.ends_with(".json")) {
            let known = match name.parse::<Digest>() {
                Ok(digest) => self.record(&digest).await.is_some(),
                Err(_) => false,
            };
            if !known && self.remove(name).await.is_ok() {
                // An unreadable journal goes with its data.
                self.remove(&journal_name(name)).await.ok();
            }
        }
    }
}

/// The origin's private file system, and what tells its room.
pub(super) async fn private_root() -> Result<(FileSystemDirectoryHandle, StorageManager), StoreError> {
    let unavailable = |reason: &str| StoreError::Unavailable { reason: reason.to_owned() };
    let scope: WorkerGlobalScope =
        js_sys::global().dyn_into().map_err(|_| unavailable("this is no worker"))?;
    // Absent where the connection is not secure.
    let storage = Reflect::get(&scope.navigator(), &"storage".into())
        .ok()
        .and_then(|storage| storage.dyn_into::<StorageManager>().ok())
        .ok_or_else(|| unavailable("the connection is not secure"))?;
    if !Reflect::has(&storage, &"getDirectory".into()).unwrap_or(false) {
        return Err(unavailable("it has no private file system"));
    }
    let root = storage.get_directory().await.map_err(|error| store_error(&error))?;
    Ok((root.unchecked_into(), storage))
}

/// The names of a folder's files.
pub(super) async fn file_names(folder: &FileSystemDirectoryHandle) -> Result<Vec<String>, StoreError> {
    let mut names = Vec::new();
    let keys = folder.keys();
    loop {
        let next = keys.next().map_err(|error| store_error(&error))?;
        let next = next.await.map_err(|error| store_error(&error))?;
        let next: js_sys::IteratorNext = next.unchecked_into();
        if next.done() {
            return Ok(names);
        }
        names.extend(next.value().as_string());
    }
}

/// Deletes a file, if it is there.
pub(super) async fn remove_file(folder: &FileSystemDirectoryHandle, name: &str) -> Result<(), StoreError> {
    match folder.remove_entry(name).await {
        Ok(_) => Ok(()),
        Err(error) if crate::bytes::web::error_name(&error) == "NotFoundError" => Ok(()),
        Err(error) => Err(store_error(&error)),
    }
}
