//! Kept adapters: a GGUF file each, and a label beside it. The label is written last and removed first: a file without
//! one counts as not there.

use std::rc::Rc;

use engine::store::{Folder, StoreError};
use protocol::tune::KeptAdapter;

use crate::state::sealed;

/// The folder of adapters.
pub const FOLDER: &str = "adapters";

/// The place of adapters.
pub struct AdapterStore {
    folder: Rc<dyn Folder>,
}

impl AdapterStore {
    /// In this folder.
    pub fn new(folder: Rc<dyn Folder>) -> Self {
        Self { folder }
    }

    /// All adapters, newest first.
    pub async fn list(&self) -> Result<Vec<KeptAdapter>, StoreError> {
        let mut adapters = Vec::new();
        for name in self.folder.names().await? {
            if name.ends_with(LABEL)
                && let Some(adapter) = sealed::read::<KeptAdapter>(&*self.folder, &name).await?
            {
                adapters.push(adapter);
            }
        }
        adapters.sort_by(|a, b| b.made.total_cmp(&a.made).then_with(|| a.name.cmp(&b.name)));
        Ok(adapters)
    }

    /// Keeps an adapter: the bytes of its GGUF file.
    pub async fn keep(&self, adapter: &KeptAdapter, gguf: &[u8]) -> Result<(), StoreError> {
        if let Err(error) = self.folder.write(&file_name(&adapter.id), gguf).await {
            // Half a file only takes room.
            self.folder.remove(&file_name(&adapter.id)).await.ok();
            return Err(error);
        }
        sealed::write(&*self.folder, &label_name(&adapter.id), adapter).await
    }

    /// Returns an adapter with the bytes of its GGUF file; `None` if it is not there.
    pub async fn open(&self, id: &str) -> Result<Option<(KeptAdapter, Vec<u8>)>, StoreError> {
        let Some(adapter) = sealed::read::<KeptAdapter>(&*self.folder, &label_name(id)).await? else {
            return Ok(None);
        };
        let bytes = self.folder.read(&file_name(id)).await?;
        Ok(bytes.filter(|bytes| bytes.len() as u64 == adapter.size).map(|bytes| (adapter, bytes)))
    }

    /// Deletes an adapter.
    pub async fn delete(&self, id: &str) -> Result<(), StoreError> {
        self.folder.remove(&label_name(id)).await?;
        self.folder.remove(&file_name(id)).await
    }
}

/// How the names of labels end.
const LABEL: &str = ".label";

fn label_name(id: &str) -> String {
    format!("{}{LABEL}", plain(id))
}

fn file_name(id: &str) -> String {
    format!("{}.gguf", plain(id))
}

/// An id as the page sent it, as a part of a file's name.
fn plain(id: &str) -> String {
    id.chars().filter(char::is_ascii_alphanumeric).take(32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::store::MemoryFolder;
    use futures_util::FutureExt as _;

    fn adapter(id: &str, made: f64) -> KeptAdapter {
        KeptAdapter { id: id.into(), name: id.into(), model: "pebble".into(), rank: 8, size: 3, made }
    }

    fn now<T>(future: impl Future<Output = T>) -> T {
        future.now_or_never().expect("memory does not wait")
    }

    #[test]
    fn adapters_are_kept_listed_and_deleted() {
        let folder = Rc::new(MemoryFolder::default());
        let adapter_store = AdapterStore::new(folder.clone());
        for (id, made) in [("a1", 1.0), ("b2", 2.0)] {
            now(adapter_store.keep(&adapter(id, made), b"abc")).expect("keeps");
        }
        let names =
            || now(adapter_store.list()).expect("lists").into_iter().map(|it| it.id).collect::<Vec<_>>();
        assert_eq!(names(), ["b2", "a1"]);
        assert_eq!(
            now(adapter_store.open("a1")).expect("opens"),
            Some((adapter("a1", 1.0), b"abc".to_vec()))
        );
        folder.cut("a1.gguf", 2);
        assert_eq!(now(adapter_store.open("a1")).expect("opens"), None);
        now(adapter_store.delete("../b2")).expect("deletes");
        assert_eq!(names(), ["a1"]);
    }

    #[test]
    fn one_for_which_there_is_no_room_leaves_nothing() {
        let folder = Rc::new(MemoryFolder::default());
        folder.limit(10);
        let adapter_store = AdapterStore::new(folder.clone());
        assert!(matches!(
            now(adapter_store.keep(&adapter("a", 1.0), &[0; 11])),
            Err(StoreError::Full { .. })
        ));
        assert_eq!(now(folder.names()).expect("names"), [] as [String; 0]);
    }
}
