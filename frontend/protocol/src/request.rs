//! Messages from the page to the worker.

use serde::{Deserialize, Serialize};

use crate::{
    AdapterSource, Constraint, Content, Diagnosis, Envelope, GenerateOptions, LoadOptions, Message,
    ModelSource, PageId, RequestId, Tool, TuneRequest,
};
#[cfg(doc)]
use crate::{Cause, Event, Finish, Layer, Outcome, Progress, ToPage, VERSION};

/// From the page to the worker.
#[allow(clippy::large_enum_variant, reason = "a message is encoded as soon as it is made")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToWorker {
    /// First message of a page. Answered by [`ToPage::Ready`], then [`ToPage::Device`] and [`ToPage::State`].
    Hello {
        /// The page's [`VERSION`].
        version: u16,
        /// The page's number.
        page: PageId,
    },
    /// Asks for something. Answered by [`Event`]s with the same id.
    Request(Envelope<Request>),
    /// Steers a running request. Has no answer of its own.
    Control(Envelope<Control>),
}

impl ToWorker {
    /// The request `id`.
    #[must_use]
    pub fn request(id: RequestId, body: Request) -> Self {
        Self::Request(Envelope { id, body })
    }

    /// Steers the request `id`.
    #[must_use]
    pub fn control(id: RequestId, body: Control) -> Self {
        Self::Control(Envelope { id, body })
    }
}

/// What the page asks for. Each request ends with an [`Outcome`] or a [`Failure`](crate::Failure).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Reads a model's header and says what it is and whether it fits, without loading a weight.
    /// Ends with [`Outcome::Inspected`].
    Inspect {
        /// Where the model is.
        source: ModelSource,
        /// How it would be loaded.
        options: LoadOptions,
    },
    /// Loads a model in place of the current one. Reports [`Progress::Loading`]; ends with [`Outcome::Loaded`].
    Load {
        /// Where the model is.
        source: ModelSource,
        /// Context length and cache policy.
        options: LoadOptions,
    },
    /// Frees the model and its memory. Ends with [`Outcome::Unloaded`].
    Unload,
    /// Loads a model that makes embeddings, beside the one that chats and in place of another one of its kind. Reports
    /// [`Progress::Loading`]; ends with [`Outcome::EncoderLoaded`].
    LoadEncoder {
        /// Where the model is.
        source: ModelSource,
        /// Whether to keep the weights in this browser.
        keep: bool,
    },
    /// Frees that model and its memory. Ends with [`Outcome::Unloaded`].
    UnloadEncoder,
    /// Makes an embedding of each input, in batches, between which answers come first. Reports [`Progress::Embedding`]; ends
    /// with [`Outcome::Embedded`].
    Embed {
        /// The inputs; texts have their task in front.
        inputs: Vec<Vec<Content>>,
        /// Keep only so many elements of each; `None` for all.
        elements: Option<u32>,
    },
    /// Examines a picture or a sound without encoding it. Ends with [`Outcome::Examined`].
    Examine(Content),
    /// What the microphone recorded since the last of these. It is encoded during the recording, so that nothing is left
    /// to encode when the recording is sent. Ends with [`Outcome::Listened`].
    Listen {
        /// Number of the first sample in its recording; 0 begins a new one.
        at: u64,
        /// 16 kHz, as they will stand in the recording's file.
        samples: Vec<i16>,
        /// Whether the recording ends with them.
        last: bool,
    },
    /// Measures the graphics memory of the towers for pictures and sound; frees it first if `free`. The next picture or
    /// sound loads its tower again. Ends with [`Outcome::Towers`].
    Towers {
        /// Whether to free it.
        free: bool,
    },
    /// Answers the conversation. Reports [`Progress::Encoding`], [`Progress::Prefilling`], [`Progress::Canvas`] and
    /// [`Progress::Text`]; ends with [`Outcome::Done`].
    Generate {
        /// The conversation, oldest message first. The last one is the user's, or a tool's: then the answer goes on in the turn
        /// that has called it.
        messages: Vec<Message>,
        /// How to answer.
        options: GenerateOptions,
    },
    /// Fetches what constrains answers, unless it is there, and checks that a constraint can be enforced. This is what asks the
    /// server for it; an answer never does. Ends with [`Outcome::ConstraintReady`].
    PrepareConstraint(Constraint),
    /// Reads a LoRA adapter for the loaded model. It applies to answers that name it ([`GenerateOptions::adapters`]).
    /// Ends with [`Outcome::AdapterOpened`].
    OpenAdapter {
        /// The name of the adapter in later requests. An open adapter of this name is replaced.
        key: String,
        /// Where it is.
        source: AdapterSource,
    },
    /// Closes an adapter. Ends with [`Outcome::AdapterClosed`].
    CloseAdapter {
        /// The adapter.
        key: String,
    },
    /// Counts the tokens of the conversation as a prompt. Ends with [`Outcome::Counted`]. Sent while a draft is written:
    /// each of these cancels the one before, and only texts that changed are tokenized.
    Count {
        /// The conversation as it would be sent.
        messages: Vec<Message>,
        /// Whether thinking is on (it changes the prompt).
        thinking: bool,
        /// The tools that the prompt declares.
        tools: Vec<Tool>,
    },
    /// Lists the weights kept in this browser. Ends with [`Outcome::Cache`].
    ListCache,
    /// Deletes weights kept in this browser. Ends with [`Outcome::Cache`] of what is left.
    DeleteCached {
        /// Digests of the blobs, as in [`Layer::digest`]. One that is in use ends the deletion.
        digests: Vec<String>,
    },
    /// Says what KV caches are kept in this browser ([`GenerateOptions::keep`]), after deleting some. Ends with
    /// [`Outcome::KeptCaches`].
    KeptCaches {
        /// Which to delete. One of a conversation that is being answered isn't kept afterwards, either.
        forget: Forget,
    },
    /// Measures. Reports [`Progress::Diagnosing`]; ends with [`Outcome::Diagnosed`].
    Diagnose(Diagnosis),
    /// Fine-tuning. Reports [`Progress::Tune`]; ends with [`Outcome::Tune`].
    Tune(Box<TuneRequest>),
}

/// Which kept KV caches are deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Forget {
    /// None.
    Nothing,
    /// Those of these conversations.
    Of(Vec<String>),
    /// All.
    All,
}

/// Steers a running request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Control {
    /// Stops it. A cancelled generation ends with [`Finish::Cancelled`], anything else with [`Cause::Cancelled`].
    Cancel,
    /// Ends the thought of a [`Request::Generate`], so that the answer proper begins.
    AnswerNow,
    /// Has a training write a checkpoint and end with [`TuneOutcome::Paused`](crate::TuneOutcome::Paused).
    PauseTraining,
    /// Ends a training as if it had done all its steps.
    FinishTraining,
}
