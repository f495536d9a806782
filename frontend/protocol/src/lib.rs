//! What page, worker and server say to one another.
//!
//! The page posts a [`Request`] to the worker and gets [`Event`]s back. Both are encoded with [`encode`] and
//! [`decode`] (postcard) and travel as the bytes of one `ArrayBuffer`. Local files, pictures and sound travel beside
//! them as `Blob` handles, because a handle can be cloned between the two and its bytes need not be read for that.
//! What the server says is JSON: its list of models ([`catalog`]), and reports on downloads ([`pull`]).
//!
//! Everything that takes time carries a [`RequestId`]. Any request can be cancelled by its id, and every request
//! ends with exactly one terminal event: see [`Event::is_terminal`].

pub mod adapter;
pub mod catalog;
pub mod chat;
#[cfg(feature = "conduct")]
pub mod conduct;
pub mod device;
pub mod diagnosis;
pub mod example;
pub mod failure;
pub mod generate;
pub mod media;
pub mod model;
pub mod published;
pub mod pull;
pub mod said;
pub mod state;
pub mod tune;
mod wire;

use serde::{Deserialize, Serialize};

pub use adapter::{AdapterDetails, AdapterScale, AdapterSource};
pub use catalog::{Catalog, CatalogEntry, Layer, LayerKind, Searched};
pub use chat::{Content, Message, Role, ToolCall};
pub use device::DeviceReport;
pub use diagnosis::{Benchmark, BenchmarkOptions, Diagnosis, Finding, Profile, SelfTest, Spread};
pub use failure::{Cause, Code, Failure, Remedy};
pub use generate::{
    Begun, Canvas, CanvasText, Channel, DiffusionTimings, ExpertTimings, Finish, GenerateOptions, Resumed,
    Sampling, Speculation, Timings,
};
pub use media::{Media, MediaNotice, MediaReport, MediaSize, Sense, TokenBudget};
pub use model::{
    CacheEntry, Capabilities, ContextCost, Diffusion, EightBits, ExpertMemory, FitVerdict, LoadOptions,
    LoadPhase, LoadProgress, ModelDetails, ModelSource, Stored, TypeShare,
};
pub use published::{AboutFit, PUBLISHED, Published};
pub use pull::{Pull, PullProblem, PullReport, PullRequest, PullStage};
pub use state::{Busy, EngineState, LoadedModel, ModelPhase};
pub use tune::{TuneEvent, TuneRequest};
pub use wire::{WireError, decode, encode};

/// Raised with every change that an older peer could misread. A page and a worker of different versions (one of
/// them from an old cache) refuse each other in [`Event::Ready`] instead of misbehaving.
pub const VERSION: u16 = 23;

/// A page that speaks to the engine. Several tabs can share one engine; each draws its number at random.
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

