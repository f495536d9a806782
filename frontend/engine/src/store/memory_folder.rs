//! A folder in memory, for browsers without a private file system and for tests. Its content lasts as long as the
//! tab.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use futures_util::FutureExt as _;

use crate::bytes::LocalBoxFuture;

use super::{Folder, StoreError};

/// A folder in memory.
#[derive(Default)]
pub struct MemoryFolder {
    files: RefCell<BTreeMap<String, Vec<u8>>>,
    /// Maximum total size in bytes; 0 for no limit.
    limit: Cell<usize>,
}

impl MemoryFolder {
    /// Truncates a file, as an interrupted write would.
    pub fn cut(&self, name: &str, len: usize) {
        if let Some(bytes) = self.files.borrow_mut().get_mut(name) {
            bytes.truncate(len);
        }
    }

    /// Sets the maximum total size in bytes; 0 for no limit.
    pub fn limit(&self, bytes: usize) {
        self.limit.set(bytes);
    }
}

impl Folder for MemoryFolder {
    fn read<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Option<Vec<u8>>, StoreError>> {
        let bytes = self.files.borrow().get(name).cloned();
        std::future::ready(Ok(bytes)).boxed_local()
    }

    fn write<'a>(&'a self, name: &'a str, bytes: &'a [u8]) -> LocalBoxFuture<'a, Result<(), StoreError>> {
        let mut files = self.files.borrow_mut();
        let others: usize =
            files.iter().filter(|(other, _)| *other != name).map(|(_, bytes)| bytes.len()).sum();
        let limit = self.limit.get();
        let written = if limit > 0 && others + bytes.len() > limit {
            Err(StoreError::Full { kept: 0, size: bytes.len() as u64 })
        } else {
            files.insert(name.to_owned(), bytes.to_vec());
            Ok(())
        };
        std::future::ready(written).boxed_local()
    }

    fn remove<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<(), StoreError>> {
        self.files.borrow_mut().remove(name);
        std::future::ready(Ok(())).boxed_local()
    }

    fn names(&self) -> LocalBoxFuture<'_, Result<Vec<String>, StoreError>> {
        let names = self.files.borrow().keys().cloned().collect();
        std::future::ready(Ok(names)).boxed_local()
    }
}
