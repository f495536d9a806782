//! A folder of small files that are read and written whole: checkpoints of a training, kept adapters.

use crate::bytes::LocalBoxFuture;

use super::StoreError;

/// Named files. A write that is cut off leaves a file that is shorter than what was written, or empty: who cares must
/// know by the content.
pub trait Folder {
    /// All of a file; none where there is no such file.
    fn read<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Option<Vec<u8>>, StoreError>>;

    /// Writes a file, in place of one of that name. When this returns, it lasts.
    fn write<'a>(&'a self, name: &'a str, bytes: &'a [u8]) -> LocalBoxFuture<'a, Result<(), StoreError>>;

    /// Deletes a file. One that is not there is deleted already.
    fn remove<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<(), StoreError>>;

    /// The names of all files.
    fn names(&self) -> LocalBoxFuture<'_, Result<Vec<String>, StoreError>>;
}