/// From the page to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// First message of a page. Answered by [`Event::Ready`], then [`Event::Device`] and [`Event::State`].
    Hello {
        /// The page's [`VERSION`].
        version: u16,
        /// The page's number.
        page: PageId,
    },
    /// Reads a model's header and says what it is and whether it fits, without loading a weight.
    /// Answered by [`Event::Inspected`].
    Inspect {
        /// Names the request.
        id: RequestId,
        /// Where the model is.
        source: ModelSource,
        /// How it would be loaded.
        options: LoadOptions,
    },
    /// Loads a model, in place of the one loaded before. Answered by [`Event::Loading`]s, then [`Event::Loaded`].
    Load {
        /// Names the request.
        id: RequestId,
        /// Where the model is.
        source: ModelSource,
        /// Context length and cache policy.
        options: LoadOptions,
    },
    /// Frees the model and its memory. Answered by [`Event::Unloaded`].
    Unload {
        /// Names the request.
        id: RequestId,
    },
    /// Looks at a picture or a sound without encoding it. Answered by [`Event::Examined`].
    Examine {
        /// Names the request.
        id: RequestId,
        /// The picture or sound, as it would stand in a message.
        content: Content,
    },
    /// What the microphone has heard since the last of these. It is encoded while the person still speaks, so that it is
    /// known already when the recording is sent. Answered by [`Event::Listened`].
    Listen {
        /// Names the request.
        id: RequestId,
        /// Number of the first sample in its recording: 0 begins another one.
        at: u64,
        /// 16 kHz, as they will stand in the recording's file.
        samples: Vec<i16>,
        /// Whether the recording ends with them.
        last: bool,
    },
    /// Says how much graphics memory the towers for pictures and sound take; frees it first, if asked to. The next
    /// picture or sound loads its tower again. Answered by [`Event::Towers`].
    Towers {
        /// Names the request.
        id: RequestId,
        /// Whether to free it.
        free: bool,
    },
    /// Answers the conversation. Answered by [`Event::Encoding`]s, [`Event::Prefilling`]s, [`Event::Canvas`]es and
    /// [`Event::Text`]s, then [`Event::Done`].
    Generate {
        /// Names the request.
        id: RequestId,
        /// The conversation, oldest message first. The last one is the user's (or a tool's).
        messages: Vec<Message>,
        /// How to answer.
        options: GenerateOptions,
    },
    /// Reads a LoRA adapter for the loaded model. It counts in answers that name it ([`GenerateOptions::adapters`]).
    /// Answered by [`Event::AdapterOpened`].
    OpenAdapter {
        /// Names the request.
        id: RequestId,
        /// What later requests call the adapter. One that has the key is replaced.
        key: String,
        /// Where it is.
        source: AdapterSource,
    },
    /// Lets go of an adapter. Answered by [`Event::AdapterClosed`].
    CloseAdapter {
        /// Names the request.
        id: RequestId,
        /// The adapter.
        key: String,
    },
    /// Ends the thought of a running answer, so that the answer proper begins. No event of its own.
    AnswerNow {
        /// The running [`Request::Generate`].
        id: RequestId,
    },
    /// Counts the tokens that the conversation would take in the prompt. Answered by [`Event::Counted`]. Made for a draft while
    /// it is written: each of these cancels the one before, and only texts that changed are read.
    Count {
        /// Names the request.
        id: RequestId,
        /// The conversation as it would be sent.
        messages: Vec<Message>,
        /// Whether thinking is on (it changes the prompt).
        thinking: bool,
    },
    /// Stops a request. It ends with its own terminal event: a cancelled generation with
    /// [`Finish::Cancelled`], all else with [`Cause::Cancelled`].
    Cancel {
        /// The request to stop.
        id: RequestId,
    },
    /// Lists the weights kept in this browser. Answered by [`Event::Cache`].
    ListCache {
        /// Names the request.
        id: RequestId,
    },
    /// Deletes weights kept in this browser. Answered by [`Event::Cache`] with what is left.
    DeleteCached {
        /// Names the request.
        id: RequestId,
        /// Digests of the blobs, as in [`Layer::digest`]. One that is in use ends the deletion.
        digests: Vec<String>,
    },
    /// Measures. Answered by [`Event::Diagnosing`]s, then [`Event::Diagnosed`].
    Diagnose {
        /// Names the request.
        id: RequestId,
        /// What to find out.
        what: Diagnosis,
    },
    /// Fine-tuning. Answered by [`Event::Tune`]s.
    Tune {
        /// Names the request; for [`TuneRequest::Pause`] and [`TuneRequest::Finish`] the run under way.
        id: RequestId,
        /// What is asked for.
        request: Box<TuneRequest>,
    },
}

impl Request {
    /// The request's id, or that of the one it is about.
    #[must_use]
    pub fn id(&self) -> Option<RequestId> {
        match self {
            Self::Hello { .. } => None,
            Self::Inspect { id, .. }
            | Self::Load { id, .. }
            | Self::Unload { id }
            | Self::Examine { id, .. }
            | Self::Listen { id, .. }
            | Self::Towers { id, .. }
            | Self::Generate { id, .. }
            | Self::OpenAdapter { id, .. }
            | Self::CloseAdapter { id, .. }
            | Self::AnswerNow { id }
            | Self::Count { id, .. }
            | Self::Cancel { id }
            | Self::ListCache { id }
            | Self::DeleteCached { id, .. }
            | Self::Diagnose { id, .. }
            | Self::Tune { id, .. } => Some(*id),
        }
    }
}

