//! What the server reads in a store: the list of models, and ranges of their files.

use std::{
    fmt,
    fs::File,
    io,
    ops::Range,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{body::Bytes, http::Method};
use futures_util::{StreamExt as _, TryStreamExt as _, stream::BoxStream};
use object_store::{
    GetOptions, GetRange, GetResult, GetResultPayload, ObjectStore, ObjectStoreExt as _, path::Path,
    signer::Signer,
};
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
use crate::catalog::{BlobObject, Found, Stamp, digest::Digest};

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
    tag: Option<String>,
    models: Vec<Found>,
    /// Whether it could not be read since.
    is_stale: bool,
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
        let Opened { address, store, prefix, .. } = address::open(address, settings)?;
        Ok(Self(Arc::new(Inner {
            address,
            store,
            prefix,
            presigner: None,
            failures: Failures::default(),
            known: Mutex::default(),
            starting: Semaphore::new(STARTING),
        })))
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
        let Opened { address, store, prefix, signer } = address::open(address, settings)?;
        let presigner = match signer {
            _ if !presign => None,
            None => return Err(BucketError::NoSigner { address }),
            Some(signer) => {
                let path = prefix.clone().join(MANIFEST);
                let signed = signer.signed_url(Method::GET, &path, VALID).await;
                let signed = signed.map_err(|error| BucketError::Settings {
                    address: address.clone(),
                    reason: reason(&error).1,
                })?;
                Some(Presigner { signer, origin: signed.origin().ascii_serialization() })
            }
        };
        let known = Mutex::default();
        let starting = Semaphore::new(STARTING);
        let bucket = Self(Arc::new(Inner { address, store, prefix, presigner, failures, known, starting }));
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

    pub(super) fn store(&self) -> &Arc<dyn ObjectStore> {
        &self.0.store
    }

    pub(super) fn manifest_path(&self) -> Path {
        self.0.prefix.clone().join(MANIFEST)
    }

    pub(super) fn blob_path(&self, digest: Digest) -> Path {
        self.0.prefix.clone().join("blobs").join(digest.file_name())
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
            let tag = self.known().tag.clone();
            let options = GetOptions::new().with_if_none_match(tag);
            let error = |error| {
                BucketError::of(&self.0.address, error, || BucketError::NoManifest { address: address() })
            };
            let got = match self.0.store.get_opts(&self.manifest_path(), options).await {
                Ok(got) => got,
                Err(object_store::Error::NotModified { .. }) => return Ok(()),
                Err(other) => return Err(error(other)),
            };
            let unusable = |reason| BucketError::Manifest { address: address(), reason };
            let tag = got.meta.e_tag.clone();
            let mut text = Vec::new();
            let mut pieces = got.into_stream();
            while let Some(piece) = pieces.try_next().await.map_err(error)? {
                if (text.len() + piece.len()) as u64 > manifest::LARGEST {
                    return Err(unusable(format!("it is longer than {} bytes", manifest::LARGEST)));
                }
                text.extend_from_slice(&piece);
            }
            let models = manifest::read(&text).map_err(unusable)?;
            let mut known = self.known();
            (known.tag, known.models) = (tag, models);
            Ok(())
        };
        let late = || BucketError::Unreachable {
            address: address(),
            reason: format!("it took longer than {} s", PATIENCE.as_secs()),
        };
        timeout(PATIENCE, read).await.map_err(|_| late())?
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
        let options = GetOptions::new().with_range(Some(GetRange::Bounded(range)));
        let got = {
            // It is never closed.
            let _turn = self.0.starting.acquire().await.ok();
            self.0.store.get_opts(&self.blob_path(digest), options).await
        };
        let GetResult { payload, meta, .. } = got.map_err(|error| self.error(error, digest))?;
        if meta.size != size {
            let address = self.0.address.clone();
            return Err(BucketError::WrongSize { address, digest, found: meta.size, expected: size });
        }
        match payload {
            GetResultPayload::File(file, path) => match file.metadata() {
                Ok(metadata) => Ok(Read::File(file, Stamp::from(&metadata))),
                Err(error) => Err(BucketError::Disk { path, error }),
            },
            GetResultPayload::Stream(stream) => {
                let bucket = self.clone();
                let stream = stream.map(move |piece| {
                    piece.map_err(|error| {
                        bucket.count("blob");
                        let error = bucket.error(error, digest);
                        tracing::warn!("a download was cut off: {error}");
                        io::Error::other(error)
                    })
                });
                Ok(Read::Stream(stream.boxed()))
            }
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
