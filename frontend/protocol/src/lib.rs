//! Messages between page, worker and server.
//!
//! The page posts [`ToWorker`] messages and gets [`ToPage`] messages back. Both are encoded with [`encode`] and
//! [`decode`] (postcard) and travel as the bytes of one `ArrayBuffer`. Local files, pictures and sound travel beside
//! them as `Blob` handles, because a handle can be cloned between the two without reading its bytes.
//! The server answers in JSON: its list of models ([`catalog`]), reports on downloads ([`pull`]), and why it passes nothing on ([`relay`]).
//!
//! A [`Request`] travels in an [`Envelope`] with its [`RequestId`]. Its answer is any number of [`Progress`] events and
//! then exactly one [`Outcome`] or [`Failure`]. Any request can be cancelled by its id ([`Control::Cancel`]).

pub mod adapter;
pub mod catalog;
pub mod chat;
#[cfg(feature = "conduct")]
pub mod conduct;
pub mod device;
pub mod diagnosis;
pub mod embedding;
pub mod event;
pub mod example;
pub mod failure;
pub mod generate;
pub mod media;
pub mod model;
pub mod published;
pub mod pull;
pub mod relay;
pub mod request;
pub mod said;
pub mod state;
pub mod tools;
pub mod tune;
mod wire;

use serde::{Deserialize, Serialize};

pub use adapter::{AdapterDetails, AdapterScale, AdapterSource};
pub use catalog::{Catalog, CatalogEntry, Layer, LayerKind, Searched};
pub use chat::{Content, Message, Role};
pub use device::DeviceReport;
pub use diagnosis::{Benchmark, BenchmarkOptions, Diagnosis, Finding, Profile, SelfTest, Spread};
pub use embedding::{Embeddings, EncoderDetails};
pub use event::{Event, Outcome, Progress, ToPage};
pub use failure::{Cause, Code, Failure, Remedy};
pub use generate::{
    Begun, Canvas, CanvasText, Channel, DiffusionTimings, ExpertTimings, Finish, GenerateOptions, Resumed,
    Sampling, Speculation, Timings,
};
pub use media::{Media, MediaNotice, MediaReport, MediaSize, Sense, TokenBudget};
pub use model::{
    CacheEntry, CacheReport, Capabilities, ContextCost, Diffusion, EightBits, ExpertMemory, FitVerdict,
    LoadOptions, LoadPhase, LoadProgress, ModelDetails, ModelSource, Stored, TypeShare,
};
pub use published::{AboutFit, PUBLISHED, Published};
pub use pull::{Pull, PullProblem, PullReport, PullRequest, PullStage};
pub use relay::{RelayProblem, RelayReport};
pub use request::{Control, Forget, Request, ToWorker};
pub use state::{Busy, EngineState, LoadTimes, LoadedModel, ModelPhase};
pub use tools::{AnswerFormat, Constraint, Tool, ToolCall};
pub use tune::{TuneOutcome, TuneProgress, TuneRequest};
pub use wire::{WireError, decode, encode};

/// Raised with every change that an older peer could misread. A page and a worker of different versions (one of
/// them from an old cache) refuse each other in [`ToPage::Ready`] instead of misbehaving.
pub const VERSION: u16 = 32;

/// A page that uses the engine. Several tabs can share one engine; each draws its number at random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PageId(pub u32);

/// Chosen by the page, and unique among all pages: the upper half is the page's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RequestId(pub u64);

impl RequestId {
    /// A page's request of this number.
    #[must_use]
    pub fn new(page: PageId, number: u32) -> Self {
        Self(u64::from(page.0) << 32 | u64::from(number))
    }

    /// The page that made it.
    #[must_use]
    pub fn page(self) -> PageId {
        PageId((self.0 >> 32) as u32)
    }
}

/// A message about one request.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Envelope<T> {
    /// The request.
    pub id: RequestId,
    /// The message.
    pub body: T,
}
