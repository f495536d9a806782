//! What the server reads in a store: the list of models, and ranges of their files.

use std::{
    fmt,
    fs::File,
    io::{self, Read as _},
    ops::Range,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{body::Bytes, http::Method};
use futures_util::{StreamExt as _, TryStreamExt as _, stream::BoxStream};
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt as _, path::Path, signer::Signer};
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family},
};
use tokio::{sync::Semaphore, time::timeout};

use super::{
    BucketError, MANIFEST, Settings,
    address::{self, Opened},
    error::reason,
    manifest,
};
use crate::{
    catalog::{BlobObject, Found, Stamp, digest::Digest},
    disk::Disk,
    regular,
};

/// The folder of the files.
const BLOBS: &str = "blobs";

/// Time for the list to arrive.
const PATIENCE: Duration = Duration::from_secs(15);

/// Requests for files that wait for the head of their answer at a time; others wait for their turn. More connections at once
/// than the store has places for would be refused without a word, and tried again after seconds: some take 128.
const STARTING: usize = 100;

/// How long a signed address is valid. A browser asks for a new one for each range; this is for the clock of the store.
const VALID: Duration = Duration::from_secs(3600);

/// What was asked of the store.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Asked {
    class: &'static str,
}

/// How often the store failed, by what was asked.
pub type Failures = Family<Asked, Counter>;

/// A place in an object store. Copies share it.
#[derive(Clone)]
pub struct Bucket(Arc<Inner>);

struct Inner {
    address: String,
    store: Arc<dyn ObjectStore>,
    /// Where the store is, if it is a folder.
    folder: Option<PathBuf>,
    disk: Disk,
    prefix: Path,
    presigner: Option<Presigner>,
    failures: Failures,
    known: Mutex<Known>,
    /// One of [`STARTING`] permits is held until the head has come.
    starting: Semaphore,
}

/// Signs addresses that browsers are sent to.
struct Presigner {
    signer: Arc<dyn Signer>,
    /// What these addresses begin with: `https://host:port`.
    origin: String,
}

/// The list, as it was when it was read last.
#[derive(Default)]
struct Known {
    seen: Seen,
    models: Vec<Found>,
    /// Whether it could not be read since.
    is_stale: bool,
}

/// What tells whether the list has changed.
#[derive(Default)]
enum Seen {
    #[default]
    Never,
    Tag(String),
    File(Stamp),
}

/// A part of a file.
pub enum Read {
    /// The store is a folder: the file, and what it was when it was opened.
    File(File, Stamp),
    /// The bytes as they come. An error means that the rest doesn't come.
    Stream(BoxStream<'static, io::Result<Bytes>>),
}

impl Bucket {
    /// The place at `address`, such as `s3://bucket/models`, without asking the store for anything.
    ///
    /// # Errors
    /// When it is no address, or the settings don't fit.
    pub fn new(address: &str, settings: &Settings) -> Result<Self, BucketError> {
        let opened = address::open(address, settings)?;
        Ok(Self::of(opened, None, Failures::default()))
    }

    fn of(opened: Opened, presigner: Option<Presigner>, failures: Failures) -> Self {
        let Opened { address, store, folder, prefix, .. } = opened;
        let (disk, known, starting) = (Disk::default(), Mutex::default(), Semaphore::new(STARTING));
        Self(Arc::new(Inner { address, store, folder, disk, prefix, presigner, failures, known, starting }))
    }

    /// The place at `address`, whose list of models has been read. Failures from then on are counted in `failures`. With
    /// `presign`, browsers fetch files from the store itself.
    ///
    /// # Errors
    /// When the store can't be reached, refuses the credentials, or has no list that can be used.
    pub async fn open(
        address: &str,
        settings: &Settings,
        presign: bool,
        failures: Failures,
    ) -> Result<Self, BucketError> {
        let mut opened = address::open(address, settings)?;
        let presigner = match opened.signer.take() {
            _ if !presign => None,
            None => return Err(BucketError::NoSigner { address: opened.address }),
            Some(signer) => {
                let path = opened.prefix.clone().join(MANIFEST);
                let signed = signer.signed_url(Method::GET, &path, VALID).await;
                let signed = signed.map_err(|error| BucketError::Settings {
                    address: opened.address.clone(),
                    reason: reason(&error).1,
                })?;
                Some(Presigner { signer, origin: signed.origin().ascii_serialization() })
            }
        };
        let bucket = Self::of(opened, presigner, failures);
        bucket.refresh().await?;
        Ok(bucket)
    }

