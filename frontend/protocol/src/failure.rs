//! Failures, with a cause that a program can match and words that a person can use.

use serde::{Deserialize, Serialize};

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// For programs.
    pub cause: Cause,
    /// One or two sentences for a person: what happened, with numbers and names.
    pub message: String,
    /// What the person can do, best first.
    pub remedies: Vec<Remedy>,
}

impl Failure {
    /// A failure with nothing to offer.
    #[must_use]
    pub fn new(cause: Cause, message: impl Into<String>) -> Self {
        Self { cause, message: message.into(), remedies: Vec::new() }
    }

    /// Adds something the person can do.
    #[must_use]
    pub fn with(mut self, remedy: Remedy) -> Self {
        self.remedies.push(remedy);
        self
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Cause {
    /// Page and worker are of different versions.
    Version,
    /// The person stopped it.
    Cancelled,
    /// No WebGPU, or no adapter.
    NoGpu,
    /// The device was lost and could not be restored.
    DeviceLost,
    /// It does not fit the device's memory or limits.
    OutOfMemory,
    /// A file could not be reached: network, permission, gone.
    Unreachable,
    /// A file is broken: not GGUF, cut short, contradicts itself.
    BadFile,
    /// A file is well formed but of a kind this engine does not run: architecture, quantisation.
    Unsupported,
    /// A picture or sound cannot be used: it is none, it is cut short, it is too large.
    BadMedia,
    /// The prompt does not fit the context.
    ContextFull,
    /// The request makes no sense in this state: no model is loaded, another answer is running.
    Invalid,
    /// The browser's storage is full or refused.
    Storage,
    /// Training went wrong: the loss became infinite or no number.
    Training,
    /// A fault of this program.
    Internal,
}

/// Something a person can do about a failure. The page makes a button of it where it can.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Remedy {
    /// Try the same again.
    Retry,
    /// Load again with a context of at most this many tokens.
    SmallerContext(u32),
    /// Load again, with so many bytes of the model in ordinary memory ([`crate::LoadOptions::use_memory`]).
    UseMemory(u64),
    /// Choose another model.
    OtherModel,
    /// Start a new conversation.
    NewChat,
    /// Reload the page.
    ReloadPage,
    /// Read how to switch WebGPU on in this browser.
    EnableWebGpu,
    /// Delete kept weights to make room.
    FreeStorage,
}
