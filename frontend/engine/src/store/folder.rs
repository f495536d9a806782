//! A folder of small files that are read and written as a whole: training checkpoints, finished adapters.

use crate::bytes::LocalBoxFuture;

use super::StoreError;

/// Named files. An interrupted write leaves a truncated or empty file; the content must allow readers to detect
/// this.
pub trait Folder {
    /// Returns the content of a file; `None` if it does not exist.
    fn read<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Option<Vec<u8>>, StoreError>>;

    /// Writes or replaces a file. It is durable when this returns.
    fn write<'a>(&'a self, name: &'a str, bytes: &'a [u8]) -> LocalBoxFuture<'a, Result<(), StoreError>>;

    /// Deletes a file, if it exists.
    fn remove<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<(), StoreError>>;

    /// Returns the names of all files.
    fn names(&self) -> LocalBoxFuture<'_, Result<Vec<String>, StoreError>>;
}
