//! Why a model could not be pulled, in words that say what to do.

use std::{io, path::PathBuf};

use protocol::{PullProblem, said::Said};

use super::address::NotAnAddress;
use crate::{
    catalog::{digest::Digest, gguf::PeekError},
    text::{Bytes, printable, public, shorten},
};

/// Why a model could not be pulled.
///
/// Texts from the network are kept short and printable by whoever fills them in.
#[derive(Debug, thiserror::Error)]
pub enum PullError {
    /// The text is not the name of a model.
    #[error(transparent)]
    Name(#[from] NotAnAddress),
    /// The client could not be set up: most often no certificates are installed.
    #[error("HTTPS can't be used here: {reason}. On Debian and Ubuntu, install the package ca-certificates.")]
    Tls {
        /// What the library says.
        reason: String,
    },
    /// The registry could not be reached, or the connection broke again and again.
    #[error("{host} could not be reached: {reason}.")]
    Network {
        /// Host and port.
        host: String,
        /// What happened.
        reason: String,
    },
    /// The registry can't show that it is the one that was asked for.
    #[error(
        "{host} couldn't be verified: {reason}. If a proxy of your network decrypts connections, install its certificate on \
         this machine."
    )]
    Certificate {
        /// Host and port.
        host: String,
        /// What is wrong with its certificate.
        reason: String,
    },
    /// The registry does not have the model.
    #[error("There is no model “{name}” on {host}.")]
    NoSuchModel {
        /// As the person typed it, or nearly.
        name: String,
        /// Host and port.
        host: String,
    },
    /// The registry wants to know who asks.
    #[error(
        "{host} refuses “{name}” without an account: the model is private, has terms to be accepted first, or doesn't exist. \
         Only public models can be pulled."
    )]
    Private {
        /// As the person typed it, or nearly.
        name: String,
        /// Host and port.
        host: String,
    },
    /// Another status than those that are expected.
    #[error("{host} answered with status {status}: {message}")]
    Status {
        /// Host and port.
        host: String,
        /// The number.
        status: u16,
        /// What the registry says of it.
        message: String,
    },
    /// A redirect, or the address of tokens, leads from HTTPS to plain HTTP, or nowhere.
    #[error("{host} redirects to an unsafe address: {reason}")]
    Redirect {
        /// Host and port.
        host: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The manifest, or a list of files, is not what it has to be.
    #[error("{host} sent a manifest that can't be used: {reason}.")]
    Manifest {
        /// Host and port.
        host: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file for each tensor, or worse.
    #[error("{host} has the model in {files} files. gemtab needs a GGUF file.")]
    Pieces {
        /// Host and port.
        host: String,
        /// How many.
        files: usize,
    },
    /// Split files of other quantizations alone.
    #[error("{host} has no {wanted} of this model. There are: {there}.")]
    Quantization {
        /// Host and port.
        host: String,
        /// The one that was asked for.
        wanted: String,
        /// Those that are there.
        there: String,
    },
    /// The registry sends another part of a file than it was asked for, or another length than the manifest says.
    #[error("{host} sent {digest} with a length that isn't the manifest's: {reason}.")]
    WrongLength {
        /// Host and port.
        host: String,
        /// The file.
        digest: Digest,
        /// What is wrong.
        reason: String,
    },
    /// The bytes are not those that the digest names.
    #[error(
        "The download from {host} doesn't match {digest}, so it was deleted. If this happens again, something is changing the \
         file on the way."
    )]
    WrongDigest {
        /// Host and port.
        host: String,
        /// The file.
        digest: Digest,
    },
    /// The disk has not enough room, known beforehand.
    #[error("Not enough disk space: {} needed, {} free in {}.", Bytes(*.needed), Bytes(*.free), public(.folder))]
    NoRoom {
        /// Bytes still to be written.
        needed: u64,
        /// Bytes that may be written.
        free: u64,
        /// The store.
        folder: PathBuf,
    },
    /// The disk became full, or does not take files of this size.
    #[error(
        "The disk is full ({error}): {} more needed, {} free in {}. The unfinished file was deleted.",
        Bytes(*.needed), Bytes(*.free), public(.folder)
    )]
    Full {
        /// Bytes of the file that were still to be written.
        needed: u64,
        /// Bytes that are free now that the file is deleted.
        free: u64,
        /// The store.
        folder: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Reading or writing failed.
    #[error("{} could not be written or read: {error}", public(.path))]
    Disk {
        /// File or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Another pull has the file.
    #[error("Another pull is downloading {digest} into the same folder. Wait for it to end, or stop it.")]
    Busy {
        /// The file.
        digest: Digest,
    },
    /// Ollama has begun to download the file, in pieces that only it can join.
    #[error(
        "Ollama has begun to download this model. Finish it with `ollama pull`, or delete the files {}* and try again.",
        public(.partial)
    )]
    BegunByOllama {
        /// What the names of Ollama's files begin with.
        partial: PathBuf,
    },
    /// A file that had arrived is no longer there.
    #[error(
        "{digest} was deleted during the download. When Ollama starts, it removes files that no model uses. Try again."
    )]
    Vanished {
        /// The file.
        digest: Digest,
    },
    /// A part of a split model is not what the others need.
    #[error("{file} can't be joined with the other parts of the model: {reason}.")]
    Part {
        /// Its name in the repository.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl PullError {
    /// Whether asking again later may help.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Network { .. } => true,
            // Too many requests, time-outs, and troubles of the server's own.
            Self::Status { status, .. } => matches!(status, 408 | 425 | 429 | 500..=599),
            _ => false,
        }
    }

    /// What visitors are told. Names that came from the network are fit to be shown.
    #[must_use]
    pub fn said(&self) -> Said<PullProblem> {
        Said { code: Some(self.code()), english: printable(&self.to_string()).into_owned() }
    }

    fn code(&self) -> PullProblem {
        use PullProblem as P;
        let shown = |text: &str| printable(text).into_owned();
        match self {
            Self::Name(name) => name.code(),
            Self::Tls { .. } => P::Tls,
            Self::Network { host, .. } => P::Network { host: shown(host) },
            Self::Certificate { host, .. } => P::Certificate { host: shown(host) },
            Self::NoSuchModel { name, host } => P::NoSuchModel { model: shown(name), host: shown(host) },
            Self::Private { name, host } => P::Private { model: shown(name), host: shown(host) },
            Self::Status { host, status, .. } => P::Status { host: shown(host), status: *status },
            Self::Redirect { host, .. } => P::Redirect { host: shown(host) },
            Self::Manifest { host, .. } => P::Manifest { host: shown(host) },
            Self::Pieces { files, .. } => P::Pieces { files: *files as u64 },
            Self::Quantization { wanted, there, .. } => {
                P::Quantization { wanted: shown(wanted), there: shorten(there) }
            }
            Self::WrongLength { host, .. } => P::WrongLength { host: shown(host) },
            Self::WrongDigest { host, .. } => P::WrongDigest { host: shown(host) },
            Self::NoRoom { needed, free, folder } => {
                P::NoRoom { needed: *needed, free: *free, folder: public(folder) }
            }
            Self::Full { needed, free, folder, .. } => {
                P::Full { needed: *needed, free: *free, folder: public(folder) }
            }
            Self::Disk { path, .. } => P::Disk { path: public(path) },
            Self::Busy { .. } => P::Locked,
            Self::BegunByOllama { .. } => P::BegunByOllama,
            Self::Vanished { .. } => P::Vanished,
            Self::Part { file, .. } => P::Part { file: shorten(file) },
        }
    }

    /// An error of the disk.
    pub(super) fn disk(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| Self::Disk { path, error }
    }
}

