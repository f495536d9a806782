//! Files of the browser's private file system (OPFS), with synchronous access handles. Workers only.

use std::cell::Cell;
use std::ops::Range;

use futures_util::FutureExt as _;
use gloo_timers::future::TimeoutFuture;
use js_sys::{Function, Object, Reflect, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemGetFileOptions, FileSystemReadWriteOptions,
    FileSystemSyncAccessHandle,
};

use crate::bytes::web::{error_name, error_text};
use crate::bytes::{ByteSource, Bytes, LocalBoxFuture, LocalSource, SourceError, checked_len};

use super::journal::{self, Edit};
use super::{Journal, Medium, MediumError, StoreError};

/// Maximum size of a journal, which is read as a whole. A line has some hundred bytes and stands for megabytes of
/// weights. The one with the digests of chunks has 75 bytes for each, and is written once.
const MAX_JOURNAL: f64 = 4.0 * 1024.0 * 1024.0;

/// An open file. Dropping it closes it and releases its lock.
pub(super) struct SyncFile(FileSystemSyncAccessHandle);

impl Drop for SyncFile {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl SyncFile {
    /// Opens a file for reading and writing, locked against all others.
    pub(super) async fn open(file: &FileSystemFileHandle) -> Result<Self, StoreError> {
        Self::open_with(file, &JsValue::UNDEFINED).await
    }

    /// Opens a file for reading. It is shared if the browser supports the mode, otherwise locked.
    async fn open_shared(file: &FileSystemFileHandle) -> Result<Self, StoreError> {
        let options = Object::new();
        Reflect::set(&options, &"mode".into(), &"read-only".into()).map_err(|error| store_error(&error))?;
        Self::open_with(file, &options).await
    }

    async fn open_with(file: &FileSystemFileHandle, options: &JsValue) -> Result<Self, StoreError> {
        // Called by name: some browsers do not have the method, and the mode is unstable in web-sys.
        let method = Reflect::get(file, &"createSyncAccessHandle".into())
            .ok()
            .and_then(|method| method.dyn_into::<Function>().ok())
            .ok_or_else(|| StoreError::Unavailable {
                reason: "it has no synchronous file handles".to_owned(),
            })?;
        let promise = method.call1(file, options).map_err(|error| store_error(&error))?;
        let handle =
            JsFuture::from(js_sys::Promise::resolve(&promise)).await.map_err(|error| store_error(&error))?;
        Ok(Self(handle.unchecked_into()))
    }

    fn size(&self) -> Result<f64, MediumError> {
        self.0.get_size().map_err(|error| medium_error(&error))
    }

    fn read(&self, range: &Range<u64>) -> Result<Bytes, MediumError> {
        let len = range.end - range.start;
        let array = Uint8Array::new_with_length(len as u32);
        let read = self
            .0
            .read_with_js_u8_array_and_options(&array, &at(range.start as f64))
            .map_err(|error| medium_error(&error))?;
        if read == len as f64 {
            Ok(array.into())
        } else {
            Err(MediumError::Failed { reason: format!("{read} of {len} bytes could be read") })
        }
    }

    pub(super) fn write(&self, offset: f64, bytes: &Uint8Array) -> Result<(), MediumError> {
        let written = self
            .0
            .write_with_js_u8_array_and_options(bytes, &at(offset))
            .map_err(|error| medium_error(&error))?;
        // Some browsers report a full disk as a short write without an exception.
        if written == f64::from(bytes.length()) { Ok(()) } else { Err(MediumError::Full) }
    }

    pub(super) fn flush(&self) -> Result<(), MediumError> {
        self.0.flush().map_err(|error| medium_error(&error))
    }

    pub(super) fn empty(&self) -> Result<(), MediumError> {
        self.0.truncate_with_u32(0).map_err(|error| medium_error(&error))
    }
}

fn at(offset: f64) -> FileSystemReadWriteOptions {
    let options = FileSystemReadWriteOptions::new();
    options.set_at(offset);
    options
}

/// Data and journal of one blob, open for writing.
pub(super) struct OpfsMedium {
    data: SyncFile,
    journal: SyncFile,
    journal_end: Cell<f64>,
}

impl OpfsMedium {
    /// Opens (or creates) the two files and reads the journal.
    ///
    /// # Errors
    /// [`StoreError::InUse`] when another tab has one of them.
    pub(super) async fn open(
        folder: &FileSystemDirectoryHandle,
        name: &str,
    ) -> Result<(Self, String), StoreError> {
        // The journal first: data without a journal is meaningless and would be swept.
        let journal = SyncFile::open(&file(folder, &journal_name(name), true).await?).await?;
        let data = SyncFile::open(&file(folder, name, true).await?).await?;
        let size = journal.size().map_err(failed)?;
        let text = read_journal(&journal, size)?;
        // The line end terminates a truncated line.
        let journal_end = Cell::new(size);
        let medium = Self { data, journal, journal_end };
        if !text.is_empty() && !text.ends_with('\n') {
            medium.append("\n").map_err(failed)?;
        }
        Ok((medium, text))
    }

    fn append(&self, text: &str) -> Result<(), MediumError> {
        let end = self.journal_end.get();
        self.journal.write(end, &Uint8Array::from(text.as_bytes()))?;
        self.journal_end.set(end + text.len() as f64);
        self.journal.flush()
    }
}

impl Medium for OpfsMedium {
    fn read(&self, range: Range<u64>) -> Result<Bytes, MediumError> {
        self.data.read(&range)
    }