    /// Where it is, for messages.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.0.address
    }

    /// Where browsers are sent for files; none when the files go through this server.
    #[must_use]
    pub fn origin(&self) -> Option<&str> {
        self.0.presigner.as_ref().map(|presigner| presigner.origin.as_str())
    }

    /// Where files are read, if the store is a folder.
    #[must_use]
    pub fn disk(&self) -> Disk {
        self.0.disk.clone()
    }

    pub(super) fn store(&self) -> &Arc<dyn ObjectStore> {
        &self.0.store
    }

    pub(super) fn manifest_path(&self) -> Path {
        self.0.prefix.clone().join(MANIFEST)
    }

    pub(super) fn blob_path(&self, digest: Digest) -> Path {
        self.0.prefix.clone().join(BLOBS).join(digest.file_name())
    }

    pub(super) fn error(&self, error: object_store::Error, digest: Digest) -> BucketError {
        let address = self.0.address.clone();
        BucketError::of(&self.0.address, error, || BucketError::NoFile { address, digest })
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, class: &'static str) {
        self.0.failures.get_or_create(&Asked { class }).inc();
    }

    /// The models as the list has them now; if it can't be read, as it had them before.
    pub async fn models(&self) -> Vec<Found> {
        let refreshed = self.refresh().await;
        let mut known = self.known();
        let was_stale = std::mem::replace(&mut known.is_stale, refreshed.is_err());
        match refreshed {
            Ok(()) if was_stale => tracing::info!("{} is there again", self.0.address),
            Ok(()) => {}
            Err(error) => {
                self.count("manifest");
                // Once, not for each list.
                if !was_stale {
                    tracing::error!("the models that were listed before stay listed: {error}");
                }
            }
        }
        known.models.clone()
    }

    /// Reads the list if it has changed.
    async fn refresh(&self) -> Result<(), BucketError> {
        let address = || self.0.address.clone();
        let read = async {
            let read = match &self.0.folder {
                Some(folder) => self.list_in(folder).await?,
                None => self.list().await?,
            };
            let Some((seen, text)) = read else { return Ok(()) };
            let models = manifest::read(&text).map_err(|reason| self.unusable(reason))?;
            let mut known = self.known();
            (known.seen, known.models) = (seen, models);
            Ok(())
        };
        let late = || BucketError::Unreachable {
            address: address(),
            reason: format!("it took longer than {} s", PATIENCE.as_secs()),
        };
        timeout(PATIENCE, read).await.map_err(|_| late())?
    }

    /// The text of the list. `None` if it is as it was.
    async fn list(&self) -> Result<Option<(Seen, Vec<u8>)>, BucketError> {
        let tag = match &self.known().seen {
            Seen::Tag(tag) => Some(tag.clone()),
            _ => None,
        };
        let options = GetOptions::new().with_if_none_match(tag);
        let error = |error| BucketError::of(&self.0.address, error, || self.no_list());
        let got = match self.0.store.get_opts(&self.manifest_path(), options).await {
            Ok(got) => got,
            Err(object_store::Error::NotModified { .. }) => return Ok(None),
            Err(other) => return Err(error(other)),
        };
        let seen = got.meta.e_tag.clone().map_or(Seen::Never, Seen::Tag);
        let mut text = Vec::new();
        let mut pieces = got.into_stream();
        while let Some(piece) = pieces.try_next().await.map_err(error)? {
            if (text.len() + piece.len()) as u64 > manifest::LARGEST {
                return Err(self.too_long());
            }
            text.extend_from_slice(&piece);
        }
        Ok(Some((seen, text)))
    }

    /// The same of a store that is a folder.
    async fn list_in(&self, folder: &std::path::Path) -> Result<Option<(Seen, Vec<u8>)>, BucketError> {
        let (file, stamp) = self.open_in(folder, MANIFEST.into(), || self.no_list()).await?;
        if matches!(self.known().seen, Seen::File(seen) if seen == stamp) {
            return Ok(None);
        }
        if stamp.size > manifest::LARGEST {
            return Err(self.too_long());
        }
        let read = move || {
            let mut text = Vec::new();
            file.take(manifest::LARGEST).read_to_end(&mut text)?;
            Ok(text)
        };
        let text = self.0.disk.run(read).await;
        let path = folder.join(MANIFEST);
        Ok(Some((Seen::File(stamp), text.map_err(|error| BucketError::Disk { path, error })?)))
    }

