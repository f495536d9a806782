//! A file that is not whole yet: locked, hashed while it is written, renamed when its digest is right.

use std::{
    fs,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use fs4::{FileExt, TryLockError};
use sha2::{Digest as _, Sha256};

use super::{
    error::{PullError, is_full},
    manifest::File,
    progress::{Event, Progress},
    store::{Store, blocking, is_at},
};
use crate::{
    catalog::digest::{Digest, Scheme},
    regular,
};

/// Bytes that are read or written before somebody is asked whether to go on.
pub(super) const STEP: usize = 1 << 20;

/// Times that a lock is asked for again, 50 ms after one another.
const PATIENCE: u32 = 20;

/// The bytes of a file so far. The lock on it ends when this is dropped; the file stays.
pub(super) struct Partial {
    store: Store,
    file: File,
    path: PathBuf,
    at: u64,
    open: Arc<Mutex<Open>>,
}

struct Open {
    file: fs::File,
    hasher: Sha256,
}

impl Partial {
    /// Opens and locks the file, or creates it. `None` when the whole file has appeared meanwhile.
    pub(super) async fn open(
        store: &Store,
        file: &File,
        progress: Progress<'_>,
    ) -> Result<Option<Self>, PullError> {
        let mut waited = 0;
        let partial = loop {
            let (store, file) = (store.clone(), file.clone());
            match blocking(move || Self::open_now(store, file)).await {
                // A pull that was given up may still be writing its last bytes.
                Err(PullError::Busy { .. }) if waited < PATIENCE => {
                    waited += 1;
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                opened => break opened?,
            }
        };
        let Some(mut partial) = partial else { return Ok(None) };
        partial.hash(progress).await?;
        Ok(Some(partial))
    }

    fn open_now(store: Store, file: File) -> Result<Option<Self>, PullError> {
        let path = store.partial(file.digest);
        if is_ollamas(&store, file.digest) {
            return Err(PullError::BegunByOllama { partial: path });
        }
        let disk = |error| PullError::Disk { path: path.clone(), error };
        let open = loop {
            let open = regular::open_or_create(&path).map_err(disk)?;
            match FileExt::try_lock(&open) {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(PullError::Busy { digest: file.digest }),
                Err(TryLockError::Error(error)) => return Err(disk(error)),
            }
            // Who had the lock before may have renamed or deleted the file after it was opened here.
            if is_at(&open, &path).map_err(disk)? {
                break open;
            }
        };
        if store.has(&file) {
            fs::remove_file(&path).map_err(disk)?;
            return Ok(None);
        }
        let open = Arc::new(Mutex::new(Open { file: open, hasher: Sha256::new() }));
        Ok(Some(Self { store, file, path, at: 0, open }))
    }

    /// Bytes that are there.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Hashes what an earlier pull has left.
    async fn hash(&mut self, progress: Progress<'_>) -> Result<(), PullError> {
        let size =
            self.run(|open| Ok(open.file.metadata()?.len())).await.map_err(PullError::disk(&self.path))?;
        loop {
            if size > 0 {
                progress(Event::Checking { kind: self.file.kind.clone(), at: self.at, size });
            }
            let read = self
                .run(|open| {
                    let mut chunk = vec![0; STEP];
                    let read = open.file.read(&mut chunk)?;
                    open.hasher.update(&chunk[..read]);
                    Ok(read)
                })
                .await
                .map_err(PullError::disk(&self.path))?;
            self.at += read as u64;
            if self.at > self.file.size {
                return self.restart().await;
            }
            if read == 0 {
                return Ok(());
            }
        }
    }

    /// Adds bytes. When the disk is full, the file is deleted.
    pub(super) async fn write(&mut self, bytes: Vec<u8>) -> Result<(), PullError> {
        let length = bytes.len() as u64;
        let written = self.run(move |open| {
            open.hasher.update(&bytes);
            open.file.write_all(&bytes)
        });
        match written.await {
            Ok(()) => {
                self.at += length;
                Ok(())
            }
            Err(error) if is_full(&error) => {
                let needed = self.file.size - self.at;
                let store = self.store.clone();
                self.remove().await?;
                Err(PullError::Full { needed, free: store.free()?, folder: store.root().into(), error })
            }
            Err(error) => Err(PullError::Disk { path: self.path.clone(), error }),
        }
    }

    /// Forgets all bytes.
    pub(super) async fn restart(&mut self) -> Result<(), PullError> {
        let emptied = self.run(|open| {
            open.hasher = Sha256::new();
            open.file.set_len(0)?;
            open.file.seek(SeekFrom::Start(0))
        });
        emptied.await.map_err(PullError::disk(&self.path))?;
        self.at = 0;
        Ok(())
    }

    /// Whether the bytes are those that the digest names. Only meaningful when all are there.
    pub(super) async fn is_right(&self) -> Result<bool, PullError> {
        let digest = self.run(|open| Ok(Digest::new(Scheme::Sha256, open.hasher.clone().finalize().into())));
        Ok(digest.await.map_err(PullError::disk(&self.path))? == self.file.digest)
    }

    /// Gives the file its name.
    pub(super) async fn finish(self) -> Result<(), PullError> {
        let (from, to) = (self.path.clone(), self.store.blob(self.file.digest));
        let named = self.run(move |open| {
            open.file.sync_data()?;
            fs::rename(from, to)
        });
        named.await.map_err(PullError::disk(&self.path))
    }

    /// Deletes the file.
    pub(super) async fn remove(&mut self) -> Result<(), PullError> {
        let path = self.path.clone();
        // Emptied first: elsewhere than on Unix it stays for as long as it is open.
        let removed = self.run(move |open| open.file.set_len(0).and_then(|()| fs::remove_file(path)));
        removed.await.map_err(PullError::disk(&self.path))
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Open) -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let open = Arc::clone(&self.open);
        let work = move || work(&mut open.lock().unwrap_or_else(PoisonError::into_inner));
        tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
    }
}

/// Whether Ollama has begun to download the file. It fills a file of the full size in pieces, of which it keeps notes in
/// `…-partial-0` and so on.
fn is_ollamas(store: &Store, digest: Digest) -> bool {
    let prefix = format!("{}-partial-", digest.file_name());
    let entries = fs::read_dir(store.blobs()).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with(&prefix))
}