/// Whether the system says that no more can be written.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

/// Why the header of a part can't be used.
pub(super) fn part(file: &str) -> impl Fn(PeekError) -> PullError {
    move |error| PullError::Part { file: file.into(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_account_is_in_no_message() {
        use crate::catalog::digest::sha256;

        let Some(home) = crate::text::home() else { return };
        let (needed, free, folder) = (2, 1, home.join("models"));
        let error = || io::Error::from(io::ErrorKind::PermissionDenied);
        let digest = sha256(&b""[..]).expect("a digest");
        for error in [
            PullError::NoRoom { needed, free, folder: folder.clone() },
            PullError::Full { needed, free, folder: folder.clone(), error: error() },
            PullError::Disk { path: folder.clone(), error: error() },
            PullError::BegunByOllama { partial: folder.join(digest.file_name()) },
        ] {
            let text = error.to_string();
            let path = std::path::Path::new("~").join("models").display().to_string();
            assert!(text.contains(&path) && !text.contains(&*home.to_string_lossy()), "{text}");
        }
    }

    #[test]
    fn a_full_disk_is_told_with_numbers() {
        let folder = PathBuf::from("/models");
        let error = PullError::NoRoom { needed: 12_300_000_000, free: 4_000_000_000, folder };
        assert_eq!(error.to_string(), "Not enough disk space: 12.3 GB needed, 4.0 GB free in /models.");
    }
}