    fn write(&self, offset: u64, bytes: &Bytes) -> Result<(), MediumError> {
        self.data.write(offset as f64, &bytes.to_js())
    }

    fn record(&self, line: &str) -> Result<(), MediumError> {
        self.data.flush()?;
        self.append(line)
    }

    fn clear(&self) -> Result<(), MediumError> {
        // The journal first: data without a journal does no harm.
        self.journal.empty()?;
        self.journal_end.set(0.0);
        self.data.empty()
    }

    fn now(&self) -> f64 {
        js_sys::Date::now()
    }

    fn pause(&self) -> LocalBoxFuture<'static, ()> {
        TimeoutFuture::new(0).boxed_local()
    }
}

/// The journal of a blob that is not open for writing.
pub(super) struct OpfsJournal {
    folder: FileSystemDirectoryHandle,
    name: String,
}

impl OpfsJournal {
    /// Returns the journal of the blob with this file name.
    pub(super) fn new(folder: &FileSystemDirectoryHandle, name: &str) -> Self {
        Self { folder: folder.clone(), name: journal_name(name) }
    }
}

impl Journal for OpfsJournal {
    fn amend(&self, edit: Edit) -> LocalBoxFuture<'static, ()> {
        let (folder, name) = (self.folder.clone(), self.name.clone());
        async move { amend(&folder, &name, edit).await.unwrap_or_default() }.boxed_local()
    }

    fn now(&self) -> f64 {
        js_sys::Date::now()
    }
}

/// Changes the record of a journal. It is locked meanwhile, so that no other tab's change gets lost.
async fn amend(folder: &FileSystemDirectoryHandle, name: &str, edit: Edit) -> Result<(), StoreError> {
    let journal = SyncFile::open(&file(folder, name, false).await?).await?;
    let end = journal.size().map_err(failed)?;
    let text = read_journal(&journal, end)?;
    let Some(lines) = journal::amended(&text, edit) else { return Ok(()) };
    journal.write(end, &Uint8Array::from(lines.as_bytes())).map_err(failed)?;
    journal.flush().map_err(failed)
}

/// Returns the text of a journal of `size` bytes.
fn read_journal(journal: &SyncFile, size: f64) -> Result<String, StoreError> {
    if size > MAX_JOURNAL {
        return Err(StoreError::Failed { reason: "a journal is too long".to_owned() });
    }
    let text = journal.read(&(0..size as u64)).map_err(failed)?.to_vec();
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// A stored blob, read with a synchronous access handle.
pub(super) struct OpfsSource {
    file: SyncFile,
    len: u64,
}

impl OpfsSource {
    /// Opens a blob for reading.
    ///
    /// # Errors
    /// [`StoreError::InUse`] when another tab has it and this browser's handles are exclusive.
    pub(super) async fn open(folder: &FileSystemDirectoryHandle, name: &str) -> Result<Self, StoreError> {
        let file = SyncFile::open_shared(&file(folder, name, false).await?).await?;
        let len = file.size().map_err(failed)? as u64;
        Ok(Self { file, len })
    }
}

impl ByteSource for OpfsSource {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        let bytes = checked_len(&range, self.len).and_then(|_| {
            self.file.read(&range).map_err(|error| SourceError::Unreadable { reason: error.to_string() })
        });
        std::future::ready(bytes).boxed_local()
    }
}

impl LocalSource for OpfsSource {}

/// Cuts off what a file has beyond `size` bytes.
///
/// # Errors
/// [`StoreError::InUse`] when another tab has it.
pub(super) async fn shorten(
    folder: &FileSystemDirectoryHandle,
    name: &str,
    size: u64,
) -> Result<(), StoreError> {
    let file = SyncFile::open(&file(folder, name, false).await?).await?;
    file.0.truncate_with_f64(size as f64).map_err(|error| store_error(&error))
}

/// Returns the handle of a file; `create` says whether to create it.
pub(super) async fn file(
    folder: &FileSystemDirectoryHandle,
    name: &str,
    create: bool,
) -> Result<FileSystemFileHandle, StoreError> {
    let options = FileSystemGetFileOptions::new();
    options.set_create(create);
    let handle =
        folder.get_file_handle_with_options(name, &options).await.map_err(|error| store_error(&error))?;
    Ok(handle.unchecked_into())
}

/// Returns the name of a blob's journal.
pub(super) fn journal_name(name: &str) -> String {
    format!("{name}.json")
}

/// Converts a file system exception.
pub(super) fn store_error(error: &JsValue) -> StoreError {
    match error_name(error).as_str() {
        "NoModificationAllowedError" | "InvalidStateError" => StoreError::InUse,
        "SecurityError" | "NotAllowedError" => StoreError::Unavailable { reason: error_text(error) },
        _ => StoreError::Failed { reason: error_text(error) },
    }
}

fn medium_error(error: &JsValue) -> MediumError {
    match error_name(error).as_str() {
        "QuotaExceededError" => MediumError::Full,
        _ => MediumError::Failed { reason: error_text(error) },
    }
}

/// Converts an error while writing a file of `size` bytes as a whole.
pub(super) fn full_or_failed(error: MediumError, size: u64) -> StoreError {
    match error {
        MediumError::Full => StoreError::Full { kept: 0, size },
        other => failed(other),
    }
}

fn failed(error: MediumError) -> StoreError {
    StoreError::Failed { reason: error.to_string() }
}