    /// Opens a file of a store that is a folder, and tells what it is. `missing` makes the error of what isn't there.
    async fn open_in(
        &self,
        folder: &std::path::Path,
        name: PathBuf,
        missing: impl FnOnce() -> BucketError,
    ) -> Result<(File, Stamp), BucketError> {
        let (root, path) = (folder.to_owned(), folder.join(&name));
        let opened = self.0.disk.run(move || regular::open_below(&root, &name)).await;
        match opened {
            Ok((file, metadata)) => Ok((file, Stamp::from(&metadata))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(missing()),
            Err(error) => Err(BucketError::Disk { path, error }),
        }
    }

    async fn open_blob(
        &self,
        folder: &std::path::Path,
        digest: Digest,
    ) -> Result<(File, Stamp), BucketError> {
        let address = || self.0.address.clone();
        let name = std::path::Path::new(BLOBS).join(digest.file_name());
        self.open_in(folder, name, || BucketError::NoFile { address: address(), digest }).await
    }

    fn no_list(&self) -> BucketError {
        BucketError::NoManifest { address: self.0.address.clone() }
    }

    fn unusable(&self, reason: String) -> BucketError {
        BucketError::Manifest { address: self.0.address.clone(), reason }
    }

    fn too_long(&self) -> BucketError {
        self.unusable(format!("it is longer than {} bytes", manifest::LARGEST))
    }

    /// Begins to read a part of a file. It is not empty, and lies in the file.
    ///
    /// # Errors
    /// When the store doesn't send it.
    pub async fn read(&self, object: BlobObject, range: Range<u64>) -> Result<Read, BucketError> {
        let read = self.try_read(object, range).await;
        read.inspect_err(|_| self.count("blob"))
    }

    async fn try_read(&self, object: BlobObject, range: Range<u64>) -> Result<Read, BucketError> {
        let BlobObject { digest, size } = object;
        if let Some(folder) = &self.0.folder {
            let (file, stamp) = self.open_blob(folder, digest).await?;
            self.check_size(digest, stamp.size, size)?;
            return Ok(Read::File(file, stamp));
        }
        let options = GetOptions::new().with_range(Some(GetRange::Bounded(range)));
        let got = {
            // It is never closed.
            let _turn = self.0.starting.acquire().await.ok();
            self.0.store.get_opts(&self.blob_path(digest), options).await
        };
        let got = got.map_err(|error| self.error(error, digest))?;
        self.check_size(digest, got.meta.size, size)?;
        let bucket = self.clone();
        let stream = got.into_stream().map(move |piece| {
            piece.map_err(|error| {
                bucket.count("blob");
                let error = bucket.error(error, digest);
                tracing::warn!("a download was cut off: {error}");
                io::Error::other(error)
            })
        });
        Ok(Read::Stream(stream.boxed()))
    }

    fn check_size(&self, digest: Digest, found: u64, expected: u64) -> Result<(), BucketError> {
        let address = || self.0.address.clone();
        if found == expected {
            Ok(())
        } else {
            Err(BucketError::WrongSize { address: address(), digest, found, expected })
        }
    }

    /// An address from which a browser may fetch a file for a while; none when files go through this server.
    ///
    /// # Errors
    /// When it can't be signed.
    pub async fn presigned(&self, digest: Digest) -> Result<Option<String>, BucketError> {
        let Some(Presigner { signer, .. }) = &self.0.presigner else { return Ok(None) };
        let signed = signer.signed_url(Method::GET, &self.blob_path(digest), VALID).await;
        let signed = signed.map_err(|error| self.error(error, digest)).inspect_err(|_| self.count("blob"))?;
        Ok(Some(signed.into()))
    }

    /// Bytes of a file; none when it isn't there.
    pub(super) async fn size(&self, digest: Digest) -> Result<Option<u64>, BucketError> {
        if let Some(folder) = &self.0.folder {
            // What is there and can't be sent is written anew.
            return Ok(self.open_blob(folder, digest).await.ok().map(|(_, stamp)| stamp.size));
        }
        match self.0.store.head(&self.blob_path(digest)).await {
            Ok(meta) => Ok(Some(meta.size)),
            Err(error) => match self.error(error, digest) {
                BucketError::NoFile { .. } => Ok(None),
                error => Err(error),
            },
        }
    }
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bucket").field(&self.0.address).finish()
    }
}
