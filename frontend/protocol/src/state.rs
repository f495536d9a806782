//! What the engine holds and does, for pages that share it.

use serde::{Deserialize, Serialize};

use crate::failure::Activity;
use crate::{AdapterDetails, LoadProgress, ModelDetails, ModelSource, PageId, RequestId};

/// What the engine holds and does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EngineState {
    /// Its model.
    pub model: ModelPhase,
    /// What it is doing.
    pub busy: Option<Busy>,
}

/// What the engine does that takes the model, and for which page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Busy {
    /// The page.
    pub page: PageId,
    /// What it does.
    pub activity: Activity,
}

/// The engine's model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum ModelPhase {
    /// None.
    #[default]
    Empty,
    /// One is being loaded.
    Loading {
        /// The [`crate::Request::Load`], by which any page can cancel it.
        id: RequestId,
        /// Where it is.
        source: ModelSource,
        /// How far it is.
        progress: Option<LoadProgress>,
    },
    /// One is loaded.
    Loaded(Box<LoadedModel>),
}

/// A model that is loaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadedModel {
    /// The request that loaded it.
    pub id: RequestId,
    /// Where it is.
    pub source: ModelSource,
    /// What its header says.
    pub details: ModelDetails,
    /// The context length in tokens that was allocated (at most what was asked for).
    pub context: u32,
    /// Bytes of graphics memory in use.
    pub gpu_bytes: u64,
    /// Adapters that came with it.
    pub adapters: Vec<AdapterDetails>,
    /// How long each part of the load took.
    pub times: LoadTimes,
}

/// Times of a load in milliseconds. Kernels are compiled while weights arrive, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadTimes {
    /// Everything, tries that failed included.
    pub all: f64,
    /// Reading or downloading the files, and copying weights to the device.
    pub weights: f64,
    /// Compiling the kernels that weren't ready by then.
    pub kernels: f64,
    /// Timing which kernels are the fastest; 0 where that is known or there is no choice.
    pub tuning: f64,
}