/// From the worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The worker runs and speaks this version.
    Ready {
        /// The worker's [`VERSION`].
        version: u16,
    },
    /// What the graphics device is and can do; sent after [`Event::Ready`] and after a lost device came back.
    Device(DeviceReport),
    /// The device was lost (driver reset, sleep, memory pressure). The worker restores it, reloads the model and
    /// continues; a new [`Event::Device`] says when it is back.
    DeviceLost {
        /// The browser's words.
        reason: String,
    },
    /// What the engine holds and does, whichever page asked for it; sent to a page that has joined, and to all pages with
    /// every change while there are several.
    State(Box<EngineState>),
    /// The request waits until what other pages have asked for is done.
    Waiting {
        /// The request.
        id: RequestId,
    },
    /// Answers [`Request::Inspect`].
    Inspected {
        /// The request.
        id: RequestId,
        /// What the header says.
        details: Box<ModelDetails>,
        /// Whether it fits this device.
        verdict: FitVerdict,
    },
    /// A step of a running [`Request::Load`]; at most about ten a second.
    Loading {
        /// The request.
        id: RequestId,
        /// How far it is.
        progress: LoadProgress,
    },
    /// The model is ready to answer.
    Loaded {
        /// The request.
        id: RequestId,
        /// The request that has loaded it: this one, or that of another page for the same model.
        loaded_by: RequestId,
        /// What was loaded.
        details: Box<ModelDetails>,
        /// The context length in tokens that was allocated (at most what was asked for).
        context: u32,
        /// Bytes of graphics memory in use.
        gpu_bytes: u64,
        /// Adapters that came with it.
        adapters: Vec<AdapterDetails>,
    },
    /// Answers [`Request::OpenAdapter`].
    AdapterOpened {
        /// The request.
        id: RequestId,
        /// What the file says.
        details: AdapterDetails,
    },
    /// Answers [`Request::CloseAdapter`].
    AdapterClosed {
        /// The request.
        id: RequestId,
        /// The adapter that was let go.
        key: String,
    },
    /// Answers [`Request::Unload`].
    Unloaded {
        /// The request.
        id: RequestId,
    },
    /// Answers [`Request::Examine`].
    Examined {
        /// The request.
        id: RequestId,
        /// What was found.
        report: MediaReport,
    },
    /// Answers [`Request::Listen`].
    Listened {
        /// The request.
        id: RequestId,
        /// Tokens of the recording that are encoded; 0 where that has to wait until it is sent.
        tokens: u32,
    },
    /// Answers [`Request::Towers`].
    Towers {
        /// The request.
        id: RequestId,
        /// Bytes of graphics memory that towers take; none where no model is loaded.
        bytes: Option<u64>,
        /// Bytes of graphics memory in use in all.
        gpu_bytes: u64,
    },
    /// The tower of a sense is being loaded, on its first use.
    Tower {
        /// The request.
        id: RequestId,
        /// The sense.
        sense: Sense,
        /// How far it is.
        progress: LoadProgress,
    },
    /// Pictures and sounds that were not encoded yet are being encoded.
    Encoding {
        /// The request.
        id: RequestId,
        /// What is being encoded.
        sense: Sense,
        /// Its number among those to be encoded, counted from 0.
        index: u32,
        /// How many there are.
        of: u32,
        /// How much of this one is done, from 0 to 1.
        share: f32,
    },
    /// The prompt is being read.
    Prefilling {
        /// The request.
        id: RequestId,
        /// Prompt tokens read, those found in the cache included.
        done: u32,
        /// Prompt tokens in all.
        total: u32,
    },
    /// An answer begins, or goes on. With what is in here and in [`Event::Drawn`], another engine can go on with it:
    /// [`GenerateOptions::resumed`].
    Begins {
        /// The request.
        id: RequestId,
        /// Where an engine that goes on with it begins.
        resumed: Resumed,
    },
    /// The ids of all text and tool calls of an answer since the last of these. They will not change any more.
    Drawn {
        /// The request.
        id: RequestId,
        /// The ids.
        ids: Vec<u32>,
        /// Milliseconds of [`Timings::decode_ms`] so far.
        decode_ms: f64,
    },
    /// A denoising step of a diffusion model is done.
    Canvas {
        /// The request.
        id: RequestId,
        /// The block as it stands. Its final text comes as [`Event::Text`], and takes its place.
        canvas: Canvas,
    },
    /// More text of the answer.
    Text {
        /// The request.
        id: RequestId,
        /// What kind of text this is.
        channel: Channel,
        /// The piece, to be appended. Always whole characters.
        text: String,
        /// Tokens generated so far, of every channel.
        tokens: u32,
    },
    /// The model calls a tool.
    Tool {
        /// The request.
        id: RequestId,
        /// The call.
        call: ToolCall,
    },
    /// The answer has ended.
    Done {
        /// The request.
        id: RequestId,
        /// Why.
        finish: Finish,
        /// Figures.
        timings: Timings,
    },
    /// Answers [`Request::Count`].
    Counted {
        /// The request.
        id: RequestId,
        /// Tokens of the rendered prompt.
        tokens: u32,
    },
    /// Answers [`Request::ListCache`] and [`Request::DeleteCached`].
    Cache {
        /// The request.
        id: RequestId,
        /// What is kept.
        entries: Vec<CacheEntry>,
        /// Bytes that this origin uses in this browser.
        used: u64,
        /// Bytes that this origin may use.
        quota: u64,
        /// Whether the browser promised not to delete them by itself.
        persisted: bool,
    },
    /// A step of a running [`Request::Diagnose`].
    Diagnosing {
        /// The request.
        id: RequestId,
        /// Steps done.
        done: u32,
        /// Steps in all.
        total: u32,
    },
    /// Answers [`Request::Diagnose`].
    Diagnosed {
        /// The request.
        id: RequestId,
        /// What was found out.
        finding: Finding,
    },
    /// Answers [`Request::Tune`].
    Tune {
        /// The request.
        id: RequestId,
        /// What is said.
        event: Box<TuneEvent>,
    },
    /// The request failed (or was cancelled before it could do anything worth keeping).
    Failed {
        /// The request; none when the worker itself is in trouble.
        id: Option<RequestId>,
        /// What happened and what can be done.
        failure: Failure,
    },
}

