//! Writing into Ollama's store: `blobs` first, the manifest last, so that a listed model is always complete.

use std::{
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;
use tokio::task::spawn_blocking;

use super::{error::PullError, manifest::File};
use crate::catalog::{digest::Digest, name::Name};

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

    /// A file in `blobs` that is gone when it is dropped, unless it gets a name.
    pub(super) fn scratch(&self) -> Result<NamedTempFile, PullError> {
        scratch(&self.blobs())
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

/// Named so that neither Ollama nor the list of models takes it for a manifest or a blob.
fn scratch(folder: &Path) -> Result<NamedTempFile, PullError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".gemtab-");
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

/// Runs `work` where blocking is allowed. Work that nobody waits for any more goes on to its end, so it has to be short.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, PullError> + Send + 'static,
) -> Result<T, PullError> {
    match spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(panic) => Err(PullError::Disk { path: PathBuf::new(), error: io::Error::other(panic) }),
    }
}
