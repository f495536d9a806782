//! Downloading models to the server: what `/api/pull` answers and takes.

use serde::{Deserialize, Serialize};

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
    /// What an earlier attempt has left of a file is read again, before the download goes on there.
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
        /// Why it waits before the next attempt, in English, if it does.
        waiting: Option<String>,
    },
    /// The parts of the model are joined into one file.
    Joining,
    /// The model is there.
    Done,
    /// It was stopped. What was downloaded so far is kept.
    Stopped,
    /// It failed; the reason in English. What was downloaded so far is kept where that is of use.
    Failed(String),
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
    /// The model, as a person types it: `[HOST/][NAMESPACE/]MODEL[:TAG]`.
    pub name: String,
}
