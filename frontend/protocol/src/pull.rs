//! Downloading models to the server: what `/api/pull` answers and takes.

use serde::{Deserialize, Serialize};

/// The answer to every request to `/api/pull`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullReport {
    /// Whether visitors may have models downloaded. The rest is empty where they may not.
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
    /// Files are downloaded.
    Running {
        /// Bytes that have arrived.
        done: u64,
        /// Bytes in all, without what was there before.
        total: u64,
        /// Why nothing arrives now, in English, if a server has to be asked again.
        waiting: Option<String>,
    },
    /// The parts of the model are joined into one file.
    Joining,
    /// The model is there.
    Done,
    /// Somebody stopped it. What has arrived is kept.
    Stopped,
    /// It failed, and why, in English. What has arrived is kept where that is of use.
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
