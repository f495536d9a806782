//! Why the object store can't be used, in words that say what to do.

use std::{error::Error, io, path::PathBuf};

use super::MANIFEST;
use crate::{
    catalog::digest::Digest,
    redirects::BadRedirect,
    text::{shorten, shown},
};

/// Why the object store, or something in it, can't be used.
///
/// `address` is the one that was given, without what is secret in it. Texts from the network are short and printable.
#[derive(Debug, thiserror::Error)]
pub enum BucketError {
    /// It is no address.
    #[error(
        "{address} isn't the address of an object store ({reason}). Use s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, \
         az://CONTAINER/PREFIX or file:///FOLDER"
    )]
    Address {
        /// What was given.
        address: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Settings, such as credentials, don't fit.
    #[error("{address} can't be used with these settings of the environment: {reason}")]
    Settings {
        /// The store.
        address: String,
        /// What is wrong.
        reason: String,
    },
    /// The address of the store is one of a bucket that isn't there.
    #[error("there is no such bucket: {address}")]
    NoBucket {
        /// The store.
        address: String,
    },
    /// Nothing was published there.
    #[error("{address} has no {MANIFEST}. To put models there, run: server publish DIR {address}")]
    NoManifest {
        /// The store.
        address: String,
    },
    /// The list of models isn't what it has to be.
    #[error("{MANIFEST} in {address} can't be used: {reason}")]
    Manifest {
        /// The store.
        address: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The store doesn't know the credentials, or they don't allow this.
    #[error("{address} refuses access: {reason}")]
    Refused {
        /// The store.
        address: String,
        /// What the store says.
        reason: String,
    },
    /// It doesn't answer, or says that it can't.
    #[error("{address} can't be reached: {reason}")]
    Unreachable {
        /// The store.
        address: String,
        /// What happened.
        reason: String,
    },
    /// It sends whoever asks to another server, whose answers are not passed on.
    #[error("{address} redirects, which isn't followed: {reason}")]
    Redirect {
        /// The store.
        address: String,
        /// What is wrong with it.
        reason: BadRedirect,
    },
    /// A file that the list names isn't there.
    #[error("{address} has no file {digest}")]
    NoFile {
        /// The store.
        address: String,
        /// The file.
        digest: Digest,
    },
    /// A file has another size than the list says.
    #[error("{digest} in {address} has {found} bytes, not {expected}")]
    WrongSize {
        /// The store.
        address: String,
        /// The file.
        digest: Digest,
        /// Bytes that are there.
        found: u64,
        /// Bytes that the list says.
        expected: u64,
    },
    /// A folder has no addresses that could be signed.
    #[error("{address} can't sign addresses: --presign needs s3://, gs:// or az://")]
    NoSigner {
        /// The store.
        address: String,
    },
    /// A file that is to be published can't be read.
    #[error("{} can't be read: {error}", shown(.path))]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file isn't, or is no longer, what its name says.
    #[error("{} doesn't match {digest}: it is damaged, or was changed meanwhile", shown(.path))]
    Changed {
        /// The file.
        path: PathBuf,
        /// What it should be.
        digest: Digest,
    },
    /// There is nothing to publish.
    #[error("{} has no model that can be used", shown(.folder))]
    NoModels {
        /// The folder.
        folder: PathBuf,
    },
}

impl BucketError {
    /// Whether the store itself is in trouble, so that asking again later may help.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Disk { error, .. } => error.kind() == io::ErrorKind::TimedOut,
            _ => false,
        }
    }

    /// An error of the store; `missing` makes that of what isn't there.
    pub(super) fn of(address: &str, error: object_store::Error, missing: impl FnOnce() -> Self) -> Self {
        use object_store::Error::{NotFound, NotSupported, PermissionDenied, Unauthenticated};

        let (code, reason) = reason(&error);
        let address = address.to_owned();
        if let Some(&reason) = chain(&error).find_map(|inner| inner.downcast_ref::<BadRedirect>()) {
            return Self::Redirect { address, reason };
        }
        match error {
            // S3 and Google, and Azure.
            NotFound { .. } if ["NoSuchBucket", "ContainerNotFound"].contains(&code.as_str()) => {
                Self::NoBucket { address }
            }
            NotFound { .. } => missing(),
            PermissionDenied { .. } | Unauthenticated { .. } => Self::Refused { address, reason },
            NotSupported { .. } => Self::Settings { address, reason },
            _ => Self::Unreachable { address, reason },
        }
    }
}

/// What is behind an error, the innermost last.
fn chain(error: &object_store::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |&outer| outer.source())
}

/// The store's code for what happened, empty if it gave none, and a text for people.
///
/// The innermost error has what there is to know; outer ones show addresses, which may have secrets in them.
pub(super) fn reason(error: &object_store::Error) -> (String, String) {
    let text = chain(error).last().map_or_else(|| error.to_string(), ToString::to_string);
    // Stores answer in XML.
    let element = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        Some(rest.split_once(&format!("</{name}>"))?.0.to_owned())
    };
    let code = element("Code").unwrap_or_default();
    let said = element("Message").map(|message| format!("{code}: {message}"));
    (code, shorten(said.as_deref().unwrap_or(&text)))
}
