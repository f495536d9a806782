//! Publishing the models of a folder: their files first, the list last, so that a listed model is always complete.

use std::{fs, path::Path};

use object_store::{ObjectStoreExt as _, buffered::BufWriter};
use protocol::{Catalog, CatalogEntry};
use tokio::{
    io::{AsyncWriteExt as _, BufReader, copy_buf},
    task::spawn_blocking,
};

use super::{Bucket, BucketError};
use crate::{
    catalog::{Blob, BlobFile, Facts, Found, List, Stamp, folder, ollama},
    regular,
};

/// Bytes that are sent at once. S3 takes 10,000 parts of a file.
const PART: usize = 16 << 20;
/// Parts that are sent at once.
const AT_ONCE: usize = 4;
/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// What happens while a folder is published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Published {
    /// A model that can't be used is left out.
    LeftOut {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// A file is in the store already.
    There {
        /// Its name in the store.
        name: String,
    },
    /// A file is being sent.
    Sending {
        /// Its name in the store.
        name: String,
        /// Bytes.
        size: u64,
    },
    /// The list is written: all is done.
    Listed {
        /// Models in it.
        models: usize,
    },
}

impl Bucket {
    /// Makes the store's list that of the models in `folder`, Ollama's or one of `.gguf` files, and sends the files that
    /// the store doesn't have. Files that the list no longer names stay: somebody may be reading them.
    ///
    /// # Errors
    /// When the folder can't be read, has no model, or changes meanwhile; when the store doesn't take what is sent.
    pub async fn publish(&self, folder: &Path, tell: &dyn Fn(Published)) -> Result<(), BucketError> {
        let disk = |error| BucketError::Disk { path: folder.into(), error };
        let root = folder.to_owned();
        let scan = move || {
            let mut facts = Facts::default();
            let is_ollama = root.join("manifests").is_dir() && root.join("blobs").is_dir();
            let scan = if is_ollama { ollama::scan } else { folder::scan_content };
            Ok((scan(&root, &mut facts)?, facts))
        };
        let (listing, mut facts) = blocking(scan).await.map_err(disk)?;
        let (found, broken): (Vec<_>, Vec<_>) =
            listing.found.into_iter().partition(|found| found.entry.broken.is_none());
        for Found { entry: CatalogEntry { name, broken, .. }, .. } in broken {
            let reason = broken.map_or_else(String::new, |said| said.english);
            tell(Published::LeftOut { name, reason });
        }
        let List { entries, blobs, .. } = List::new(found);
        if entries.is_empty() {
            return Err(BucketError::NoModels { folder: folder.into() });
        }
        for blob in blobs.into_values() {
            let Blob::File(file) = blob else { continue };
            facts = self.send(file, facts, tell).await?;
        }
        let models = entries.len();
        let catalog = Catalog { models: entries, ..Catalog::default() };
        let text = serde_json::to_vec_pretty(&catalog).map_err(|error| BucketError::Manifest {
            address: self.address().into(),
            reason: error.to_string(),
        })?;
        let put = self.store().put(&self.manifest_path(), text.into()).await;
        put.map_err(|error| self.refused(error))?;
        tell(Published::Listed { models });
        Ok(())
    }

    /// Sends a file unless it is there. Its digest is compared first: Ollama's names may be wrong.
    async fn send(
        &self,
        file: BlobFile,
        mut facts: Facts,
        tell: &dyn Fn(Published),
    ) -> Result<Facts, BucketError> {
        let BlobFile { digest, path, stamp } = file;
        let name = digest.file_name();
        if self.size(digest).await? == Some(stamp.size) {
            tell(Published::There { name });
            return Ok(facts);
        }
        let disk = |error| BucketError::Disk { path: path.clone(), error };
        let place = path.clone();
        let hash = move || Ok((facts.sha256(&place, stamp)?, facts));
        let (found, facts) = blocking(hash).await.map_err(disk)?;
        let changed = || BucketError::Changed { path: path.clone(), digest };
        if found != digest {
            return Err(changed());
        }
        tell(Published::Sending { name, size: stamp.size });
        let place = path.clone();
        let (reader, _) = blocking(move || regular::open(&place)).await.map_err(disk)?;
        let mut reader = BufReader::with_capacity(PIECE, tokio::fs::File::from_std(reader));
        let mut writer = BufWriter::with_capacity(self.store().clone(), self.blob_path(digest), PART)
            .with_max_concurrency(AT_ONCE);
        let copied = copy_buf(&mut reader, &mut writer).await.map_err(|error| self.unsent(error));
        // Whatever was read before is of this content only if it is still there.
        let place = path.clone();
        let now = blocking(move || Ok(Stamp::from(&fs::metadata(place)?))).await.map_err(disk)?;
        if copied.is_err() || now != stamp {
            // What was sent so far costs room. Why it is given up matters more than that it can't be deleted.
            writer.abort().await.ok();
            copied?;
            return Err(changed());
        }
        writer.shutdown().await.map_err(|error| self.unsent(error))?;
        Ok(facts)
    }

    /// The store doesn't take something.
    fn refused(&self, error: object_store::Error) -> BucketError {
        let address = self.address().to_owned();
        BucketError::of(self.address(), error, || BucketError::NoBucket { address })
    }

    /// The same, packed into an error of a writer.
    fn unsent(&self, error: std::io::Error) -> BucketError {
        match error.downcast::<object_store::Error>() {
            Ok(error) => self.refused(error),
            Err(error) => {
                BucketError::Unreachable { address: self.address().into(), reason: error.to_string() }
            }
        }
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> std::io::Result<T> {
    spawn_blocking(work).await.map_err(std::io::Error::other)?
}