impl Event {
    /// The request this event belongs to.
    #[must_use]
    pub fn id(&self) -> Option<RequestId> {
        match self {
            Self::Ready { .. } | Self::Device(_) | Self::DeviceLost { .. } | Self::State(_) => None,
            Self::Inspected { id, .. }
            | Self::Waiting { id }
            | Self::Begins { id, .. }
            | Self::Drawn { id, .. }
            | Self::Loading { id, .. }
            | Self::Loaded { id, .. }
            | Self::Unloaded { id }
            | Self::AdapterOpened { id, .. }
            | Self::AdapterClosed { id, .. }
            | Self::Examined { id, .. }
            | Self::Listened { id, .. }
            | Self::Towers { id, .. }
            | Self::Tower { id, .. }
            | Self::Encoding { id, .. }
            | Self::Prefilling { id, .. }
            | Self::Canvas { id, .. }
            | Self::Text { id, .. }
            | Self::Tool { id, .. }
            | Self::Done { id, .. }
            | Self::Counted { id, .. }
            | Self::Cache { id, .. }
            | Self::Diagnosing { id, .. }
            | Self::Diagnosed { id, .. }
            | Self::Tune { id, .. } => Some(*id),
            Self::Failed { id, .. } => *id,
        }
    }

    /// Whether this event is the last one of its request.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        if let Self::Tune { event, .. } = self {
            return event.is_terminal();
        }
        matches!(
            self,
            Self::Inspected { .. }
                | Self::Loaded { .. }
                | Self::Unloaded { .. }
                | Self::AdapterOpened { .. }
                | Self::AdapterClosed { .. }
                | Self::Examined { .. }
                | Self::Listened { .. }
                | Self::Towers { .. }
                | Self::Done { .. }
                | Self::Counted { .. }
                | Self::Cache { .. }
                | Self::Diagnosed { .. }
                | Self::Failed { .. }
        )
    }
}
