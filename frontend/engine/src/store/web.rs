//! The store of this origin in the browser.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};

use js_sys::Reflect;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{FileSystemDirectoryHandle, StorageManager, WorkerGlobalScope};

use crate::bytes::{BlobSource, ByteSource, LocalSource};

use super::journal::Record;
use super::opfs::{OpfsJournal, OpfsMedium, OpfsSource, file, journal_name, shorten, store_error};
use super::{CachingSource, Digest, Journal as _, Opened, Room, StoreError, VerifiedCopy, VerifiedSource};

/// The folder of blobs in the origin's private file system.
const FOLDER: &str = "blobs";

/// The weights stored by this origin in the browser. Only works in a worker.
pub struct Store {
    folder: FileSystemDirectoryHandle,
    storage: StorageManager,
    /// Blobs that this worker is writing: their journals are locked and may be outdated.
    writing: RefCell<HashMap<Digest, Weak<CachingSource>>>,
}

/// A blob that may be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// Its digest.
    pub digest: Digest,
    /// Its name, for display.
    pub name: String,
}

/// A stored blob.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its digest.
    pub digest: Digest,
    /// Its name, for display.
    pub name: String,
    /// Size of the blob.
    pub size: u64,
    /// Number of stored bytes.
    pub present: u64,
    /// Whether all bytes are stored and their digest was correct.
    pub verified: bool,
    /// Last use, in milliseconds since 1970.
    pub last_used: f64,
    /// End of the last check that found all bytes right, in milliseconds since 1970; 0 if it is not known.
    pub checked: f64,
}

/// Storage usage of this origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Bytes used by everything that the origin stores. Browsers round it.
    pub used: u64,
    /// The quota in bytes.
    pub quota: u64,
    /// Whether the browser promised not to evict it.
    pub persisted: bool,
}

impl Store {
    /// Opens the store.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when there is no private file system.
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

    /// Opens a blob: from local storage if it is complete and verified, otherwise from `upstream`, and stored on
    /// the way if `keep` is set. It never fails: if the blob cannot be stored, it is read from `upstream`, and
    /// `trouble` has the reason.
    pub async fn blob(&self, blob: &Blob, upstream: Rc<dyn ByteSource>, keep: bool) -> Opened {
        if let Some(opened) = self.whole(blob, &upstream).await {
            return opened;
        }
        if !keep {
            return Opened::remote(upstream);
        }
        match self.start_keeping(blob, upstream.clone()).await {
            Ok(source) => Opened::begun(source),
            Err(error) => Opened { trouble: Some(error), ..Opened::remote(upstream) },
        }
    }

    /// Returns the blob from local storage with `upstream` as fallback, if it is complete and verified.
    async fn whole(&self, blob: &Blob, upstream: &Rc<dyn ByteSource>) -> Option<Opened> {
        let size = upstream.len();
        let record = self.record(&blob.digest).await?;
        if !record.verified || record.size != size {
            return None;
        }
        let name = blob.digest.file_name();
        let written = self.file(&name).await?;
        if written.size() > size as f64 {
            // Fails while another tab has it open.
            shorten(&self.folder, &name, size).await.ok();
        }
        let local: Rc<dyn LocalSource> = match OpfsSource::open(&self.folder, &name).await {
            Ok(source) => Rc::new(source),
            // Locked by another tab: a snapshot `File` can still be read.
            Err(_) => Rc::new(BlobSource::new(self.snapshot(&name).await?)),
        };
        let journal = OpfsJournal::new(&self.folder, &name);
        if local.len() < size {
            // The lock must be released before the journal is opened to complete the blob.
            let lost = local.len()..size;
            drop(local);
            let edit = move |record: &mut Record| {
                record.lose(&lost);
            };
            journal.amend(Box::new(edit)).await;
            return None;
        }
        self.touch(&blob.digest).await;
        let copy = VerifiedCopy::new(blob.digest, local, record, Rc::new(journal));
        let copy = Rc::new(copy.written_at(written.last_modified()));
        Some(Opened::verified(Rc::new(VerifiedSource::new(copy, Rc::clone(upstream)))))
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
        let Usage { used, quota, .. } = self.usage().await;
        Room { quota, used, promised: self.promised() }.check(needed)?;
        let source = Rc::new(CachingSource::new(blob.digest, record, upstream, Box::new(medium)));
        self.writing.borrow_mut().insert(blob.digest, Rc::downgrade(&source));
        Ok(source)
    }

