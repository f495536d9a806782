//! Downloading models to the server: what `/api/pull` answers and takes.

use serde::{Deserialize, Serialize};

use crate::said::Said;

/// The answer to every request to `/api/pull`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullReport {
    /// Whether the server downloads models for this visitor. If not, the rest is empty.
    pub offered: bool,
    /// Bytes that may still be written into the folder of models.
    pub free: Option<u64>,
    /// The download that is running, or the last one.
    pub pull: Option<Pull>,
}

/// A download.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pull {
    /// Its number. No other download of this server has it.
    pub id: u64,
    /// The model's name, such as `gemma4:e2b`.
    pub name: String,
    /// How far it is.
    pub stage: PullStage,
}

/// How far a download is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PullStage {
    /// The registry is asked what the model consists of.
    Asking,
    /// The part of a file that an earlier attempt has left is read again before the download continues there.
    Checking {
        /// Bytes that have been read.
        done: u64,
        /// Bytes that were left.
        total: u64,
    },
    /// Files are downloaded.
    Running {
        /// Bytes that have arrived.
        done: u64,
        /// Bytes in all, without those of an earlier attempt.
        total: u64,
        /// Why it waits before the next attempt, if it does.
        waiting: Option<Said<PullProblem>>,
    },
    /// The parts of the model are joined into one file.
    Joining,
    /// The model is there.
    Done,
    /// It was stopped. What was downloaded so far is kept.
    Stopped,
    /// It failed. What was downloaded so far is kept where that is of use.
    Failed(Said<PullProblem>),
}

impl PullStage {
    /// Whether there is nothing more to come.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Done | Self::Stopped | Self::Failed(_))
    }
}

/// What `POST /api/pull` takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequest {
    /// The model, as users type it: `[HOST/][NAMESPACE/]MODEL[:TAG]`.
    pub name: String,
}

/// Why a model isn't downloaded. A request that is refused is answered with one, as a [`Said`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PullProblem {
    /// What was typed is not the name of a model.
    Name,
    /// The part before the first slash is not a host.
    Host {
        /// What it is.
        host: String,
    },
    /// Names on this host have an owner.
    NoOwner {
        /// The host.
        host: String,
    },
    /// The name has the scheme `http://`.
    PlainHttp,
    /// The server doesn't download models for this visitor.
    NotOffered,
    /// The server doesn't download from this registry.
    Registry {
        /// The registry.
        host: String,
    },
    /// Another download is running.
    Busy {
        /// Of this model.
        model: String,
    },
    /// The request was too slow.
    Late,
    /// HTTPS can't be used on the server.
    Tls,
    /// The registry could not be reached, or the connection broke again and again.
    Network {
        /// The registry.
        host: String,
    },
    /// The registry can't show that it is the one that was asked for.
    Certificate {
        /// The registry.
        host: String,
    },
    /// The registry does not have the model.
    NoSuchModel {
        /// The model.
        model: String,
        /// The registry.
        host: String,
    },
    /// The registry wants to know who asks.
    Private {
        /// The model.
        model: String,
        /// The registry.
        host: String,
    },
    /// The registry answered with a status that says that something is wrong.
    Status {
        /// The registry.
        host: String,
        /// The status.
        status: u16,
    },
    /// The registry leads to where it must not.
    Redirect {
        /// The registry.
        host: String,
    },
    /// What the registry says of the model can't be used.
    Manifest {
        /// The registry.
        host: String,
    },
    /// The model is cut into too many files.
    Pieces {
        /// How many.
        files: u64,
    },
    /// The repository doesn't have the model in this quantization.
    Quantization {
        /// The one that was asked for.
        wanted: String,
        /// Those that are there.
        there: String,
    },
    /// A file has another length than the manifest says.
    WrongLength {
        /// The registry.
        host: String,
    },
    /// A file has another digest than the manifest says, and was deleted.
    WrongDigest {
        /// The registry.
        host: String,
    },
    /// There is not enough room on the disk.
    NoRoom {
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that are free.
        free: u64,
        /// In this folder.
        folder: String,
    },
    /// The disk became full, and the unfinished file was deleted.
    Full {
        /// Bytes that are still needed.
        needed: u64,
        /// Bytes that are free.
        free: u64,
        /// In this folder.
        folder: String,
    },
    /// A file or folder could not be read or written.
    Disk {
        /// Which.
        path: String,
    },
    /// Another program is downloading the same file.
    Locked,
    /// Ollama has begun to download the model.
    BegunByOllama,
    /// A file that had arrived is gone again.
    Vanished,
    /// A part of a split model is not what the others need.
    Part {
        /// Its name.
        file: String,
    },
}
