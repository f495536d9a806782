//! Failures: a code with its arguments. What can be done follows from the code, and so do the words, which the page finds
//! when it shows them, in its language.

mod adapter;
mod device;
mod engine;
mod media;
mod model;
mod read;
mod request;
mod storage;
mod training;

use serde::{Deserialize, Serialize};

pub use adapter::AdapterFailure;
pub use device::{DeviceFailure, MemorySaving, NoGpu};
pub use engine::EngineFailure;
pub use media::MediaFailure;
pub use model::{ModelFailure, OtherKind};
pub use read::ReadFailure;
pub use request::{Activity, RequestFailure};
pub use storage::StorageFailure;
pub use training::{Instability, Setting, TrainingFailure};

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What it is.
    pub code: Code,
    /// More for engineers, in English: the words of a browser or a parser. Empty where there is nothing to add. It is
    /// shown on demand and never as the sentence.
    #[serde(default)]
    pub detail: String,
}

/// What went wrong, by subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Code {
    /// The person stopped it.
    Cancelled,
    /// Page and engine are of different versions.
    Version {
        /// The page's.
        page: u16,
        /// The engine's.
        engine: u16,
    },
    /// What was asked for cannot be done now.
    Request(RequestFailure),
    /// The graphics device.
    Device(DeviceFailure),
    /// A file could not be read.
    Read(ReadFailure),
    /// A model that does not work here.
    Model(ModelFailure),
    /// A picture or a sound that cannot be used.
    Media(MediaFailure),
    /// A LoRA adapter that cannot be used.
    Adapter(AdapterFailure),
    /// The browser's storage.
    Storage(StorageFailure),
    /// Fine-tuning.
    Training(TrainingFailure),
    /// A fault of this program, or of the device's arithmetic.
    Engine(EngineFailure),
}

impl Failure {
    /// A failure with nothing to add.
    #[must_use]
    pub fn new(code: impl Into<Code>) -> Self {
        Self { code: code.into(), detail: String::new() }
    }

    /// Adds words for engineers.
    #[must_use]
    pub fn detailed(mut self, detail: impl std::fmt::Display) -> Self {
        self.detail = detail.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        self
    }

    /// Its kind.
    #[must_use]
    pub fn cause(&self) -> Cause {
        self.code.nature().0
    }

    /// What the user can do, best first.
    #[must_use]
    pub fn remedies(&self) -> Vec<Remedy> {
        self.code.nature().1
    }

    /// Whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.code == Code::Cancelled
    }

    /// Whether the model is busy with something else.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        matches!(self.code, Code::Request(RequestFailure::Busy(_)))
    }
}

impl Code {
    /// Its kind, and what can be done.
    fn nature(&self) -> (Cause, Vec<Remedy>) {
        match self {
            Self::Cancelled => (Cause::Cancelled, Vec::new()),
            Self::Version { .. } => (Cause::Version, vec![Remedy::ReloadPage]),
            Self::Request(failure) => failure.nature(),
            Self::Device(failure) => failure.nature(),
            Self::Read(failure) => failure.nature(),
            Self::Model(failure) => failure.nature(),
            Self::Media(failure) => failure.nature(),
            Self::Adapter(failure) => failure.nature(),
            Self::Storage(failure) => failure.nature(),
            Self::Training(failure) => failure.nature(),
            Self::Engine(failure) => failure.nature(),
        }
    }
}

/// Lets a failure of each subject stand where a code or a failure is wanted.
macro_rules! subjects {
    ($($name:ident($failure:ident)),* $(,)?) => {
        $(
            impl From<$failure> for Code {
                fn from(failure: $failure) -> Self {
                    Self::$name(failure)
                }
            }

            impl From<$failure> for Failure {
                fn from(failure: $failure) -> Self {
                    Self::new(failure)
                }
            }
        )*
    };
}

subjects! {
    Request(RequestFailure),
    Device(DeviceFailure),
    Read(ReadFailure),
    Model(ModelFailure),
    Media(MediaFailure),
    Adapter(AdapterFailure),
    Storage(StorageFailure),
    Training(TrainingFailure),
    Engine(EngineFailure),
}

impl From<Code> for Failure {
    fn from(code: Code) -> Self {
        Self::new(code)
    }
}

/// For logs.
impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.code)?;
        if self.detail.is_empty() { Ok(()) } else { write!(f, ": {}", self.detail) }
    }
}

impl std::error::Error for Failure {}

/// The kind of a failure. It follows from its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// Something the user can do about a failure. The page shows a button for it if it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{ExampleProblem, JsonProblem, RowProblem};
    use crate::{RequestId, ToPage, decode, encode};

    fn failures() -> Vec<Failure> {
        let bytes = u64::MAX;
        let inner = Failure::new(ModelFailure::NotGguf).detailed("it begins with “NOPE”");
        let unstable = TrainingFailure::Unstable { step: 7, what: Instability::NanLoss, saved: Some(5) };
        vec![
            Code::Cancelled.into(),
            Code::Version { page: 8, engine: 7 }.into(),
            RequestFailure::ContextFull { tokens: 4033, context: 2048 }.into(),
            DeviceFailure::OutOfMemory { in_use: 1, requested: bytes, shorter_context: Some(512) }.into(),
            DeviceFailure::None(NoGpu::NoAdapter).into(),
            ReadFailure::Status { status: 503 }.into(),
            ModelFailure::NotOpened { name: "a.gguf".into(), failure: Box::new(inner) }.into(),
            MediaFailure::FileTooLarge { size: bytes, most: 1 }.into(),
            AdapterFailure::NeedsModel { names: vec!["a".into(), "b".into()] }.into(),
            StorageFailure::Full { kept: 1, size: bytes }.into(),
            unstable.into(),
            EngineFailure::Miscomputes { kernels: vec!["k".into()], unloaded: true }.into(),
        ]
    }

    #[test]
    fn failures_travel_to_the_page_and_to_storage() {
        for failure in failures() {
            let message = ToPage::outcome(RequestId(1), Err(failure.clone()));
            let bytes = encode(&message).expect("it is written");
            assert_eq!(decode::<ToPage>(&bytes).expect("it is read"), message);
            let json = serde_json::to_string(&failure).expect("it is written");
            assert_eq!(serde_json::from_str::<Failure>(&json).expect("it is read"), failure);
        }
        let why = Box::new(MediaFailure::NoSound.into());
        for reason in [
            ExampleProblem::Json { column: 14, what: JsonProblem::EarlyEnd },
            ExampleProblem::BadFile { name: "a.wav".into(), why },
        ] {
            let row = RowProblem { line: 2, reason };
            let bytes = encode(&row).expect("it is written");
            assert_eq!(decode::<RowProblem>(&bytes).expect("it is read"), row);
        }
    }

    #[test]
    fn the_detail_is_one_line() {
        let failure = Failure::new(EngineFailure::Stopped).detailed("panicked at\n  lib.rs");
        assert_eq!(failure.detail, "panicked at lib.rs");
        assert_eq!(failure.to_string(), "Engine(Stopped): panicked at lib.rs");
    }
}
