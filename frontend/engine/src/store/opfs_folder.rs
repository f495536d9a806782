//! A folder of the browser's private file system. Workers only.

use futures_util::FutureExt as _;
use js_sys::Uint8Array;
use wasm_bindgen::JsCast as _;
use web_sys::{FileSystemDirectoryHandle, FileSystemGetDirectoryOptions};

use crate::bytes::LocalBoxFuture;
use crate::bytes::web::error_name;

use super::opfs::{SyncFile, file, full_or_failed, store_error};
use super::web::{file_names, private_root, remove_file};
use super::{Folder, StoreError};

/// A folder of the origin.
pub struct OpfsFolder(FileSystemDirectoryHandle);

impl OpfsFolder {
    /// Opens a folder, or creates it.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when there is no private file system.
    pub async fn open(name: &str) -> Result<Self, StoreError> {
        let (root, _) = private_root().await?;
        let options = FileSystemGetDirectoryOptions::new();
        options.set_create(true);
        let folder = root
            .get_directory_handle_with_options(name, &options)
            .await
            .map_err(|error| store_error(&error))?;
        Ok(Self(folder.unchecked_into()))
    }

    async fn read_all(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let handle = match self.0.get_file_handle(name).await {
            Ok(handle) => handle.unchecked_into::<web_sys::FileSystemFileHandle>(),
            Err(error) if error_name(&error) == "NotFoundError" => return Ok(None),
            Err(error) => return Err(store_error(&error)),
        };
        // A snapshot, which needs no lock.
        let file: web_sys::Blob =
            handle.get_file().await.map_err(|error| store_error(&error))?.unchecked_into();
        let buffer = file.array_buffer().await.map_err(|error| store_error(&error))?;
        Ok(Some(Uint8Array::new(&buffer).to_vec()))
    }

    async fn write_all(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let size = bytes.len() as u64;
        let file = SyncFile::open(&file(&self.0, name, true).await?).await?;
        let written =
            file.empty().and_then(|()| file.write(0.0, &Uint8Array::from(bytes))).and_then(|()| file.flush());
        written.map_err(|error| full_or_failed(error, size))
    }
}

impl Folder for OpfsFolder {
    fn read<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Option<Vec<u8>>, StoreError>> {
        self.read_all(name).boxed_local()
    }

    fn write<'a>(&'a self, name: &'a str, bytes: &'a [u8]) -> LocalBoxFuture<'a, Result<(), StoreError>> {
        self.write_all(name, bytes).boxed_local()
    }

    fn remove<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<(), StoreError>> {
        remove_file(&self.0, name).boxed_local()
    }

    fn names(&self) -> LocalBoxFuture<'_, Result<Vec<String>, StoreError>> {
        file_names(&self.0).boxed_local()
    }
}
