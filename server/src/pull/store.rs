//! Writing into Ollama's store: `blobs` first, the manifest last, so that a listed model is always complete.

use std::{
    fs::{self, OpenOptions},
    io,
    io::Write as _,
    path::{Path, PathBuf},
};

use fs4::{FileExt, TryLockError};
use tempfile::NamedTempFile;
use tokio::task::spawn_blocking;

use super::{error::PullError, manifest::File};
use crate::{
    catalog::{digest::Digest, name::Name},
    text::shown,
};

/// What tells how many bytes may be written into a folder.
pub type FreeSpace = fn(&Path) -> io::Result<u64>;

/// A store, and how much room it has.
#[derive(Clone, Debug)]
pub(super) struct Store {
    root: PathBuf,
    free: FreeSpace,
}

impl Store {
    pub(super) fn new(root: PathBuf, free: FreeSpace) -> Self {
        Self { root, free }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn blobs(&self) -> PathBuf {
        self.root.join("blobs")
    }

    pub(super) fn blob(&self, digest: Digest) -> PathBuf {
        self.blobs().join(digest.file_name())
    }

    /// Where a file is until it is whole: the list of models takes it for a begun download, and so does Ollama.
    pub(super) fn partial(&self, digest: Digest) -> PathBuf {
        self.blobs().join(format!("{}-partial", digest.file_name()))
    }

    /// Where the manifest of a model is.
    pub(super) fn manifest(&self, name: &Name) -> PathBuf {
        let parts = [name.host(), name.namespace(), name.model(), name.tag()];
        self.root.join("manifests").join(parts.iter().collect::<PathBuf>())
    }

    /// Whether the file is there whole. What has its name was verified when it got it.
    pub(super) fn has(&self, file: &File) -> bool {
        fs::metadata(self.blob(file.digest)).is_ok_and(|found| found.is_file() && found.len() == file.size)
    }

    /// Bytes of the file that an earlier pull has left.
    fn begun(&self, file: &File) -> u64 {
        let length = fs::metadata(self.partial(file.digest)).map_or(0, |found| found.len());
        // One that is too long is begun anew.
        if length > file.size { 0 } else { length }
    }

    /// Creates the folders, and gives those of `files` that are missing, with the bytes that they still need.
    pub(super) fn missing(&self, files: &[File]) -> Result<(Vec<File>, u64), PullError> {
        let blobs = self.blobs();
        fs::create_dir_all(&blobs).map_err(PullError::disk(blobs))?;
        let missing: Vec<File> = files.iter().filter(|file| !self.has(file)).cloned().collect();
        let bytes = missing.iter().fold(0_u64, |sum, file| sum.saturating_add(file.size - self.begun(file)));
        Ok((missing, bytes))
    }

    /// Bytes that may be written.
    pub(super) fn free(&self) -> Result<u64, PullError> {
        (self.free)(&self.root).map_err(PullError::disk(&self.root))
    }

    /// Fails unless there is room for so many bytes.
    pub(super) fn need(&self, needed: u64) -> Result<(), PullError> {
        let free = self.free()?;
        if needed > free {
            return Err(PullError::NoRoom { needed, free, folder: self.root.clone() });
        }
        Ok(())
    }

    /// A file in `blobs` that is gone when it is dropped, unless it gets a name. It is locked, so that it is swept when this
    /// program is killed, and not before.
    pub(super) fn scratch(&self) -> Result<NamedTempFile, PullError> {
        let blobs = self.blobs();
        loop {
            let file = scratch(&blobs)?;
            let locked = FileExt::try_lock(file.as_file());
            match locked {
                Ok(()) if is_at(file.as_file(), file.path()).map_err(PullError::disk(&blobs))? => {
                    return Ok(file);
                }
                // Somebody sweeps just now, and found it before it was locked.
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(PullError::Disk { path: blobs, error }),
            }
        }
    }

    /// Deletes from `blobs` what programs that were killed have left, which may be as large as a model.
    pub(super) fn sweep(&self) {
        for entry in fs::read_dir(self.blobs()).into_iter().flatten().flatten() {
            let is_scratch = entry.file_name().to_string_lossy().starts_with(SCRATCH)
                && entry.file_type().is_ok_and(|kind| kind.is_file());
            if !is_scratch {
                continue;
            }
            let path = entry.path();
            // A lock ends with the program that has it.
            let Ok(file) = OpenOptions::new().read(true).write(true).open(&path) else { continue };
            if FileExt::try_lock(&file).is_ok() {
                match fs::remove_file(&path) {
                    Ok(()) => tracing::info!("{} was left by a pull that was cut off: deleted", shown(&path)),
                    Err(error) => tracing::debug!("{} can't be deleted: {error}", shown(&path)),
                }
            }
        }
    }

    /// Writes the manifest. From then on the model is listed.
    pub(super) fn write_manifest(&self, name: &Name, text: &[u8], files: &[File]) -> Result<(), PullError> {
        // Ollama deletes what no manifest names when it starts, which may have been a moment ago.
        if let Some(file) = files.iter().find(|file| !self.has(file)) {
            return Err(PullError::Vanished { digest: file.digest });
        }
        let path = self.manifest(name);
        let folder = path.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder).map_err(PullError::disk(folder))?;
        let mut file = scratch(folder)?;
        let open = file.as_file_mut();
        open.write_all(text).and_then(|()| open.sync_data()).map_err(PullError::disk(&path))?;
        file.persist(&path).map_err(|error| PullError::Disk { path, error: error.error })?;
        Ok(())
    }
}

/// What names of files begin with that have no name yet.
const SCRATCH: &str = ".gemtab-";

/// Named so that neither Ollama nor the list of models takes it for a manifest or a blob.
fn scratch(folder: &Path) -> Result<NamedTempFile, PullError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(SCRATCH);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        // What others may read is for the umask to say, as with any file: Ollama may run under another account.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    // The error of the library has the path in its text, whole.
    builder
        .tempfile_in(folder)
        .map_err(|error| PullError::Disk { path: folder.into(), error: error.kind().into() })
}

/// Whether the open file is the one that has this name now.
pub(super) fn is_at(open: &fs::File, path: &Path) -> io::Result<bool> {
    let ours = same_file::Handle::from_file(open.try_clone()?)?;
    match same_file::Handle::from_path(path) {
        Ok(there) => Ok(there == ours),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Runs `work` where blocking is allowed. Work that nobody waits for any more goes on to its end, so it has to be short.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, PullError> + Send + 'static,
) -> Result<T, PullError> {
    match spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(panic) => Err(PullError::Disk { path: PathBuf::new(), error: io::Error::other(panic) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_has_open_is_swept() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::new(folder.path().into(), |_| Ok(u64::MAX));
        fs::create_dir(store.blobs()).expect("a folder");
        let blob = store.blobs().join("sha256-00");
        fs::write(&blob, "bytes").expect("written");
        let (held, left) = (store.scratch().expect("a file"), store.scratch().expect("a file"));
        // As if the program that had it was killed: the file is closed, and stays.
        let left = left.into_temp_path();
        store.sweep();
        assert!(held.path().exists() && blob.exists());
        assert!(!left.exists());
    }
}