    /// Everything that is stored, last used first.
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
                checked: record.checked,
            });
        }
        entries.sort_by(|a, b| b.last_used.total_cmp(&a.last_used));
        Ok(entries)
    }

    /// Deletes a blob, if it exists.
    ///
    /// # Errors
    /// [`StoreError::InUse`] while it is open, here or in another tab.
    pub async fn delete(&self, digest: &Digest) -> Result<(), StoreError> {
        let name = digest.file_name();
        // The data first: if this is interrupted, the journal still lists the blob.
        self.remove(&name).await?;
        self.remove(&journal_name(&name)).await
    }

    /// Records that a blob was used. Does nothing while it is being written or another tab has it open.
    pub async fn touch(&self, digest: &Digest) {
        if self.live(digest).is_some() {
            return;
        }
        let journal = OpfsJournal::new(&self.folder, &digest.file_name());
        journal.amend(Box::new(|record| record.last_used = js_sys::Date::now())).await;
    }

    /// Storage usage. Zeros if the browser does not tell.
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

    /// Asks the browser not to evict the stored data. Returns whether it promised. (Browsers that prompt the user
    /// do so for pages only, not for workers: call it there too.)
    pub async fn persist(&self) -> bool {
        match self.storage.persist() {
            Ok(promise) => promise.await.is_ok_and(|promised| promised.is_truthy()),
            Err(_) => false,
        }
    }

    /// Bytes still to be written of the blobs that this worker is writing: a model may have several files.
    fn promised(&self) -> u64 {
        let missing = |source: Rc<CachingSource>| {
            let record = source.record();
            if source.trouble().is_some() { 0 } else { record.size - record.present.count() }
        };
        self.writing.borrow().values().filter_map(Weak::upgrade).map(missing).sum()
    }

    /// Returns the blob, if this worker is writing it.
    fn live(&self, digest: &Digest) -> Option<Rc<CachingSource>> {
        self.writing.borrow().get(digest)?.upgrade()
    }

    /// Returns the record of a blob.
    async fn record(&self, digest: &Digest) -> Option<Record> {
        if let Some(source) = self.live(digest) {
            return Some(source.record());
        }
        let journal = self.snapshot(&journal_name(&digest.file_name())).await?;
        let text = journal.text().await.ok()?.as_string()?;
        Record::last_of(&text)
    }

    /// Returns a snapshot of a file; needs no lock.
    async fn snapshot(&self, name: &str) -> Option<web_sys::Blob> {
        Some(self.file(name).await?.into())
    }

    /// Returns the same, with its time.
    async fn file(&self, name: &str) -> Option<web_sys::File> {
        let handle = file(&self.folder, name, false).await.ok()?;
        Some(handle.get_file().await.ok()?.unchecked_into())
    }

    async fn names(&self) -> Result<Vec<String>, StoreError> {
        file_names(&self.folder).await
    }

    async fn remove(&self, name: &str) -> Result<(), StoreError> {
        remove_file(&self.folder, name).await
    }

    /// Deletes data without a journal, left behind by a crashed tab or by another version. Files that another tab
    /// has open cannot be deleted and remain.
    async fn sweep(&self) {
        let Ok(names) = self.names().await else { return };
        for name in names.iter().filter(|name| !name.ends_with(".json")) {
            let known = match name.parse::<Digest>() {
                Ok(digest) => self.record(&digest).await.is_some(),
                Err(_) => false,
            };
            if !known && self.remove(name).await.is_ok() {
                // An unreadable journal is deleted with its data.
                self.remove(&journal_name(name)).await.ok();
            }
        }
    }
}

/// Returns the origin's private file system, and its storage manager.
pub(super) async fn private_root() -> Result<(FileSystemDirectoryHandle, StorageManager), StoreError> {
    let unavailable = |reason: &str| StoreError::Unavailable { reason: reason.to_owned() };
    let scope: WorkerGlobalScope =
        js_sys::global().dyn_into().map_err(|_| unavailable("this is no worker"))?;
    // Missing on insecure connections.
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

/// Returns the names of a folder's files.
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
