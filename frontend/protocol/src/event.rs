//! Messages from the worker to the page.

use serde::{Deserialize, Serialize};

use crate::{
    AdapterDetails, CacheReport, Canvas, Channel, DeviceReport, Embeddings, EncoderDetails, EngineState,
    Envelope, Failure, Finding, Finish, FitVerdict, LoadProgress, LoadedModel, MediaReport, ModelDetails,
    RequestId, Resumed, Sense, Timings, ToolCall, TuneOutcome, TuneProgress,
};
#[cfg(doc)]
use crate::{GenerateOptions, Request, VERSION};

/// From the worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToPage {
    /// The worker runs.
    Ready {
        /// The worker's [`VERSION`].
        version: u16,
    },
    /// What the graphics device is and can do; sent after [`ToPage::Ready`] and after a lost device was restored.
    Device(DeviceReport),
    /// The device was lost (driver reset, sleep, memory pressure). The worker restores it, reloads the model and
    /// continues; a new [`ToPage::Device`] follows when it is back.
    DeviceLost {
        /// The browser's words.
        reason: String,
    },
    /// The engine's model and activity, for all pages; sent to a page that joins, and to all pages with every change
    /// while there are several.
    State(Box<EngineState>),
    /// An error that ends no request.
    Warning(Failure),
    /// Part of the answer to a request.
    Event(Envelope<Event>),
}

impl ToPage {
    /// Progress of the request `id`.
    #[must_use]
    pub fn progress(id: RequestId, progress: Progress) -> Self {
        Self::Event(Envelope { id, body: Event::Progress(progress) })
    }

    /// The end of the request `id`.
    #[must_use]
    pub fn outcome(id: RequestId, outcome: Result<Outcome, Failure>) -> Self {
        Self::Event(Envelope { id, body: Event::Outcome(outcome) })
    }

    /// Returns the progress in this message, with its request.
    #[must_use]
    pub fn as_progress(&self) -> Option<(RequestId, &Progress)> {
        match self {
            Self::Event(Envelope { id, body: Event::Progress(progress) }) => Some((*id, progress)),
            _ => None,
        }
    }

    /// Returns the outcome in this message, with its request.
    #[must_use]
    pub fn as_outcome(&self) -> Option<(RequestId, &Result<Outcome, Failure>)> {
        match self {
            Self::Event(Envelope { id, body: Event::Outcome(outcome) }) => Some((*id, outcome)),
            _ => None,
        }
    }
}

/// Part of the answer to a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The request is under way.
    Progress(Progress),
    /// The request has ended. A failure may be a cancellation.
    Outcome(Result<Outcome, Failure>),
}

impl Event {
    /// Whether this is the last event of its request.
    #[must_use]
    pub fn is_last(&self) -> bool {
        matches!(self, Self::Outcome(_))
    }
}

/// How far a request is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Progress {
    /// Requests of other pages come first.
    Waiting,
    /// A step of a [`Request::Load`]; at most about ten a second.
    Loading(LoadProgress),
    /// A tower is being loaded, on its first use.
    Tower {
        /// Its sense.
        sense: Sense,
        /// How far the load is.
        progress: LoadProgress,
    },
    /// Pictures and sounds that were not encoded yet are being encoded.
    Encoding {
        /// The sense of the current one.
        sense: Sense,
        /// Its number among those to encode, counted from 0.
        index: u32,
        /// How many there are.
        of: u32,
        /// How much of this one is done, from 0 to 1.
        share: f32,
    },
    /// The prompt is being read.
    Prefilling {
        /// Prompt tokens read, including those found in the cache.
        done: u32,
        /// Prompt tokens in all.
        total: u32,
    },
    /// An answer begins or continues. From this and [`Progress::Drawn`], another engine can continue it:
    /// [`GenerateOptions::resumed`].
    Begins(Resumed),
    /// The ids of all text and tool calls of an answer since the last of these. They will not change any more.
    Drawn {
        /// The ids.
        ids: Vec<u32>,
        /// Milliseconds of [`Timings::decode_ms`] so far.
        decode_ms: f64,
    },
    /// A denoising step of a diffusion model is done. The block's final text comes as [`Progress::Text`] and replaces it.
    Canvas(Canvas),
    /// More text of the answer.
    Text {
        /// What kind of text this is.
        channel: Channel,
        /// The piece, to be appended. Always whole characters.
        text: String,
        /// Tokens generated so far, of every channel.
        tokens: u32,
    },
    /// The model calls a tool. The call is whole.
    Tool(ToolCall),
    /// A step of a [`Request::Diagnose`].
    Diagnosing {
        /// Steps done.
        done: u32,
        /// Steps in all.
        total: u32,
    },
    /// Embeddings are being made.
    Embedding {
        /// Inputs done.
        done: u32,
        /// Inputs in all.
        total: u32,
    },
    /// A training is under way.
    Tune(Box<TuneProgress>),
}

/// How a request has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// Ends [`Request::Inspect`].
    Inspected {
        /// What the header says.
        details: Box<ModelDetails>,
        /// Whether it fits this device.
        verdict: FitVerdict,
    },
    /// Ends [`Request::Load`]. [`LoadedModel::id`] may be the load of another page for the same model.
    Loaded(Box<LoadedModel>),
    /// Ends [`Request::Unload`] and [`Request::UnloadEncoder`].
    Unloaded,
    /// Ends [`Request::LoadEncoder`].
    EncoderLoaded(EncoderDetails),
    /// Ends [`Request::Embed`].
    Embedded(Embeddings),
    /// Ends [`Request::Examine`].
    Examined(MediaReport),
    /// Ends [`Request::Listen`].
    Listened {
        /// Tokens of the recording that are encoded; 0 if that has to wait until it is sent.
        tokens: u32,
    },
    /// Ends [`Request::Towers`].
    Towers {
        /// Bytes of graphics memory that towers take; `None` if no model is loaded.
        bytes: Option<u64>,
        /// Bytes of graphics memory in use in all.
        gpu_bytes: u64,
    },
    /// Ends [`Request::Generate`].
    Done {
        /// Why the answer ended.
        finish: Finish,
        /// Its figures.
        timings: Timings,
    },
    /// Ends [`Request::PrepareConstraint`].
    ConstraintReady,
    /// Ends [`Request::OpenAdapter`].
    AdapterOpened(AdapterDetails),
    /// Ends [`Request::CloseAdapter`].
    AdapterClosed,
    /// Ends [`Request::Count`].
    Counted {
        /// Tokens of the rendered prompt.
        tokens: u32,
    },
    /// Ends [`Request::ListCache`] and [`Request::DeleteCached`].
    Cache(CacheReport),
    /// Ends [`Request::KeptCaches`].
    KeptCaches {
        /// Number of conversations.
        conversations: u32,
        /// Bytes that they take.
        bytes: u64,
    },
    /// Ends [`Request::Diagnose`].
    Diagnosed(Finding),
    /// Ends [`Request::Tune`].
    Tune(Box<TuneOutcome>),
}
