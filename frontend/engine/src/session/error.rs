//! Errors of loading and generating.

use super::ConstraintError;
use crate::adapter::AdapterError;
use crate::audio::AudioError;
use crate::bytes::SourceError;
use crate::gguf::GgufError;
use crate::gpu::GpuError;
use crate::media::MediaError;
use crate::model::{ConfigError, DenoisingError, DrafterError, ExpertError, RowError, StepError};
use crate::template::PromptError;
use crate::tokenizer::TokenizerError;
use crate::vision::{PictureError, VisionError};
use crate::weights::{LoadError, TensorError};

/// Why loading or generating failed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum EngineError {
    /// The file could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The header is broken.
    #[error(transparent)]
    Gguf(#[from] GgufError),
    /// The metadata is inconsistent, or of another kind of model.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A tensor is missing or wrong.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// The tokenizer cannot be built.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// The prompt cannot be encoded with this vocabulary.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// Weights could not be loaded.
    #[error(transparent)]
    Load(LoadError),
    /// The device.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A row of the per-layer embeddings could not be read.
    #[error(transparent)]
    Row(#[from] RowError),
    /// Media that do not fit the prompt or the model.
    #[error(transparent)]
    Media(#[from] MediaError),
    /// Audio that cannot be encoded.
    #[error(transparent)]
    Audio(AudioError),
    /// An image that cannot be decoded.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// An adapter that cannot be used.
    #[error(transparent)]
    Adapter(#[from] AdapterError),
    /// A drafter that cannot be used with this model.
    #[error(transparent)]
    Drafter(DrafterError),
    /// The model needs more memory than the device is assumed to have.
    #[error("the model needs {needed} bytes of graphics memory; this device is taken to have {available}")]
    TooLarge {
        /// Bytes needed with the shortest useful context.
        needed: u64,
        available: u64,
    },
    /// The per-layer table does not fit on the device, and this machine has no copy of it.
    #[error(
        "the device has no room for the per-layer embeddings: {bytes} bytes of them need a place on this machine"
    )]
    NoTable { bytes: u64 },
    /// Not all experts fit on the device, and this machine has no copy of them.
    #[error("the device has no room for all experts: {bytes} bytes of them need a place on this machine")]
    NoExperts { bytes: u64 },
    /// The memory for experts does not hold those of one token.
    #[error("{budget} bytes are too few for the experts of a token, which take {needed}")]
    ExpertBudget { budget: u64, needed: u64 },
    /// An expert could not be loaded.
    #[error(transparent)]
    Expert(ExpertError),
    /// The prompt fills the context.
    #[error("the conversation takes {tokens} tokens; the context holds {context}")]
    ContextFull { tokens: u32, context: u32 },
    /// A token id outside of the vocabulary.
    #[error("there is no token {id}: the vocabulary has {vocabulary}")]
    NoToken { id: u32, vocabulary: u32 },
    /// A canvas cannot be denoised so.
    #[error(transparent)]
    Denoising(#[from] DenoisingError),
    /// All logits are NaN or infinite.
    #[error("no logit of the model is a finite number")]
    NotNumbers,
    /// What the answer may be isn't known.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// The prompt is empty.
    #[error("the prompt is empty")]
    Empty,
}

impl From<AudioError> for EngineError {
    fn from(error: AudioError) -> Self {
        match error {
            AudioError::Tensor(error) => Self::Tensor(error),
            AudioError::Load(error) => error.into(),
            AudioError::Gpu(error) => Self::Gpu(error),
            error => Self::Audio(error),
        }
    }
}

impl From<DrafterError> for EngineError {
    fn from(error: DrafterError) -> Self {
        match error {
            DrafterError::Config(error) => Self::Config(error),
            DrafterError::Tensor(error) => Self::Tensor(error),
            error => Self::Drafter(error),
        }
    }
}

impl From<LoadError> for EngineError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Source(error) => Self::Source(error),
            LoadError::Gpu(error) => Self::Gpu(error),
            LoadError::Tensor(error) => Self::Tensor(error),
            error => Self::Load(error),
        }
    }
}

impl From<VisionError> for EngineError {
    fn from(error: VisionError) -> Self {
        match error {
            VisionError::Picture(error) => Self::Picture(error),
            VisionError::Config(error) => Self::Config(error),
            VisionError::Tensor(error) => Self::Tensor(error),
            VisionError::Load(error) => error.into(),
            VisionError::Gpu(error) => Self::Gpu(error),
            VisionError::Source(error) => Self::Source(error),
        }
    }
}

impl From<StepError> for EngineError {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Gpu(error) => Self::Gpu(error),
            StepError::Source(error) => Self::Source(error),
            StepError::Row(error) => Self::Row(error),
            StepError::Media(error) => Self::Media(error),
            StepError::Expert(ExpertError::Gpu(error)) => Self::Gpu(error),
            StepError::Expert(ExpertError::Source { source, .. }) if source.is_cancelled() => {
                Self::Source(source)
            }
            StepError::Expert(error) => Self::Expert(error),
        }
    }
}

impl EngineError {
    /// Returns whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Source(error) | Self::Row(RowError::Source(error)) if error.is_cancelled())
    }

    /// Returns whether the device was lost.
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Gpu(GpuError::Lost { .. }))
    }
}
