//! What has been found out about files, so that each is read once and not for every list.

use std::{
    collections::HashMap,
    fs::{File, Metadata},
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use super::{
    digest::{self, Digest},
    gguf::{self, Peek, PeekError},
};
use crate::regular;

/// What tells cheaply that a file is still the same and unchanged.
///
/// A program can set the time of the last change to what it was. The time of the last change to the file's own record,
/// which every write moves, it cannot set; and a file that takes another's place has another number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Bytes.
    pub size: u64,
    /// Last change; none where the system does not say.
    pub modified: Option<SystemTime>,
    /// The file's number, and seconds and nanoseconds of the last change to its record; zeros elsewhere than on Unix.
    pub record: (u64, i64, i64),
}

impl From<&Metadata> for Stamp {
    fn from(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let record = {
            use std::os::unix::fs::MetadataExt as _;
            (metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
        };
        #[cfg(not(unix))]
        let record = (0, 0, 0);
        Self { size: metadata.len(), modified: metadata.modified().ok(), record }
    }
}

type Shared<T, E> = Result<Arc<T>, Arc<E>>;

/// Bytes of texts that are remembered. What is more is read for each list.
const MAX_TEXT: usize = 16 << 20;

/// Headers, digests and texts by path. What a scan does not ask for is forgotten at its end.
#[derive(Debug, Default)]
pub struct Facts {
    peeks: Table<Shared<Peek, PeekError>>,
    digests: Table<Digest>,
    /// None for what is no text of that digest.
    texts: Table<Option<Arc<str>>>,
    text_size: usize,
}

impl Facts {
    /// The header of the file at `path`.
    ///
    /// # Errors
    /// When the file is not GGUF or cannot be read. An error is remembered too, but not one of reading: that may pass.
    pub fn peek(&mut self, path: &Path, stamp: Stamp) -> Shared<Peek, PeekError> {
        if let Some(known) = self.peeks.get(path, stamp) {
            return known;
        }
        let opened = open(path, stamp).map_err(PeekError::from);
        let peek = opened.and_then(gguf::peek).map(Arc::new).map_err(Arc::new);
        if !matches!(peek.as_ref().map_err(Arc::as_ref), Err(PeekError::Io(_))) {
            self.peeks.insert(path, stamp, peek.clone());
        }
        peek
    }

    /// The text of the file at `path`, read and compared with its digest the first time; none when it is another one or
    /// no text.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn text(&mut self, path: &Path, stamp: Stamp, digest: Digest) -> io::Result<Option<Arc<str>>> {
        if let Some(known) = self.texts.get(path, stamp) {
            return Ok(known);
        }
        let mut bytes = Vec::new();
        open(path, stamp)?.take(stamp.size).read_to_end(&mut bytes)?;
        let is_genuine = digest::sha256(&bytes[..])? == digest;
        let text: Option<Arc<str>> =
            is_genuine.then_some(bytes).and_then(|bytes| String::from_utf8(bytes).ok()).map(Into::into);
        let size = text.as_ref().map_or(0, |text| text.len());
        if self.text_size + size <= MAX_TEXT {
            self.text_size += size;
            self.texts.insert(path, stamp, text.clone());
        }
        Ok(text)
    }

    /// SHA-256 of the file at `path`, read whole the first time.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn sha256(&mut self, path: &Path, stamp: Stamp) -> io::Result<Digest> {
        self.digest(path, stamp, |path| digest::sha256(open(path, stamp)?))
    }

    /// The digest that `compute` gives for the file at `path`. A path must always come with the same `compute`.
    ///
    /// # Errors
    /// When `compute` fails.
    pub fn digest(
        &mut self,
        path: &Path,
        stamp: Stamp,
        compute: impl FnOnce(&Path) -> io::Result<Digest>,
    ) -> io::Result<Digest> {
        if let Some(known) = self.digests.get(path, stamp) {
            return Ok(known);
        }
        let digest = compute(path)?;
        self.digests.insert(path, stamp, digest);
        Ok(digest)
    }

    /// Forgets what has not been asked for since the last call.
    pub fn forget_unused(&mut self) {
        self.peeks.forget_unused();
        self.digests.forget_unused();
        self.texts.forget_unused();
        self.text_size =
            self.texts.0.values().filter_map(|(_, text, _)| text.as_ref()).map(|text| text.len()).sum();
    }
}

/// Opens a file, in whose path no link is left, unless it is another one by now.
///
/// # Errors
/// When it is, or can't be opened.
pub fn open(path: &Path, stamp: Stamp) -> io::Result<File> {
    let (file, metadata) = regular::open(path)?;
    if Stamp::from(&metadata) != stamp {
        return Err(io::Error::other("it has changed"));
    }
    Ok(file)
}

/// Values by path, each with the stamp of the file and whether it was used lately.
#[derive(Debug)]
struct Table<V>(HashMap<PathBuf, (Stamp, V, bool)>);

impl<V> Default for Table<V> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<V: Clone> Table<V> {
    fn get(&mut self, path: &Path, stamp: Stamp) -> Option<V> {
        let (known, value, used) = self.0.get_mut(path)?;
        if *known != stamp {
            return None;
        }
        *used = true;
        Some(value.clone())
    }

    fn insert(&mut self, path: &Path, stamp: Stamp, value: V) {
        self.0.insert(path.to_owned(), (stamp, value, true));
    }

    fn forget_unused(&mut self) {
        self.0.retain(|_, (_, _, used)| std::mem::take(used));
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_hashed_again_only_when_it_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(&path, "one").expect("written");
        let stamp = |path: &Path| Stamp::from(&fs::metadata(path).expect("metadata"));
        let mut facts = Facts::default();
        let first = facts.sha256(&path, stamp(&path)).expect("a digest");
        let again = facts.digest(&path, stamp(&path), |_| panic!("the digest is known"));
        assert_eq!(again.expect("a digest"), first);
        fs::write(&path, "another").expect("written");
        assert_ne!(facts.sha256(&path, stamp(&path)).expect("a digest"), first);
    }

    #[test]
    fn a_text_is_read_once_and_only_under_its_own_digest() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(&path, "Be brief.").expect("written");
        let stamp = Stamp::from(&fs::metadata(&path).expect("metadata"));
        let digest = digest::sha256(&b"Be brief."[..]).expect("a digest");
        let mut facts = Facts::default();
        assert_eq!(facts.text(&path, stamp, digest).expect("a text").as_deref(), Some("Be brief."));
        fs::remove_file(&path).expect("removed");
        assert_eq!(facts.text(&path, stamp, digest).expect("known").as_deref(), Some("Be brief."));

        fs::write(&path, "A secret.").expect("written");
        let stamp = Stamp::from(&fs::metadata(&path).expect("metadata"));
        assert_eq!(facts.text(&path, stamp, digest).expect("readable"), None);
    }

    #[test]
    fn what_is_not_asked_for_is_forgotten() {
        let stamp = Stamp { size: 1, modified: None, record: (0, 0, 0) };
        let mut table = Table::default();
        table.insert(Path::new("a"), stamp, 1);
        table.insert(Path::new("b"), stamp, 2);
        table.forget_unused();
        assert_eq!(table.get(Path::new("a"), stamp), Some(1));
        table.forget_unused();
        assert_eq!(table.get(Path::new("a"), stamp), Some(1));
        assert_eq!(table.get(Path::new("b"), stamp), None);
    }
}
